//! The agents that every problem gets from what was registered for it, with their parameters.

mod guides;
mod networks;
mod params;
mod rewriter;

pub(crate) use guides::{estimate, guides};
pub(crate) use networks::networks;
pub use params::{GreedyQnet, GuideChoice, NetworkChoice, Nothing, RewriterParams, Solo2};
pub(crate) use rewriter::rewriter;

use crate::entry::{Entry, Searching};
use crate::simulation::Solvers;
use solo_core::params::{AgentSpec, Field, Params, SpecError};
use solo_core::{
    Advised, Agent, AgentKind, BundledModel, Exchange, Guide, Offline, Policy, Problem, Replan,
    RolloutPolicy, RulesOf, Scenario, When,
};
use solo_search::lookahead::Listing;
use solo_search::{Lookahead, LookaheadParams, Phased, Uct, UctParams};
use std::cell::RefCell;

/// What an agent is made from.
pub(crate) struct Making<'m, S: Scenario> {
    pub(crate) entry: &'m Entry<S>,
    /// The law of the day, a preset as it is typed.
    pub(crate) law: Option<&'m str>,
    pub(crate) solvers: &'m Solvers,
    /// What the agent is that nobody asked for.
    notes: RefCell<Vec<String>>,
    /// The bundled models that it uses.
    taught: RefCell<Vec<Taught>>,
}

/// A bundled model and the preset whose days it was made for.
#[derive(Clone, Debug)]
pub struct Taught {
    /// What kind of model.
    pub kind: &'static str,
    /// Its name.
    pub model: String,
    /// The preset.
    pub preset: &'static str,
}

impl<'m, S: Scenario> Making<'m, S> {
    pub(crate) fn new(entry: &'m Entry<S>, law: Option<&'m str>, solvers: &'m Solvers) -> Self {
        Self { entry, law, solvers, notes: RefCell::default(), taught: RefCell::default() }
    }

    /// Says that the agent is something else than what was asked for.
    fn note(&self, note: String) {
        self.notes.borrow_mut().push(note);
    }

    /// Remembers a bundled model that is used, for days of `preset` if it was made for those.
    fn uses(&self, kind: &'static str, model: &BundledModel, preset: Option<&str>) {
        let own = model.presets.iter().find(|own| Some(**own) == preset);
        let Some(preset) = own.or(model.presets.first()) else { return };
        self.taught.borrow_mut().push(Taught { kind, model: model.name.to_string(), preset });
    }

    /// The law but for its units, in which models do not differ.
    fn plain_law(&self) -> Option<String> {
        self.law.map(without_units)
    }

    /// The days in words.
    fn days(&self) -> String {
        self.plain_law().unwrap_or_else(|| "days without a known law".to_string())
    }
}

/// An agent that is ready to decide.
pub struct ReadyAgent<P: Problem> {
    /// The agent.
    pub agent: Box<dyn Agent<P>>,
    /// In what it differs from what was asked for, a sentence each: a guide of other days, no futures for want of a law.
    pub notes: Vec<String>,
    /// The bundled models that it uses.
    pub taught: Vec<Taught>,
}

/// A law as typed without its changes of units.
pub(crate) fn without_units(law: &str) -> String {
    let (name, changes) = law.split_once(':').unwrap_or((law, ""));
    let unit = |change: &&str| !matches!(change.split('=').next(), Some("length" | "time"));
    let others: Vec<&str> = changes.split(',').filter(unit).filter(|c| !c.is_empty()).collect();
    if others.is_empty() { name.to_string() } else { format!("{name}:{}", others.join(",")) }
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
    /// Whether it samples futures from the law: without a law it can only replan.
    pub samples: bool,
    /// What kind of agent it is.
    pub kind: AgentKind,
    /// The parameters whose defaults are in the units of the law.
    pub(crate) in_law_units: &'static [&'static str],
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
            samples: false,
            kind: AgentKind::Solver,
            in_law_units: &[],
            check: Box::new(move |spec| spec.read_over(checked.clone()).map(drop)),
            make: Box::new(move |making, spec| {
                let params = spec.read_over(base.clone())?;
                make(making, params).map_err(|what| SpecError(format!("agent '{name}': {what}")))
            }),
        }
    }

    pub(crate) fn samples_futures(self) -> Self {
        Self { samples: true, ..self }
    }

    pub(crate) fn of_kind(self, kind: AgentKind) -> Self {
        Self { kind, ..self }
    }

    pub(crate) fn check(&self, spec: &AgentSpec) -> Result<(), SpecError> {
        (self.check)(spec)
    }

    pub(crate) fn make(
        &self,
        making: Making<'_, S>,
        spec: &AgentSpec,
    ) -> Result<ReadyAgent<RulesOf<S>>, SpecError> {
        let agent = (self.make)(&making, spec)?;
        let left_out = |name: &&&str| making.law.is_none() && !spec.params.contains_key(**name);
        for &name in self.in_law_units.iter().filter(left_out) {
            let default = &self.defaults[name];
            making.note(format!(
                "no arrival law is known for this day, so {name} is {default} in the day's own units; set {name}=, \
                 or name a law with --law"
            ));
        }
        let (notes, taught) = (making.notes.into_inner(), making.taught.into_inner());
        Ok(ReadyAgent { agent, notes, taught })
    }
}

/// What an agent that every problem may have needs, by its name.
pub(crate) fn needs(name: &str) -> Option<&'static str> {
    Some(match name {
        "qnet" | "solo" | "solo+prune" | "solo+sure" | "lookahead+qnet" => {
            "an encoding and networks"
        }
        "rewriter" => "solutions that can be rewritten",
        "guide" | "mcts+guide" | "solo2" => "features and guides",
        "lookahead" => "a planner, or a rule for rollouts",
        HINDSIGHT => "a plan of whole days",
        _ => return None,
    })
}

/// The agent that knew the whole day.
pub const HINDSIGHT: &str = "hindsight";

/// A rule as an agent.
pub(crate) fn rule<S: Scenario, R: Guide<RulesOf<S>> + Default + 'static>(
    name: &'static str,
    about: &'static str,
) -> AgentEntry<S> {
    AgentEntry::new(name, about, Nothing {}, |_, _| Ok(Box::new(Advised::new(R::default()))))
        .of_kind(AgentKind::Rule)
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
    AgentEntry::new(mcts_name(rule), about, UctParams::as_printed(), |_, params| {
        Ok(Box::new(Uct::new(R::default(), params)))
    })
    .samples_futures()
    .of_kind(AgentKind::Search)
}

/// Appends the actions worth trying, the most promising first.
pub(crate) type Suggest<P> =
    Box<dyn FnMut(&Listing<'_, P>, &mut Vec<<P as Problem>::Action>) + Send>;

/// Lookahead over common futures.
pub(crate) fn lookahead<S: Scenario>() -> AgentEntry<S> {
    AgentEntry::new(
        LookaheadParams::NAME,
        LookaheadParams::ABOUT,
        LookaheadParams::default(),
        |making, params| Ok((searching(making)?.lookahead)(params, None)),
    )
    .samples_futures()
    .of_kind(AgentKind::Search)
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
            move |listing: &Listing<'_, P>, _: &mut G, out: &mut Vec<P::Action>| {
                suggest(listing, out);
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
    .of_kind(AgentKind::Bound)
}
