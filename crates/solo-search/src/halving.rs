//! Sequential halving: all candidates on a few futures, the better half on more, and so on.

use crate::common::{Root, Worker};
use solo_core::{Budget, Cost, Meter, Policy, Problem, pool};
use std::time::Duration;

/// What is known after a search of candidates on common futures.
pub(crate) struct Comparison {
    /// How many futures each candidate has seen, from the first on.
    pub(crate) visits: Vec<usize>,
    /// The mean cost of each over those.
    pub(crate) means: Vec<Cost>,
    /// The surviving candidates, best first. All have seen the same futures.
    pub(crate) alive: Vec<usize>,
}

/// Looks up costs wherever they were played.
pub(crate) struct Costs<'w, P: Problem, G> {
    pub(crate) workers: &'w [Worker<P, G>],
    pub(crate) candidates: usize,
}

impl<P: Problem, G: Policy<P> + Clone> Costs<'_, P, G> {
    fn get(&self, candidate: usize, future: usize) -> Cost {
        let count = self.workers.len();
        self.workers[future % count].cost(future / count, candidate, self.candidates)
    }

    fn mean(&self, candidate: usize, futures: usize) -> Cost {
        let sum: Cost = (0..futures).map(|j| self.get(candidate, j)).sum();
        sum / futures as f64
    }

    /// The mean of `a`'s cost less `b`'s over the first `futures`, and its standard error (infinite for one future).
    pub(crate) fn difference(&self, a: usize, b: usize, futures: usize) -> (Cost, Cost) {
        let n = futures as f64;
        let gap = |j: usize| self.get(a, j) - self.get(b, j);
        let mean = (0..futures).map(gap).sum::<Cost>() / n;
        if futures < 2 {
            return (mean, Cost::INFINITY);
        }
        let square = (0..futures).map(|j| (gap(j) - mean) * (gap(j) - mean)).sum::<Cost>();
        (mean, (square / (n - 1.0) / n).sqrt())
    }
}

/// A little before the deadline the work ends, so that there is time to answer.
const TO_ANSWER: Duration = Duration::from_micros(30);

/// How many of the first `futures` belong to worker `first` of `count`.
fn share(futures: usize, first: usize, count: usize) -> usize {
    futures.saturating_add(count - 1 - first) / count
}

/// Plays the candidates of `root` on common futures, at most `most` of them, within the budget. Candidate 0, the
/// default, stays in to the end. Goes on from what is `known` of the same root, whose costs the workers still hold.
pub(crate) fn halve<P, G>(
    root: &Root<'_, P, G>,
    workers: &mut [Worker<P, G>],
    most: usize,
    meter: &Meter<'_>,
    mut known: Comparison,
) -> Comparison
where
    P: Problem,
    G: Policy<P> + Clone + Sync,
{
    let width = root.candidates.len();
    let count = workers.len();
    let mut futures = known.visits[0];
    if futures == 0 {
        workers.iter_mut().for_each(Worker::reset);
    }
    let rounds = known.alive.len().next_power_of_two().trailing_zeros().max(1) as usize;
    let before: u64 = workers.iter().map(|worker| worker.rollouts).sum();
    let mut used = 0;
    for round in 0..rounds {
        let left = rounds - round;
        let (part, end) = match meter.budget() {
            Budget::Rollouts(limit) => {
                let rollouts = limit.saturating_sub(used) as usize / left;
                (Budget::Rollouts(u64::MAX), futures + rollouts / known.alive.len())
            }
            Budget::Wall(limit) => {
                let time = limit.saturating_sub(meter.elapsed() + TO_ANSWER);
                if time.is_zero() {
                    break;
                }
                (Budget::Wall(time / left as u32), usize::MAX)
            }
        };
        let cap = if left == 1 { most } else { most / rounds * (round + 1) };
        let end = end.min(cap.max(1));
        play_round(root, workers, &known.alive, end, part, meter);

        // By the clock workers may be out of step: what all have is kept.
        let next = workers.iter().enumerate().map(|(first, w)| first + w.done * count);
        let reached = next.min().unwrap_or(0);
        for (first, worker) in workers.iter_mut().enumerate() {
            worker.done = share(reached, first, count);
        }
        let rollouts = workers.iter().map(|worker| worker.rollouts).sum::<u64>() - before;
        (used..rollouts).for_each(|_| meter.spend());
        used = rollouts;
        if reached > futures {
            futures = reached;
            known.count(&Costs { workers, candidates: width }, futures);
        }
        if left > 1 && futures > 0 {
            known.halve();
        }
    }
    known
}

impl Comparison {
    /// Nothing is known yet of this many candidates.
    pub(crate) fn new(candidates: usize) -> Self {
        Self {
            visits: vec![0; candidates],
            means: vec![Cost::NAN; candidates],
            alive: (0..candidates).collect(),
        }
    }

    /// Takes in what the survivors cost on the first `futures`.
    fn count<P: Problem, G: Policy<P> + Clone>(&mut self, costs: &Costs<'_, P, G>, futures: usize) {
        let Self { visits, means, alive } = self;
        for &candidate in alive.iter() {
            visits[candidate] = futures;
            means[candidate] = costs.mean(candidate, futures);
        }
        alive.sort_by(|&a, &b| means[a].total_cmp(&means[b]).then(a.cmp(&b)));
    }

    /// Drops the worse half, but never the default.
    fn halve(&mut self) {
        let half = self.alive.len().div_ceil(2);
        let lost = self.alive[half..].contains(&0);
        self.alive.truncate(half);
        if lost {
            self.alive.push(0);
        }
    }
}

/// Lets every worker play its share of the first `end` futures, each on a thread of its own if there are several.
fn play_round<P, G>(
    root: &Root<'_, P, G>,
    workers: &mut [Worker<P, G>],
    alive: &[usize],
    end: usize,
    part: Budget,
    meter: &Meter<'_>,
) where
    P: Problem,
    G: Policy<P> + Clone + Sync,
{
    let count = workers.len();
    if let [worker] = workers {
        worker.run(root, alive, (0, 1), end, &meter.part(part).strictly());
        return;
    }
    let metered = workers.iter_mut().map(|worker| (worker, meter.part(part).strictly()));
    let mut metered: Vec<_> = metered.collect();
    pool::each(&mut metered, |first, (worker, meter)| {
        worker.run(root, alive, (first, count), share(end, first, count), meter);
    });
}
