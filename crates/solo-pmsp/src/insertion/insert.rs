//! Where jobs cost least.

use super::{InsertionPlan, Stop, ready};
use crate::dynamics::Scheduling;
use crate::state::{Pending, State};
use crate::times::CANNOT;
use solo_core::{Cost, Meter, Time};

/// As many jobs are planned in one go: it takes no time worth a look at the clock.
const SMALL: usize = 64;

impl InsertionPlan {
    /// Takes in jobs that have arrived. All lines are made anew, if there is time.
    pub(super) fn take_in(
        &mut self,
        problem: &Scheduling,
        state: &State,
        new: &[Pending],
        meter: &Meter<'_>,
    ) {
        let jobs = state.pending.len();
        if jobs <= SMALL || meter.affords(4 * jobs * jobs) {
            self.plan_anew(problem, state, meter);
        } else if meter.affords(2 * new.len() * jobs) {
            self.count_all(problem, state);
            self.insert_all(problem, state, new, meter);
        } else {
            self.line_up(problem, state, new, meter);
        }
    }

    /// Inserts all pending jobs, the heaviest first, then moves each to where it costs least now.
    fn plan_anew(&mut self, problem: &Scheduling, state: &State, meter: &Meter<'_>) {
        self.lines.iter_mut().for_each(Vec::clear);
        self.planned = 0;
        let mut order = std::mem::take(&mut self.order);
        order.clone_from(&state.pending);
        order.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then(a.id.cmp(&b.id)));
        self.insert_all(problem, state, &order, meter);
        for &job in &state.pending {
            if self.cuts(3 * self.planned, meter) {
                break;
            }
            self.take_out(problem, state, job.id);
            self.insert(problem, state, job);
        }
        self.order = order;
    }

    /// Whether there is no time for this much work. Small plans are always made in full.
    fn cuts(&self, work: usize, meter: &Meter<'_>) -> bool {
        self.planned > SMALL && meter.cuts(work)
    }

    /// Inserts jobs while there is time, and then puts the others in line.
    pub(super) fn insert_all(
        &mut self,
        problem: &Scheduling,
        state: &State,
        jobs: &[Pending],
        meter: &Meter<'_>,
    ) {
        for (i, &job) in jobs.iter().enumerate() {
            if self.cuts(2 * self.planned, meter) {
                return self.line_up(problem, state, &jobs[i..], meter);
            }
            self.insert(problem, state, job);
        }
    }

    /// Puts jobs in line by processing time over weight, each where it could begin proper first.
    fn line_up(
        &mut self,
        problem: &Scheduling,
        state: &State,
        jobs: &[Pending],
        meter: &Meter<'_>,
    ) {
        self.count_all(problem, state);
        let last = |(machine, line): (usize, &Vec<Stop>)| {
            let planned = line.last().map(|stop| (stop.end, Some(stop.job.class)));
            planned.unwrap_or_else(|| ready(state, machine))
        };
        let mut ends: Vec<(Time, Option<u32>)> = self.lines.iter().enumerate().map(last).collect();
        let mut order = jobs.to_vec();
        let index = |job: &Pending| job.processing / job.weight.max(1e-9);
        order.sort_unstable_by(|a, b| index(a).total_cmp(&index(b)).then(a.id.cmp(&b.id)));
        for (i, job) in order.into_iter().enumerate() {
            let begin = |&(end, class): &(Time, Option<u32>)| end + problem.setup(class, job.class);
            let able = |&machine: &usize| state.times.able(&job, machine as u32);
            let first = (0..ends.len())
                .filter(able)
                .min_by(|&a, &b| begin(&ends[a]).total_cmp(&begin(&ends[b])));
            // Once time is up, all take turns.
            let turn = meter.cuts(ends.len()).then_some(i % ends.len().max(1)).filter(able);
            let Some(machine) = turn.or(first) else { return };
            let took = state.times.on(&job, machine as u32);
            ends[machine] = (begin(&ends[machine]) + took, Some(job.class));
            self.lines[machine].push(Stop { job, end: 0.0, weight: 0.0 });
            self.planned += 1;
        }
        self.count_all(problem, state);
    }

    fn take_out(&mut self, problem: &Scheduling, state: &State, job: u32) {
        for machine in 0..self.lines.len() {
            if let Some(at) = self.lines[machine].iter().position(|stop| stop.job.id == job) {
                self.lines[machine].remove(at);
                self.planned -= 1;
                self.count(problem, state, machine);
                return;
            }
        }
    }

    /// Puts a job where it costs least; ties to the lowest machine, then the earliest place.
    fn insert(&mut self, problem: &Scheduling, state: &State, job: Pending) {
        let (mut best, mut least) = (None, Cost::INFINITY);
        for (machine, line) in self.lines.iter().enumerate() {
            let processing = state.times.on(&job, machine as u32);
            if processing == CANNOT {
                continue;
            }
            let (mut start, mut class) = ready(state, machine);
            for (place, stop) in line.iter().enumerate() {
                let took = problem.setup(class, job.class) + processing;
                let between = problem.setup(Some(job.class), stop.job.class);
                let delay = took + between - problem.setup(class, stop.job.class);
                let cost = job.weight * (start + took) + stop.weight * delay;
                if cost < least {
                    (best, least) = (Some((machine, place)), cost);
                }
                (start, class) = (stop.end, Some(stop.job.class));
            }
            let took = problem.setup(class, job.class) + processing;
            let cost = job.weight * (start + took);
            if cost < least {
                (best, least) = (Some((machine, line.len())), cost);
            }
        }
        let Some((machine, place)) = best else { return };
        self.lines[machine].insert(place, Stop { job, end: 0.0, weight: 0.0 });
        self.planned += 1;
        self.count(problem, state, machine);
    }
}
