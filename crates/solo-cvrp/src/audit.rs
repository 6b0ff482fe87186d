//! What a routing day cost, recomputed from the calls and the orders alone.

use crate::dynamics::Routing;
use crate::scenario::Place;
use crate::state::{Action, Arrival};
use solo_core::{Audit, Cost, Time, Timed, Violation};

/// How far clocks may disagree, relative to the time of day.
const SLACK: f64 = 1e-9;

struct Van {
    place: Place,
    left: u32,
    free_at: Time,
}

impl Audit for Routing {
    fn audit(
        &self,
        arrivals: &[Timed<Arrival>],
        decisions: &[Timed<Action>],
    ) -> Result<Cost, Violation> {
        let start = || Van { place: self.depot, left: self.capacity, free_at: 0.0 };
        let mut vans: Vec<Van> = (0..self.fleet).map(|_| start()).collect();
        let mut visited = vec![false; arrivals.len()];
        let (mut distance, mut waited, mut clock) = (0.0, 0.0, 0.0);
        for (i, decision) in decisions.iter().enumerate() {
            let time = decision.time;
            let object = |what: String| Err(Violation { decision: i, time, what });
            let slack = SLACK * time.abs().max(1.0);
            if !time.is_finite() || time < clock - slack {
                return object(format!("it comes before the decision at {clock}"));
            }
            clock = time;
            let (vehicle, target) = match decision.what {
                Action::Wait => continue,
                Action::Depot { vehicle } => (vehicle, None),
                Action::Visit { vehicle, customer } => (vehicle, Some(customer as usize)),
            };
            let Some(van) = vans.get_mut(vehicle as usize) else {
                return object(format!("there is no vehicle {vehicle}"));
            };
            if van.free_at > time + slack {
                return object(format!("vehicle {vehicle} drives until {}", van.free_at));
            }
            let Some(customer) = target else {
                if van.place.node == 0 {
                    return object(format!("vehicle {vehicle} is at the depot already"));
                }
                let leg = self.travel.distance(van.place, self.depot);
                distance += leg;
                *van =
                    Van { place: self.depot, left: self.capacity, free_at: time + leg * self.pace };
                continue;
            };
            let Some(call) = arrivals.get(customer) else {
                return object(format!("there is no customer {customer}"));
            };
            let Arrival::Customer { at, demand } = call.what;
            if call.time > time + slack {
                return object(format!("customer {customer} calls only at {}", call.time));
            }
            if std::mem::replace(&mut visited[customer], true) {
                return object(format!("customer {customer} is visited twice"));
            }
            if demand > van.left {
                return object(format!(
                    "customer {customer} demands {demand}, vehicle {vehicle} has {} left",
                    van.left
                ));
            }
            let place = Place { node: customer as u32 + 1, at };
            let leg = self.travel.distance(van.place, place);
            distance += leg;
            *van = Van { place, left: van.left - demand, free_at: time + leg * self.pace };
            waited += van.free_at - call.time;
        }
        if let Some(customer) = visited.iter().position(|visited| !visited) {
            let what = format!("customer {customer} is never visited");
            return Err(Violation { decision: decisions.len(), time: clock, what });
        }
        let home: f64 = vans.iter().map(|van| self.travel.distance(van.place, self.depot)).sum();
        Ok(distance + home + self.waiting_weight * waited)
    }
}
