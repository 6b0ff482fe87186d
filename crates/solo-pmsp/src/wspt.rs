//! Weighted shortest processing time: the paper's rule, and a plan made by it.

use crate::dynamics::Scheduling;
use crate::plan::{Instance, Plan};
use crate::rules::pair_values;
use crate::state::{Action, Pending, State};
use solo_core::{Failure, Guide, Menu, Meter, Policy, Rng, Solver, Time};

/// A free machine with the class of its last job.
type Free = (u32, Option<u32>);

/// Makes `free` the first machine of each last class: machines are alike, so later ones of the same class never win.
fn keep_distinct(free: &mut Vec<Free>, machines: impl Iterator<Item = Free>) {
    free.clear();
    for machine in machines {
        if !free.iter().any(|&(_, class)| class == machine.1) {
            free.push(machine);
        }
    }
}

/// (setup + processing) / weight; infinite for a job without weight.
#[inline]
fn ratio(problem: &Scheduling, job: &Pending, machine: u32, class: Option<u32>) -> f64 {
    if job.weight > 0.0 {
        problem.duration(job, machine, class) / job.weight
    } else {
        f64::INFINITY
    }
}

/// The position of the job and the machine with the smallest (setup + processing) / weight; ties to the lowest job,
/// then the lowest machine. A job without weight comes last.
#[inline]
fn smallest<'j>(
    problem: &Scheduling,
    jobs: impl Iterator<Item = (usize, &'j Pending)> + Clone,
    free: &[Free],
) -> Option<(usize, u32)> {
    let (first, _) = jobs.clone().next()?;
    let mut best = (f64::INFINITY, first, free.first()?.0);
    for &(machine, class) in free {
        // Selections instead of branches: the processor cannot foresee which job is better.
        let (mut least, mut at) = (f64::INFINITY, first);
        for (position, job) in jobs.clone() {
            let ratio = ratio(problem, job, machine, class);
            let better = ratio < least;
            least = if better { ratio } else { least };
            at = if better { position } else { at };
        }
        if least < best.0 || (least == best.0 && at < best.1) {
            best = (least, at, machine);
        }
    }
    Some((best.1, best.2))
}

/// Starts the pair of a pending job and a free machine with the smallest (setup + processing) / weight. Never waits.
#[derive(Clone, Debug, Default)]
pub struct Wspt {
    free: Vec<Free>,
}

impl Wspt {
    /// What it starts in a state.
    pub(crate) fn step(&mut self, problem: &Scheduling, state: &State) -> Action {
        keep_distinct(&mut self.free, state.free().map(|(i, machine)| (i, machine.class)));
        match smallest(problem, state.pending.iter().enumerate(), &self.free) {
            Some((position, machine)) => {
                Action::Assign { job: state.pending[position].id, machine }
            }
            None => Action::Wait,
        }
    }
}

impl Policy<Scheduling> for Wspt {
    fn choose(&mut self, problem: &Scheduling, state: &State, _rng: &mut Rng) -> Action {
        self.step(problem, state)
    }
}

impl Guide<Scheduling> for Wspt {
    /// Less (setup + processing) / weight is better; waiting comes last.
    fn values(
        &mut self,
        problem: &Scheduling,
        state: &State,
        menu: &Menu<Action>,
        out: &mut Vec<f64>,
    ) {
        pair_values(state, menu, out, |_, job, machine, class| {
            -ratio(problem, job, machine, class)
        });
    }
}

/// Plans by list scheduling: whenever a machine becomes free, what [`Wspt`] would start. Knows the release times of
/// its instance, but never keeps a machine free for a job to come.
#[derive(Clone, Debug, Default)]
pub struct WsptPlan {
    free: Vec<Free>,
}

impl WsptPlan {
    /// The plan; `None` if there are jobs but no machine.
    pub fn plan(&mut self, problem: &Scheduling, instance: &Instance) -> Option<Plan> {
        let mut jobs = instance.jobs.clone();
        let mut machines = instance.machines.clone();
        let mut plan = Plan { sequences: vec![Vec::new(); machines.len()] };
        while !jobs.is_empty() {
            let first_free = earliest(machines.iter().map(|machine| machine.at));
            let now = earliest(jobs.iter().map(|job| job.arrival)).max(first_free);
            let free = (0..).zip(&machines).filter(|(_, machine)| machine.at <= now);
            keep_distinct(&mut self.free, free.map(|(i, machine)| (i, machine.class)));
            let released = jobs.iter().enumerate().filter(|(_, job)| job.arrival <= now);
            let (position, index) = smallest(problem, released, &self.free)?;
            let job = jobs.remove(position);
            let machine = &mut machines[index as usize];
            machine.at = now + problem.duration(&job, index, machine.class);
            machine.class = Some(job.class);
            plan.sequences[index as usize].push(job.id);
        }
        Some(plan)
    }
}

impl Solver<Scheduling> for WsptPlan {
    fn solve(
        &mut self,
        problem: &Scheduling,
        instance: &Instance,
        _meter: &Meter<'_>,
        _rng: &mut Rng,
    ) -> Result<Plan, Failure> {
        let plan = self.plan(problem, instance);
        plan.ok_or_else(|| Failure::Refused("there is no machine to plan for".to_string()))
    }
}

fn earliest(times: impl Iterator<Item = Time>) -> Time {
    times.fold(Time::INFINITY, Time::min)
}
