//! Where everything stands in a routing day.

use crate::scenario::{Place, Point};
use serde::{Deserialize, Serialize};
use solo_core::Time;
use std::fmt;

/// What happens from outside: today only calls; cancellations, delays and breakdowns come as further variants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// Someone calls.
    Customer {
        /// The customer's number; no other customer has it.
        id: u32,
        /// Where.
        at: Point,
        /// How much.
        demand: u32,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Customer { id, at, demand } => {
                let short = |x: f64| (x * 1e3).round() / 1e3;
                write!(f, "customer {id}: x {}, y {}, demand {demand}", short(at.x), short(at.y))
            }
        }
    }
}

/// What can be ordered. Customers have the numbers that they called with, vehicles are counted from 0.
///
/// As JSON it is one of `{"vehicle":0,"customer":5}`, `{"vehicle":0,"depot":true}` and `{"wait":true}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ActionFields", into = "ActionFields")]
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

/// The fields of an action as JSON.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActionFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vehicle: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    customer: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    depot: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wait: Option<bool>,
}

impl From<Action> for ActionFields {
    fn from(action: Action) -> Self {
        match action {
            Action::Visit { vehicle, customer } => {
                Self { vehicle: Some(vehicle), customer: Some(customer), ..Self::default() }
            }
            Action::Depot { vehicle } => {
                Self { vehicle: Some(vehicle), depot: Some(true), ..Self::default() }
            }
            Action::Wait => Self { wait: Some(true), ..Self::default() },
        }
    }
}

impl TryFrom<ActionFields> for Action {
    type Error = String;

    fn try_from(fields: ActionFields) -> Result<Self, String> {
        let ActionFields { vehicle, customer, depot, wait } = fields;
        match (vehicle, customer, depot, wait) {
            (Some(vehicle), Some(customer), None, None) => Ok(Action::Visit { vehicle, customer }),
            (Some(vehicle), None, Some(true), None) => Ok(Action::Depot { vehicle }),
            (None, None, None, Some(true)) => Ok(Action::Wait),
            (Some(_), None, None, Some(_)) => {
                Err("a wait is of all vehicles; \"vehicle\" should be left out".to_string())
            }
            (None, _, _, None) => Err("should name its \"vehicle\" by number".to_string()),
            _ => Err("should have one of \"customer\": number, \"depot\": true, \"wait\": true"
                .to_string()),
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
    #[inline]
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
    /// How many customers have called so far.
    pub arrived: u32,
    /// Larger than the number of any customer so far.
    pub next_id: u32,
    /// Customers who have called and are not served yet, those being driven to included.
    pub unserved: u32,
    /// Whether nobody can call any more.
    pub closed: bool,
    /// Whether the last order was to wait, and nothing has happened since.
    pub waiting: bool,
}

impl State {
    /// Adds an open customer in its place by number.
    #[inline]
    pub fn add(&mut self, customer: Open) {
        match self.open.last() {
            Some(last) if last.id > customer.id => {
                let at = self.open.partition_point(|open| open.id < customer.id);
                self.open.insert(at, customer);
            }
            _ => self.open.push(customer),
        }
    }
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { open: self.open.clone(), vehicles: self.vehicles.clone(), ..*self }
    }

    /// Reuses the vectors, so that warm rollouts allocate nothing.
    #[inline]
    fn clone_from(&mut self, from: &Self) {
        let State { now, open, vehicles, arrived, next_id, unserved, closed, waiting } = from;
        self.open.clone_from(open);
        self.vehicles.clone_from(vehicles);
        self.now = *now;
        self.arrived = *arrived;
        self.next_id = *next_id;
        self.unserved = *unserved;
        self.closed = *closed;
        self.waiting = *waiting;
    }
}
