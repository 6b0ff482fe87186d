//! Scheduling on parallel machines with setups between job classes, offline and online.
//!
//! Jobs of different classes wait for identical machines. A machine that changes its class needs a setup first; the
//! first job on a machine needs none. Every job costs its weight times the time from its arrival to its completion.

pub mod arrivals;
pub mod audit;
pub mod check;
pub mod dynamics;
pub mod encode;
pub mod exact;
pub mod exchange;
pub mod features;
pub mod formats;
pub mod hindsight;
pub mod insertion;
pub mod models;
mod outlook;
pub mod picture;
pub mod plan;
pub mod presets;
pub mod ruin;
pub mod rules;
pub mod scenario;
pub mod state;
mod units;
pub mod value;
pub mod wspt;

pub use arrivals::{Batches, Law};
pub use check::plan_cost;
pub use dynamics::Scheduling;
pub use exact::exact;
pub use hindsight::hindsight;
pub use insertion::InsertionPlan;
pub use plan::{Instance, Plan, Ready};
pub use ruin::Ruin;
pub use rules::Fifo;
pub use scenario::{Job, SchedulingDay, Setup};
pub use state::{Action, Event, JobRun, Machine, Pending, State};
pub use wspt::{Wspt, WsptPlan};
