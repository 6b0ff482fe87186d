//! Weighted shortest processing time: the paper's rule, and a plan made by it.

use crate::dynamics::Scheduling;
use crate::plan::{Instance, Plan, Ready};
use crate::rules::pair_values;
use crate::state::{Action, Pending, State};
use crate::times::Times;
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
fn ratio(duration: Time, weight: f64) -> f64 {
    if weight > 0.0 { duration / weight } else { f64::INFINITY }
}

/// The position of the job and the machine with the smallest (setup + processing) / weight; ties to the lowest job,
/// then the lowest machine. A job without weight comes last. `None` if no machine can do any of the jobs.
#[inline]
fn smallest<'j>(
    problem: &Scheduling,
    times: &Times,
    jobs: impl Iterator<Item = (usize, &'j Pending)> + Clone,
    free: impl Iterator<Item = Free>,
    distinct: &mut Vec<Free>,
) -> Option<(usize, u32)> {
    if times.alike() {
        keep_distinct(distinct, free);
        return smallest_alike(problem, jobs, distinct);
    }
    distinct.clear();
    distinct.extend(free);
    smallest_able(problem, times, jobs, distinct)
}

/// The same where machines differ.
#[inline(never)]
fn smallest_able<'j>(
    problem: &Scheduling,
    times: &Times,
    jobs: impl Iterator<Item = (usize, &'j Pending)>,
    free: &[Free],
) -> Option<(usize, u32)> {
    let mut best = None;
    for (position, job) in jobs {
        for &(machine, class) in free.iter().filter(|free| times.able(job, free.0)) {
            let ratio = ratio(problem.duration(times, job, machine, class), job.weight);
            if best.is_none_or(|(least, _, _)| ratio < least) {
                best = Some((ratio, position, machine));
            }
        }
    }
    best.map(|(_, position, machine)| (position, machine))
}

/// The same where all machines are alike: it is played in every rollout.
#[inline]
fn smallest_alike<'j>(
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
            let duration = problem.setup(class, job.class) + job.processing;
            let ratio = ratio(duration, job.weight);
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
        let jobs = state.pending.iter().enumerate();
        let free = state.free().map(|(i, machine)| (i, machine.class));
        match smallest(problem, &state.times, jobs, free, &mut self.free) {
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
            -ratio(problem.duration(&state.times, job, machine, class), job.weight)
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
    /// The plan; `None` if there are jobs that no machine can do.
    pub fn plan(&mut self, problem: &Scheduling, instance: &Instance) -> Option<Plan> {
        let mut jobs = instance.jobs.clone();
        let mut machines = instance.machines.clone();
        let mut plan = Plan { sequences: vec![Vec::new(); machines.len()] };
        while !jobs.is_empty() {
            let now = first_start(&instance.times, &jobs, &machines);
            let free = (0..).zip(&machines).filter(|(_, machine)| machine.at <= now);
            let free = free.map(|(i, machine)| (i, machine.class));
            let released = jobs.iter().enumerate().filter(|(_, job)| job.arrival <= now);
            let (position, index) =
                smallest(problem, &instance.times, released, free, &mut self.free)?;
            let job = jobs.remove(position);
            let machine = &mut machines[index as usize];
            machine.at = now + problem.duration(&instance.times, &job, index, machine.class);
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

/// When the first of the jobs can start on a machine that can do it.
fn first_start(times: &Times, jobs: &[Pending], machines: &[Ready]) -> Time {
    if times.alike() {
        let first_free = earliest(machines.iter().map(|machine| machine.at));
        return earliest(jobs.iter().map(|job| job.arrival)).max(first_free);
    }
    earliest(jobs.iter().map(|job| {
        let able = (0..).zip(machines).filter(|&(machine, _)| times.able(job, machine));
        earliest(able.map(|(_, machine)| machine.at)).max(job.arrival)
    }))
}

fn earliest(times: impl Iterator<Item = Time>) -> Time {
    times.fold(Time::INFINITY, Time::min)
}
