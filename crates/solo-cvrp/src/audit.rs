//! What a routing day cost, recomputed from its log alone.

use crate::dynamics::Routing;
use crate::scenario::{Place, Travel};
use crate::state::{Action, Event};
use solo_core::{Audit, Cost, LogOf, Recorded, Time, Violation};
use std::collections::BTreeMap;

/// How far clocks may disagree, relative to the time of day.
const SLACK: f64 = 1e-9;

/// A call as the log tells of it.
struct Call {
    time: Time,
    place: Place,
    demand: u32,
    visited: bool,
}

/// A vehicle as the decisions so far leave it.
#[derive(Clone)]
struct Van {
    place: Place,
    left: u32,
    free_at: Time,
}

/// The books of a day.
struct Books<'p> {
    problem: &'p Routing,
    calls: BTreeMap<u32, Call>,
    vans: Vec<Van>,
    distance: f64,
    waited: Time,
}

impl<'p> Books<'p> {
    fn open(problem: &'p Routing, log: &LogOf<Routing>) -> Result<Self, Violation> {
        let van = Van { place: problem.depot, left: problem.capacity, free_at: 0.0 };
        let (calls, vans) = (BTreeMap::new(), vec![van; problem.fleet]);
        let mut books = Self { problem, calls, vans, distance: 0.0, waited: 0.0 };
        let mut decision = 0;
        for entry in log.entries() {
            let time = entry.time;
            match &entry.what {
                Recorded::Event(event) => {
                    books.call(event, time).map_err(|what| Violation { decision, time, what })?;
                }
                Recorded::Decision(_) => decision += 1,
                Recorded::Closed => {}
            }
        }
        Ok(books)
    }

    /// Notes who calls. Nobody calls twice, and everybody's place is on the map.
    fn call(&mut self, event: &Event, time: Time) -> Result<(), String> {
        match *event {
            Event::Customer { id, at, demand } => {
                if id == u32::MAX {
                    return Err(format!("{id} is no number of a customer"));
                }
                if let Travel::Matrix(matrix) = &self.problem.travel
                    && id as usize + 1 >= matrix.side
                {
                    let side = matrix.side;
                    return Err(format!("customer {id} is not among the {side} places"));
                }
                let place = Place { node: id + 1, at };
                let call = Call { time, place, demand, visited: false };
                match self.calls.insert(id, call) {
                    Some(_) => Err(format!("customer {id} calls a second time")),
                    None => Ok(()),
                }
            }
        }
    }

    /// Carries out an order, or says what rule it breaks.
    fn order(&mut self, action: Action, time: Time, slack: Time) -> Result<(), String> {
        let (vehicle, target) = match action {
            Action::Wait => return Ok(()),
            Action::Depot { vehicle } => (vehicle, None),
            Action::Visit { vehicle, customer } => (vehicle, Some(customer)),
        };
        let van =
            self.vans.get(vehicle as usize).ok_or(format!("there is no vehicle {vehicle}"))?;
        if van.free_at > time + slack {
            return Err(format!("vehicle {vehicle} drives until {}", van.free_at));
        }
        let after = match target {
            None => self.depot(vehicle, van.clone(), time)?,
            Some(customer) => self.visit(vehicle, van.clone(), customer, (time, slack))?,
        };
        self.vans[vehicle as usize] = after;
        Ok(())
    }

    fn depot(&mut self, vehicle: u32, van: Van, time: Time) -> Result<Van, String> {
        let Routing { depot, capacity, pace, .. } = *self.problem;
        if van.place.node == 0 {
            return Err(format!("vehicle {vehicle} is at the depot already"));
        }
        let leg = self.problem.travel.distance(van.place, depot);
        self.distance += leg;
        Ok(Van { place: depot, left: capacity, free_at: time + leg * pace })
    }

    fn visit(
        &mut self,
        vehicle: u32,
        van: Van,
        customer: u32,
        (time, slack): (Time, Time),
    ) -> Result<Van, String> {
        let unknown = format!("there is no customer {customer}");
        let call = self.calls.get_mut(&customer).ok_or(unknown)?;
        if call.time > time + slack {
            return Err(format!("customer {customer} calls only at {}", call.time));
        }
        if std::mem::replace(&mut call.visited, true) {
            return Err(format!("customer {customer} is visited twice"));
        }
        if call.demand > van.left {
            let (demand, left) = (call.demand, van.left);
            return Err(format!(
                "customer {customer} demands {demand}, vehicle {vehicle} has {left} left"
            ));
        }
        let leg = self.problem.travel.distance(van.place, call.place);
        self.distance += leg;
        let free_at = time + leg * self.problem.pace;
        self.waited += free_at - call.time;
        Ok(Van { place: call.place, left: van.left - call.demand, free_at })
    }
}

impl Audit for Routing {
    fn audit(&self, log: &LogOf<Self>) -> Result<Cost, Violation> {
        let mut books = Books::open(self, log)?;
        let (mut clock, mut number) = (0.0, 0);
        for (decision, order) in log.decisions().enumerate() {
            let time = order.time;
            let object = |what: String| Violation { decision, time, what };
            let slack = SLACK * time.abs().max(1.0);
            if !time.is_finite() || time < clock - slack {
                return Err(object(format!("it comes before the decision at {clock}")));
            }
            clock = time;
            number = decision + 1;
            books.order(*order.what, time, slack).map_err(object)?;
        }
        if let Some((customer, _)) = books.calls.iter().find(|(_, call)| !call.visited) {
            let what = format!("customer {customer} is never visited");
            return Err(Violation { decision: number, time: clock, what });
        }
        let home = books.vans.iter().map(|van| self.travel.distance(van.place, self.depot));
        Ok(books.distance + home.sum::<f64>() + self.waiting_weight * books.waited)
    }
}
