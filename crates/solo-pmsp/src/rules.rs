//! Simple rules.

use crate::dynamics::Scheduling;
use crate::state::{Action, Pending, State};
use solo_core::{Guide, Menu, Policy, Rng};

/// First in, first out: the oldest job, on the free machine that needs the least setup for it (ties: the lowest).
/// Never waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fifo;

impl Policy<Scheduling> for Fifo {
    fn choose(&mut self, problem: &Scheduling, state: &State, _rng: &mut Rng) -> Action {
        let oldest = |a: &&Pending, b: &&Pending| a.arrival.total_cmp(&b.arrival);
        let Some(job) = state.pending.iter().min_by(oldest) else { return Action::Wait };
        let setups = state.free().map(|(i, machine)| (problem.setup(machine.class, job.class), i));
        match setups.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((_, machine)) => Action::Assign { job: job.id, machine },
            None => Action::Wait,
        }
    }
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
        pair_values(state, menu, out, |position, job, _, class| {
            let setup = problem.setup(class, job.class);
            let older = |other: &&Pending| (other.arrival, other.id) < (job.arrival, job.id);
            let before =
                if in_order { position } else { state.pending.iter().filter(older).count() };
            -(before as f64) - setup / (1.0 + setup)
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
