//! The optimum of small instances.

use crate::dynamics::Scheduling;
use crate::plan::{Instance, Plan, Ready};
use crate::state::Pending;
use solo_core::{Cost, Time};

/// Larger instances are refused: time and memory grow as 3^jobs.
pub const MOST_JOBS: usize = 13;

/// One machine's schedule of a set of jobs that no other beats in both time and cost.
#[derive(Clone, Copy, Debug)]
struct Label {
    end: Time,
    cost: Cost,
    last: u32,
    /// The label it continues; itself at the start.
    parent: u32,
}

/// An optimal plan with its cost, by dynamic programming: first, for each machine, over sets of jobs and the last of
/// them, keeping every schedule that is not beaten in both end and cost; then over which set each machine does. Busy
/// machines and later releases are respected. `None` for more than [`MOST_JOBS`] jobs, or jobs without a
/// machine that can do them.
pub fn exact(problem: &Scheduling, instance: &Instance) -> Option<(Plan, Cost)> {
    let jobs = &instance.jobs;
    if jobs.len() > MOST_JOBS || (instance.machines.is_empty() && !jobs.is_empty()) {
        return None;
    }
    let sets = 1 << jobs.len();
    // cheapest[set]: the cost of the machines so far doing exactly this set; nothing, before the first machine
    let mut cheapest = vec![Cost::INFINITY; sets];
    cheapest[0] = 0.0;
    let mut choices = Vec::new();
    for (index, &ready) in (0..).zip(&instance.machines) {
        let (costs, sequences) = alone(problem, instance, index, ready);
        let mut with = vec![Cost::INFINITY; sets];
        let mut choice = vec![0; sets];
        for set in 0..sets {
            // every subset of `set`, the set itself first, the empty one last
            let mut mine = set;
            loop {
                let cost = costs[mine] + cheapest[set & !mine];
                if cost < with[set] {
                    (with[set], choice[set]) = (cost, mine);
                }
                if mine == 0 {
                    break;
                }
                mine = (mine - 1) & set;
            }
        }
        cheapest = with;
        choices.push((choice, sequences));
    }
    let mut left = sets - 1;
    let cost = cheapest[left];
    if cost.is_infinite() {
        return None;
    }
    let mut sequences = Vec::new();
    for (choice, orders) in choices.into_iter().rev() {
        let mine = choice[left];
        sequences.push(orders.sequence(mine, jobs));
        left &= !mine;
    }
    sequences.reverse();
    Some((Plan { sequences }, cost))
}

/// The schedules of one machine, to read sequences from.
struct Orders {
    labels: Vec<Label>,
    /// For each set the label of its cheapest schedule; `u32::MAX` if there is none.
    best: Vec<u32>,
}

impl Orders {
    fn sequence(&self, set: usize, jobs: &[Pending]) -> Vec<u32> {
        let mut sequence = Vec::new();
        let mut at = self.best[set];
        while self.labels[at as usize].parent != at {
            let label = self.labels[at as usize];
            sequence.push(jobs[label.last as usize].id);
            at = label.parent;
        }
        sequence.reverse();
        sequence
    }
}

/// What each set of jobs costs at least on this machine alone, and how.
fn alone(
    problem: &Scheduling,
    instance: &Instance,
    machine: u32,
    ready: Ready,
) -> (Vec<Cost>, Orders) {
    let Instance { jobs, times, .. } = instance;
    let sets = 1 << jobs.len();
    let mut labels = vec![Label { end: ready.at, cost: 0.0, last: u32::MAX, parent: 0 }];
    // the labels of a set are a range: sets come in ascending order, hence after all their subsets
    let mut ranges = vec![(0, 1)];
    for set in 1..sets {
        let first = labels.len();
        let able = |job: &(usize, &Pending)| set >> job.0 & 1 == 1 && times.able(job.1, machine);
        for (last, job) in jobs.iter().enumerate().filter(able) {
            let (from, to) = ranges[set & !(1 << last)];
            let front = labels.len();
            for parent in from..to {
                let before: Label = labels[parent];
                let class =
                    jobs.get(before.last as usize).map_or(ready.class, |job| Some(job.class));
                let end =
                    before.end.max(job.arrival) + problem.duration(times, job, machine, class);
                let cost = before.cost + job.weight * (end - job.arrival);
                let beaten = labels[front..].iter().any(|l| l.end <= end && l.cost <= cost);
                if !beaten {
                    let label = Label { end, cost, last: last as u32, parent: parent as u32 };
                    keep(&mut labels, front, label);
                }
            }
        }
        ranges.push((first, labels.len()));
    }
    // a set with a job that this machine cannot do has no label
    let cheapest = |&(from, to): &(usize, usize)| {
        (from..to).min_by(|&a, &b| labels[a].cost.total_cmp(&labels[b].cost))
    };
    let best: Vec<Option<usize>> = ranges.iter().map(cheapest).collect();
    let costs = best.iter().map(|label| label.map_or(Cost::INFINITY, |label| labels[label].cost));
    let costs = costs.collect();
    let best = best.iter().map(|label| label.map_or(u32::MAX, |label| label as u32)).collect();
    (costs, Orders { labels, best })
}

/// Adds a label to the front that begins at `front`, dropping those that it beats. Nothing refers to them yet.
fn keep(labels: &mut Vec<Label>, front: usize, label: Label) {
    let mut k = front;
    while k < labels.len() {
        if labels[k].end >= label.end && labels[k].cost >= label.cost {
            labels.swap_remove(k);
        } else {
            k += 1;
        }
    }
    labels.push(label);
}
