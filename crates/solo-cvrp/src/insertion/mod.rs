//! A plan kept by insertion, and a hold at the depot: the rule for rollouts, and for the root once somebody has
//! planned better.

mod follow;
mod insert;
mod root;

use crate::dynamics::{Routing, position};
use crate::state::{Action, Open, State};
use solo_core::{Meter, Policy, Problem, Rng, Time};

/// As many stops are planned in one go: it takes no time worth a look at the clock.
const SMALL: usize = 64;

/// When to leave the depot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patience {
    /// Go when the open load reaches this many full loads.
    pub theta: f64,
    /// Go when a call is older than this.
    pub age: Time,
}

impl Patience {
    /// Waits for all.
    pub const ENDLESS: Self = Self { theta: f64::INFINITY, age: f64::INFINITY };

    /// What suits a problem: endless where waiting is free.
    pub fn of(problem: &Routing) -> Self {
        if problem.waiting_weight == 0.0 { Self::ENDLESS } else { Self { theta: 1.0, age: 10.0 } }
    }
}

/// Keeps trips for the open customers. Who calls is inserted where it costs least in distance and waiting, in the trip
/// that a vehicle is on, in one yet to be started, or in a new one. Vehicles at the depot hold ([`Patience`]); then the
/// trips are planned anew, and the one that drives least for each customer is started. Vehicles without further stops
/// go home.
///
/// The plan follows whatever state it is shown: who is driven to leaves it, who is new is inserted, and after a jump to
/// another day or another sampled future it is made anew. Allocates nothing when warm.
///
/// Making trips anew takes the square of the customers. Where a budget in time does not allow for it, many customers at
/// once are swept into trips instead, and trips that are there stay.
#[derive(Debug, Default)]
pub struct InsertionPlan {
    /// When to leave the depot; what suits the problem if `None`.
    pub patience: Option<Patience>,
    /// The stops ahead of each vehicle.
    own: Vec<Vec<Open>>,
    /// Trips from the depot; only the first `live` count, the rest are spare.
    trips: Vec<Vec<Open>>,
    live: usize,
    /// How many customers are planned.
    planned: usize,
    /// Customers below this number are planned, or were driven to.
    known: u32,
    /// The clock of the last state.
    now: Time,
    /// Whether the trips from the depot were planned with all who are in them known.
    settled: bool,
    /// Stops on their way from one place of the plan to another.
    loose: Vec<Open>,
    /// Trips as they were, to go back to when time runs out.
    before: Vec<Vec<Open>>,
}

impl Clone for InsertionPlan {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Reuses the trips; a copy is for one rollout.
    fn clone_from(&mut self, from: &Self) {
        let InsertionPlan { patience, own, trips, live, planned, known, now, settled, .. } = from;
        copy(&mut self.own, own);
        copy(&mut self.trips, &trips[..*live]);
        self.patience = *patience;
        self.live = *live;
        self.planned = *planned;
        self.known = *known;
        self.now = *now;
        self.settled = *settled;
    }
}

/// Copies lists into lists, keeping spare ones for later.
fn copy(to: &mut Vec<Vec<Open>>, from: &[Vec<Open>]) {
    if to.len() < from.len() {
        to.resize_with(from.len(), Vec::new);
    }
    for (to, from) in to.iter_mut().zip(from) {
        to.clone_from(from);
    }
    to[from.len()..].iter_mut().for_each(Vec::clear);
}

fn load(stops: &[Open]) -> u32 {
    stops.iter().map(|stop| stop.demand).sum()
}

impl InsertionPlan {
    /// With a hold of its own.
    pub fn new(patience: Option<Patience>) -> Self {
        Self { patience, ..Self::default() }
    }

    fn clear(&mut self, state: &State) {
        self.own.resize_with(state.vehicles.len().max(self.own.len()), Vec::new);
        self.own.iter_mut().chain(&mut self.trips).for_each(Vec::clear);
        self.live = 0;
        self.planned = 0;
        self.known = 0;
        self.settled = false;
        self.now = state.now;
    }

    fn count(&self) -> usize {
        self.own.iter().chain(&self.trips[..self.live]).map(Vec::len).sum()
    }

    /// All stops of the plan.
    fn all(&self) -> impl Iterator<Item = &Open> {
        self.own.iter().chain(&self.trips[..self.live]).flatten()
    }

    fn new_trip(&mut self) -> &mut Vec<Open> {
        if self.live == self.trips.len() {
            self.trips.push(Vec::new());
        }
        self.live += 1;
        &mut self.trips[self.live - 1]
    }

    /// Keeps trips with stops, in their order.
    fn drop_empty(&mut self) {
        let mut kept = 0;
        for i in 0..self.live {
            if !self.trips[i].is_empty() {
                self.trips.swap(kept, i);
                kept += 1;
            }
        }
        self.live = kept;
    }

    /// Whether vehicles at the depot stay there.
    pub(crate) fn holds(&self, problem: &Routing, state: &State) -> bool {
        if state.closed {
            return false;
        }
        let patience = self.patience.unwrap_or_else(|| Patience::of(problem));
        let trips = || self.trips[..self.live].iter().flatten();
        let oldest = trips().map(|stop| stop.arrival).fold(f64::MAX, f64::min);
        let load: u32 = trips().map(|stop| stop.demand).sum();
        f64::from(load) < patience.theta * f64::from(problem.capacity)
            && state.now - oldest <= patience.age
    }

    /// The first stop of the trip to be started next: the one that drives least for each customer, by which all
    /// together wait least.
    pub(crate) fn first_trip(&self, problem: &Routing) -> Option<u32> {
        self.shortest_trip(problem).map(|stops| stops[0].id)
    }

    /// The trip that drives least for each customer.
    pub(crate) fn shortest_trip(&self, problem: &Routing) -> Option<&[Open]> {
        let trips = self.trips().iter().filter(|stops| !stops.is_empty());
        let ranked = trips.map(|stops| (length(problem, stops) / stops.len() as f64, stops));
        ranked.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, stops)| stops.as_slice())
    }

    /// The trips from the depot that are planned.
    pub(crate) fn trips(&self) -> &[Vec<Open>] {
        &self.trips[..self.live]
    }

    /// The stops ahead of a vehicle.
    pub(crate) fn stops(&self, vehicle: u32) -> &[Open] {
        self.own.get(vehicle as usize).map_or(&[], Vec::as_slice)
    }

    /// Plans the trips from the depot anew, unless nobody has called since they were planned. Who is far goes first:
    /// the far ones make the trips, the near ones fill them. Without time for that the trips stay as they are.
    pub(crate) fn rebuild(&mut self, problem: &Routing, state: &State, meter: &Meter<'_>) {
        if self.settled {
            return;
        }
        let stops: usize = self.trips().iter().map(Vec::len).sum();
        if stops > SMALL {
            if !meter.affords(stops * stops) {
                return;
            }
            copy(&mut self.before, &self.trips[..self.live]);
        }
        let (live, planned) = (self.live, self.planned);
        let mut loose = std::mem::take(&mut self.loose);
        loose.clear();
        for stops in &mut self.trips[..live] {
            loose.append(stops);
        }
        self.live = 0;
        let far = |stop: &Open| problem.distance(problem.depot, stop.place());
        loose.sort_unstable_by(|a, b| far(b).total_cmp(&far(a)).then(a.id.cmp(&b.id)));
        self.settled = true;
        self.planned -= loose.len();
        for &stop in &loose {
            if stops > SMALL && meter.cuts(2 * self.planned) {
                self.settled = false;
                break;
            }
            self.insert(problem, state, stop);
        }
        self.loose = loose;
        if !self.settled {
            self.trips.iter_mut().for_each(Vec::clear);
            copy(&mut self.trips, &self.before[..live]);
            (self.live, self.planned) = (live, planned);
        }
    }

    /// Puts stops that were taken out of the plan back in. Without time for that they become trips in their order.
    fn insert_again(
        &mut self,
        problem: &Routing,
        state: &State,
        loose: Vec<Open>,
        meter: &Meter<'_>,
    ) {
        self.planned -= loose.len();
        let mut room = 0;
        for &stop in &loose {
            if loose.len() > SMALL && meter.cuts(2 * self.planned) {
                if stop.demand > room {
                    (room, _) = (problem.capacity, self.new_trip());
                }
                room = room.saturating_sub(stop.demand);
                self.trips[self.live - 1].push(stop);
                self.planned += 1;
            } else {
                self.insert(problem, state, stop);
            }
        }
        self.loose = loose;
    }
}

/// The way from the depot along the stops and home.
pub(crate) fn length(problem: &Routing, stops: &[Open]) -> f64 {
    let (mut here, mut sum) = (problem.depot, 0.0);
    for stop in stops {
        sum += problem.distance(here, stop.place());
        here = stop.place();
    }
    sum + problem.distance(here, problem.depot)
}

impl InsertionPlan {
    /// What the plan does next in the state that it follows, and the stop that this is.
    pub(crate) fn next(
        &mut self,
        problem: &Routing,
        state: &State,
        meter: &Meter<'_>,
    ) -> (Action, Option<Open>) {
        let visit =
            |vehicle, stop: Open| (Action::Visit { vehicle, customer: stop.id }, Some(stop));
        let free = (0u32..).zip(&state.vehicles).filter(|(_, vehicle)| !vehicle.driving);
        for (v, vehicle) in free {
            if let Some(&stop) = self.own[v as usize].first() {
                return visit(v, stop);
            }
            if !vehicle.at_depot() {
                return (Action::Depot { vehicle: v }, None);
            }
            if self.holds(problem, state) {
                continue;
            }
            self.rebuild(problem, state, meter);
            if let Some(stops) = self.shortest_trip(problem) {
                return visit(v, stops[0]);
            }
        }
        (Action::Wait, None)
    }

    /// What the plan does next, if its stop is still as it was planned.
    fn sound(&mut self, problem: &Routing, state: &State, meter: &Meter<'_>) -> Option<Action> {
        let (action, stop) = self.next(problem, state, meter);
        let Action::Visit { vehicle, customer } = action else { return Some(action) };
        let open = position(&state.open, customer).map(|at| state.open[at]);
        let room = state.vehicles[vehicle as usize].load_left;
        (open.is_some_and(|open| open.demand <= room) && stop == open).then_some(action)
    }

    /// The plan's next step where there was no time for more: it may lack some who are open.
    pub(crate) fn at_hand(
        &mut self,
        problem: &Routing,
        state: &State,
        meter: &Meter<'_>,
    ) -> Action {
        let step = self.sound(problem, state, meter);
        let visit = step.filter(|action| matches!(action, Action::Visit { .. }));
        visit.unwrap_or_else(|| problem.at_hand(state))
    }
}

impl Policy<Routing> for InsertionPlan {
    fn choose(&mut self, problem: &Routing, state: &State, rng: &mut Rng) -> Action {
        self.choose_within(problem, state, &Meter::unlimited(), rng)
    }

    fn choose_within(
        &mut self,
        problem: &Routing,
        state: &State,
        meter: &Meter<'_>,
        _rng: &mut Rng,
    ) -> Action {
        self.follow_within(problem, state, meter);
        meter.count(state.open.len());
        let mut step = self.sound(problem, state, meter);
        if step.is_none() {
            // A jump that looked like a step.
            self.clear(state);
            self.follow_within(problem, state, meter);
            step = Some(self.next(problem, state, meter).0);
        }
        match step {
            Some(action) if !meter.has_cut() => action,
            _ => self.at_hand(problem, state, meter),
        }
    }
}
