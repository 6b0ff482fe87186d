//! Scheduling on parallel machines with setups between job classes, offline and online.
//!
//! Jobs of different classes wait for machines. A machine that changes its class needs a setup first; the first job on
//! a machine needs none. A job may take longer on one machine than on another, or not be possible there at all. Every job
//! costs its weight times the time from its arrival to its completion.

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
pub mod rewrite;
pub mod ruin;
pub mod rules;
pub mod scenario;
pub mod state;
pub mod times;
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
pub use times::{CANNOT, Factors, Processing, Times};
pub use wspt::{Wspt, WsptPlan};
