//! Plans: what a solver makes of the open work, and how a plan is followed.

use crate::{Cost, Failure, Meter, Problem, Rng};
use serde_json::Value;
use std::fmt::Debug;

/// A problem whose open work can be planned as if nothing more would come.
pub trait Offline: Problem {
    /// The open work and where everything stands: all that a solver needs.
    type Instance: Clone + Debug + Send;
    /// What a solver answers.
    type Plan: Clone + Debug + PartialEq + Send;

    /// The open work of a state.
    fn snapshot(&self, state: &Self::State) -> Self::Instance;
    /// The plan's next action in `state`. The plan may note who does what. Work that it does not know is left alone.
    fn follow(&self, state: &Self::State, plan: &mut Self::Plan) -> Self::Action;
    /// Whether this is a point at which the paper's baselines plan anew: a vehicle at the depot, any event at machines.
    fn at_rest(&self, state: &Self::State) -> bool;
}

/// Plans open work within a budget.
pub trait Solver<P: Offline>: Send {
    /// A plan that serves all open work of `instance`.
    fn solve(
        &mut self,
        problem: &P,
        instance: &P::Instance,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<P::Plan, Failure>;
}

/// A problem whose open work can be handed to a solver in another process, as JSON.
pub trait Exchange: Offline {
    /// The plan, where there is nothing to choose: no open work.
    fn trivial_plan(&self, instance: &Self::Instance) -> Option<Self::Plan>;
    /// Why no adapter can take in this work, if so: its model lacks what the work has.
    fn declined(&self, _instance: &Self::Instance) -> Option<&'static str> {
        None
    }
    /// The open work as an object that the solver's adapter understands.
    fn instance_to_json(&self, instance: &Self::Instance) -> Value;
    /// The adapter's answer as a plan; `Err` says what cannot be understood.
    fn plan_from_json(
        &self,
        instance: &Self::Instance,
        answer: &Value,
    ) -> Result<Self::Plan, String>;
    /// The cost of carrying out `plan` if nothing more comes, or the rule that it breaks.
    fn plan_cost(&self, instance: &Self::Instance, plan: &Self::Plan) -> Result<Cost, String>;
}
