//! Simple rules.

use crate::dynamics::Scheduling;
use crate::state::{Action, Pending, State};
use solo_core::{Guide, Menu, Policy, Rng, Time};

/// First in, first out: the oldest job that a free machine can do, on the free machine that needs the least setup for it,
/// or is done with it first where machines are not alike (ties: the lowest). Never waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fifo;

impl Policy<Scheduling> for Fifo {
    fn choose(&mut self, problem: &Scheduling, state: &State, _rng: &mut Rng) -> Action {
        let oldest = |a: &&Pending, b: &&Pending| a.arrival.total_cmp(&b.arrival);
        let startable = |job: &&Pending| {
            state.times.alike() || state.free().any(|(i, _)| state.times.able(job, i))
        };
        let Some(job) = state.pending.iter().filter(startable).min_by(oldest) else {
            return Action::Wait;
        };
        let needs =
            state.free().map(|(i, machine)| (need(problem, state, job, i, machine.class), i));
        match needs.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((_, machine)) => Action::Assign { job: job.id, machine },
            None => Action::Wait,
        }
    }
}

/// What [`Fifo`] keeps small: the setup; with the time on the machine, if machines differ for the job.
#[inline]
fn need(
    problem: &Scheduling,
    state: &State,
    job: &Pending,
    machine: u32,
    class: Option<u32>,
) -> Time {
    let time = if state.times.row(job).is_some() { state.times.on(job, machine) } else { 0.0 };
    problem.setup(class, job.class) + time
}

impl Guide<Scheduling> for Fifo {
    /// Older jobs first, less setup first among the machines for a job; waiting last.
    fn values(
        &mut self,
        problem: &Scheduling,
        state: &State,
        menu: &Menu<Action>,
        out: &mut Vec<f64>,
    ) {
        let in_order = state.pending.is_sorted_by(|a, b| a.arrival <= b.arrival);
        pair_values(state, menu, out, |position, job, machine, class| {
            let need = need(problem, state, job, machine, class);
            if !need.is_finite() {
                return f64::NEG_INFINITY;
            }
            let older = |other: &&Pending| (other.arrival, other.id) < (job.arrival, job.id);
            let before =
                if in_order { position } else { state.pending.iter().filter(older).count() };
            -(before as f64) - need / (1.0 + need)
        });
    }
}

/// Fills `out` with a value for each pair of a pending job (with its position) and a machine (with its last class), in
/// the menu's order; waiting comes last.
pub(crate) fn pair_values(
    state: &State,
    menu: &Menu<Action>,
    out: &mut Vec<f64>,
    value: impl Fn(usize, &Pending, u32, Option<u32>) -> f64,
) {
    out.clear();
    for (position, job) in state.pending.iter().enumerate() {
        let machines = (0..).zip(&state.machines);
        out.extend(machines.map(|(i, machine)| value(position, job, i, machine.class)));
    }
    out.push(f64::NEG_INFINITY);
    debug_assert_eq!(out.len(), menu.len());
}
