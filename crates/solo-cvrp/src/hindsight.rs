//! The clairvoyant: a whole day planned with every call known from the start.

use crate::check::drive;
use crate::dynamics::Routing;
use crate::plan::{Instance, Plan};
use crate::ruin::{Ruin, RuinParams};
use crate::state::{Action, Event, Open};
use solo_core::{Cost, Meter, Problem, Rng, Timed};

/// A day as somebody who knew all calls would have driven it.
#[derive(Clone, Debug, PartialEq)]
pub struct Hindsight {
    /// The trips.
    pub plan: Plan,
    /// The orders with their times, as the audit reads them.
    pub decisions: Vec<Timed<Action>>,
    /// What the day costs.
    pub cost: Cost,
}

/// The work of a whole day, seen from its beginning.
pub fn whole_day(problem: &Routing, events: &[Timed<Event>]) -> Instance {
    let call = |call: &Timed<Event>| match call.what {
        Event::Customer { id, at, demand } => Open { id, at, demand, arrival: call.time },
    };
    let mut open: Vec<Open> = events.iter().map(call).collect();
    open.sort_by_key(|customer| customer.id);
    let start = problem.initial();
    Instance { now: start.now, open, vehicles: start.vehicles }
}

/// Plans a finished day with its calls known, none of them served before it came. It is the value of a heuristic, not a
/// proof: the longer it runs the nearer it comes to the best possible.
pub fn hindsight(
    problem: &Routing,
    events: &[Timed<Event>],
    meter: &Meter<'_>,
    rng: &mut Rng,
) -> Hindsight {
    let instance = whole_day(problem, events);
    let (plan, _) = Ruin::new(RuinParams::default()).improve(
        problem,
        &instance,
        None,
        meter,
        rng,
        &mut |_, _| {},
    );
    let driven = drive(problem, &instance, &plan).expect("the search keeps to the rules");
    Hindsight { plan, decisions: driven.decisions, cost: driven.cost }
}
