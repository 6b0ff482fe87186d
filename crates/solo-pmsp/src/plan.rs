//! Plans of the open jobs, and how they are followed.

use crate::dynamics::Scheduling;
use crate::scenario::Setup;
use crate::state::{Action, Pending, State};
use crate::times::Times;
use solo_core::{Offline, Time};
use std::sync::Arc;

/// When a machine can next start a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ready {
    /// When.
    pub at: Time,
    /// The class it will then have; `None` if it has had no job.
    pub class: Option<u32>,
}

/// Open jobs and machines: all that a solver needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The jobs in order of number; none starts before its arrival, and its cost counts from there.
    pub jobs: Vec<Pending>,
    /// The machines.
    pub machines: Vec<Ready>,
    /// Setup times.
    pub setup: Arc<Setup>,
    /// How long jobs run where machines are not alike.
    pub times: Times,
}

/// The order of jobs on each machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// For each machine the numbers of its jobs, first to last.
    pub sequences: Vec<Vec<u32>>,
}

impl Offline for Scheduling {
    type Instance = Instance;
    type Plan = Plan;

    fn snapshot(&self, state: &State) -> Instance {
        let machines = state.machines.iter().map(|machine| Ready {
            at: machine.run.map_or(state.now, |run| run.until),
            class: machine.class,
        });
        Instance {
            jobs: state.pending.clone(),
            machines: machines.collect(),
            setup: Arc::clone(&self.setup),
            times: state.times.clone(),
        }
    }

    /// The lowest free machine whose next planned job is here starts it. A machine whose next planned job has not
    /// arrived yet, its number being above all that have, is kept free for it. Otherwise waits; where that is not
    /// allowed, starts the lowest pending job, on the machine that the plan has for it if it is free.
    fn follow(&self, state: &State, plan: &mut Plan) -> Action {
        let started = |job: u32| job < state.next_id && state.position(job).is_none();
        // Only a plan that somebody else has made can ask for what a machine cannot do.
        let able = |job: u32, machine: u32| {
            let pending = state.position(job).map(|at| &state.pending[at]);
            state.times.alike() || pending.is_some_and(|job| state.times.able(job, machine))
        };
        for (machine, _) in state.free() {
            let sequence = plan.sequences.get(machine as usize).map_or(&[][..], Vec::as_slice);
            let next = sequence.iter().find(|&&job| !started(job));
            if let Some(&job) = next.filter(|&&job| job < state.next_id && able(job, machine)) {
                return Action::Assign { job, machine };
            }
        }
        let Some((first, otherwise)) = state.first_start().filter(|_| !state.may_wait()) else {
            return Action::Wait;
        };
        let planned = |machine: u32| {
            plan.sequences.get(machine as usize).is_some_and(|jobs| jobs.contains(&first.id))
        };
        let mut free = state.free().map(|(machine, _)| machine);
        let planned = free.find(|&machine| planned(machine) && state.times.able(first, machine));
        Action::Assign { job: first.id, machine: planned.unwrap_or(otherwise) }
    }

    /// Always: every decision on machines follows an event.
    fn at_rest(&self, _state: &State) -> bool {
        true
    }
}
