//! What a state will still cost, in numbers for a learned value at the horizon.

use crate::arrivals::Law;
use crate::dynamics::Scheduling;
use crate::features::{FAR, Sketch, to_come};
use crate::state::State;
use solo_core::{Cost, Meter, Time, Value};

impl Value for Scheduling {
    const VALUE_FEATURES: usize = 18;

    fn value_features(&self, state: &State, sketch: &mut Sketch, out: &mut Vec<f32>) -> Cost {
        sketch.plan.renew(self, state, &Meter::unlimited());
        self.describe(state, sketch, out)
    }

    fn value_features_within(
        &self,
        state: &State,
        sketch: &mut Sketch,
        meter: &Meter<'_>,
        out: &mut Vec<f32>,
    ) -> Option<Cost> {
        sketch.plan.renew(self, state, meter);
        let whole = !meter.has_cut() && !meter.cuts(8 * state.pending.len());
        whole.then(|| self.describe(state, sketch, out))
    }

    fn emptied(&self, state: &State) -> State {
        State {
            now: state.now,
            arrived: state.arrived,
            next_id: state.next_id,
            closed: state.closed,
            ..solo_core::Problem::initial(self)
        }
    }
}

impl Scheduling {
    /// Fills `out` with numbers about what `state` will cost, by the plan of the sketch.
    fn describe(&self, state: &State, sketch: &Sketch, out: &mut Vec<f32>) -> Cost {
        out.clear();
        let machines = state.machines.len().max(1) as f64;
        let (next_batch, left, per_batch, shares): (_, _, _, &[f64]) = match &self.law {
            Law::Batches(law) => {
                let (next, left) = to_come(law, state.now);
                (next.min(FAR), left, law.mean_per_interval, &law.shares)
            }
            Law::Unknown => (FAR, 0.0, 0.0, &[]),
        };
        let total: f64 = shares.iter().sum::<f64>().max(1e-9);
        let running = state.machines.iter().filter_map(|machine| machine.run);
        let (weight, work) = state
            .pending
            .iter()
            .fold((0.0, 0.0), |(weight, work), job| (weight + job.weight, work + job.processing));
        let planned = sketch.plan.cost(state);
        let under_way: f64 = running.clone().map(|run| run.weight * (run.until - state.now)).sum();
        let remaining: f64 = running.clone().map(|run| run.until - state.now).sum();
        let busy_after = |pause: Time| sketch.plan.busy_after(state, pause) / machines;
        // What a job to come has to wait for on the machine that suits it best, by the plan.
        let (mut setups, mut waits) = (0.0, 0.0);
        for (to, share) in (0u32..).zip(shares) {
            let (setup, wait) = sketch.plan.welcome(self, state, to);
            setups += share / total * setup;
            waits += share / total * wait;
        }
        let numbers = [
            1.0,
            next_batch / FAR,
            left * per_batch / machines / 10.0,
            (left * per_batch / machines / 2.0).min(1.0),
            state.pending.len() as f64 / machines / 5.0,
            weight / machines / 25.0,
            work / machines / 250.0,
            running.count() as f64 / machines,
            remaining / machines / 50.0,
            planned / machines / 1000.0,
            under_way / machines / 250.0,
            busy_after(0.0) / 100.0,
            busy_after(25.0) / 100.0,
            busy_after(50.0) / 100.0,
            busy_after(100.0) / 100.0,
            busy_after(200.0) / 100.0,
            setups / 25.0,
            waits / 50.0,
        ];
        out.extend(numbers.map(|x| x.min(10.0) as f32));
        planned + under_way
    }
}
