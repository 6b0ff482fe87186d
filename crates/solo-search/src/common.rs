//! Candidates played on common futures.

use solo_core::{
    Cost, CostToGo, Meter, Policy, Problem, Rng, Seed, Status, Stream, Tape, Time, settle_until,
};

/// How futures are shortened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Only this many arrivals are kept.
    pub arrivals: usize,
    /// Only this much time is looked ahead.
    pub lookahead: Time,
}

/// What a decision inside a rollout counts as work, beside what its policy counts: the clock is looked at after 16 of
/// them at the latest.
pub(crate) const DECISION: usize = Meter::WORK_PER_LOOK / 16;

/// Plays from `state` to the end by `guide`, or up to `stop`; `None` if the meter ran out on the way.
#[allow(clippy::too_many_arguments)]
pub(crate) fn play<P: Problem>(
    problem: &P,
    state: &mut P::State,
    tape: &mut Tape<P::Event>,
    guide: &mut impl Policy<P>,
    rng: &mut Rng,
    meter: &Meter<'_>,
    stop: Time,
    mut seen: impl FnMut(P::Action),
) -> Option<Cost> {
    let mut cost = settle_until(problem, state, tape, stop);
    while problem.status(state) == Status::Decide && problem.now(state) < stop {
        let action = guide.choose_within(problem, state, meter, rng);
        if meter.cuts(DECISION) {
            return None;
        }
        seen(action);
        cost += problem.apply(state, action);
        cost += settle_until(problem, state, tape, stop);
    }
    Some(cost)
}

/// The root of a search: what all workers share.
pub struct Root<'r, P: Problem, G> {
    /// The rules and the law.
    pub problem: &'r P,
    /// The state that is decided.
    pub state: &'r P::State,
    /// The rule as it stands at the root, its plan included. Every rollout starts from a copy.
    pub guide: &'r G,
    /// What is compared.
    pub candidates: &'r [P::Action],
    /// Future j is drawn from stream 2 j of this seed, and the rule's rng on it from stream 2 j + 1.
    pub seed: Seed,
    /// How futures are shortened.
    pub cut: Cut,
}

/// Plays every `step`-th future. A rollout is a function of its candidate and its future's number alone, so it does not
/// matter who plays it.
pub(crate) struct Worker<P: Problem, G> {
    state: P::State,
    tape: Tape<P::Event>,
    guide: G,
    /// What tells the cost of the state in which a shortened future ends; without it the work that is left is played.
    value: Option<Box<dyn CostToGo<P>>>,
    /// Where the future that is played ends.
    stop: Time,
    /// The costs of the candidates on this worker's futures, future by future; NaN where one was not played.
    costs: Vec<Cost>,
    /// How many of its futures are complete.
    pub(crate) done: usize,
    /// Rollouts played in this decision.
    pub(crate) rollouts: u64,
}

impl<P: Problem, G: Policy<P> + Clone> Worker<P, G> {
    pub(crate) fn new(problem: &P, guide: &G, value: Option<Box<dyn CostToGo<P>>>) -> Self {
        Self {
            state: problem.initial(),
            tape: Tape::default(),
            guide: guide.clone(),
            value,
            stop: Time::INFINITY,
            costs: Vec::new(),
            done: 0,
            rollouts: 0,
        }
    }

    pub(crate) fn reset(&mut self) {
        self.costs.clear();
        self.done = 0;
        self.rollouts = 0;
    }

    /// The cost of a candidate on the `i`-th future of this worker.
    pub(crate) fn cost(&self, i: usize, candidate: usize, candidates: usize) -> Cost {
        self.costs[i * candidates + candidate]
    }

    /// Plays the candidates `alive` on this worker's futures, `first + step x i`, until `end` of them are complete or
    /// the meter runs out.
    pub(crate) fn run(
        &mut self,
        root: &Root<'_, P, G>,
        alive: &[usize],
        (first, step): (usize, usize),
        end: usize,
        meter: &Meter<'_>,
    ) {
        let width = root.candidates.len();
        while self.done < end && !meter.exhausted() {
            let index = (first + step * self.done) as u64;
            if !self.draw(root, index, meter) {
                return;
            }
            // Where time ran out before, some have been played on this future already.
            self.costs.resize((self.done + 1) * width, Cost::NAN);
            for &candidate in alive {
                if !self.costs[self.done * width + candidate].is_nan() {
                    continue;
                }
                let Some(cost) = self.rollout(root, candidate, index, meter) else { return };
                self.costs[self.done * width + candidate] = cost;
                self.rollouts += 1;
            }
            self.done += 1;
        }
    }

    /// Draws a future; false if there was no time.
    fn draw(&mut self, root: &Root<'_, P, G>, index: u64, meter: &Meter<'_>) -> bool {
        let Root { problem, state, cut, .. } = *root;
        let mut rng = root.seed.stream(Stream::Agent, 2 * index);
        let until = problem.now(state) + cut.lookahead;
        self.tape.clear();
        if !problem.sample_future_within(state, until, meter, &mut rng, &mut self.tape) {
            return false;
        }
        if let Some(last) = self.tape.events().get(cut.arrivals.saturating_sub(1)) {
            let time = last.time;
            self.tape.close_at(time);
        } else if until.is_finite() {
            self.tape.close_at(until);
        }
        // Where the law itself says that nothing more comes, the end is near enough to be played.
        let law = problem.closing_time(state).unwrap_or(Time::NEG_INFINITY);
        let cut = self.value.is_some() && self.tape.closing() < law;
        self.stop = if cut { self.tape.closing() } else { Time::INFINITY };
        true
    }

    fn rollout(
        &mut self,
        root: &Root<'_, P, G>,
        candidate: usize,
        index: u64,
        meter: &Meter<'_>,
    ) -> Option<Cost> {
        if meter.exhausted() {
            return None;
        }
        let mut rng = root.seed.stream(Stream::Agent, 2 * index + 1);
        self.state.clone_from(root.state);
        self.guide.clone_from(root.guide);
        self.tape.rewind();
        let cost = root.problem.apply(&mut self.state, root.candidates[candidate]);
        let rest = play(
            root.problem,
            &mut self.state,
            &mut self.tape,
            &mut self.guide,
            &mut rng,
            meter,
            self.stop,
            |_| {},
        )?;
        let left = match &mut self.value {
            Some(value) if self.stop.is_finite() => {
                value.cost_within(root.problem, &self.state, meter)?
            }
            _ => 0.0,
        };
        Some(cost + rest + left)
    }
}

/// Plays every candidate on the same futures, with no regard to time: what labels for learning are made of.
pub struct Comparator<P: Problem, G> {
    worker: Worker<P, G>,
    all: Vec<usize>,
    means: Vec<Cost>,
}

impl<P: Problem, G: Policy<P> + Clone> Comparator<P, G> {
    /// With an estimate of what the state costs in which a shortened future ends, if there is one.
    pub fn new(problem: &P, guide: &G, value: Option<Box<dyn CostToGo<P>>>) -> Self {
        let worker = Worker::new(problem, guide, value);
        Self { worker, all: Vec::new(), means: Vec::new() }
    }

    /// The mean cost of each candidate over the first `futures` futures. Where nothing more can come there is one.
    pub fn means(&mut self, root: &Root<'_, P, G>, futures: usize) -> &[Cost] {
        let closed = root.problem.closing_time(root.state).is_none();
        let futures = if closed { 1 } else { futures.max(1) };
        let width = root.candidates.len();
        self.all.clear();
        self.all.extend(0..width);
        self.worker.reset();
        self.worker.run(root, &self.all, (0, 1), futures, &Meter::unlimited());
        self.means.clear();
        for candidate in 0..width {
            let sum: Cost = (0..futures).map(|j| self.worker.cost(j, candidate, width)).sum();
            self.means.push(sum / futures as f64);
        }
        &self.means
    }
}
