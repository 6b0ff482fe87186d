//! The agents that decide by a simple rule.

use crate::dynamics::Scheduling;
use crate::state::{Action, Pending, State};
use crate::wspt::Wspt;
use solo_core::{AgentEntry, Guide, Menu, Policy, Reflex, Rng, Uniform};

/// First in, first out: the oldest job, on the free machine that needs the least setup for it (ties: the lowest).
/// Never waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fifo;

impl Policy<Scheduling> for Fifo {
    fn choose(&mut self, problem: &Scheduling, state: &State, _rng: &mut Rng) -> Action {
        let Some(job) = state.pending.first() else { return Action::Wait };
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
        pair_values(state, menu, out, |position, job, _, class| {
            let setup = problem.setup(class, job.class);
            -(position as f64) - setup / (1.0 + setup)
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

/// The agents by name.
pub fn agents() -> Vec<AgentEntry<Scheduling>> {
    vec![
        AgentEntry {
            name: "uniform",
            about: "every legal action equally likely, waiting included",
            params: &[],
            make: |_| Box::new(Reflex(Uniform::<Scheduling>::default())),
        },
        AgentEntry {
            name: "wspt",
            about: "the job and free machine with the smallest (setup + processing) / weight",
            params: &[],
            make: |_| Box::new(Reflex(Wspt::default())),
        },
        AgentEntry {
            name: "fifo",
            about: "the oldest job first, on the free machine with the least setup",
            params: &[],
            make: |_| Box::new(Reflex(Fifo)),
        },
    ]
}
