//! Open work as a plain CVRP for solvers in other processes.
//!
//! Place 0 is the depot, then come the open customers. A vehicle away from the depot becomes one more place: free to
//! reach from the depot, out of reach from everywhere else, and loaded with what the vehicle has used already. So it
//! comes first on its route, and any CVRP solver can plan it. Most solvers minimise distance; their trips are then put in
//! order by urgency, like those of our own distance-only heuristics. A solver that prices waiting finds the fleet, the
//! pace and the price beside the plain problem, and says that its trips are `ordered`.

use crate::check;
use crate::dynamics::Routing;
use crate::plan::{Instance, Plan, Route, order_by_urgency};
use crate::scenario::Place;
use crate::state::Open;
use serde_json::{Value, json};
use solo_core::{Cost, Exchange};

/// How much longer than the longest way a forbidden way is.
const OUT_OF_REACH: f64 = 100.0;

/// The vehicles that are away, with their numbers.
fn away(instance: &Instance) -> Vec<u32> {
    (0u32..).zip(&instance.vehicles).filter(|(_, v)| !v.at_depot()).map(|(v, _)| v).collect()
}

impl Exchange for Routing {
    fn trivial_plan(&self, instance: &Instance) -> Option<Plan> {
        instance.open.is_empty().then(Plan::default)
    }

    fn instance_to_json(&self, instance: &Instance) -> Value {
        let away = away(instance);
        let vehicle = |v: &u32| &instance.vehicles[*v as usize];
        let mut places: Vec<Place> = vec![self.depot];
        places.extend(instance.open.iter().map(Open::place));
        let known = places.len();
        places.extend(away.iter().map(|v| vehicle(v).place));

        let mut rows: Vec<Vec<f64>> =
            places.iter().map(|&a| places.iter().map(|&b| self.distance(a, b)).collect()).collect();
        let longest = rows.iter().flatten().copied().fold(0.0, f64::max);
        for (from, row) in rows.iter_mut().enumerate() {
            for (to, distance) in row.iter_mut().enumerate().skip(known) {
                if from != to {
                    *distance = if from == 0 { 0.0 } else { OUT_OF_REACH * longest.max(1e-3) };
                }
            }
        }
        let mut demand: Vec<u32> = vec![0];
        demand.extend(instance.open.iter().map(|customer| customer.demand));
        demand.extend(away.iter().map(|v| self.capacity - vehicle(v).load_left));
        let mut place = known;
        let fleet = instance.vehicles.iter().map(|vehicle| {
            let start = if vehicle.at_depot() { 0 } else { place };
            place += usize::from(!vehicle.at_depot());
            let used = if start == 0 { 0 } else { self.capacity - vehicle.load_left };
            json!({ "start": start, "used": used, "ready": (vehicle.ready - instance.now).max(0.0) })
        });
        json!({
            "distance": rows,
            "demand": demand,
            "capacity": self.capacity,
            "fleet": fleet.collect::<Vec<_>>(),
            "pace": self.pace,
            "waiting_weight": self.waiting_weight,
        })
    }

    fn plan_from_json(&self, instance: &Instance, answer: &Value) -> Result<Plan, String> {
        let away = away(instance);
        let routes = answer["routes"].as_array().ok_or("the answer has no list 'routes'")?;
        let mut plan = Plan::default();
        for route in routes {
            let places = route.as_array().ok_or("a route is not a list")?;
            let mut vehicle = None;
            let mut stops = Vec::new();
            for (i, place) in places.iter().enumerate() {
                let place = place.as_u64().ok_or("a place is not a number")? as usize;
                match place.checked_sub(instance.open.len() + 1) {
                    Some(k) if i == 0 && k < away.len() => vehicle = Some(away[k]),
                    Some(_) => return Err(format!("place {place} cannot come at position {i}")),
                    None if place == 0 => return Err("the depot is inside a route".to_string()),
                    None => stops.push(instance.open[place - 1].id),
                }
            }
            if !stops.is_empty() {
                plan.routes.push(Route { vehicle, stops });
            }
        }
        if answer["ordered"] != true {
            order_by_urgency(self, instance, &mut plan);
        }
        Ok(plan)
    }

    fn plan_cost(&self, instance: &Instance, plan: &Plan) -> Result<Cost, String> {
        check::plan_cost(self, instance, plan)
    }
}
