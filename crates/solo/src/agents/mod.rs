//! The agents that every problem gets from what was registered for it, with their parameters.

mod params;

pub use params::{GuideChoice, NetworkChoice, Nothing, Qnet, Solo2};

use crate::entry::{Entry, Searching};
use crate::models::{self, AUTO};
use crate::simulation::Solvers;
use solo_core::params::{AgentSpec, Field, Params, SpecError};
use solo_core::{
    Agent, CostToGo, Encode, Exchange, Features, Guide, Menu, Offline, Policy, Problem, Reflex,
    Replan, RolloutPolicy, RulesOf, Scenario, Value, When,
};
use solo_learn::greedy::{Fitted, Greedy};
use solo_nn::{Scored, Scorer, Valued};
use solo_search::lookahead::by_value;
use solo_search::{Answer, Lookahead, LookaheadParams, Phased, Uct, UctParams};
use std::sync::Arc;

/// What an agent is made from.
pub(crate) struct Making<'m, S: Scenario> {
    pub(crate) entry: &'m Entry<S>,
    /// The law of the day, a preset as it is typed.
    pub(crate) law: Option<&'m str>,
    pub(crate) solvers: &'m Solvers,
}

type Made<S> = Result<Box<dyn Agent<RulesOf<S>>>, SpecError>;
type Make<S> = Box<dyn Fn(&Making<'_, S>, &AgentSpec) -> Made<S> + Send + Sync>;

type Check = Box<dyn Fn(&AgentSpec) -> Result<(), SpecError> + Send + Sync>;

/// An agent that can be asked for by name.
pub struct AgentEntry<S: Scenario> {
    /// How it is typed.
    pub name: &'static str,
    /// One line.
    pub about: String,
    /// What can be set.
    pub fields: Vec<Field>,
    /// What the fields are unless they are set.
    pub defaults: solo_core::params::JsonMap,
    check: Check,
    make: Make<S>,
}

impl<S: Scenario> AgentEntry<S> {
    /// An agent whose parameters are as in `base` unless they are set.
    pub(crate) fn new<T: Params>(
        name: &'static str,
        about: impl Into<String>,
        base: T,
        make: impl Fn(&Making<'_, S>, T) -> Result<Box<dyn Agent<RulesOf<S>>>, String>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let checked = base.clone();
        Self {
            name,
            about: about.into(),
            fields: T::fields(),
            defaults: base.to_map(),
            check: Box::new(move |spec| spec.read_over(checked.clone()).map(drop)),
            make: Box::new(move |making, spec| {
                let params = spec.read_over(base.clone())?;
                make(making, params).map_err(|what| SpecError(format!("agent '{name}': {what}")))
            }),
        }
    }

    pub(crate) fn check(&self, spec: &AgentSpec) -> Result<(), SpecError> {
        (self.check)(spec)
    }

    pub(crate) fn make(&self, making: &Making<'_, S>, spec: &AgentSpec) -> Made<S> {
        (self.make)(making, spec)
    }
}

/// What an agent that every problem may have needs, by its name.
pub(crate) fn needs(name: &str) -> Option<&'static str> {
    Some(match name {
        "qnet" | "solo" | "solo+prune" | "lookahead+qnet" => "an encoding and networks",
        "guide" | "mcts+guide" | "solo2" => "features and guides",
        "lookahead" => "a planner, or a rule for rollouts",
        HINDSIGHT => "a plan of whole days",
        _ => return None,
    })
}

/// Typed for the guide after its first round of learning.
const FIRST_ROUND: &str = "first-round";
/// Typed where nothing is wanted.
const OFF: &str = "off";
/// The agent that knew the whole day.
pub const HINDSIGHT: &str = "hindsight";

/// A rule as an agent.
pub(crate) fn rule<S: Scenario, R: Policy<RulesOf<S>> + Default + 'static>(
    name: &'static str,
    about: &'static str,
) -> AgentEntry<S> {
    AgentEntry::new(name, about, Nothing {}, |_, _| Ok(Box::new(Reflex(R::default()))))
}

/// The name of the tree search that a rule guides.
fn mcts_name(rule: &'static str) -> &'static str {
    // Entries are made a few times in a program's life.
    Box::leak(format!("mcts+{rule}").into_boxed_str())
}

/// Algorithm 1 guided by a rule.
pub(crate) fn mcts<S: Scenario, R: Guide<RulesOf<S>> + Default + 'static>(
    rule: &'static str,
) -> AgentEntry<S> {
    let about = format!("the paper's tree search (Algorithm 1) guided by {rule}");
    AgentEntry::new(mcts_name(rule), about, UctParams::default(), |_, params| {
        Ok(Box::new(Uct::new(R::default(), params)))
    })
}

/// Appends the actions worth trying, the most promising first.
pub(crate) type Suggest<P> = Box<
    dyn FnMut(
            &P,
            &<P as Problem>::State,
            &Menu<<P as Problem>::Action>,
            &mut Vec<<P as Problem>::Action>,
        ) + Send,
>;

/// Lookahead over common futures.
pub(crate) fn lookahead<S: Scenario>() -> AgentEntry<S> {
    AgentEntry::new(
        LookaheadParams::NAME,
        LookaheadParams::ABOUT,
        LookaheadParams::default(),
        |making, params| Ok((searching(making)?.lookahead)(params, None)),
    )
}

fn searching<'m, S: Scenario>(making: &Making<'m, S>) -> Result<&'m Searching<RulesOf<S>>, String> {
    let searching = making.entry.searching.as_ref();
    searching.ok_or_else(|| format!("'{}' has no planner, and no rule for rollouts", S::PROBLEM))
}

fn suggested<P, G>(agent: Lookahead<P, G>, suggest: Option<Suggest<P>>) -> Lookahead<P, G>
where
    P: Problem + 'static,
    G: Policy<P> + Clone + Sync,
{
    match suggest {
        Some(mut suggest) => agent.with_shortlist(Box::new(
            move |problem, state, menu, _: &mut G, out: &mut Vec<P::Action>| {
                suggest(problem, state, menu, out);
            },
        )),
        None => agent,
    }
}

/// Searches from a plan.
pub(crate) fn planned<P: Offline + 'static, R: RolloutPolicy<P>>() -> Searching<P> {
    Searching {
        lookahead: |params, suggest| {
            Box::new(suggested(Lookahead::<P, R>::planned(params), suggest))
        },
        phased: |params, open| {
            Box::new(Phased { open, closed: Lookahead::<P, R>::planned(params) })
        },
    }
}

/// Searches where a problem has no planner: a rule plays.
pub(crate) fn unplanned<P, R>() -> Searching<P>
where
    P: Problem + 'static,
    R: Policy<P> + Clone + Default + Sync + 'static,
{
    Searching {
        lookahead: |params, suggest| {
            Box::new(suggested(Lookahead::new(R::default(), params), suggest))
        },
        phased: |params, open| {
            Box::new(Phased { open, closed: Lookahead::new(R::default(), params) })
        },
    }
}

/// The agents with networks.
pub(crate) fn networks<S: Scenario>() -> [AgentEntry<S>; 4]
where
    RulesOf<S>: Encode,
{
    // Rollouts are few, since a network takes its time: they look less far, actions are considered one after the other,
    // and the answer has to be sure. Looking 50 ahead: on generated days with 10 machines 40 was 0.6 to 1.4 points better
    // than 130 at 100 ms a decision, and about the same with 3 machines and in routing.
    let base = |k: usize| {
        let uct = UctParams {
            k,
            lookahead: 50.0,
            widen: 1.0,
            answer: Answer::Sure,
            ..UctParams::default()
        };
        (NetworkChoice::default(), uct)
    };
    let search = |making: &Making<'_, S>, (choice, uct): (NetworkChoice, UctParams)| {
        let (model, guide) = network(making, &choice.model)?;
        Ok(fitted::<S, _>(model, Uct::new(guide, uct)))
    };
    [
        AgentEntry::new(Qnet::NAME, Qnet::ABOUT, Qnet::default(), |making, params: Qnet| {
            let (model, guide) = network(making, &params.model)?;
            Ok(fitted::<S, _>(model, Reflex(guide.with_views(params.views))))
        }),
        AgentEntry::new(
            "solo",
            "the paper's tree search (Algorithm 1) guided by the trained network",
            base(0),
            search,
        ),
        AgentEntry::new(
            "solo+prune",
            "solo, considering only the actions that the network likes best",
            base(3),
            search,
        ),
        AgentEntry::new(
            "lookahead+qnet",
            "lookahead, whose candidates are waiting and the actions that the network likes best",
            (NetworkChoice::default(), LookaheadParams::default()),
            |making, (choice, params)| {
                let (model, mut guide) = network(making, &choice.model)?;
                let mut best = by_value();
                let suggest: Suggest<RulesOf<S>> = Box::new(move |problem, state, menu, out| {
                    best(problem, state, menu, &mut guide, out);
                });
                let agent = (searching(making)?.lookahead)(params, Some(suggest));
                Ok(fitted::<S, _>(model, Erased(agent)))
            },
        ),
    ]
}

/// A network with its name and the form of the graphs that it reads.
type Chosen = (String, solo_core::GraphShape);

/// The network as typed, or the one for days of the law.
fn network<S: Scenario>(
    making: &Making<'_, S>,
    typed: &str,
) -> Result<(Chosen, Greedy<RulesOf<S>>), String> {
    let networks = making.entry.networks.as_ref().ok_or("the problem has no networks")?;
    let (name, net) = if typed == AUTO {
        let serving = making.law.and_then(|law| models::serving(&networks.bundled, law));
        let chosen = serving.or(networks.bundled.first());
        let chosen = chosen.ok_or("no network is bundled; name one with model=")?;
        (chosen.model.name.to_string(), chosen.get())
    } else {
        models::named("model", &networks.bundled, typed)?
    };
    Ok(((name, net.config().shape), Greedy::new(net)))
}

fn fitted<S: Scenario, A: Agent<RulesOf<S>> + 'static>(
    (model, shape): Chosen,
    agent: A,
) -> Box<dyn Agent<RulesOf<S>>>
where
    RulesOf<S>: Encode,
{
    Box::new(Fitted { model, shape, agent })
}

/// A boxed agent where one is wanted by value.
struct Erased<P: Problem>(Box<dyn Agent<P>>);

impl<P: Problem> Agent<P> for Erased<P> {
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &solo_core::Meter<'_>,
        rng: &mut solo_core::Rng,
    ) -> Result<solo_core::Decision<P::Action>, solo_core::Failure> {
        self.0.decide(problem, state, meter, rng)
    }

    fn ponder(
        &mut self,
        problem: &P,
        state: &P::State,
        action: P::Action,
        meter: &solo_core::Meter<'_>,
        rng: &mut solo_core::Rng,
    ) {
        self.0.ponder(problem, state, action, meter, rng);
    }
}

/// A learned value as an estimate.
pub(crate) fn estimate<P: Value + 'static>(scorer: Arc<Scorer>) -> Box<dyn CostToGo<P>> {
    Box::new(Valued::<P>::new(scorer))
}

/// The agents with guides.
pub(crate) fn guides<S: Scenario>() -> [AgentEntry<S>; 3]
where
    RulesOf<S>: Features,
{
    let uct = UctParams { widen: 1.0, answer: Answer::Sure, ..UctParams::default() };
    [
        AgentEntry::new(
            GuideChoice::NAME,
            GuideChoice::ABOUT,
            GuideChoice::default(),
            |making, choice: GuideChoice| {
                Ok(Box::new(Reflex(Scored::new(required_guide(making, &choice.model)?))))
            },
        ),
        AgentEntry::new(
            "mcts+guide",
            "the paper's tree search (Algorithm 1) with a taught guide in place of the network",
            (GuideChoice::default(), uct),
            |making, (choice, uct)| {
                let guide = Scored::new(required_guide(making, &choice.model)?);
                Ok(Box::new(Uct::new(guide, uct)))
            },
        ),
        AgentEntry::new(Solo2::NAME, Solo2::ABOUT, Solo2::default(), solo2::<S>),
    ]
}

fn solo2<S: Scenario>(
    making: &Making<'_, S>,
    params: Solo2,
) -> Result<Box<dyn Agent<RulesOf<S>>>, String>
where
    RulesOf<S>: Features,
{
    let guide = guide(making, &params.model)?;
    let value = value(making, &params.value)?;
    let look = params.lookahead(guide.is_some() && value.is_some());
    let searching = searching(making)?;
    let Some(guide) = guide else {
        // No guide was taught for such days: the plan leads, as in the lookahead without a network.
        return Ok((searching.lookahead)(look, None));
    };
    let open = Lookahead::new(Scored::new(guide), look.clone())
        .with_shortlist(by_value())
        .with_value(value);
    Ok((searching.phased)(look, Box::new(open)))
}

fn required_guide<S: Scenario>(making: &Making<'_, S>, typed: &str) -> Result<Arc<Scorer>, String>
where
    RulesOf<S>: Features,
{
    guide(making, typed)?.ok_or_else(|| {
        format!(
            "no bundled guide was taught for {}; name one with model=, or teach one with 'solo teach'",
            making.law.unwrap_or("a day without a known law")
        )
    })
}

/// The guide as typed: a bundled one, a file, or the one for days of the law, if there is one. Changes of a preset do not
/// matter: where the day differs from what was taught, the nearest that there is serves.
fn guide<S: Scenario>(making: &Making<'_, S>, typed: &str) -> Result<Option<Arc<Scorer>>, String>
where
    RulesOf<S>: Features,
{
    let guides = making.entry.guides.as_ref().ok_or("the problem has no guides")?;
    let (bundled, typed) = match typed {
        FIRST_ROUND => (&guides.first_round, AUTO),
        typed => (&guides.bundled, typed),
    };
    let shape = (<RulesOf<S> as Features>::GLOBAL, <RulesOf<S> as Features>::OPTION);
    scorer(making, ("guide", bundled, shape), typed)
}

/// The value as typed.
fn value<S: Scenario>(
    making: &Making<'_, S>,
    typed: &str,
) -> Result<Option<Box<dyn CostToGo<RulesOf<S>>>>, String> {
    let values = making.entry.guides.as_ref().and_then(|guides| guides.values.as_ref());
    match (typed, values) {
        (OFF, _) | (AUTO, None) => Ok(None),
        (typed, None) => Err(format!(
            "value={typed}: '{}' has no value at the horizon; leave it out",
            S::PROBLEM
        )),
        (typed, Some(values)) => {
            let found = scorer(making, ("value", &values.bundled, (0, values.width)), typed)?;
            Ok(found.map(values.estimate))
        }
    }
}

/// A kind of scorer: its name, the bundled ones, and how many numbers about a state and an option it reads.
type Family<'f> = (&'f str, &'f [models::Loaded<Scorer>], (usize, usize));

fn scorer<S: Scenario>(
    making: &Making<'_, S>,
    (kind, bundled, (global, option)): Family<'_>,
    typed: &str,
) -> Result<Option<Arc<Scorer>>, String> {
    let found = if typed == AUTO {
        let preset = making.law.map(|law| making.entry.taught_preset(law));
        preset.and_then(|preset| models::serving(bundled, preset)).map(models::Loaded::get)
    } else {
        Some(models::named(kind, bundled, typed)?.1)
    };
    let shape = found.as_ref().map(|scorer| scorer.shape());
    if let Some(shape) = shape.filter(|shape| (shape.global, shape.option) != (global, option)) {
        return Err(format!(
            "'{typed}' reads {} + {} numbers, but a {kind} of {} reads {global} + {option}: it was taught for another \
             problem, or by another version",
            shape.global,
            shape.option,
            S::PROBLEM
        ));
    }
    Ok(found)
}

/// Somebody else's solver, run by replanning.
#[cfg(feature = "rivals")]
pub(crate) fn rival<S: Scenario, T: Params + Into<When>>(
    rival: solo_rivals::Rival,
    about: &'static str,
) -> AgentEntry<S>
where
    RulesOf<S>: Exchange,
{
    AgentEntry::new(rival.name, about, T::default(), move |making, params: T| {
        let solver = solo_rivals::External::<RulesOf<S>>::new(rival, making.solvers.pool());
        Ok(Box::new(Replan::new(solver, params.into())))
    })
}

/// The name and help of who knew the whole day; it is no agent and is never made.
pub(crate) fn hindsight<S: Scenario>() -> AgentEntry<S> {
    AgentEntry::new(
        HINDSIGHT,
        "the day planned with all arrivals known: a bound by a heuristic, not an agent; its budget is for the whole day",
        Nothing {},
        |_, _| Err("it decides a whole day at once".to_string()),
    )
}
