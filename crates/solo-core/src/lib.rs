//! The decision process that every SOLO problem is written in.
//!
//! A [`Problem`] holds the rules and the arrival law. Its `State` is everything that has happened, hence everything
//! an agent may see. The realised future is a [`Tape`], owned by a [`World`] that never shows it. [`settle`] is the
//! only place where time moves. An [`Agent`] turns a state into a decision; an [`Audit`] recomputes the cost of a
//! whole day from its journal with code of its own.

pub mod agent;
pub mod audit;
pub mod budget;
pub mod conformance;
pub mod dist;
pub mod domain;
pub mod features;
pub mod file;
pub mod graph;
pub mod journal;
pub mod menu;
pub mod offline;
pub mod plot;
pub mod problem;
pub mod replan;
pub mod seed;
pub mod spec;
pub mod svg;
pub mod tape;
pub mod variant;
pub mod world;

pub use agent::{
    Agent, Candidate, Decision, Evidence, Failure, Guide, Policy, Reflex, Scout, Uniform,
};
pub use audit::{Audit, Violation};
pub use budget::{Budget, Clock, Meter, SystemClock};
pub use domain::{AgentEntry, Domain, GuideVisitor, Preset};
pub use features::{Features, Options, Outlook};
pub use file::{Fault, Faults};
pub use graph::{Encode, Graph, GraphShape, Sight};
pub use journal::{Journal, Timed};
pub use menu::Menu;
pub use offline::{Exchange, Offline, Solver};
pub use problem::{Cost, KeyMixer, Problem, StateKey, Status, Time, settle, settle_until};
pub use replan::{Replan, When};
pub use seed::{Rng, Seed, Stream};
pub use tape::Tape;
pub use variant::Variant;
pub use world::{Illegal, Rollouts, World, rollout, rollout_until};
