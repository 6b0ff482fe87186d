//! Where everything stands in a routing day.

use crate::scenario::{Place, Point};
use solo_core::Time;
use std::fmt;

/// What arrives: today only customers; cancellations and delays come as further variants.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrival {
    /// Someone calls.
    Customer {
        /// Where.
        at: Point,
        /// How much.
        demand: u32,
    },
}

/// What can be ordered. Customers are numbered in order of arrival, vehicles from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A free vehicle drives to an open customer.
    Visit {
        /// Which vehicle.
        vehicle: u32,
        /// Which customer.
        customer: u32,
    },
    /// A free vehicle drives to the depot and refills.
    Depot {
        /// Which vehicle.
        vehicle: u32,
    },
    /// Nobody moves until something happens.
    Wait,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Visit { vehicle, customer } => {
                write!(f, "vehicle {vehicle} to customer {customer}")
            }
            Action::Depot { vehicle } => write!(f, "vehicle {vehicle} to the depot"),
            Action::Wait => write!(f, "wait"),
        }
    }
}

/// A customer nobody is driving to yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Open {
    /// The customer's number.
    pub id: u32,
    /// Where.
    pub at: Point,
    /// How much.
    pub demand: u32,
    /// When the call came in.
    pub arrival: Time,
}

impl Open {
    /// The customer as a place.
    #[inline]
    pub fn place(&self) -> Place {
        Place { node: self.id + 1, at: self.at }
    }
}

/// A vehicle, standing or driving.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vehicle {
    /// Where it stands, or where it is driving to.
    pub place: Place,
    /// What it can still take (after serving the customer it drives to).
    pub load_left: u32,
    /// When it is there; in the past if it stands.
    pub ready: Time,
    /// Whether it is on its way.
    pub driving: bool,
}

impl Vehicle {
    /// Whether it stands at the depot or is on its way there.
    pub fn at_depot(&self) -> bool {
        self.place.node == 0
    }
}

/// Everything that has happened and still matters.
#[derive(Debug, PartialEq)]
pub struct State {
    /// The clock.
    pub now: Time,
    /// Customers nobody is driving to yet, by number.
    pub open: Vec<Open>,
    /// The fleet.
    pub vehicles: Vec<Vehicle>,
    /// Customers who have called so far.
    pub arrived: u32,
    /// Customers who have called and are not served yet, those being driven to included.
    pub unserved: u32,
    /// Whether nobody can call any more.
    pub closed: bool,
    /// Whether the last order was to wait, and nothing has happened since.
    pub waiting: bool,
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { open: self.open.clone(), vehicles: self.vehicles.clone(), ..*self }
    }

    /// Reuses the vectors, so that warm rollouts allocate nothing.
    fn clone_from(&mut self, from: &Self) {
        let State { now, open, vehicles, arrived, unserved, closed, waiting } = from;
        self.open.clone_from(open);
        self.vehicles.clone_from(vehicles);
        self.now = *now;
        self.arrived = *arrived;
        self.unserved = *unserved;
        self.closed = *closed;
        self.waiting = *waiting;
    }
}
