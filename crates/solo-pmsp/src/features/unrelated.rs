//! Where machines are unrelated: which suit a job, and which others would like them.

use super::{Sketch, index};
use crate::arrivals::Law;
use crate::dynamics::Scheduling;
use crate::state::{Pending, State};
use solo_core::Time;

/// What sets machines apart in a state; empty where they are alike.
#[derive(Debug, Default)]
pub(super) struct Unrelated {
    /// For each pending job the second least time that it would occupy a free machine; infinite if one alone can do it.
    second: Vec<Time>,
    /// For each machine the weight of the pending jobs that it is fastest at.
    wanted: Vec<f64>,
    /// For each machine what part of its speed at best an arrival has there, on average.
    suits: Vec<f64>,
}

impl Unrelated {
    /// Looks at a state and its free machines with their last classes.
    pub(super) fn look(
        &mut self,
        problem: &Scheduling,
        state: &State,
        free: &[(u32, Option<u32>)],
    ) {
        let Self { second, wanted, suits } = self;
        second.clear();
        wanted.clear();
        suits.clear();
        if state.times.alike() {
            return;
        }
        wanted.resize(state.machines.len(), 0.0);
        for job in &state.pending {
            let mut least = [Time::INFINITY; 2];
            for &(machine, class) in free {
                let took = problem.duration(&state.times, job, machine, class);
                if took < least[0] {
                    least = [took, least[0]];
                } else if took < least[1] {
                    least[1] = took;
                }
            }
            second.push(least[1]);
            for (machine, wanted) in (0..).zip(&mut *wanted) {
                if fastest(state, job, machine) {
                    *wanted += job.weight;
                }
            }
        }
        suits.extend((0..state.machines.len()).map(|machine| problem.suits(machine)));
    }

    /// Whether the pending job at `position` would occupy two other free machines for less time than this, or cannot be
    /// done here.
    pub(super) fn is_far(&self, position: u32, duration: Time) -> bool {
        !duration.is_finite() || duration > self.second[position as usize]
    }

    /// How much longer a job runs on a machine than on the fastest, how many times longer less 1, the weight of the other
    /// jobs that the machine is fastest at, and how it suits arrivals: scaled as features. `None` where machines are alike.
    pub(super) fn of(&self, state: &State, job: &Pending, machine: u32) -> Option<[f64; 4]> {
        let wanted = *self.wanted.get(machine as usize)?;
        let suits = self.suits[machine as usize];
        let more = state.times.on(job, machine) - job.processing;
        let own = if fastest(state, job, machine) { job.weight } else { 0.0 };
        Some([
            more.min(200.0) / 50.0,
            (more / job.processing.max(1e-3)).min(3.0),
            (wanted - own).min(50.0) / 25.0,
            suits,
        ])
    }
}

/// Whether no machine is faster at a job.
fn fastest(state: &State, job: &Pending, machine: u32) -> bool {
    state.times.on(job, machine) == job.processing
}

impl Scheduling {
    /// What the plan begins on a free machine, if it is not among the pairs from `listed` on: it may be neither the best
    /// of its class nor on the machine that suits it best.
    pub(super) fn plan_s_pair(
        &self,
        state: &State,
        sketch: &Sketch,
        machine: u32,
        listed: usize,
    ) -> Option<(u32, u32, f64)> {
        let position = state.position(sketch.plan.first_on(machine)?)?;
        let at = position as u32;
        let job = &state.pending[position];
        let class = state.machines[machine as usize].class;
        let value = || index(self.duration(&state.times, job, machine, class), job.weight);
        let known = sketch.pairs[listed..].iter().any(|pair| pair.0 == at);
        (!known).then(|| (at, machine, value()))
    }

    /// When another machine could be done with a job, from now.
    pub(super) fn done_elsewhere(&self, state: &State, job: &Pending, here: u32) -> Time {
        let others = (0..).zip(&state.machines).filter(|(machine, _)| *machine != here);
        let done = others.map(|(i, machine)| {
            let left = machine.run.map_or(0.0, |run| run.until - state.now);
            left + self.duration(&state.times, job, i, machine.class)
        });
        done.fold(Time::INFINITY, Time::min)
    }

    /// What part of its speed at best an arrival has on a machine, on average over classes by the law; 0 if nothing is
    /// known of arrivals.
    fn suits(&self, machine: usize) -> f64 {
        let (Law::Batches(law), Some(factors)) = (&self.law, &self.factors) else { return 0.0 };
        let total: f64 = law.shares.iter().sum();
        let part = |(class, share): (u32, &f64)| {
            let row = factors.row(class);
            let best = row.iter().copied().fold(f64::INFINITY, f64::min);
            // Nothing is faster than no time at all.
            let part = if row[machine] > best { best / row[machine] } else { 1.0 };
            share / total * part
        };
        (0..).zip(&law.shares).map(part).sum()
    }
}
