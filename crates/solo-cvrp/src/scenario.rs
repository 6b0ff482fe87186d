//! One day of routing: what is public from the start, and who calls when.

use crate::dynamics::Routing;
use crate::state::Event;
use crate::{Law, formats, presets};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use solo_core::file::Reader;
use solo_core::{LawError, Scenario, Time, Timed};
use std::sync::Arc;

/// A position on the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
}

impl Point {
    /// The straight-line distance.
    #[inline]
    pub fn distance(self, other: Point) -> f64 {
        let (dx, dy) = (self.x - other.x, self.y - other.y);
        (dx * dx + dy * dy).sqrt()
    }
}

/// Someone to be visited once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Customer {
    /// Where.
    pub at: Point,
    /// How much of the vehicle's capacity the visit takes.
    pub demand: u32,
    /// When the call comes in.
    pub arrival: Time,
}

/// How far it is from place to place.
#[derive(Clone, Debug, PartialEq)]
pub enum Travel {
    /// The straight-line distance.
    Euclid,
    /// The straight-line distance rounded to the nearest whole number, as VRPLIB's `EUC_2D` is read.
    Rounded,
    /// Given row by row, from row to column; place 0 is the depot, place k + 1 customer k.
    Matrix(Arc<Matrix>),
}

/// A square matrix of distances.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// The number of places.
    pub side: usize,
    /// `side x side` distances, row by row.
    pub flat: Vec<f64>,
}

/// A place with its number: 0 is the depot, k + 1 customer k.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// The number.
    pub node: u32,
    /// The position.
    pub at: Point,
}

impl Travel {
    /// The distance from one place to another.
    #[inline]
    pub fn distance(&self, from: Place, to: Place) -> f64 {
        match self {
            Travel::Euclid => from.at.distance(to.at),
            Travel::Rounded => (from.at.distance(to.at) + 0.5).floor(),
            Travel::Matrix(matrix) => {
                matrix.flat[from.node as usize * matrix.side + to.node as usize]
            }
        }
    }

    /// Whether every way is as long as the way back.
    pub fn symmetric(&self) -> bool {
        let Travel::Matrix(matrix) = self else { return true };
        let at = |i: usize, j: usize| matrix.flat[i * matrix.side + j];
        (0..matrix.side).all(|i| (0..i).all(|j| at(i, j) == at(j, i)))
    }
}

/// One day. Customers are in order of arrival, and numbered so.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutingDay {
    /// `preset/...` for scenarios of a preset.
    pub name: String,
    /// Where vehicles start, refill and end.
    pub depot: Point,
    /// What a full vehicle holds; no demand is larger.
    pub capacity: u32,
    /// Time per distance; 2 is slower than 1.
    pub pace: f64,
    /// What a customer's waiting costs per time; 0 as published.
    pub waiting_weight: f64,
    /// After this nobody calls; 0 offline.
    pub horizon: Time,
    /// How many vehicles there are.
    pub vehicles: usize,
    /// Who calls when.
    pub customers: Vec<Customer>,
    /// Distances.
    pub travel: Travel,
}

impl RoutingDay {
    /// The depot as a place.
    pub fn depot_place(&self) -> Place {
        Place { node: 0, at: self.depot }
    }

    /// Customer `k` as a place.
    pub fn place(&self, k: usize) -> Place {
        Place { node: k as u32 + 1, at: self.customers[k].at }
    }

    /// Brings customers into order of arrival (keeping the order of equal arrivals), and the matrix with them.
    pub fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.customers.len()).collect();
        order.sort_by(|&a, &b| self.customers[a].arrival.total_cmp(&self.customers[b].arrival));
        if order.is_sorted() {
            return;
        }
        self.customers = order.iter().map(|&k| self.customers[k]).collect();
        if let Travel::Matrix(matrix) = &self.travel {
            let places: Vec<usize> =
                std::iter::once(0).chain(order.iter().map(|&k| k + 1)).collect();
            let flat = places
                .iter()
                .flat_map(|&i| places.iter().map(move |&j| (i, j)))
                .map(|(i, j)| matrix.flat[i * matrix.side + j])
                .collect();
            self.travel = Travel::Matrix(Arc::new(Matrix { side: matrix.side, flat }));
        }
    }
}

impl Scenario for RoutingDay {
    type Problem = Routing;

    const PROBLEM: &'static str = "cvrp";

    fn name(&self) -> &str {
        &self.name
    }

    fn rules(&self, law: Option<&str>) -> Result<Routing, LawError> {
        let law = law.map_or(Ok(Law::Unknown), |preset| presets::law(preset, self))?;
        Ok(Routing::new(self, law))
    }

    fn outside(&self, law: &str) -> Vec<String> {
        presets::outside(law, self)
    }

    fn events(&self) -> Vec<Timed<Event>> {
        let call = |(id, c): (u32, &Customer)| Timed {
            time: c.arrival,
            what: Event::Customer { id, at: c.at, demand: c.demand },
        };
        (0..).zip(&self.customers).map(call).collect()
    }

    fn summary(&self) -> String {
        let Self { capacity, pace, waiting_weight, horizon, vehicles, .. } = self;
        let mut text = format!("capacity {capacity}, pace {pace}, waiting weight {waiting_weight}");
        text += &format!(", horizon {horizon}, {} customers", self.customers.len());
        let there = self.customers.iter().filter(|customer| customer.arrival == 0.0).count();
        if there < self.customers.len() {
            text += &format!(", {there} of them from the start");
        }
        if *vehicles != 1 {
            text += &format!(", {vehicles} vehicles");
        }
        text
    }

    fn read(reader: &mut Reader, object: &Map<String, Value>) -> Option<Self> {
        formats::read(reader, object)
    }
}

impl Serialize for RoutingDay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        formats::write(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RoutingDay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = Map::deserialize(deserializer)?;
        let mut reader = Reader::new("scenario");
        let read = formats::read(&mut reader, &object);
        reader.finish(read).map_err(serde::de::Error::custom)
    }
}
