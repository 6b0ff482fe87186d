//! SOLO as a library: decide online, learn offline, search online.
//!
//! Start with a day and an agent:
//!
//! ```
//! use solo::prelude::*;
//!
//! let day = bundled().draw("cvrp-dispatch-20", 7, 0)?;
//! let outcome = Simulation::of(&*day).agent("solo2@200r").run()?;
//! println!("{}: {:.2} in {} decisions", outcome.agent, outcome.cost, outcome.decisions);
//! # Ok::<(), solo::Error>(())
//! ```
//!
//! | question | look at |
//! |---|---|
//! | simulate a day | [`Simulation`], `examples/simulate_a_day.rs` |
//! | a rule of my own | [`Entry::rule`], `examples/my_rule.rs` |
//! | a problem of my own | [`Entry`], `examples/my_problem.rs` |
//! | decide one state and say why | [`solo_core::Agent`], [`Explanation`], `examples/decide_and_explain.rs` |
//! | many days in parallel, continued after a crash | [`days`] |
//! | suites of comparisons and reports | [`suites`] |
//! | train networks, teach guides | [`learning`] |
//! | scenario and solution files | [`files`], [`solution`] |
//! | a live day without a simulator | [`solo_core::Session`] |
//!
//! Inside a problem's crate everything is generic. Types are erased once, in [`any`], so that what follows need not know
//! which problem it is about.

pub mod agents;
pub mod any;
pub mod cores;
pub mod day;
pub mod days;
pub mod entry;
pub mod explanation;
pub mod files;
pub mod hurried;
pub mod learning;
pub mod lines;
pub mod machine;
pub mod models;
pub mod pictures;
pub mod problems;
pub mod registry;
mod rewriters;
pub mod simulation;
pub mod solution;
pub mod suites;

pub use agents::{AgentEntry, GreedyQnet, GuideChoice, Solo2};
pub use any::{AgentInfo, AnyProblem, AnyScenario};
pub use day::Day;
pub use entry::Entry;
pub use explanation::Explanation;
pub use hurried::Hurried;
pub use registry::{Registry, bundled};
pub use simulation::{EpisodeError, NO_LAW, Outcome, Settings, Simulation, Solvers};
pub use solo_core as core;

/// The Rust of the README and of the guide, compiled and run with the doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/guide/extending.md")]
struct Documents;

/// What most programs need.
pub mod prelude {
    pub use crate::{
        AnyScenario, Entry, GreedyQnet, GuideChoice, Outcome, Registry, Settings, Simulation,
        Solo2, bundled,
    };
    pub use solo_core::{
        Agent, AgentSpec, Audit, Budget, Cost, Decision, Guide, Menu, Meter, Params, Policy,
        Problem, Rng, Scenario, Seed, Session, Status, Stream, Time, Timed, World, params,
    };
    pub use solo_search::{LookaheadParams, UctParams};
}

use solo_core::Faults;
use thiserror::Error;

/// Why something asked for could not be done.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Error {
    /// What was asked for means nothing here.
    #[error("{0}")]
    Usage(String),
    /// It was tried and failed.
    #[error("{0}")]
    Failed(String),
    /// A suite or a folder of results is wrong.
    #[error(transparent)]
    Eval(#[from] solo_eval::EvalError),
    /// A file is wrong.
    #[error(transparent)]
    Faults(#[from] Faults),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] solo_core::atomic::FileError),
    /// A day did not end well.
    #[error(transparent)]
    Episode(#[from] EpisodeError),
    /// Somebody asked to stop.
    #[error("interrupted")]
    Interrupted,
}
