//! What a problem's room offers to the outside: presets, files, agents, pictures. One implementation makes a problem
//! known to the command line.

use crate::file::{Object, Reader};
use crate::spec::{Args, Param};
use crate::{
    Agent, Audit, Cost, Encode, Exchange, Failure, Faults, Features, Guide, Meter, Problem, Rng,
    Scout, Seed, Timed,
};
use serde_json::{Map, Value};
use std::fmt::Debug;

/// A named family of scenarios with a generator.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// How it is typed.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
}

/// An agent that can be asked for by name.
pub struct AgentEntry<P: Problem> {
    /// How it is typed.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// What can be set.
    pub params: &'static [Param],
    /// Makes one, for one day.
    pub make: fn(&Args) -> Box<dyn Agent<P>>,
}

/// Is shown a problem's guides one by one, with their types: so a search is made for each of them, without `dyn` inside.
pub trait GuideVisitor<P: Problem> {
    /// One guide, by its name.
    fn visit<G: Guide<P> + Default + 'static>(&mut self, name: &'static str);
}

/// The arrivals of a problem with their times.
pub type Arrivals<P> = Vec<Timed<<P as Problem>::Arrival>>;
/// The decisions of a problem with their times.
pub type Decisions<P> = Vec<Timed<<P as Problem>::Action>>;

/// A file format of other people's for scenarios.
pub struct ScenarioFormat<S> {
    /// How such files end, without the dot.
    pub extension: &'static str,
    /// One line.
    pub about: &'static str,
    /// Reads the text of the file of the given name.
    pub read: fn(file: &str, text: &str) -> Result<S, Faults>,
    /// Writes a scenario, if the format can hold it; otherwise says why not.
    pub write: fn(&S) -> Result<String, String>,
}

/// A file format of other people's for solutions.
pub struct SolutionFormat<S, P: Problem> {
    /// How such files end, without the dot.
    pub extension: &'static str,
    /// One line.
    pub about: &'static str,
    /// Reads the decisions, and the cost that the file states.
    #[allow(clippy::type_complexity)]
    pub read: fn(&S, file: &str, text: &str) -> Result<(Decisions<P>, Option<Cost>), Faults>,
    /// Writes decisions with their cost.
    pub write: fn(&[Timed<P::Action>], Cost) -> String,
}

/// A problem with everything the outside needs of it.
pub trait Domain: 'static {
    /// The rules.
    type Problem: Audit + Encode + Exchange + Features;
    /// One day: what is public from the start, and what arrives when.
    type Scenario: Clone + Debug + PartialEq + Send + Sync;

    /// The rule that leads searches on common futures.
    type Scout: Scout<Self::Problem>;

    /// The problem's name in files and presets.
    const NAME: &'static str;
    /// Agents shown when none is asked for; the first is the one whose day is drawn.
    const SHOWN: &'static [&'static str];
    /// The agent that solves instances when none is asked for.
    const SOLVER: &'static str;
    /// The guide that searches use when none is asked for.
    const GUIDE: &'static str;
    /// The names of the solvers in other processes that understand this problem.
    const RIVALS: &'static [&'static str];

    /// The presets.
    fn presets() -> &'static [Preset];
    /// Scenario `index` of a preset: the same for the same seed on every machine. `None` if there is no such preset.
    fn generate(preset: &str, seed: Seed, index: u64) -> Option<Self::Scenario>;
    /// The agents.
    fn agents() -> Vec<AgentEntry<Self::Problem>>;
    /// Shows the rules that can guide a search.
    fn guides(visitor: &mut impl GuideVisitor<Self::Problem>);

    /// The scenario's name.
    fn name(scenario: &Self::Scenario) -> &str;
    /// The rules of this scenario with the arrival law of the preset `law`. Without a law, all that is known is the
    /// scenario's horizon: nothing is expected, and the state closes there. Fails if there is no such preset.
    fn problem(scenario: &Self::Scenario, law: Option<&str>) -> Option<Self::Problem>;
    /// What arrives when, in order of time.
    fn arrivals(scenario: &Self::Scenario) -> Arrivals<Self::Problem>;
    /// What somebody would have decided who knew all arrivals from the start: the bound that online results are shown
    /// against. A heuristic's value, not a proof.
    fn hindsight(
        problem: &Self::Problem,
        arrivals: &[Timed<<Self::Problem as Problem>::Arrival>],
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decisions<Self::Problem>, Failure>;
    /// Draws a day (possibly unfinished) as SVG.
    fn picture(
        problem: &Self::Problem,
        arrivals: &[Timed<<Self::Problem as Problem>::Arrival>],
        decisions: &[Timed<<Self::Problem as Problem>::Action>],
        title: &str,
    ) -> String;

    /// Reads a scenario from its JSON object; `name` and `problem` have been read already.
    fn read(reader: &mut Reader, name: &str, object: &mut Object<'_>) -> Option<Self::Scenario>;
    /// Writes a scenario as a JSON object.
    fn write(scenario: &Self::Scenario) -> Map<String, Value>;
    /// Reads an action from its JSON object; `time` has been read already.
    fn read_action(
        reader: &mut Reader,
        object: &mut Object<'_>,
    ) -> Option<<Self::Problem as Problem>::Action>;
    /// Writes an action as a JSON object.
    fn write_action(action: <Self::Problem as Problem>::Action) -> Map<String, Value>;
    /// Other people's scenario formats.
    fn scenario_formats() -> Vec<ScenarioFormat<Self::Scenario>>;
    /// Other people's solution formats.
    fn solution_formats() -> Vec<SolutionFormat<Self::Scenario, Self::Problem>>;
}

/// The preset that a scenario's name speaks of: what stands before the slash.
pub fn preset_of(scenario_name: &str) -> &str {
    scenario_name.split('/').next().unwrap_or(scenario_name)
}
