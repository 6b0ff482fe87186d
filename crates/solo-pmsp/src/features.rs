//! What speaks for starting a job on a machine, and for waiting, in a few numbers.
//!
//! Options: on the first free machine of every last class, of every class of jobs the few with the smallest
//! (setup + processing) / weight; and waiting. Other jobs of a class hardly ever go first.
//!
//! Nothing here depends on how classes are numbered or on how many there are. What may still come is told by the law and
//! the clock alone, so that a shortened dream looks like the day it was cut from.
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
//! | 11 how much sooner than here another machine could begin j proper, setup done; -100 to 100 | / 50 |
//! | 12 time until a busy machine of class c is free, 100 at most; 100 if there is none | / 100 |
//! | 13 the share of class c among arrivals | 2 |
//! | 14 mean setup from c to the other pending jobs, by weight | / 25 |
//! | 15 mean setup from c to arrivals | / 25 |
//! | 16 pending jobs of class k, 10 at most | / 5 |
//! | 17 the share of class k among arrivals | 2 |
//! | 18 how far the job runs into the next batch; -100 to 100 | / 100 |
//! | 19 mean setup from k to the other pending jobs, by weight | / 25 |
//! | 20 other machines of class c, free or busy, a machine | 2 |
//! | 21 waiting: time to the next completion, 100 at most | / 50 |
//! | 22 waiting: time to the next batch, 100 at most | / 50 |
//! | 23 waiting: smallest index on the machine that is free next, its remaining time included / smallest index here, 3 at most | 1 |
//! | 24 waiting: machines that run, a machine | 1 |

use crate::arrivals::{Batches, Law};
use crate::dynamics::Scheduling;
use crate::state::{Action, Pending, State};
use solo_core::{Features, Options, Time};

/// So many jobs of a class are options on a machine.
const OF_A_CLASS: usize = 2;
/// Further away than this is far.
const FAR: Time = 100.0;

/// Room to compute in. Nothing in it lasts, so that a copy is an empty room.
#[derive(Debug, Default)]
pub struct Sketch {
    /// What is pending of each class.
    classes: Vec<Class>,
    /// The jobs with the smallest index of each class on the machine that is looked at, best first.
    best: Vec<[Option<(f64, u32)>; OF_A_CLASS]>,
    /// Last classes of the free machines that were looked at.
    seen: Vec<Option<u32>>,
    /// Mean setup from each class to arrivals.
    to_arrivals: Vec<f64>,
    /// Options before they are described: position of the job, machine, index.
    pairs: Vec<(u32, u32, f64)>,
}

impl Clone for Sketch {
    fn clone(&self) -> Self {
        Self::default()
    }

    /// Keeps the room as it is: a copy for a rollout allocates nothing.
    fn clone_from(&mut self, _: &Self) {}
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
    share: f64,
}

/// (setup + processing) / weight, for jobs without weight a large number.
fn index(duration: Time, weight: f64) -> f64 {
    duration / weight.max(1e-3)
}

/// When the next batch comes and how many are left, both by the law.
fn to_come(batches: &Batches, now: Time) -> (Time, f64) {
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
        for machine in &state.machines {
            let Some(class) = machine.class else { continue };
            let class = &mut sketch.classes[class as usize];
            class.machines += 1.0;
            if let Some(run) = machine.run {
                class.free_in = class.free_in.min(run.until - state.now);
            }
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

    /// Lists the pairs worth scoring; returns the smallest index among them.
    fn list_pairs(&self, state: &State, sketch: &mut Sketch) -> f64 {
        sketch.seen.clear();
        sketch.pairs.clear();
        let mut least = f64::INFINITY;
        for (i, machine) in state.free() {
            if sketch.seen.contains(&machine.class) {
                continue;
            }
            sketch.seen.push(machine.class);
            sketch.best.clear();
            sketch.best.resize(self.setup.classes, [None; OF_A_CLASS]);
            for (position, job) in (0u32..).zip(&state.pending) {
                let value = index(self.duration(job, i, machine.class), job.weight);
                let mut entry = Some((value, position));
                for place in &mut sketch.best[job.class as usize] {
                    if place.is_none_or(|(other, _)| entry.is_some_and(|(own, _)| own < other)) {
                        std::mem::swap(place, &mut entry);
                    }
                }
            }
            for &(value, position) in sketch.best.iter().flatten().flatten() {
                sketch.pairs.push((position, i, value));
                least = least.min(value);
            }
        }
        least
    }

    /// The smallest index on the machine that is free next, its remaining time included.
    fn index_next(&self, state: &State) -> f64 {
        let busy = state.machines.iter().filter_map(|machine| Some((machine.run?.until, machine)));
        let Some((until, machine)) = busy.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            return f64::INFINITY;
        };
        let left = until - state.now;
        let of = |job: &Pending| {
            index(left + self.setup(machine.class, job.class) + job.processing, job.weight)
        };
        state.pending.iter().map(of).fold(f64::INFINITY, f64::min)
    }
}

impl Features for Scheduling {
    type Sketch = Sketch;
    const GLOBAL: usize = 10;
    const OPTION: usize = 25;

    fn features(&self, state: &State, sketch: &mut Sketch, out: &mut Options<Action>) {
        out.clear();
        self.sum_classes(state, sketch);
        let least = self.list_pairs(state, sketch);
        let machines = state.machines.len().max(1) as f64;
        let (next_batch, share_left, per_batch) = match &self.law {
            Law::Batches(law) => {
                let (next, left) = to_come(law, state.now);
                (next.min(FAR), left / f64::from(law.intervals), law.mean_per_interval)
            }
            Law::Unknown => (FAR, 0.0, 0.0),
        };
        let next_completion = (state.next_completion() - state.now).min(FAR);
        let pending = state.pending.len() as f64;
        let weight: f64 = sketch.classes.iter().map(|class| class.weight).sum();
        let work: f64 = sketch.classes.iter().map(|class| class.processing).sum();
        let remaining: f64 =
            state.machines.iter().filter_map(|m| Some(m.run?.until - state.now)).sum();
        let running = state.machines.iter().filter(|machine| machine.run.is_some()).count() as f64;
        let global = [
            next_batch / FAR,
            share_left,
            (pending / machines / 5.0).min(5.0),
            (weight / machines / 25.0).min(5.0),
            (work / machines / 250.0).min(5.0),
            1.0 - running / machines,
            remaining / machines / 50.0,
            next_completion / FAR,
            least.min(50.0) / 10.0,
            per_batch / machines / 2.0,
        ];
        out.global.extend(global.map(|x| x as f32));

        for &(position, i, value) in &sketch.pairs {
            let job = &state.pending[position as usize];
            let machine = &state.machines[i as usize];
            let class = &sketch.classes[job.class as usize];
            let setup = self.setup(machine.class, job.class);
            let duration = setup + job.processing;
            let others = weight - job.weight;
            let mean = |sum: f64| if others > 0.0 { sum / others } else { 0.0 };
            let elsewhere = (0..).zip(&state.machines).filter(|&(other, _)| other != i);
            let sooner = elsewhere.map(|(_, other)| {
                let left = other.run.map_or(0.0, |run| run.until - state.now);
                left + self.setup(other.class, job.class)
            });
            let sooner = setup - sooner.fold(f64::INFINITY, f64::min);
            let own = machine.class.map(|k| &sketch.classes[k as usize]);
            // A job of the machine's class needs no setup on it, so that j itself counts 0 in this sum.
            let from_own = own.map_or(0.0, |own| mean(own.setups - setup * job.weight));
            let same = f64::from(u8::from(machine.class == Some(job.class)));
            let row = [
                0.0,
                job.processing / 50.0,
                job.weight / 5.0,
                setup / 25.0,
                value.min(50.0) / 10.0,
                if value > 0.0 { least / value } else { 1.0 },
                (job.weight / duration.max(1.0)).min(1.0) * 5.0,
                f64::from(u8::from(setup == 0.0)),
                (class.jobs - 1.0).min(10.0) / 5.0,
                (class.weight - job.weight).min(50.0) / 25.0,
                (class.processing - job.processing).min(500.0) / 250.0,
                sooner.clamp(-FAR, FAR) / 50.0,
                class.free_in.min(FAR) / FAR,
                class.share * 2.0,
                mean(class.setups) / 25.0,
                sketch.to_arrivals[job.class as usize] / 25.0,
                own.map_or(0.0, |own| own.jobs).min(10.0) / 5.0,
                own.map_or(0.0, |own| own.share) * 2.0,
                (duration - next_batch).clamp(-FAR, FAR) / FAR,
                from_own / 25.0,
                (class.machines - same) / machines * 2.0,
            ];
            let out = out.push(Action::Assign { job: job.id, machine: i }, Self::OPTION);
            out.iter_mut().zip(row).for_each(|(to, x)| *to = x as f32);
        }
        if state.may_wait() {
            let row = out.push(Action::Wait, Self::OPTION);
            let next = (self.index_next(state) / least).min(3.0);
            row[0] = 1.0;
            row[21] = (next_completion / 50.0) as f32;
            row[22] = (next_batch / 50.0) as f32;
            row[23] = if next.is_nan() { 3.0 } else { next as f32 };
            row[24] = (running / machines) as f32;
        }
    }
}
