//! The agents that decide by a simple rule.

use crate::dynamics::Scheduling;
use crate::state::{Action, State};
use crate::wspt::Wspt;
use solo_core::{AgentEntry, Policy, Reflex, Rng, Uniform};

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
