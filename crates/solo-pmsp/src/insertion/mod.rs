//! A plan kept by insertion: the rule for rollouts, and for the root once somebody has planned better.

mod insert;
mod root;

use crate::dynamics::Scheduling;
use crate::state::{Action, Pending, State};
use solo_core::{Cost, Meter, Policy, Problem, Rng, Time};

/// A planned job.
#[derive(Clone, Copy, Debug)]
struct Stop {
    job: Pending,
    /// When it is complete.
    end: Time,
    /// The weight of it and of all behind it.
    weight: f64,
}

/// Keeps a line of jobs for each machine. When jobs arrive the lines are made anew, each job where it costs least. A
/// free machine starts the first job of its line, and one without a line waits, as its plan says.
///
/// The plan follows whatever state it is shown: jobs that were started leave it, and after a jump to another day or
/// another sampled future it is made anew. Allocates nothing when warm.
///
/// Making lines anew takes the square of the jobs. Where a budget in time does not allow for it, only those that have
/// arrived are inserted, or, if they are many, put in line behind the others.
#[derive(Debug, Default)]
pub struct InsertionPlan {
    lines: Vec<Vec<Stop>>,
    /// How many jobs are planned.
    planned: usize,
    /// Jobs below this number are planned or started.
    known: u32,
    /// The clock of the last state.
    now: Time,
    order: Vec<Pending>,
    /// Where each pending job is planned: line and place. Only [`InsertionPlan::watch`] keeps it.
    places: Vec<(u32, u32)>,
}

/// What a plan says of beginning a job on a machine now.
pub(crate) struct Planned {
    /// The plan begins it now, on this machine or one like it: that one.
    pub(crate) now: Option<u32>,
    /// What the plan costs more if the job goes there first and the rest stays in order.
    pub(crate) more: Cost,
    /// When the plan begins it, setup included, from now.
    pub(crate) start: Time,
    /// When the machine is free for good if the job goes there first, from now.
    pub(crate) end: Time,
}

impl Clone for InsertionPlan {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Reuses the lines; a copy is for one rollout.
    fn clone_from(&mut self, from: &Self) {
        let InsertionPlan { lines, planned, known, now, order: _, places: _ } = from;
        // Of a plan that was never made nothing is copied, and no line lost.
        if !lines.is_empty() {
            self.lines.resize_with(lines.len(), Vec::new);
        }
        self.lines.iter_mut().for_each(Vec::clear);
        for (to, from) in self.lines.iter_mut().zip(lines) {
            to.clone_from(from);
        }
        self.planned = *planned;
        self.known = *known;
        self.now = *now;
    }
}

impl InsertionPlan {
    fn clear(&mut self, state: &State) {
        self.lines.resize_with(state.machines.len(), Vec::new);
        self.lines.iter_mut().for_each(Vec::clear);
        self.planned = 0;
        self.known = 0;
        self.now = state.now;
    }

    /// Brings the plan into step with the state.
    pub fn follow(&mut self, problem: &Scheduling, state: &State) {
        self.follow_within(problem, state, &Meter::unlimited());
    }

    /// Brings the plan into step with the state, with as much care as there is time for.
    pub(crate) fn follow_within(&mut self, problem: &Scheduling, state: &State, meter: &Meter<'_>) {
        let jumped = state.now < self.now
            || state.next_id < self.known
            || self.lines.len() != state.machines.len();
        if jumped {
            self.clear(state);
        }
        self.now = state.now;
        for (line, machine) in self.lines.iter_mut().zip(&state.machines) {
            let started = |stop: &Stop| match machine.run {
                Some(run) => run.job == stop.job.id,
                None => state.position(stop.job.id).is_none(),
            };
            if line.first().is_some_and(started) {
                line.remove(0);
                self.planned -= 1;
            }
        }
        let known = self.known;
        let fresh = state.pending.partition_point(|job| job.id < known);
        if self.planned != fresh {
            self.drop_started(state);
            if self.planned != fresh {
                self.clear(state);
            }
        }
        if self.known < state.next_id {
            let known = std::mem::replace(&mut self.known, state.next_id);
            let new = state.pending.partition_point(|job| job.id < known);
            self.take_in(problem, state, &state.pending[new..], meter);
        }
    }

    /// Brings the plan into step with the state, its times included, and notes where every pending job is planned; false
    /// if the meter cut that off.
    pub(crate) fn watch(&mut self, problem: &Scheduling, state: &State, meter: &Meter<'_>) -> bool {
        // Binary searches, then two ways through the lines.
        let work = 24 * state.pending.len();
        self.follow_within(problem, state, meter);
        if meter.cuts(work) {
            return false;
        }
        if !self.find_places(state) {
            // A jump that looked like a step.
            self.renew(problem, state, meter);
            if meter.cuts(work) {
                return false;
            }
            self.find_places(state);
        }
        self.count_all(problem, state);
        true
    }

    /// Forgets the plan and makes one of this state alone.
    pub(crate) fn renew(&mut self, problem: &Scheduling, state: &State, meter: &Meter<'_>) {
        self.clear(state);
        self.follow_within(problem, state, meter);
    }

    /// Notes where every pending job is planned; says whether the plan is one of just these jobs.
    fn find_places(&mut self, state: &State) -> bool {
        self.places.clear();
        self.places.resize(state.pending.len(), (u32::MAX, 0));
        for (line, stops) in (0..).zip(&self.lines) {
            for (place, stop) in (0..).zip(stops) {
                match state.position(stop.job.id) {
                    Some(at) if state.pending[at] == stop.job => self.places[at] = (line, place),
                    _ => return false,
                }
            }
        }
        self.places.iter().all(|&(line, _)| line != u32::MAX)
    }

    /// What the pending jobs cost from now on, by the plan.
    pub(crate) fn cost(&self, state: &State) -> Cost {
        self.lines.iter().flatten().map(|stop| stop.job.weight * (stop.end - state.now)).sum()
    }

    /// When the plan has each machine free for good, from now, and after which class.
    fn ends(&self, state: &State) -> impl Iterator<Item = (Time, Option<u32>)> {
        self.lines.iter().enumerate().map(|(machine, line)| {
            let last = line.last().map(|stop| (stop.end, Some(stop.job.class)));
            let (end, class) = last.unwrap_or_else(|| ready(state, machine));
            (end - state.now, class)
        })
    }

    /// The sum over machines of the time after `pause` from now until the plan has them free for good.
    pub(crate) fn busy_after(&self, state: &State, pause: Time) -> Time {
        self.ends(state).map(|(end, _)| (end - pause).max(0.0)).sum()
    }

    /// The least setup that a job of class `to` finds at the end of any line, and how long it waits where it could begin
    /// proper first.
    pub(crate) fn welcome(&self, problem: &Scheduling, state: &State, to: u32) -> (Time, Time) {
        let mut least = (Time::INFINITY, Time::INFINITY);
        for (end, class) in self.ends(state) {
            let setup = problem.setup(class, to);
            least = (least.0.min(setup), least.1.min(end + setup));
        }
        least
    }

    /// The weight of the jobs that are planned on free machines: what each unit of time without a start costs.
    pub(crate) fn idle_weight(&self, state: &State) -> f64 {
        let lines = state.free().map(|(machine, _)| self.lines[machine as usize].first());
        lines.flatten().map(|stop| stop.weight).sum()
    }

    /// What the plan says of beginning the pending job at `position` on the free machine `machine`.
    pub(crate) fn planned(
        &self,
        problem: &Scheduling,
        state: &State,
        position: usize,
        machine: u32,
    ) -> Planned {
        let (line, place) = self.places[position];
        let (own, place) = (&self.lines[line as usize], place as usize);
        let stop = &own[place];
        let (job, class) = (stop.job, Some(stop.job.class));
        let (start, before) = match place.checked_sub(1) {
            Some(before) => (own[before].end, Some(own[before].job.class)),
            None => ready(state, line as usize),
        };
        let fresh = state.machines[machine as usize].class;
        let owner = &state.machines[line as usize];
        let like = line == machine || (state.times.alike() && owner.class == fresh);
        if place == 0 && owner.run.is_none() && like {
            let end = own[own.len() - 1].end - state.now;
            return Planned { now: Some(line), more: 0.0, start: 0.0, end };
        }
        // Those behind it move up.
        let behind = own.get(place + 1).map_or((0.0, 0.0), |next| {
            let skipped = problem.setup(before, next.job.class);
            let saved = stop.end - start + problem.setup(class, next.job.class) - skipped;
            (next.weight, saved)
        });
        let gained = job.weight * stop.end + behind.0 * behind.1;
        // Those on the other machine move back.
        let same = line == machine;
        let other = &self.lines[machine as usize];
        let took = problem.duration(&state.times, &job, machine, fresh);
        let first = other.get(usize::from(same && place == 0));
        let (weight, delay) = first.map_or((0.0, took), |first| {
            let weight = other[0].weight - if same { job.weight } else { 0.0 };
            let next = first.job.class;
            (weight, took + problem.setup(class, next) - problem.setup(fresh, next))
        });
        let moved_up = match own.get(place + 1) {
            _ if !same => 0.0,
            Some(_) => behind.1,
            None => stop.end - start,
        };
        let end = other.last().map_or(0.0, |last| last.end - state.now - moved_up) + delay;
        let more = job.weight * (state.now + took) + weight * delay - gained;
        Planned { now: None, more, start: start - state.now, end }
    }

    /// Somebody else has decided: jobs may have started out of turn.
    fn drop_started(&mut self, state: &State) {
        for line in &mut self.lines {
            line.retain(|stop| {
                state.position(stop.job.id).is_some_and(|at| state.pending[at] == stop.job)
            });
        }
        self.planned = self.lines.iter().map(Vec::len).sum();
    }

    fn count_all(&mut self, problem: &Scheduling, state: &State) {
        for machine in 0..self.lines.len() {
            self.count(problem, state, machine);
        }
    }

    /// What the plan starts now, and where.
    fn first(&self, state: &State) -> Option<(Pending, u32)> {
        let lines = |(machine, _)| Some((self.lines[machine as usize].first()?.job, machine));
        state.free().find_map(lines)
    }

    /// The job that the plan has first on a machine.
    pub(crate) fn first_on(&self, machine: u32) -> Option<u32> {
        Some(self.lines[machine as usize].first()?.job.id)
    }

    /// Fills in the ends and weights of a line.
    fn count(&mut self, problem: &Scheduling, state: &State, machine: usize) {
        let (mut end, mut class) = ready(state, machine);
        for stop in &mut self.lines[machine] {
            end += problem.duration(&state.times, &stop.job, machine as u32, class);
            class = Some(stop.job.class);
            stop.end = end;
        }
        let mut weight = 0.0;
        for stop in self.lines[machine].iter_mut().rev() {
            weight += stop.job.weight;
            stop.weight = weight;
        }
    }
}

/// When a machine can start its next job, and after which class.
fn ready(state: &State, machine: usize) -> (Time, Option<u32>) {
    let machine = &state.machines[machine];
    (machine.run.map_or(state.now, |run| run.until), machine.class)
}

impl InsertionPlan {
    /// What the plan starts now, if it is still as it was planned; otherwise what a simple rule starts.
    pub(crate) fn at_hand(&self, problem: &Scheduling, state: &State) -> Action {
        let first = self.first(state).filter(|(job, machine)| startable(state, job, *machine));
        first.map_or_else(
            || problem.at_hand(state),
            |(job, machine)| Action::Assign { job: job.id, machine },
        )
    }
}

/// Whether a planned job is still pending as it was, and the machine can do it.
fn startable(state: &State, job: &Pending, machine: u32) -> bool {
    state.position(job.id).is_some_and(|at| state.pending[at] == *job)
        && state.times.able(job, machine)
}

impl Policy<Scheduling> for InsertionPlan {
    fn choose(&mut self, problem: &Scheduling, state: &State, rng: &mut Rng) -> Action {
        self.choose_within(problem, state, &Meter::unlimited(), rng)
    }

    fn choose_within(
        &mut self,
        problem: &Scheduling,
        state: &State,
        meter: &Meter<'_>,
        _rng: &mut Rng,
    ) -> Action {
        self.follow_within(problem, state, meter);
        let mut first = self.first(state);
        if first.is_some_and(|(job, machine)| !startable(state, &job, machine)) {
            // A jump that looked like a step.
            self.renew(problem, state, meter);
            first = self.first(state);
        }
        if meter.has_cut() {
            return self.at_hand(problem, state);
        }
        if let Some((job, machine)) = first {
            return Action::Assign { job: job.id, machine };
        }
        match state.first_start() {
            Some((job, machine)) if !state.may_wait() => Action::Assign { job: job.id, machine },
            _ => Action::Wait,
        }
    }
}
