//! The agents that decide by a learnt network: alone, in the paper's tree search, or at the root of a lookahead.

use crate::any::AgentInfo;
use crate::models;
use crate::searches::{LOOKAHEAD_PARAMS, look, uct_params, uct_settings};
use solo_core::spec::{Args, Kind, Param, Spec, SpecError};
use solo_core::{Agent, Domain, Encode, Reflex};
use solo_learn::greedy::{Fitted, Greedy};
use solo_search::lookahead::{Lookahead, by_value};
use solo_search::{Answer, Uct};

const MODEL: Param = Param {
    name: "model",
    about: "a model in the box, or a .safetensors file; auto for the one trained for the day's law",
    kind: Kind::Text { default: models::AUTO },
};

const VIEWS: Param = Param {
    name: "views",
    about: "in how many ways that mean the same a state is looked at (routing: up to 8, the map mirrored and turned); the values \
            are their mean",
    kind: Kind::Whole { low: 1, high: 8, default: 1 },
};

/// Rollouts by a network expect arrivals only so far into the future: on generated days with 10 machines 40 was 0.6 to 1.4 points
/// better than 130 at 100 ms a decision, and about the same with 3 machines and in routing.
const LOOKAHEAD: f64 = 50.0;

/// What can be set of a search with a network. Rollouts are few, since a network takes its time: they look less far, actions
/// are considered one after the other, and the answer has to be sure.
const fn search(k: u32) -> [Param; 8] {
    let [beta, gamma, k, lookahead, futures, widen, answer] =
        uct_params(k, LOOKAHEAD, 1.0, Answer::CAREFUL);
    [MODEL, k, beta, gamma, lookahead, futures, widen, answer]
}

const ALL: [Param; 8] = search(0);
const PRUNED: [Param; 8] = search(3);

const ROOT_PARAMS: [Param; LOOKAHEAD_PARAMS.len() + 1] = {
    let mut params = [MODEL; LOOKAHEAD_PARAMS.len() + 1];
    let mut i = 0;
    while i < LOOKAHEAD_PARAMS.len() {
        params[i + 1] = LOOKAHEAD_PARAMS[i];
        i += 1;
    }
    params
};

const QNET: AgentInfo = AgentInfo {
    name: "qnet",
    about: "the action with the largest Q-value of the learnt network",
    params: &[MODEL, VIEWS],
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

const ROOT: AgentInfo = AgentInfo {
    name: "lookahead+qnet",
    about: "lookahead, whose candidates are waiting and the actions that the network likes best",
    params: &ROOT_PARAMS,
};

/// The agents with networks, for every problem.
pub fn infos() -> [AgentInfo; 4] {
    [QNET, SOLO, SOLO_PRUNE, ROOT]
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
    let mut guide = Greedy::new(net);
    Ok(if name == QNET.name {
        let guide = guide.with_views(args.number(VIEWS.name) as usize);
        boxed(Fitted { model, shape, agent: Reflex(guide) })
    } else if name == ROOT.name {
        let mut best = by_value();
        let agent = Lookahead::<D::Problem, D::Scout>::scouting(look(args)).with_shortlist(
            Box::new(move |problem, state, menu, _scout, out| {
                best(problem, state, menu, &mut guide, out);
            }),
        );
        boxed(Fitted { model, shape, agent })
    } else {
        boxed(Fitted { model, shape, agent: Uct::new(guide, uct_settings(args)) })
    })
}

fn boxed<P: Encode, A: Agent<P> + 'static>(agent: Fitted<A>) -> Box<dyn Agent<P>> {
    Box::new(agent)
}
