//! What a plan costs, recomputed from the rules alone.

use crate::dynamics::Scheduling;
use crate::plan::{Instance, Plan};
use solo_core::{Cost, Time};

/// When a planned job starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// When its setup begins.
    pub time: Time,
    /// When it is complete.
    pub end: Time,
    /// Its number.
    pub job: u32,
    /// Its machine.
    pub machine: u32,
}

/// When every job of the plan starts if each does as early as it can, machine by machine; `Err` names the first rule
/// that the plan breaks.
pub fn starts(
    problem: &Scheduling,
    instance: &Instance,
    plan: &Plan,
) -> Result<Vec<Start>, String> {
    let (planned, machines) = (plan.sequences.len(), instance.machines.len());
    if planned != machines {
        return Err(format!("the plan is for {planned} machines, there are {machines}"));
    }
    let mut seen = vec![false; instance.jobs.len()];
    let mut starts = Vec::with_capacity(instance.jobs.len());
    for ((machine, ready), sequence) in (0..).zip(&instance.machines).zip(&plan.sequences) {
        let (mut free, mut last) = (ready.at, ready.class);
        for &id in sequence {
            let position = instance
                .jobs
                .binary_search_by_key(&id, |job| job.id)
                .map_err(|_| format!("machine {machine}: there is no open job {id}"))?;
            if std::mem::replace(&mut seen[position], true) {
                return Err(format!("machine {machine}: job {id} is planned a second time"));
            }
            let job = &instance.jobs[position];
            if !instance.times.able(job, machine) {
                return Err(format!("machine {machine} cannot do job {id}"));
            }
            let time = free.max(job.arrival);
            free = time + problem.duration(&instance.times, job, machine, last);
            last = Some(job.class);
            starts.push(Start { time, end: free, job: id, machine });
        }
    }
    match seen.iter().position(|seen| !seen) {
        Some(missing) => Err(format!("job {} is not planned", instance.jobs[missing].id)),
        None => Ok(starts),
    }
}

/// The cost of carrying out a plan if nothing more comes, from the jobs' arrivals on; `Err` names the rule it breaks.
pub fn plan_cost(problem: &Scheduling, instance: &Instance, plan: &Plan) -> Result<Cost, String> {
    let mut cost = 0.0;
    for start in starts(problem, instance, plan)? {
        if let Ok(position) = instance.jobs.binary_search_by_key(&start.job, |job| job.id) {
            let job = &instance.jobs[position];
            cost += job.weight * (start.end - job.arrival);
        }
    }
    Ok(cost)
}
