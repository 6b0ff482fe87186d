//! Scenarios as JSON.

use crate::scenario::{Customer, Matrix, Point, RoutingDay, Travel};
use crate::vrplib;
use serde_json::{Map, Value, json};
use solo_core::file::{MOST_ITEMS, Object, Range, Reader, matrix_of};
use solo_core::{ScenarioFormat, SolutionFormat, Time};
use std::sync::Arc;

/// Other people's formats for scenarios.
pub const SCENARIO_FORMATS: &[ScenarioFormat<RoutingDay>] = &[
    ScenarioFormat {
        name: "vrplib",
        extension: "vrp",
        about: "VRPLIB: EUC_2D (rounded), EXACT_2D (not rounded) or EXPLICIT distances",
        read: vrplib::read,
        write: vrplib::write,
    },
    ScenarioFormat {
        name: "vrplib-exact",
        extension: "vrp",
        about: "VRPLIB with the distances of EUC_2D left unrounded",
        read: vrplib::read_exact,
        write: vrplib::write,
    },
];

/// Other people's formats for solutions.
pub const SOLUTION_FORMATS: &[SolutionFormat<RoutingDay>] = &[SolutionFormat {
    extension: "sol",
    about: "VRPLIB: one line a route, then the cost",
    read: vrplib::read_solution,
    write: vrplib::write_solution,
}];

/// The most places, depot included, whose distances may be given as a matrix: four million numbers.
pub const MOST_PLACES: usize = 2_000;

/// The largest number accepted anywhere: sums and products of a whole day stay finite below it.
pub(crate) const LARGEST: f64 = 1e9;
/// What a coordinate may be.
pub(crate) const COORDINATE: Range = Range { low: -LARGEST, high: LARGEST, whole: false };
/// What a distance may be.
pub(crate) const DISTANCE: Range = Range { low: 0.0, high: LARGEST, whole: false };
/// What a capacity may be.
pub(crate) const CAPACITY: Range = Range::whole(1.0, LARGEST);
/// What a demand may be, before it is compared with the capacity.
pub(crate) const DEMAND: Range = Range::whole(0.0, LARGEST);
/// What stands on a matrix's diagonal.
pub(crate) const SELF: &str = "0, the distance of a place to itself";
const PACE: Range = Range { low: 1.0 / LARGEST, high: LARGEST, whole: false };
const WAITING_WEIGHT: Range = Range { low: 0.0, high: LARGEST, whole: false };
const TIME: Range = Range { low: 0.0, high: LARGEST, whole: false };
const MOST_VEHICLES: f64 = 1_000.0;

/// Reads a scenario from its JSON object; `None` if anything is wrong with it.
pub fn read(reader: &mut Reader, object: &Map<String, Value>) -> Option<RoutingDay> {
    let before = reader.count();
    let mut object = Object::top(object);
    let name = object.text(reader, "name");
    object.word(reader, "problem", "cvrp");
    let day = read_day(reader, name.unwrap_or_default(), &mut object);
    object.end(reader);
    day.filter(|_| reader.count() == before)
}

fn read_day(reader: &mut Reader, name: &str, object: &mut Object<'_>) -> Option<RoutingDay> {
    let before = reader.count();
    let depot = object.object(reader, "depot").and_then(|mut depot| {
        let at = read_point(reader, &mut depot);
        depot.end(reader);
        at
    });
    let capacity = object.number(reader, "capacity", CAPACITY).map(|x| x as u32);
    let pace = object.number(reader, "pace", PACE);
    let waiting_weight = object.number(reader, "waiting_weight", WAITING_WEIGHT);
    let horizon = object.number(reader, "horizon", TIME);
    let customers = read_customers(reader, object, capacity, horizon);
    let vehicles = object.number_or(reader, "vehicles", Range::whole(1.0, MOST_VEHICLES), 1.0);
    let places = customers.as_ref().map(|customers| customers.len() + 1);
    let travel = match object.optional("distance") {
        Some(value) => read_travel(reader, &object.field("distance"), value, places),
        None => Some(Travel::Euclid),
    };
    if reader.count() > before {
        return None;
    }
    let mut scenario = RoutingDay {
        name: name.to_string(),
        depot: depot?,
        capacity: capacity?,
        pace: pace?,
        waiting_weight: waiting_weight?,
        horizon: horizon?,
        vehicles: vehicles? as usize,
        customers: customers?.into_iter().collect::<Option<_>>()?,
        travel: travel?,
    };
    scenario.sort();
    Some(scenario)
}

fn read_point(reader: &mut Reader, object: &mut Object<'_>) -> Option<Point> {
    let x = object.number(reader, "x", COORDINATE);
    let y = object.number(reader, "y", COORDINATE);
    Some(Point { x: x?, y: y? })
}

/// One entry per customer listed, `None` for those with a fault, so that the matrix can be measured all the same.
fn read_customers(
    reader: &mut Reader,
    object: &mut Object<'_>,
    capacity: Option<u32>,
    horizon: Option<Time>,
) -> Option<Vec<Option<Customer>>> {
    let field = object.field("customers");
    let listed = object.list(reader, "customers")?.len();
    if listed == 0 {
        reader.fault(field, "empty; should have at least one customer");
        return None;
    }
    if listed > MOST_ITEMS {
        reader.fault(field, format!("{listed} customers; at most {MOST_ITEMS} are accepted, because every decision looks at all open work"));
        return None;
    }
    object.objects(reader, "customers", |reader, object| {
        let at = read_point(reader, object);
        let demand = object.number(reader, "demand", DEMAND).map(|x| x as u32);
        if let (Some(demand), Some(capacity)) = (demand, capacity)
            && demand > capacity
        {
            let message =
                format!("{demand} is above the capacity of {capacity}: no vehicle can serve it");
            reader.fault(object.field("demand"), message);
        }
        let arrival = object.number(reader, "arrival", TIME);
        if let (Some(arrival), Some(horizon)) = (arrival, horizon)
            && arrival > horizon
        {
            let message = format!("{arrival} is after the horizon of {horizon}");
            reader.fault(object.field("arrival"), message);
        }
        let customer = at.zip(demand).zip(arrival);
        Some(customer.map(|((at, demand), arrival)| Customer { at, demand, arrival }))
    })
}

/// A matrix row by row, or the word `rounded`.
fn read_travel(
    reader: &mut Reader,
    field: &str,
    value: &Value,
    places: Option<usize>,
) -> Option<Travel> {
    if value.as_str() == Some(ROUNDED) {
        return Some(Travel::Rounded);
    }
    let rows = value.as_array().map_or(0, Vec::len);
    if rows.max(places.unwrap_or(0)) > MOST_PLACES {
        let places = places.unwrap_or(rows);
        reader.fault(field, format!("a matrix for {places} places with {rows} rows; at most {MOST_PLACES} places, depot included, are accepted with a matrix"));
        return None;
    }
    let flat = matrix_of(reader, field, value, places, DISTANCE)?;
    for (i, distance) in flat.iter().step_by(rows + 1).enumerate() {
        if *distance != 0.0 {
            reader.fault(format!("{field}[{i}][{i}]"), format!("{distance} should be {SELF}"));
        }
    }
    Some(Travel::Matrix(Arc::new(Matrix { side: rows, flat })))
}

/// How [`Travel::Rounded`] is spelt where a matrix would be too large.
const ROUNDED: &str = "rounded";

/// Writes a scenario as a JSON object. Rounded distances are written out as a matrix, for readers who know nothing of
/// rounding; beyond [`MOST_PLACES`] as the word `rounded`.
pub fn write(scenario: &RoutingDay) -> Map<String, Value> {
    let customers: Vec<Value> = scenario
        .customers
        .iter()
        .map(|c| json!({"x": c.at.x, "y": c.at.y, "demand": c.demand, "arrival": c.arrival}))
        .collect();
    let mut object = map([
        ("name", json!(scenario.name)),
        ("problem", json!("cvrp")),
        ("depot", json!({"x": scenario.depot.x, "y": scenario.depot.y})),
        ("capacity", json!(scenario.capacity)),
        ("pace", json!(scenario.pace)),
        ("waiting_weight", json!(scenario.waiting_weight)),
        ("horizon", json!(scenario.horizon)),
        ("customers", Value::Array(customers)),
    ]);
    if scenario.vehicles != 1 {
        object.insert("vehicles".into(), json!(scenario.vehicles));
    }
    match &scenario.travel {
        Travel::Euclid => {}
        Travel::Rounded if scenario.customers.len() >= MOST_PLACES => {
            object.insert("distance".into(), json!(ROUNDED));
        }
        Travel::Rounded | Travel::Matrix(_) => {
            object.insert("distance".into(), write_matrix(scenario));
        }
    }
    object
}

fn write_matrix(scenario: &RoutingDay) -> Value {
    let places: Vec<_> = std::iter::once(scenario.depot_place())
        .chain((0..scenario.customers.len()).map(|k| scenario.place(k)))
        .collect();
    let row = |&from| places.iter().map(|&to| json!(scenario.travel.distance(from, to))).collect();
    Value::Array(places.iter().map(row).collect())
}

fn map<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}
