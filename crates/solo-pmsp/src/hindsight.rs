//! The clairvoyant: what the day would have cost if everything had been known from the start.

use crate::check::{plan_cost, starts};
use crate::dynamics::Scheduling;
use crate::plan::{Instance, Plan, Ready};
use crate::ruin::Ruin;
use crate::state::{Action, Event, Pending};
use crate::times::Times;
use solo_core::{Cost, Failure, Meter, Rng, Timed};
use std::sync::Arc;

/// A finished day as one instance: every job known, none started before it arrived.
pub fn whole_day(problem: &Scheduling, events: &[Timed<Event>]) -> Instance {
    let mut times = Times::new(problem.machines);
    let job = |event: &Timed<Event>| problem.open_job(&event.what, event.time, &mut times);
    let mut jobs: Vec<Pending> = events.iter().map(job).collect();
    jobs.sort_by_key(|job| job.id);
    Instance {
        jobs,
        machines: vec![Ready { at: 0.0, class: None }; problem.machines],
        setup: Arc::clone(&problem.setup),
        times,
    }
}

/// The decisions of someone who knew all arrivals, in order of time, with their cost: the best that [`Ruin`] finds
/// within the budget. A heuristic's value, not a proof: the true optimum may lie below.
pub fn hindsight(
    problem: &Scheduling,
    events: &[Timed<Event>],
    meter: &Meter<'_>,
    rng: &mut Rng,
) -> Result<(Vec<Timed<Action>>, Cost), Failure> {
    let instance = whole_day(problem, events);
    let (plan, _) =
        Ruin::default().improve(problem, &instance, None, meter, rng, &mut |_, _| {})?;
    let cost = plan_cost(problem, &instance, &plan).map_err(Failure::Infeasible)?;
    Ok((decisions(problem, &instance, &plan)?, cost))
}

/// The orders that carry out a plan, in order of time.
pub fn decisions(
    problem: &Scheduling,
    instance: &Instance,
    plan: &Plan,
) -> Result<Vec<Timed<Action>>, Failure> {
    let starts = starts(problem, instance, plan).map_err(Failure::Infeasible)?;
    let mut decisions: Vec<Timed<Action>> = starts
        .iter()
        .map(|s| Timed { time: s.time, what: Action::Assign { job: s.job, machine: s.machine } })
        .collect();
    decisions.sort_by(|a, b| a.time.total_cmp(&b.time));
    Ok(decisions)
}
