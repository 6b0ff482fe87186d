//! What a state will still cost: numbers for a learned value where futures are cut short.

use crate::{Cost, Features, Meter, Problem};

/// A problem whose states can be described for a learned value at the horizon.
pub trait Value: Features {
    /// How many numbers describe a state.
    const VALUE_FEATURES: usize;

    /// Fills `out` with numbers about what `state` will cost, whether a decision is due or not, and returns what it
    /// costs if nothing more comes, roughly. A function of the state alone. Allocates nothing when warm.
    fn value_features(
        &self,
        state: &Self::State,
        sketch: &mut Self::Sketch,
        out: &mut Vec<f32>,
    ) -> Cost;

    /// The same, unless `meter` cuts the work off: then `None`.
    fn value_features_within(
        &self,
        state: &Self::State,
        sketch: &mut Self::Sketch,
        _meter: &Meter<'_>,
        out: &mut Vec<f32>,
    ) -> Option<Cost> {
        Some(self.value_features(state, sketch, out))
    }

    /// The same moment with nothing in the system.
    fn emptied(&self, state: &Self::State) -> Self::State;
}

/// Estimates what a state will still cost, more than an empty system would.
pub trait CostToGo<P: Problem>: Send {
    /// The cost. A function of the state alone.
    fn cost(&mut self, problem: &P, state: &P::State) -> Cost;

    /// The same, unless `meter` cuts the work off: then `None`.
    fn cost_within(&mut self, problem: &P, state: &P::State, _meter: &Meter<'_>) -> Option<Cost> {
        Some(self.cost(problem, state))
    }

    /// Another of the same, for another thread.
    fn copy(&self) -> Box<dyn CostToGo<P>>;
}
