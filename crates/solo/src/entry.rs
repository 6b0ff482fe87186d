//! A problem's entry in the registry: what it must be, and what it may be.
//!
//! A problem is a [`Scenario`] with its rules. Everything else is a capability that is registered here if the problem
//! has it. An agent that needs a capability that is missing says which.

use crate::agents::{self, AgentEntry, Making, ReadyAgent, Suggest, Taught};
use crate::models::Loaded;
use crate::simulation::Solvers;
use solo_core::params::{AgentSpec, Params, SpecError, short};
use solo_core::{
    Agent, AgentKind, BundledModel, CostToGo, Decisions, Encode, Exchange, Failure, Features,
    Guide, InLawUnits, LogOf, Meter, Offline, Policy, Preset, Presets, Rng, RolloutPolicy, RulesOf,
    Scenario, ScenarioFormat, Seed, SolutionFormat, Timed, Uniform, Units, Value, When,
};
use solo_learn::{
    GuideRecipe, LearnError, MakePolicy, NoValue, Recipe, Summary, Task, Watch, WithValue,
};
use solo_nn::{Qnet, Scorer};
use solo_search::LookaheadParams;
use std::sync::Arc;

/// Plans a day with all its events known from the start: the bound that online results are shown against. A
/// heuristic's value, not a proof.
pub type HindsightFn<P> = fn(
    &P,
    &[Timed<<P as solo_core::Problem>::Event>],
    &Meter<'_>,
    &mut Rng,
) -> Result<Decisions<P>, Failure>;

/// Draws a day, possibly unfinished, as SVG.
pub type DrawDay<P> = fn(&P, &LogOf<P>, &str) -> String;

pub(crate) type Train<S> =
    fn(&Entry<S>, &Recipe, &Task<'_>, &mut dyn Watch) -> Result<Summary, LearnError>;
pub(crate) type Teach<S> =
    fn(&Entry<S>, &GuideRecipe, &Task<'_>, &mut dyn Watch) -> Result<Summary, LearnError>;

type MakeLookahead<P> = fn(LookaheadParams, Option<Suggest<P>>) -> Box<dyn Agent<P>>;
type MakePhased<P> = fn(LookaheadParams, Box<dyn Agent<P>>) -> Box<dyn Agent<P>>;

/// A search over candidates, from a plan if the problem can plan.
pub(crate) struct Searching<P: solo_core::Problem> {
    /// Makes one; the candidates are those of the suggestion, if there is one.
    pub(crate) lookahead: MakeLookahead<P>,
    /// Makes one for days that are decided by another agent until nothing more can come.
    pub(crate) phased: MakePhased<P>,
}

/// What networks need.
pub(crate) struct Networks<S: Scenario> {
    pub(crate) bundled: Vec<Loaded<Qnet>>,
    pub(crate) train: Train<S>,
}

/// What guides need.
pub(crate) struct Guides<S: Scenario> {
    pub(crate) bundled: Vec<Loaded<Scorer>>,
    pub(crate) first_round: Vec<Loaded<Scorer>>,
    pub(crate) teach: Teach<S>,
    pub(crate) values: Option<Values<RulesOf<S>>>,
}

/// What values at the horizon need.
pub(crate) struct Values<P> {
    pub(crate) bundled: Vec<Loaded<Scorer>>,
    /// How many numbers a value reads.
    pub(crate) width: usize,
    pub(crate) estimate: fn(Arc<Scorer>) -> Box<dyn CostToGo<P>>,
}

type Wrap<P> = fn(Box<dyn Agent<P>>) -> Box<dyn Agent<P>>;

/// What days in other units need.
pub(crate) struct UnitsOf<P: solo_core::Problem> {
    pub(crate) wrap: Wrap<P>,
    pub(crate) kind: fn(&P) -> &'static str,
    pub(crate) sizes: fn(&P) -> Vec<(&'static str, f64)>,
}

/// A rule by name.
pub(crate) struct Rule<P: solo_core::Problem> {
    pub(crate) name: &'static str,
    pub(crate) make: MakePolicy<P>,
}

/// A problem with everything that was registered for it.
///
/// ```
/// use solo::Entry;
/// use solo_core::testing::toy::ToyDay;
///
/// let toy = Entry::<ToyDay>::new();
/// let names: Vec<&str> = toy.agents().iter().map(|agent| agent.name).collect();
/// assert_eq!(names, ["uniform", "mcts+uniform"]);
/// let missing = toy.agent_error("solo2").unwrap();
/// assert_eq!(missing, "agent 'solo2' needs features and guides, which 'toy' does not have");
/// ```
pub struct Entry<S: Scenario> {
    pub(crate) presets: Option<Presets<S>>,
    pub(crate) agents: Vec<AgentEntry<S>>,
    pub(crate) rules: Vec<Rule<RulesOf<S>>>,
    pub(crate) searching: Option<Searching<RulesOf<S>>>,
    pub(crate) networks: Option<Networks<S>>,
    pub(crate) guides: Option<Guides<S>>,
    pub(crate) rewriters: Option<crate::rewriters::Rewriters<S>>,
    pub(crate) hindsight: Option<HindsightFn<RulesOf<S>>>,
    pub(crate) picture: Option<DrawDay<RulesOf<S>>>,
    pub(crate) units: Option<UnitsOf<RulesOf<S>>>,
    pub(crate) scenario_formats: &'static [ScenarioFormat<S>],
    pub(crate) solution_formats: &'static [SolutionFormat<S>],
    pub(crate) shown: &'static [&'static str],
    pub(crate) shown_offline: &'static [&'static str],
    pub(crate) solver: &'static str,
    pub(crate) opponent: Option<&'static str>,
}

impl<S: Scenario> Default for Entry<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scenario> Entry<S> {
    /// A problem with nothing but its rules: it can be played at random, and searched by Algorithm 1.
    pub fn new() -> Self {
        let entry = Self {
            presets: None,
            agents: Vec::new(),
            rules: Vec::new(),
            searching: None,
            networks: None,
            guides: None,
            rewriters: None,
            hindsight: None,
            picture: None,
            units: None,
            scenario_formats: &[],
            solution_formats: &[],
            shown: &["uniform"],
            shown_offline: &["uniform"],
            solver: "uniform",
            opponent: None,
        };
        entry.rule::<Uniform<RulesOf<S>>>("uniform", "every legal action equally likely")
    }

    /// Families of scenarios that can be drawn.
    pub fn presets(mut self, presets: Presets<S>) -> Self {
        self.presets = Some(presets);
        self
    }

    /// A rule of the problem's own: an agent of this name, a tree search `mcts+NAME` that it guides, and a baseline for
    /// learning.
    pub fn rule<R>(mut self, name: &'static str, about: &'static str) -> Self
    where
        R: Guide<RulesOf<S>> + Default + 'static,
    {
        self.rules.push(Rule { name, make: || Box::new(R::default()) });
        self.generic(agents::rule::<S, R>(name, about)).generic(agents::mcts::<S, R>(name))
    }

    /// An agent of the problem's own with the parameters `T`.
    pub fn agent<T: Params>(self, make: fn(T) -> Box<dyn Agent<RulesOf<S>>>) -> Self {
        self.agent_named(T::NAME, T::ABOUT, make)
    }

    /// An agent of the problem's own that shares its parameters with others.
    pub fn agent_named<T: Params>(
        self,
        name: &'static str,
        about: &'static str,
        make: fn(T) -> Box<dyn Agent<RulesOf<S>>>,
    ) -> Self {
        self.generic(AgentEntry::new(name, about, T::default(), move |_, params| Ok(make(params))))
    }

    pub(crate) fn generic(mut self, agent: AgentEntry<S>) -> Self {
        self.agents.retain(|other| other.name != agent.name);
        self.agents.push(agent);
        self
    }

    pub(crate) fn learned(self, agent: AgentEntry<S>) -> Self {
        self.generic(agent.of_kind(AgentKind::Learned))
    }

    /// The agent that was registered last counts as a rule in reports; agents of the problem's own are solvers otherwise.
    pub fn as_rule(mut self) -> Self {
        if let Some(last) = self.agents.last_mut() {
            last.kind = AgentKind::Rule;
        }
        self
    }

    /// The rule that plays the rollouts of `lookahead`, for problems without a planner.
    pub fn rollouts<R>(mut self) -> Self
    where
        R: Policy<RulesOf<S>> + Clone + Default + Sync + 'static,
    {
        self.searching = Some(agents::unplanned::<RulesOf<S>, R>());
        self.generic(agents::lookahead())
    }

    /// A rollout policy that keeps a plan, with its planner: they lead `lookahead`.
    pub fn planner<R: RolloutPolicy<RulesOf<S>>>(mut self) -> Self
    where
        RulesOf<S>: Offline,
    {
        self.searching = Some(agents::planned::<RulesOf<S>, R>());
        self.rules.push(Rule { name: PLANNER, make: || Box::new(R::default()) });
        self.generic(agents::lookahead())
    }

    /// Networks: the agents `qnet`, `solo`, `solo+prune`, `solo+sure`, `lookahead+qnet`, and training. Where nothing is known of a
    /// day's law, the first bundled network is used.
    pub fn networks(mut self, bundled: &[BundledModel]) -> Self
    where
        RulesOf<S>: Encode,
    {
        let bundled = bundled.iter().map(|model| Loaded::new(*model)).collect();
        self.networks = Some(Networks { bundled, train: train::<S> });
        agents::networks::<S>().into_iter().fold(self, Self::learned)
    }

    /// Guides: the agents `guide`, `mcts+guide`, `solo2`, and teaching, in whose first round `R` plays.
    pub fn guides<R>(self, bundled: &[BundledModel], first_round: &[BundledModel]) -> Self
    where
        RulesOf<S>: Features,
        R: Policy<RulesOf<S>> + Clone + Default + Sync + 'static,
    {
        self.guided(bundled, first_round, teach::<S, R, NoValue>, None)
    }

    /// Guides with a learned value at the horizon, where futures are cut short.
    pub fn guides_with_values<R>(
        self,
        bundled: &[BundledModel],
        first_round: &[BundledModel],
        values: &[BundledModel],
    ) -> Self
    where
        RulesOf<S>: Value,
        R: Policy<RulesOf<S>> + Clone + Default + Sync + 'static,
    {
        let values = Values {
            bundled: values.iter().map(|model| Loaded::new(*model)).collect(),
            width: <RulesOf<S> as Value>::VALUE_FEATURES,
            estimate: agents::estimate::<RulesOf<S>>,
        };
        self.guided(bundled, first_round, teach::<S, R, WithValue>, Some(values))
    }

    fn guided(
        mut self,
        bundled: &[BundledModel],
        first_round: &[BundledModel],
        teach: Teach<S>,
        values: Option<Values<RulesOf<S>>>,
    ) -> Self
    where
        RulesOf<S>: Features,
    {
        let load = |models: &[BundledModel]| models.iter().map(|m| Loaded::new(*m)).collect();
        let (bundled, first_round) = (load(bundled), load(first_round));
        self.guides = Some(Guides { bundled, first_round, teach, values });
        agents::guides::<S>().into_iter().fold(self, Self::learned)
    }

    /// Other people's solvers, run by replanning when the parameters `T` say.
    #[cfg(feature = "rivals")]
    pub fn rivals<T: Params + Into<When>>(
        self,
        rivals: &[(solo_rivals::Rival, &'static str)],
    ) -> Self
    where
        RulesOf<S>: Exchange,
    {
        rivals
            .iter()
            .fold(self, |entry, &(rival, about)| entry.generic(agents::rival::<S, T>(rival, about)))
    }

    /// Other people's solvers, which this build does not have.
    #[cfg(not(feature = "rivals"))]
    pub fn rivals<T: Params + Into<When>>(self, _: &[((), &'static str)]) -> Self
    where
        RulesOf<S>: Exchange,
    {
        self
    }

    /// The bound of who knew the whole day: the agent `hindsight`.
    pub fn hindsight(mut self, plan: HindsightFn<RulesOf<S>>) -> Self {
        self.hindsight = Some(plan);
        self.generic(agents::hindsight())
    }

    /// How days are drawn.
    pub fn pictures(mut self, draw: DrawDay<RulesOf<S>>) -> Self {
        self.picture = Some(draw);
        self
    }

    /// Other people's file formats.
    pub fn formats(
        mut self,
        scenarios: &'static [ScenarioFormat<S>],
        solutions: &'static [SolutionFormat<S>],
    ) -> Self {
        (self.scenario_formats, self.solution_formats) = (scenarios, solutions);
        self
    }

    /// The agents that are compared when none is asked for, on online days and on days that are known from the start.
    /// The first is the one whose day is drawn.
    pub fn shown(
        mut self,
        online: &'static [&'static str],
        offline: &'static [&'static str],
    ) -> Self {
        (self.shown, self.shown_offline) = (online, offline);
        self
    }

    /// Days may be in other units than their law: agents decide in the law's units.
    pub fn units(mut self) -> Self
    where
        RulesOf<S>: Units,
    {
        self.units = Some(UnitsOf {
            wrap: |agent| Box::new(InLawUnits::new(agent)),
            kind: Units::kind,
            sizes: Units::sizes,
        });
        self
    }

    /// The agent that solves instances when none is asked for.
    pub fn solver(mut self, agent: &'static str) -> Self {
        self.solver = agent;
        self
    }

    /// The strongest simple agent to compare searches with, if that is not the solver.
    pub fn opponent(mut self, agent: &'static str) -> Self {
        self.opponent = Some(agent);
        self
    }

    /// Of the agent that was registered last, these parameters have defaults in the units of the law. On days without a
    /// law it says so unless they are set.
    pub fn in_law_units(mut self, params: &'static [&'static str]) -> Self {
        if let Some(last) = self.agents.last_mut() {
            last.in_law_units = params;
        }
        self
    }

    /// The agents, in the order in which they were registered.
    pub fn agents(&self) -> &[AgentEntry<S>] {
        &self.agents
    }

    /// What is wrong with an agent as it is typed; `None` if nothing is.
    pub fn agent_error(&self, typed: &str) -> Option<String> {
        let checked = AgentSpec::parse(typed).and_then(|spec| self.check_agent(&spec));
        checked.err().map(|error| error.to_string())
    }

    /// Checks an agent's name and parameters.
    pub fn check_agent(&self, spec: &AgentSpec) -> Result<(), SpecError> {
        self.find(spec)?.check(spec)
    }

    /// Makes an agent for days of the law `law`.
    pub fn make(
        &self,
        spec: &AgentSpec,
        law: Option<&str>,
        solvers: &Solvers,
    ) -> Result<ReadyAgent<RulesOf<S>>, SpecError> {
        let mut made = self.find(spec)?.make(Making::new(self, law, solvers), spec)?;
        if let Some(units) = &self.units {
            made.agent = (units.wrap)(made.agent);
        }
        Ok(made)
    }

    /// Whether an agent samples futures from the law of the day.
    pub(crate) fn samples(&self, spec: &AgentSpec) -> bool {
        self.find(spec).is_ok_and(|agent| agent.samples)
    }

    fn find(&self, spec: &AgentSpec) -> Result<&AgentEntry<S>, SpecError> {
        let found = self.agents.iter().find(|agent| agent.name == spec.name);
        found.ok_or_else(|| self.unknown_agent(&spec.name))
    }

    fn unknown_agent(&self, name: &str) -> SpecError {
        let problem = S::PROBLEM;
        if let Some(needs) = agents::needs(name) {
            return SpecError(format!(
                "agent '{name}' needs {needs}, which '{problem}' does not have"
            ));
        }
        let near = solo_core::params::nearest(name, self.agents.iter().map(|agent| agent.name));
        let near = near.map_or(String::new(), |near| format!(" (did you mean '{near}'?)"));
        SpecError(format!("{problem} has no agent '{name}'{near}; 'solo list' lists all"))
    }

    /// Which sizes of a day differ from those of the preset that a model was made for, or that it is of another kind:
    /// `taught for 5 machines; this day has 3`.
    pub(crate) fn other_sizes(&self, problem: &RulesOf<S>, taught: &Taught) -> Option<String> {
        let (units, presets) = self.units.as_ref().zip(self.presets.as_ref())?;
        let day = (presets.draw)(taught.preset, Seed(0), 0).ok()?;
        let taught_on = day.rules(Some(taught.preset)).ok()?;
        let own = (units.sizes)(&taught_on);
        let here = (units.sizes)(problem);
        let differ = |a: f64, b: f64| a != b && !(0.75..=4.0 / 3.0).contains(&(a / b));
        let differing = own.iter().filter_map(|&(name, own)| {
            let here = here.iter().find(|(other, _)| *other == name)?.1;
            differ(here, own).then(|| (name, short(own), short(here)))
        });
        let (kind, other) = ((units.kind)(&taught_on), (units.kind)(problem));
        let kinds = (kind != other).then(|| format!("{kind}; this day has {other}"));
        let differing = differing.map(|(name, own, here)| match name.ends_with('s') {
            true if own == "1" => {
                let one = name.strip_suffix("es").filter(|one| one.ends_with("ss"));
                format!("1 {}; this day has {here}", one.unwrap_or(&name[..name.len() - 1]))
            }
            true => format!("{own} {name}; this day has {here}"),
            false => format!("{name} {own}; this day has {here}"),
        });
        let said: Vec<String> = kinds.into_iter().chain(differing).collect();
        let (kind, model) = (taught.kind, &taught.model);
        (!said.is_empty())
            .then(|| format!("the {kind} {model} was taught for {}", said.join(", and for ")))
    }

    /// The preset whose models serve days of the law `law`.
    pub(crate) fn taught_preset<'l>(&self, law: &'l str) -> &'l str
    where
        S: Scenario,
    {
        let name = solo_core::PresetSpec::name_of(law);
        let known = self.presets.as_ref().map_or(&[][..], |presets| presets.list);
        let like = known.iter().find(|preset| preset.name == name).and_then(|p: &Preset| p.like);
        like.unwrap_or(name)
    }
}

/// The name of the rollout policy that keeps a plan, among baselines for learning.
const PLANNER: &str = "insertion";

pub(crate) fn no_presets<S: Scenario>() -> LearnError {
    SpecError(format!("learning needs presets, which '{}' does not have", S::PROBLEM)).into()
}

fn train<S: Scenario>(
    entry: &Entry<S>,
    recipe: &Recipe,
    task: &Task<'_>,
    watch: &mut dyn Watch,
) -> Result<Summary, LearnError>
where
    RulesOf<S>: Encode,
{
    let presets = entry.presets.as_ref().ok_or_else(|| no_presets::<S>())?;
    let wanted = recipe.hyper.baseline.as_str();
    let baseline = match entry.rules.iter().find(|rule| rule.name == wanted) {
        Some(rule) => Some(rule.make),
        None if wanted == solo_learn::NO_BASELINE => None,
        None => {
            let mut known: Vec<&str> = entry.rules.iter().map(|rule| rule.name).collect();
            known.push(solo_learn::NO_BASELINE);
            let (name, known) = (wanted.to_string(), known.join(", "));
            return Err(LearnError::Baseline { name, known });
        }
    };
    solo_learn::train::<S>(recipe, presets, baseline, task, watch)
}

fn teach<S, R, V>(
    entry: &Entry<S>,
    recipe: &GuideRecipe,
    task: &Task<'_>,
    watch: &mut dyn Watch,
) -> Result<Summary, LearnError>
where
    S: Scenario,
    RulesOf<S>: Features,
    R: Policy<RulesOf<S>> + Clone + Default + Sync + 'static,
    V: solo_learn::ValueTeaching<RulesOf<S>>,
{
    let presets = entry.presets.as_ref().ok_or_else(|| no_presets::<S>())?;
    solo_learn::teach::<S, R, V>(recipe, presets, task, watch)
}
