//! Capacitated vehicle routing, offline and online, for one vehicle or a fleet.

pub mod agents;
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
pub mod hold;
pub mod insertion;
pub mod models;
mod outlook;
pub mod picture;
pub mod plan;
pub mod presets;
pub mod rewrite;
pub mod ruin;
pub mod rules;
pub mod savings;
pub mod scenario;
pub mod sites;
pub mod state;
pub mod sweep;
mod units;
pub mod vrplib;

pub use arrivals::{Law, Mixture};
pub use dynamics::Routing;
pub use scenario::{Customer, Matrix, Place, Point, RoutingDay, Travel};
pub use sites::Sites;
pub use state::{Action, Event, Open, State, Vehicle};
