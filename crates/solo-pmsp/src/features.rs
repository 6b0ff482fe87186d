//! What speaks for starting a job on a machine, and for waiting, in a few numbers.
//!
//! Options: of every class of jobs the few with the smallest (setup + processing) / weight, on the free machines of the two
//! last classes that need the least setup for it; and waiting. Other jobs of a class hardly ever go first. Where machines
//! are unrelated, on the two free machines that would be done with it first, and what the plan begins with.
//!
//! A plan is kept by insertion, as the lookahead without a network keeps one: it says in which order the known jobs would
//! be done if nothing more came, and what it costs to begin otherwise. The network has to know when the plan is wrong.
//!
//! Nothing here depends on how classes are numbered or on how many there are. What may still come follows from the law and
//! the clock alone, so that a shortened future looks like the day it was cut from.
//!
//! | global | scale |
//! |---|---|
//! | 0 time to the next batch, 100 at most; 100 after the last | / 100 |
//! | 1 the share of the batches still to come | 1 |
//! | 2 pending jobs a machine | / 5 |
//! | 3 their weight a machine | / 25 |
//! | 4 their processing time a machine | / 250 |
//! | 5 the share of the machines that are free | 1 |
//! | 6 the mean remaining time of all machines | / 50 |
//! | 7 time to the next completion, 100 at most; 100 if none runs | / 100 |
//! | 8 the smallest index of all options | / 10 |
//! | 9 jobs expected in a batch, a machine | / 2 |
//! | 10 planned cost of the pending jobs from now on, a machine | / 1000 |
//! | 11 the mean over machines of when the plan has them free for good | / 100 |
//!
//! With a job `j` of class `c` on machine `i` of last class `k`, index being (setup + processing) / weight:
//!
//! | option | scale |
//! |---|---|
//! | 0 waiting | 0 or 1 |
//! | 1 processing | / 50 |
//! | 2 weight | / 5 |
//! | 3 setup | / 25 |
//! | 4 index, 50 at most | / 10 |
//! | 5 the smallest index of all options / index | 1 |
//! | 6 weight / (setup + processing), 1 at most | 5 |
//! | 7 the machine is of the job's class, or fresh | 0 or 1 |
//! | 8 pending jobs of class c besides j, 10 at most | / 5 |
//! | 9 their weight, 50 at most | / 25 |
//! | 10 their processing time, 500 at most | / 250 |
//! | 11 how much sooner than here another machine could begin j proper, setup done; -100 to 100; where machines are unrelated, be done with j | / 50 |
//! | 12 time until a busy machine of class c is free, 100 at most; 100 if there is none | / 100 |
//! | 13 the share of class c among arrivals | 2 |
//! | 14 mean setup from c to the other pending jobs, by weight | / 25 |
//! | 15 mean setup from c to arrivals | / 25 |
//! | 16 pending jobs of class k, 10 at most | / 5 |
//! | 17 the share of class k among arrivals | 2 |
//! | 18 how far the job runs into the next batch; -100 to 100 | / 100 |
//! | 19 mean setup from k to the other pending jobs, by weight | / 25 |
//! | 20 other machines of class c, free or busy, a machine | 2 |
//! | 21 waiting: time to the next completion, 100 at most; unrelated: how much longer j runs than on the fastest machine, 200 at most | / 50 |
//! | 22 waiting: time to the next batch, 100 at most; unrelated: how many times longer, less 1, 3 at most | / 50; 1 |
//! | 23 waiting: smallest index on the machine that is free next, its remaining time included / smallest index here, 3 at most; unrelated: the weight of the other pending jobs that i is fastest at, 50 at most | 1; / 25 |
//! | 24 waiting: machines that run, a machine; unrelated: what part of its speed at best an arrival has on i, on average, 0 if it cannot be done there | 1 |
//! | 25 the plan begins j now on such a machine; waiting: it begins nothing now | 0 or 1 |
//! | 26 what the plan costs more with j first on i, or after waiting for the next event; -400 to 1000 | / 200 |
//! | 27 planned start of j, its setup included, from now; 100 at most | / 50 |
//! | 28 how long machine i works into the next batch if j goes first; -200 to 200 | / 100 |
//! | 29 jobs of class c expected while j runs, 3 at most | 1 |
//! | 30 the setup that an arrival needs at best on any machine, on average: how much more with i of class c | / 10 |
//! | 31 the same on the free machines, 50 where there is none: how much more without i | / 25 |
//! | 32 other machines of class k, free or busy, a machine | 2 |
//! | 33 mean setup from k to arrivals | / 25 |

mod unrelated;
mod view;

use crate::arrivals::{Batches, Law};
use crate::dynamics::Scheduling;
use crate::insertion::InsertionPlan;
use crate::state::{Action, State};
use solo_core::{Features, Meter, Options, Time};
use unrelated::Unrelated;
use view::View;

/// So many jobs of a class are options on a machine.
const OF_A_CLASS: usize = 2;
/// Further away than this is far.
pub(crate) const FAR: Time = 100.0;

/// A plan that follows the state, and room to compute in. Only the plan lasts, so that a copy is the plan in an empty room.
#[derive(Debug, Default)]
pub struct Sketch {
    pub(crate) plan: InsertionPlan,
    /// What is pending of each class.
    classes: Vec<Class>,
    /// The jobs with the smallest index of each class on the machine that is looked at, best first.
    best: Vec<[Option<(f64, u32)>; OF_A_CLASS]>,
    /// The first free machine of each last class.
    seen: Vec<(u32, Option<u32>)>,
    /// The least and the next setup that a job of each class needs on those.
    near: Vec<[Time; 2]>,
    /// The two machines that could first begin a job of each class proper, its setup done, and when, from now.
    begin: Vec<[(Time, u32); 2]>,
    /// Mean setup from each class to arrivals.
    to_arrivals: Vec<f64>,
    /// Machines before their first job, and those of them that are free.
    fresh: (f64, f64),
    /// How machines differ, if they do.
    unrelated: Unrelated,
    /// Options before they are described: position of the job, machine, index.
    pairs: Vec<(u32, u32, f64)>,
}

impl Clone for Sketch {
    fn clone(&self) -> Self {
        Self { plan: self.plan.clone(), ..Self::default() }
    }

    /// Keeps the room as it is: a copy for a rollout allocates nothing.
    fn clone_from(&mut self, from: &Self) {
        self.plan.clone_from(&from.plan);
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Class {
    jobs: f64,
    weight: f64,
    processing: f64,
    /// The sum over pending jobs of weight x setup from this class.
    setups: f64,
    /// Until a busy machine of this class is free.
    free_in: Time,
    /// How many machines are of it.
    machines: f64,
    /// How many of these are free.
    free: f64,
    share: f64,
}

/// What a setup counts where there is no machine to make it on.
const NO_MACHINE: Time = 50.0;

impl Sketch {
    /// How much more setup an arrival needs at best, on average, if a machine of class `from` becomes one of class `to`, or is
    /// taken away; of all machines, or of the free ones. A fresh machine needs none.
    fn least_setups(
        &self,
        problem: &Scheduling,
        from: Option<u32>,
        to: Option<u32>,
        free: bool,
    ) -> Time {
        let count = |class: &Class| if free { class.free } else { class.machines };
        let fresh = if free { self.fresh.1 } else { self.fresh.0 };
        let mut more = 0.0;
        for (class, arrival) in (0u32..).zip(&self.classes) {
            if arrival.share == 0.0 {
                continue;
            }
            let (mut before, mut after) = (NO_MACHINE, NO_MACHINE);
            if fresh > 0.0 {
                before = 0.0;
            }
            if fresh > 1.0 || (fresh > 0.0 && from.is_some()) {
                after = 0.0;
            }
            for (k, there) in (0u32..).zip(&self.classes) {
                let number = count(there);
                if number > 0.0 {
                    let setup = problem.setup(Some(k), class);
                    before = before.min(setup);
                    if number > 1.0 || from != Some(k) {
                        after = after.min(setup);
                    }
                }
            }
            if let Some(to) = to {
                after = after.min(problem.setup(Some(to), class));
            }
            more += arrival.share * (after - before);
        }
        more
    }
}

/// (setup + processing) / weight, for jobs without weight a large number.
fn index(duration: Time, weight: f64) -> f64 {
    duration / weight.max(1e-3)
}

/// When the next batch comes and how many are left, both by the law.
pub(crate) fn to_come(batches: &Batches, now: Time) -> (Time, f64) {
    let last = f64::from(batches.intervals.saturating_sub(1));
    let next = (now / batches.length).floor() + 1.0;
    if next > last { (FAR, 0.0) } else { (next * batches.length - now, last - next + 1.0) }
}

impl Scheduling {
    /// Sums over the pending jobs and machines, by class.
    fn sum_classes(&self, state: &State, sketch: &mut Sketch) {
        let classes = self.setup.classes;
        sketch.classes.clear();
        sketch.classes.resize(classes, Class { free_in: FAR, ..Class::default() });
        for job in &state.pending {
            let class = &mut sketch.classes[job.class as usize];
            class.jobs += 1.0;
            class.weight += job.weight;
            class.processing += job.processing;
        }
        sketch.fresh = (0.0, 0.0);
        for machine in &state.machines {
            let Some(class) = machine.class else {
                sketch.fresh.0 += 1.0;
                sketch.fresh.1 += f64::from(u8::from(machine.run.is_none()));
                continue;
            };
            let class = &mut sketch.classes[class as usize];
            class.machines += 1.0;
            match machine.run {
                Some(run) => class.free_in = class.free_in.min(run.until - state.now),
                None => class.free += 1.0,
            }
        }
        sketch.begin.clear();
        for to in 0..classes as u32 {
            let mut begin = [(Time::INFINITY, u32::MAX); 2];
            for (i, machine) in (0..).zip(&state.machines) {
                let left = machine.run.map_or(0.0, |run| run.until - state.now);
                let at = left + self.setup(machine.class, to);
                if at < begin[0].0 {
                    begin = [(at, i), begin[0]];
                } else if at < begin[1].0 {
                    begin[1] = (at, i);
                }
            }
            sketch.begin.push(begin);
        }
        let shares: &[f64] = if let Law::Batches(law) = &self.law { &law.shares } else { &[] };
        let total: f64 = shares.iter().sum();
        sketch.to_arrivals.clear();
        for from in 0..classes {
            let row = &self.setup.flat[from * classes..][..classes];
            let setups = row.iter().zip(&sketch.classes).map(|(setup, to)| setup * to.weight);
            sketch.classes[from].setups = setups.sum();
            let expected: f64 = row.iter().zip(shares).map(|(setup, share)| setup * share).sum();
            sketch.to_arrivals.push(if total > 0.0 { expected / total } else { 0.0 });
            let share = shares.get(from).copied().unwrap_or(0.0);
            sketch.classes[from].share = if total > 0.0 { share / total } else { 0.0 };
        }
    }

    /// Lists the pairs worth scoring; returns the smallest index among them, or `None` if the meter cut that off.
    fn list_pairs(&self, state: &State, sketch: &mut Sketch, meter: &Meter<'_>) -> Option<f64> {
        self.sum_classes(state, sketch);
        let alike = state.times.alike();
        sketch.seen.clear();
        sketch.pairs.clear();
        let mut least = f64::INFINITY;
        for (i, machine) in state.free() {
            if !alike || !sketch.seen.iter().any(|&(_, class)| class == machine.class) {
                sketch.seen.push((i, machine.class));
            }
        }
        if !alike && meter.cuts(4 * state.pending.len() * state.machines.len()) {
            return None;
        }
        sketch.unrelated.look(self, state, &sketch.seen);
        sketch.near.clear();
        for to in 0..self.setup.classes as u32 {
            let mut near = [Time::INFINITY; 2];
            for &(_, class) in &sketch.seen {
                let setup = self.setup(class, to);
                if setup < near[0] {
                    near = [setup, near[0]];
                } else if setup < near[1] {
                    near[1] = setup;
                }
            }
            sketch.near.push(near);
        }
        for &(i, class) in &sketch.seen {
            if meter.cuts(3 * state.pending.len()) {
                return None;
            }
            sketch.best.clear();
            sketch.best.resize(self.setup.classes, [None; OF_A_CLASS]);
            for (position, job) in (0u32..).zip(&state.pending) {
                let setup = self.setup(class, job.class);
                let duration = setup + state.times.on(job, i);
                let far = match alike {
                    true => setup > sketch.near[job.class as usize][1],
                    false => sketch.unrelated.is_far(position, duration),
                };
                if far {
                    continue;
                }
                let value = index(duration, job.weight);
                let mut entry = Some((value, position));
                for place in &mut sketch.best[job.class as usize] {
                    if place.is_none_or(|(other, _)| entry.is_some_and(|(own, _)| own < other)) {
                        std::mem::swap(place, &mut entry);
                    }
                }
            }
            let listed = sketch.pairs.len();
            for &(value, position) in sketch.best.iter().flatten().flatten() {
                sketch.pairs.push((position, i, value));
                least = least.min(value);
            }
            let more = if alike { None } else { self.plan_s_pair(state, sketch, i, listed) };
            if let Some(pair) = more {
                sketch.pairs.push(pair);
                least = least.min(pair.2);
            }
        }
        Some(least)
    }
}

impl Features for Scheduling {
    type Sketch = Sketch;
    const GLOBAL: usize = 12;
    const OPTION: usize = 34;

    fn features(&self, state: &State, sketch: &mut Sketch, out: &mut Options<Action>) {
        self.features_within(state, sketch, &Meter::unlimited(), out);
    }

    fn features_within(
        &self,
        state: &State,
        sketch: &mut Sketch,
        meter: &Meter<'_>,
        out: &mut Options<Action>,
    ) -> bool {
        out.clear();
        // Sums over all jobs, by class and in the plan.
        let watched = sketch.plan.watch(self, state, meter) && !meter.cuts(8 * state.pending.len());
        let least = if watched { self.list_pairs(state, sketch, meter) } else { None };
        let Some(least) = least else {
            out.only(sketch.plan.at_hand(self, state));
            return false;
        };
        let view = View::new(self, state, sketch, least);
        out.global.extend(view.global(sketch).map(|x| x as f32));
        for &pair in &sketch.pairs {
            let (action, row) = view.pair(sketch, pair);
            let out = out.push(action, Self::OPTION);
            out.iter_mut().zip(row).for_each(|(to, x)| *to = x as f32);
        }
        if state.may_wait() {
            view.wait(sketch, out.push(Action::Wait, Self::OPTION));
        }
        true
    }
}
