//! Capacitated vehicle routing, offline and online, for one vehicle or a fleet.

pub mod arrivals;
pub mod audit;
pub mod check;
pub mod domain;
pub mod dynamics;
pub mod encode;
pub mod exact;
pub mod exchange;
pub mod features;
pub mod formats;
pub mod hindsight;
pub mod hold;
pub mod keep;
pub mod picture;
pub mod plan;
pub mod presets;
pub mod ruin;
pub mod rules;
pub mod savings;
pub mod scenario;
pub mod state;
pub mod sweep;
pub mod vrplib;

pub use arrivals::{Law, Mixture};
pub use domain::Cvrp;
pub use dynamics::Routing;
pub use scenario::{Customer, Matrix, Place, Point, Scenario, Travel};
pub use state::{Action, Arrival, Open, State, Vehicle};
