//! The decision process that every SOLO problem is written in.
//!
//! A [`Problem`] holds the rules and the arrival law. Its `State` is everything that has happened, hence everything
//! an agent may see. The realised future is a [`Tape`], owned by a [`World`] that never shows it. [`settle`] is the
//! only place where time moves. An [`Agent`] turns a state into a decision. A day is its [`Log`]: a [`World`] writes
//! one, a [`Session`] folds one, and an [`Audit`] recomputes the cost of the day from it with code of its own.
//!
//! The smallest problem is small: [`Problem`], [`Audit`] and [`Scenario`]. [`testing::toy`] is one; the crate `solo`
//! shows how it is registered. What a problem may have beyond that are capabilities: [`Offline`] plans,
//! [`RolloutPolicy`], [`Encode`] graphs for networks, [`Rewrite`] plans, [`Features`] for small guides, [`Value`] at the horizon,
//! [`Exchange`] with other processes, and the plain data of [`offer`].
//!
//! ```
//! use solo_core::testing::toy::{Toy, ToyDay};
//! use solo_core::{Audit, Policy, Scenario, Seed, Stream, Uniform, World};
//!
//! let day = ToyDay::draw(Seed(1), 0);
//! let problem = day.rules(None).unwrap();
//! let (mut rule, mut rng) = (Uniform::<Toy>::default(), Seed(1).stream(Stream::Agent, 0));
//! let mut world = World::open(&problem, day.events());
//! while !world.done() {
//!     let action = rule.choose(&problem, world.state(), &mut rng);
//!     world.act(action).unwrap();
//! }
//! let audited = problem.audit(world.log()).unwrap();
//! assert!((audited - world.cost()).abs() < 1e-9 * audited);
//! ```

mod advised;
pub mod agent;
pub mod atomic;
pub mod audit;
pub mod budget;
mod course;
pub mod dist;
pub mod features;
pub mod file;
pub mod finder;
pub mod graph;
pub mod lock;
pub mod log;
pub mod menu;
pub mod offer;
pub mod offline;
pub mod outlook;
pub mod params;
pub mod pool;
pub mod problem;
pub mod replan;
pub mod rewrite;
pub mod rollout;
pub mod scenario;
pub mod seed;
pub mod session;
pub mod tape;
pub mod testing;
mod units;
pub mod value;
pub mod world;

pub use advised::{Advised, Beside};
pub use agent::{
    Agent, AgentKind, Candidate, Decision, Evidence, Failure, Guide, NoTime, Policy, Reflex,
    RolloutPolicy, Uniform,
};
pub use audit::{Audit, Violation};
pub use budget::{Budget, Clock, Meter, SystemClock};
pub use course::Illegal;
pub use features::{Features, Options};
pub use file::{Fault, Faults};
pub use finder::Finder;
pub use graph::{Encode, FeatureSet, Graph, GraphShape};
pub use log::{Log, LogEntry, LogOf, Recorded, Timed};
pub use menu::Menu;
pub use offer::{BundledModel, Decisions, Preset, Presets, ScenarioFormat, SolutionFormat};
pub use offline::{Exchange, Offline, Solver};
pub use outlook::{Branch, Enumerable};
pub use params::{AgentSpec, Params, PresetSpec, SpecError};
pub use problem::{Cost, KeyMixer, Problem, StateKey, Status, Time, settle, settle_until};
pub use replan::{Replan, When};
pub use rewrite::{Draft, Rewrite, Role};
pub use rollout::{Rollouts, rollout, rollout_until};
pub use scenario::{ActionOf, EventOf, LawError, RulesOf, Scenario, preset_of};
pub use seed::{Rng, Seed, Stream};
pub use session::{Refused, Session, replay};
pub use tape::Tape;
pub use units::{InLawUnits, Units};
pub use value::{CostToGo, Value};
pub use world::World;
