//! A plan kept by insertion: the rule for rollouts, and for the root once somebody has planned better.

use crate::dynamics::Scheduling;
use crate::plan::Plan;
use crate::ruin::Ruin;
use crate::state::{Action, Pending, State};
use solo_core::{Cost, Policy, Rng, Scout, Time};

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
/// another dream it is made anew. Allocates nothing when warm.
#[derive(Debug, Default)]
pub struct Insertion {
    lines: Vec<Vec<Stop>>,
    /// How many jobs are planned.
    planned: usize,
    /// Jobs below this number are planned or started.
    known: u32,
    /// The clock of the last state.
    now: Time,
    order: Vec<Pending>,
}

impl Clone for Insertion {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Reuses the lines; a copy is for one rollout.
    fn clone_from(&mut self, from: &Self) {
        let Insertion { lines, planned, known, now, order: _ } = from;
        self.lines.resize_with(lines.len(), Vec::new);
        for (to, from) in self.lines.iter_mut().zip(lines) {
            to.clone_from(from);
        }
        self.planned = *planned;
        self.known = *known;
        self.now = *now;
    }
}

impl Insertion {
    fn clear(&mut self, state: &State) {
        self.lines.resize_with(state.machines.len(), Vec::new);
        self.lines.iter_mut().for_each(Vec::clear);
        self.planned = 0;
        self.known = 0;
        self.now = state.now;
    }

    /// Brings the plan into step with the state.
    pub fn follow(&mut self, problem: &Scheduling, state: &State) {
        let jumped = state.now < self.now
            || state.arrived < self.known
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
        if self.known < state.arrived {
            self.known = state.arrived;
            self.plan_anew(problem, state);
        }
    }

    /// Inserts all pending jobs, the heaviest first, then moves each to where it costs least now.
    fn plan_anew(&mut self, problem: &Scheduling, state: &State) {
        self.lines.iter_mut().for_each(Vec::clear);
        self.planned = 0;
        let mut order = std::mem::take(&mut self.order);
        order.clone_from(&state.pending);
        order.sort_unstable_by(|a, b| b.weight.total_cmp(&a.weight).then(a.id.cmp(&b.id)));
        for &job in &order {
            self.insert(problem, state, job);
        }
        for &job in &state.pending {
            self.take_out(problem, state, job.id);
            self.insert(problem, state, job);
        }
        self.order = order;
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

    /// Fills in the ends and weights of a line.
    fn count(&mut self, problem: &Scheduling, state: &State, machine: usize) {
        let (mut end, mut class) = ready(state, machine);
        for stop in &mut self.lines[machine] {
            end += problem.duration(&stop.job, machine as u32, class);
            class = Some(stop.job.class);
            stop.end = end;
        }
        let mut weight = 0.0;
        for stop in self.lines[machine].iter_mut().rev() {
            weight += stop.job.weight;
            stop.weight = weight;
        }
    }

    /// Puts a job where it costs least; ties to the lowest machine, then the earliest place.
    fn insert(&mut self, problem: &Scheduling, state: &State, job: Pending) {
        let (mut best, mut least) = (None, Cost::INFINITY);
        for (machine, line) in self.lines.iter().enumerate() {
            let (mut start, mut class) = ready(state, machine);
            for (place, stop) in line.iter().enumerate() {
                let took = problem.duration(&job, machine as u32, class);
                let between = problem.setup(Some(job.class), stop.job.class);
                let delay = took + between - problem.setup(class, stop.job.class);
                let cost = job.weight * (start + took) + stop.weight * delay;
                if cost < least {
                    (best, least) = (Some((machine, place)), cost);
                }
                (start, class) = (stop.end, Some(stop.job.class));
            }
            let cost = job.weight * (start + problem.duration(&job, machine as u32, class));
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

/// When a machine can start its next job, and after which class.
fn ready(state: &State, machine: usize) -> (Time, Option<u32>) {
    let machine = &state.machines[machine];
    (machine.run.map_or(state.now, |run| run.until), machine.class)
}

impl Policy<Scheduling> for Insertion {
    fn choose(&mut self, problem: &Scheduling, state: &State, _rng: &mut Rng) -> Action {
        self.follow(problem, state);
        let mut first = self.first(state);
        if first.is_some_and(|(job, _)| {
            state.position(job.id).is_none_or(|at| state.pending[at] != job)
        }) {
            // A jump that looked like a step.
            self.clear(state);
            self.follow(problem, state);
            first = self.first(state);
        }
        if let Some((job, machine)) = first {
            return Action::Assign { job: job.id, machine };
        }
        match (state.pending.first(), state.free().next()) {
            (Some(job), Some((machine, _))) if !state.may_wait() => {
                Action::Assign { job: job.id, machine }
            }
            _ => Action::Wait,
        }
    }
}

impl Scout<Scheduling> for Insertion {
    type Planner = Ruin;

    /// Takes over a plan of the open jobs; jobs that it lacks are inserted.
    fn adopt(&mut self, problem: &Scheduling, state: &State, plan: &Plan) {
        self.clear(state);
        for (line, sequence) in self.lines.iter_mut().zip(&plan.sequences) {
            let open = sequence.iter().filter_map(|&job| state.position(job));
            line.extend(open.map(|at| Stop { job: state.pending[at], end: 0.0, weight: 0.0 }));
        }
        self.planned = self.lines.iter().map(Vec::len).sum();
        self.known = state.arrived;
        self.count_all(problem, state);
        if self.planned != state.pending.len() {
            for &job in &state.pending {
                if !self.lines.iter().flatten().any(|stop| stop.job.id == job.id) {
                    self.insert(problem, state, job);
                }
            }
        }
    }

    /// Waiting; what the plan has first on each free machine; of every class the job with the smallest
    /// (setup + processing) / weight, on the free machine that suits it; then the next best pairs.
    fn shortlist(&mut self, problem: &Scheduling, state: &State, out: &mut Vec<Action>) {
        out.push(Action::Wait);
        self.follow(problem, state);
        for (machine, _) in state.free() {
            if let Some(stop) = self.lines[machine as usize].first() {
                out.push(Action::Assign { job: stop.job.id, machine });
            }
        }
        // Machines are alike: one free machine of each last class is enough.
        let mut pairs: Vec<(f64, u32, Action)> = Vec::new();
        let mut seen: Vec<Option<u32>> = Vec::new();
        for (index, machine) in state.free() {
            if seen.contains(&machine.class) {
                continue;
            }
            seen.push(machine.class);
            for job in &state.pending {
                let ratio = problem.duration(job, index, machine.class) / job.weight.max(1e-9);
                pairs.push((ratio, job.class, Action::Assign { job: job.id, machine: index }));
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut classes: Vec<u32> = Vec::new();
        for &(_, class, action) in &pairs {
            if !classes.contains(&class) {
                classes.push(class);
                out.push(action);
            }
        }
        out.extend(pairs.iter().map(|&(_, _, action)| action));
    }
}
