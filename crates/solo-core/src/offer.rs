//! What a problem's crate offers beyond its rules, as plain data: presets, file formats, bundled models.

use crate::params::{Field, SpecError};
use crate::{ActionOf, Cost, Faults, LogOf, RulesOf, Scenario, Seed, Timed};

/// A named family of scenarios with a generator.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// How it is typed.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// Another preset whose models serve this one, too.
    pub like: Option<&'static str>,
}

/// The presets of a problem.
#[derive(Clone, Copy)]
pub struct Presets<S> {
    /// All of them.
    pub list: &'static [Preset],
    /// What can be changed of them, as in `name:key=value`.
    pub changes: fn() -> Vec<Field>,
    /// Scenario `index` of a preset as typed: the same for the same seed on every machine.
    pub draw: fn(preset: &str, seed: Seed, index: u64) -> Result<S, SpecError>,
}

/// A file format of other people's for scenarios.
#[derive(Clone, Copy)]
pub struct ScenarioFormat<S> {
    /// How it is asked for. The first format of an extension is taken when none is.
    pub name: &'static str,
    /// How such files end, without the dot.
    pub extension: &'static str,
    /// One line.
    pub about: &'static str,
    /// Reads the text of the file of the given name.
    pub read: fn(file: &str, text: &str) -> Result<S, Faults>,
    /// Writes a scenario, if the format can hold it; otherwise says why not.
    pub write: fn(&S) -> Result<String, String>,
}

/// Decisions with their times.
pub type Decisions<P> = Vec<Timed<ActionOf<P>>>;

/// The decisions of a solution file, and the cost that it states.
pub type ReadSolution<P> = (Decisions<P>, Option<Cost>);

/// Reads a solution of a scenario from the text of the file of the given name.
pub type ReadSolutionOf<S> =
    fn(&S, file: &str, text: &str) -> Result<ReadSolution<RulesOf<S>>, Faults>;

/// A file format of other people's for solutions.
#[derive(Clone, Copy)]
pub struct SolutionFormat<S: Scenario> {
    /// How such files end, without the dot.
    pub extension: &'static str,
    /// One line.
    pub about: &'static str,
    /// Reads the decisions, and the cost that the file states.
    pub read: ReadSolutionOf<S>,
    /// Writes the decisions of a day with their cost.
    pub write: fn(&LogOf<RulesOf<S>>, Cost) -> String,
}

/// A model that comes with the program, as bytes.
#[derive(Clone, Copy, Debug)]
pub struct BundledModel {
    /// How it is typed.
    pub name: &'static str,
    /// The presets whose days it was taught for.
    pub presets: &'static [&'static str],
    /// The file.
    pub bytes: &'static [u8],
}
