//! The agents that decide by a learnt network: alone, or in the paper's tree search.

use crate::any::AgentInfo;
use crate::models;
use solo_core::spec::{Args, Kind, Param, Spec, SpecError};
use solo_core::{Agent, Domain, Encode, Reflex};
use solo_learn::greedy::{Fitted, Greedy};
use solo_search::{Futures, Settings, Uct};

const MODEL: Param = Param {
    name: "model",
    about: "a model in the box, or a .safetensors file; auto for the one trained for the day's law",
    kind: Kind::Text { default: models::AUTO },
};

const fn search(k: u32) -> [Param; 6] {
    [
        MODEL,
        Param {
            name: "k",
            about: "how many actions are considered, the best by the network; 0 for all",
            kind: Kind::Whole { low: 0, high: u32::MAX, default: k },
        },
        Param {
            name: "beta",
            about: "how much is explored, in units of the spread of the returns",
            kind: Kind::Number { low: 0.0, high: f64::MAX, default: Settings::DEFAULT.beta },
        },
        Param {
            name: "gamma",
            about: "what a step's cost counts against the cost of the step before",
            kind: Kind::Number { low: 0.0, high: 1.0, default: Settings::DEFAULT.gamma },
        },
        Param {
            name: "lookahead",
            about: "rollouts expect arrivals only so far into the future; inf for all",
            kind: Kind::Number {
                low: 0.0,
                high: f64::INFINITY,
                default: Settings::DEFAULT.lookahead,
            },
        },
        Param {
            name: "futures",
            about: "whether the root's actions meet the same dreamt futures",
            kind: Kind::Choice(Futures::WORDS),
        },
    ]
}

const ALL: [Param; 6] = search(0);
const PRUNED: [Param; 6] = search(3);

const QNET: AgentInfo = AgentInfo {
    name: "qnet",
    about: "the action with the largest Q-value of the learnt network",
    params: &[MODEL],
};
const SOLO: AgentInfo = AgentInfo {
    name: "solo",
    about: "the paper's tree search (Algorithm 1) guided by the learnt network",
    params: &ALL,
};
const SOLO_PRUNE: AgentInfo = AgentInfo {
    name: "solo+prune",
    about: "solo, considering only the actions that the network likes best",
    params: &PRUNED,
};

/// The agents with networks, for every problem.
pub fn infos() -> [AgentInfo; 3] {
    [QNET, SOLO, SOLO_PRUNE]
}

/// An agent, or what is wrong with it as it was typed.
type Made<P> = Result<Box<dyn Agent<P>>, SpecError>;

/// Makes the agent, if it is one of these, for days of the law `law`.
pub fn make<D: Domain>(spec: &Spec, law: Option<&str>) -> Option<Made<D::Problem>> {
    let info = infos().into_iter().find(|info| info.name == spec.name)?;
    Some(spec.resolve(info.params).and_then(|args| fitted::<D>(info.name, &args, law)))
}

fn fitted<D: Domain>(name: &str, args: &Args, law: Option<&str>) -> Made<D::Problem> {
    let typed = args.text(MODEL.name);
    let (model, net) = models::find(D::NAME, typed, law)
        .map_err(|error| SpecError(format!("agent '{name}': {error}")))?;
    let shape = net.config().shape;
    let guide = Greedy::new(net);
    Ok(if name == QNET.name {
        boxed(Fitted { model, shape, agent: Reflex(guide) })
    } else {
        let settings = Settings {
            beta: args.number("beta"),
            gamma: args.number("gamma"),
            k: args.number("k") as usize,
            lookahead: args.number("lookahead"),
            futures: Futures::from_word(args.word("futures")),
        };
        boxed(Fitted { model, shape, agent: Uct::new(guide, settings) })
    })
}

fn boxed<P: Encode, A: Agent<P> + 'static>(agent: Fitted<A>) -> Box<dyn Agent<P>> {
    Box::new(agent)
}
