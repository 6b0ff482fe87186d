//! The rules of routing: what may be ordered, what it costs, what happens as time passes.

use crate::arrivals::Law;
use crate::formats::LARGEST;
use crate::rules::Nearest;
use crate::scenario::{Place, Point, RoutingDay, Travel};
use crate::state::{Action, Event, Open, State, Vehicle};
use solo_core::{Cost, KeyMixer, Menu, Meter, Problem, Rng, StateKey, Status, Tape, Time};

/// The rules and the law of one scenario.
///
/// Conventions (`docs/decisions/0003-routing-as-published.md`): driving takes distance x pace; a customer is served on
/// arrival; the depot refills at once; waiting lasts until something happens; the day ends when the law is closed and
/// everyone is served, and then every vehicle's leg home is added. While nobody is open, the published setting leaves
/// vehicles where they are; where waiting costs, they may go home meanwhile.
#[derive(Clone, Debug, PartialEq)]
pub struct Routing {
    /// The depot.
    pub depot: Place,
    /// What a full vehicle holds.
    pub capacity: u32,
    /// Time per distance.
    pub pace: f64,
    /// What a customer's waiting costs per time.
    pub waiting_weight: f64,
    /// Whether a vehicle may go home while nobody is open. Not so as published, where time is free and it would gain
    /// nothing; so wherever waiting costs.
    pub idle_return: bool,
    /// After this nobody calls.
    pub horizon: Time,
    /// How many vehicles.
    pub fleet: usize,
    /// Distances.
    pub travel: Travel,
    /// Who may still call.
    pub law: Law,
    /// Where networks see the unit square: its lower corner and its side.
    pub square: (Point, f64),
}

impl Routing {
    /// The rules of a scenario under a law.
    pub fn new(scenario: &RoutingDay, law: Law) -> Self {
        Self {
            depot: scenario.depot_place(),
            capacity: scenario.capacity,
            pace: scenario.pace,
            waiting_weight: scenario.waiting_weight,
            idle_return: scenario.waiting_weight > 0.0,
            horizon: scenario.horizon,
            fleet: scenario.vehicles,
            travel: scenario.travel.clone(),
            square: square(scenario, &law),
            law,
        }
    }

    /// The distance from one place to another.
    #[inline]
    pub fn distance(&self, from: Place, to: Place) -> f64 {
        self.travel.distance(from, to)
    }

    /// Whether waiting can end: somebody may still call, or somebody is driving.
    #[inline]
    pub fn may_wait(&self, state: &State) -> bool {
        !state.closed || state.vehicles.iter().any(|vehicle| vehicle.driving)
    }

    /// Sends a vehicle off. Where the way takes no time it is there at once.
    #[inline]
    fn drive(&self, state: &mut State, vehicle: u32, to: Place) -> Cost {
        let vehicle = &mut state.vehicles[vehicle as usize];
        let distance = self.distance(vehicle.place, to);
        vehicle.place = to;
        vehicle.ready = state.now + distance * self.pace;
        vehicle.driving = true;
        if vehicle.ready <= state.now { distance + self.arrive(state) } else { distance }
    }

    /// Vehicles that are there now stop, and serve whom they came for. Returns the ways home, once nobody is left.
    #[inline]
    fn arrive(&self, state: &mut State) -> Cost {
        let mut served = false;
        for vehicle in state.vehicles.iter_mut().filter(|v| v.driving && v.ready <= state.now) {
            vehicle.driving = false;
            state.waiting = false;
            if !vehicle.at_depot() {
                state.unserved -= 1;
                served = true;
            }
        }
        if served && state.closed && state.unserved == 0 { self.legs_home(state) } else { 0.0 }
    }

    /// The legs home, once the last customer is served.
    fn legs_home(&self, state: &State) -> Cost {
        state.vehicles.iter().map(|vehicle| self.distance(vehicle.place, self.depot)).sum()
    }
}

/// The square that holds an offline day which is in other units than the unit square. Online days are brought into the
/// units of their law instead.
fn square(scenario: &RoutingDay, law: &Law) -> (Point, f64) {
    let unit = (Point::default(), 1.0);
    if scenario.horizon > 0.0 || *law != Law::Unknown {
        return unit;
    }
    let places = || scenario.customers.iter().map(|customer| customer.at).chain([scenario.depot]);
    let low = |of: fn(Point) -> f64| places().map(of).fold(f64::INFINITY, f64::min);
    let high = |of: fn(Point) -> f64| places().map(of).fold(f64::NEG_INFINITY, f64::max);
    let (x, y) = ((low(|at| at.x), high(|at| at.x)), (low(|at| at.y), high(|at| at.y)));
    if x.0 >= 0.0 && y.0 >= 0.0 && x.1 <= 1.0 && y.1 <= 1.0 {
        return unit;
    }
    let side = (x.1 - x.0).max(y.1 - y.0);
    (Point { x: x.0, y: y.0 }, if side > 0.0 { side } else { 1.0 })
}

/// Where the open customer of this number stands among the open ones.
#[inline]
pub fn position(open: &[Open], id: u32) -> Option<usize> {
    open.binary_search_by_key(&id, |customer| customer.id).ok()
}

impl Problem for Routing {
    type State = State;
    type Action = Action;
    type Event = Event;

    fn initial(&self) -> State {
        let vehicle =
            Vehicle { place: self.depot, load_left: self.capacity, ready: 0.0, driving: false };
        State {
            now: 0.0,
            open: Vec::new(),
            vehicles: vec![vehicle; self.fleet],
            arrived: 0,
            next_id: 0,
            unserved: 0,
            closed: false,
            waiting: false,
        }
    }

    #[inline]
    fn now(&self, state: &State) -> Time {
        state.now
    }

    #[inline]
    fn status(&self, state: &State) -> Status {
        if state.closed && state.unserved == 0 {
            return Status::Done;
        }
        let mut until = Time::INFINITY;
        let mut choice = false;
        let may_return = self.idle_return && !state.closed;
        for vehicle in &state.vehicles {
            if vehicle.driving {
                until = until.min(vehicle.ready);
            } else {
                choice |= !state.open.is_empty() || (may_return && !vehicle.at_depot());
            }
        }
        if choice && !state.waiting {
            Status::Decide
        } else if until.is_finite() {
            Status::Running { until }
        } else {
            Status::Idle
        }
    }

    fn menu(&self, state: &State, menu: &mut Menu<Action>) {
        menu.clear();
        for (v, vehicle) in (0u32..).zip(&state.vehicles) {
            let driving = vehicle.driving.then_some("the vehicle is driving");
            menu.extend(state.open.iter().map(|customer| {
                let full = (customer.demand > vehicle.load_left)
                    .then_some("the demand is more than the vehicle has left");
                (Action::Visit { vehicle: v, customer: customer.id }, driving.or(full))
            }));
            let there = vehicle.at_depot().then_some("the vehicle is at the depot");
            menu.push(Action::Depot { vehicle: v }, driving.or(there));
        }
        let forever = (!self.may_wait(state)).then_some("nobody else can call and nobody drives");
        menu.push(Action::Wait, forever);
    }

    /// A way that takes no time is driven at once, so that everything due now happens before the next decision.
    #[inline]
    fn apply(&self, state: &mut State, action: Action) -> Cost {
        match action {
            Action::Visit { vehicle, customer } => {
                let at = position(&state.open, customer).expect("the customer is open");
                let customer = state.open.remove(at);
                state.vehicles[vehicle as usize].load_left -= customer.demand;
                self.drive(state, vehicle, customer.place())
            }
            Action::Depot { vehicle } => {
                state.vehicles[vehicle as usize].load_left = self.capacity;
                self.drive(state, vehicle, self.depot)
            }
            Action::Wait => {
                state.waiting = true;
                0.0
            }
        }
    }

    #[inline]
    fn advance(&self, state: &mut State, to: Time) -> Cost {
        let waited = self.waiting_weight * f64::from(state.unserved) * (to - state.now);
        state.now = to;
        waited + self.arrive(state)
    }

    fn objection(&self, state: &State, event: &Event) -> Option<String> {
        let Event::Customer { id, at, demand } = *event;
        let far = |x: f64| !(-LARGEST..=LARGEST).contains(&x);
        let driven_to = |vehicle: &Vehicle| vehicle.driving && vehicle.place.node == id + 1;
        if id == u32::MAX {
            return Some(format!("{id} is no number of a customer"));
        }
        match &self.travel {
            Travel::Matrix(matrix) if id as usize + 1 >= matrix.side => {
                Some(format!("customer {id} is not among the {} places", matrix.side))
            }
            _ if far(at.x) || far(at.y) => {
                Some(format!("customer {id} is not within {LARGEST} of the origin"))
            }
            _ if demand > self.capacity => Some(format!(
                "customer {id} demands {demand}, more than the {} that a vehicle holds",
                self.capacity
            )),
            _ if position(&state.open, id).is_some() || state.vehicles.iter().any(driven_to) => {
                Some(format!("customer {id} is open already"))
            }
            _ => None,
        }
    }

    #[inline]
    fn happen(&self, state: &mut State, event: &Event) {
        match *event {
            Event::Customer { id, at, demand } => {
                state.add(Open { id, at, demand, arrival: state.now });
                state.arrived += 1;
                state.next_id = state.next_id.max(id + 1);
                state.unserved += 1;
                state.waiting = false;
            }
        }
    }

    #[inline]
    fn closing_time(&self, state: &State) -> Option<Time> {
        match self.law.count() {
            _ if state.closed => None,
            Some(count) if state.arrived >= count => Some(state.now),
            _ => Some(self.horizon),
        }
    }

    #[inline]
    fn close(&self, state: &mut State) -> Cost {
        state.closed = true;
        state.waiting = false;
        if state.unserved == 0 { self.legs_home(state) } else { 0.0 }
    }

    fn key(&self, state: &State) -> StateKey {
        let mut key = KeyMixer::default();
        key.number(state.now);
        let flags = u64::from(state.closed) | u64::from(state.waiting) << 1;
        key.word(flags | u64::from(state.arrived) << 2 | u64::from(state.unserved) << 34);
        for customer in &state.open {
            key.word(u64::from(customer.id) << 32 | u64::from(customer.demand));
            key.number(customer.at.x);
            key.number(customer.at.y);
            key.number(customer.arrival);
        }
        for vehicle in &state.vehicles {
            key.word(u64::from(vehicle.place.node) << 32 | u64::from(vehicle.load_left));
            key.number(if vehicle.driving { vehicle.ready } else { -1.0 });
        }
        key.finish()
    }

    fn sample_future(&self, state: &State, until: Time, rng: &mut Rng, out: &mut Tape<Event>) {
        self.law.sample(state, self.capacity, until, &Meter::unlimited(), rng, out);
    }

    fn sample_future_within(
        &self,
        state: &State,
        until: Time,
        meter: &Meter<'_>,
        rng: &mut Rng,
        out: &mut Tape<Event>,
    ) -> bool {
        self.law.sample(state, self.capacity, until, meter, rng, out)
    }

    fn slot(&self, state: &State, _menu: &Menu<Action>, action: Action) -> Option<usize> {
        let (fleet, targets) = (state.vehicles.len(), state.open.len() + 1);
        let of =
            |v: u32, target: usize| ((v as usize) < fleet).then_some(v as usize * targets + target);
        match action {
            Action::Visit { vehicle, customer } => of(vehicle, position(&state.open, customer)?),
            Action::Depot { vehicle } => of(vehicle, state.open.len()),
            Action::Wait => Some(fleet * targets),
        }
    }

    /// The nearest customer that fits.
    fn at_hand(&self, state: &State) -> Action {
        Nearest::step(self, state)
    }
}
