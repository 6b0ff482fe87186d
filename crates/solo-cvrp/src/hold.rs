//! Waiting at the depot until a trip is worth it.

use crate::dynamics::Routing;
use crate::plan::Urgent;
use crate::savings::Savings;
use crate::state::{Action, State};
use solo_core::{Agent, Decision, Failure, Meter, Replan, Rng, When};

/// Holds vehicles at the depot until the open load reaches `theta` full loads, or the oldest open call is older than
/// `age`, or nobody else can call; then another agent decides.
///
/// `theta` = 0 is "go now", infinite `theta` and `age` are "wait for all".
pub struct Hold<A> {
    theta: f64,
    age: f64,
    go: A,
}

impl Hold<Replan<Routing, Urgent<Savings>>> {
    /// Holds, then drives savings routes, the most urgent first, planned anew at the depot.
    pub fn savings(theta: f64, age: f64) -> Self {
        Self::new(theta, age, Replan::new(Urgent(Savings), When::AtRest))
    }
}

impl<A> Hold<A> {
    /// Holds until `theta` loads are open or a call is older than `age`; then `go` decides.
    pub fn new(theta: f64, age: f64, go: A) -> Self {
        Self { theta, age, go }
    }

    fn holds(&self, problem: &Routing, state: &State) -> bool {
        let load: u64 = state.open.iter().map(|customer| u64::from(customer.demand)).sum();
        let oldest = state.open.iter().map(|customer| customer.arrival).fold(f64::MAX, f64::min);
        !state.closed
            && state.vehicles.iter().all(|vehicle| vehicle.driving || vehicle.at_depot())
            && (load as f64) < self.theta * f64::from(problem.capacity)
            && state.now - oldest <= self.age
    }
}

impl<A: Agent<Routing>> Agent<Routing> for Hold<A> {
    fn decide(
        &mut self,
        problem: &Routing,
        state: &State,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<Action>, Failure> {
        if self.holds(problem, state) {
            return Ok(Decision::plain(Action::Wait, 0));
        }
        self.go.decide(problem, state, meter, rng)
    }
}
