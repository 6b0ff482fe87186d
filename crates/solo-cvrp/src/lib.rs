//! Capacitated vehicle routing, offline and online, for one vehicle or a fleet.

pub mod scenario;
pub mod state;

pub use scenario::{Customer, Matrix, Place, Point, Scenario, Travel};
pub use state::{Action, Arrival, Open, State, Vehicle};
