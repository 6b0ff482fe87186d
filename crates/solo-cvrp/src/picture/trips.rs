//! A day as it is drawn: who called, which routes there were, and who drove when.

use crate::dynamics::Routing;
use crate::scenario::{Place, Point, Travel};
use crate::state::{Action, Event};
use solo_core::{LogOf, Recorded, Time};
use std::collections::{BTreeMap, HashMap};

/// A customer of the day.
pub(super) struct Caller {
    pub(super) id: u32,
    pub(super) at: Point,
    pub(super) demand: u32,
    pub(super) called: Time,
    /// When a vehicle was sent.
    pub(super) ordered: Option<Time>,
    /// When a vehicle was there.
    pub(super) served: Option<Time>,
    /// The route that visits it.
    pub(super) route: Option<usize>,
}

/// From leaving the depot to being back, or to where the log ends.
pub(super) struct Route {
    pub(super) vehicle: u32,
    pub(super) customers: Vec<usize>,
    pub(super) load: u64,
    /// Whether it leads back to the depot.
    pub(super) home: bool,
}

/// A way of a vehicle from one place to the next.
pub(super) struct Drive {
    pub(super) vehicle: u32,
    pub(super) route: usize,
    pub(super) start: Time,
    pub(super) end: Time,
    /// The customer it leads to; `None` if it leads to the depot.
    pub(super) to: Option<usize>,
    /// Whether it begins at the depot.
    pub(super) from_depot: bool,
}

/// A vehicle as the decisions so far leave it.
struct Van {
    place: Place,
    free_at: Time,
    /// The route it is on.
    route: Option<usize>,
}

/// Everything that is drawn of a day.
pub(super) struct Trips {
    /// In order of their calls.
    pub(super) customers: Vec<Caller>,
    /// In the order in which they began.
    pub(super) routes: Vec<Route>,
    /// In the order in which they were ordered.
    pub(super) drives: Vec<Drive>,
    /// How many customers nobody was sent to.
    pub(super) unserved: usize,
    /// From when on nobody could call any more, as far as the log says.
    pub(super) closed: Option<Time>,
}

impl Trips {
    /// Reads a log. Orders to customers that do not exist are left out: what is wrong with a solution is for the audit to
    /// say. The last routes return home only if everybody was served.
    pub(super) fn read(problem: &Routing, log: &LogOf<Routing>) -> Self {
        let mut trips = Self {
            customers: Vec::new(),
            routes: Vec::new(),
            drives: Vec::new(),
            unserved: 0,
            closed: None,
        };
        let (mut known, mut vans) = (HashMap::new(), BTreeMap::new());
        for event in log.events() {
            match *event.what {
                Event::Customer { id, at, demand } => {
                    known.entry(id).or_insert(trips.customers.len());
                    let (called, ordered, served, route) = (event.time, None, None, None);
                    trips.customers.push(Caller { id, at, demand, called, ordered, served, route });
                }
            }
        }
        for entry in log.entries() {
            match entry.what {
                Recorded::Decision(Action::Visit { vehicle, customer }) => {
                    if let Some(&customer) = known.get(&customer) {
                        let fresh = Van { place: problem.depot, free_at: 0.0, route: None };
                        let van = vans.entry(vehicle).or_insert(fresh);
                        trips.visit(problem, (vehicle, van), customer, entry.time);
                    }
                }
                Recorded::Decision(Action::Depot { vehicle }) => {
                    if let Some(van) = vans.get_mut(&vehicle) {
                        trips.head_home(problem, (vehicle, van), entry.time);
                    }
                }
                Recorded::Closed => trips.closed = Some(entry.time),
                Recorded::Decision(Action::Wait) | Recorded::Event(_) => {}
            }
        }
        trips.unserved = trips.customers.iter().filter(|c| c.ordered.is_none()).count();
        if trips.unserved == 0 {
            let last_call =
                trips.customers.iter().map(|customer| customer.called).fold(0.0, f64::max);
            let from = trips.closed.unwrap_or(last_call);
            for (vehicle, mut van) in vans {
                trips.head_home(problem, (vehicle, &mut van), from);
            }
        }
        trips
    }

    fn visit(
        &mut self,
        problem: &Routing,
        (vehicle, van): (u32, &mut Van),
        customer: usize,
        time: Time,
    ) {
        let from_depot = van.route.is_none();
        let route = *van.route.get_or_insert(self.routes.len());
        if from_depot {
            self.routes.push(Route { vehicle, customers: Vec::new(), load: 0, home: false });
        }
        let caller = &mut self.customers[customer];
        let place = Place { node: caller.id.saturating_add(1), at: caller.at };
        let (start, end) = van.drive(problem, place, time);
        caller.ordered = caller.ordered.or(Some(time));
        caller.served = caller.served.or(Some(end));
        caller.route = Some(route);
        self.routes[route].customers.push(customer);
        self.routes[route].load += u64::from(caller.demand);
        self.drives.push(Drive { vehicle, route, start, end, to: Some(customer), from_depot });
    }

    fn head_home(&mut self, problem: &Routing, (vehicle, van): (u32, &mut Van), time: Time) {
        let Some(route) = van.route.take() else { return };
        let (start, end) = van.drive(problem, problem.depot, time);
        self.routes[route].home = true;
        self.drives.push(Drive { vehicle, route, start, end, to: None, from_depot: false });
    }

    /// Whether customers called during the day.
    pub(super) fn online(&self) -> bool {
        self.customers.iter().any(|customer| customer.called > 0.0)
    }

    /// When the last thing happened.
    pub(super) fn end(&self) -> Time {
        let called = self.customers.iter().map(|customer| customer.called);
        called.chain(self.drives.iter().map(|drive| drive.end)).fold(0.0, f64::max)
    }
}

impl Van {
    /// Drives to a place, as soon as it is ordered and free. Returns when it leaves and when it is there.
    fn drive(&mut self, problem: &Routing, to: Place, ordered: Time) -> (Time, Time) {
        let start = ordered.max(self.free_at);
        let end = start + problem.pace * distance(problem, self.place, to);
        (self.place, self.free_at) = (to, end);
        (start, end)
    }
}

/// The distance, straight where a matrix does not know a place.
fn distance(problem: &Routing, from: Place, to: Place) -> f64 {
    match &problem.travel {
        Travel::Matrix(matrix) if from.node.max(to.node) as usize >= matrix.side => {
            from.at.distance(to.at)
        }
        travel => travel.distance(from, to),
    }
}
