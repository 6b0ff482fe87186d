//! Labels are made by playing all options of a state on common futures.

use super::labels::Labels;
use crate::days::TrainingDays;
use crate::runner::in_pieces;
use crate::task::Watch;
use solo_core::{
    CostToGo, Features, Options, Policy, Problem, Rng, Scenario, Seed, Stream, Time, World,
};
use solo_nn::Scored;
use solo_search::{Comparator, Cut, Root};
use std::ops::Range;
use std::sync::Arc;

/// How labels are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelParams {
    /// On how many futures every option is played.
    pub futures: usize,
    /// After how many arrivals futures are cut.
    pub arrivals: usize,
    /// How many options of a state are played at most.
    pub options: usize,
    /// How often the day goes on with a random option.
    pub strays: f64,
}

/// A policy that labels are made with. It may rank the options, so that the likelier ones are
/// played.
pub trait Teacher<P: Features>: Policy<P> + Clone {
    /// Fills `out` with a score for each option of `state`; larger is better. Options that it knows
    /// nothing about get the same score.
    fn rank(
        &mut self,
        problem: &P,
        state: &P::State,
        options: &Options<P::Action>,
        out: &mut Vec<f32>,
    );
}

/// A policy without scores.
#[derive(Clone, Debug, Default)]
pub struct Unranked<G>(pub G);

impl<P: Problem, G: Policy<P>> Policy<P> for Unranked<G> {
    fn choose(&mut self, problem: &P, state: &P::State, rng: &mut Rng) -> P::Action {
        self.0.choose(problem, state, rng)
    }
}

impl<P: Features, G: Policy<P> + Clone> Teacher<P> for Unranked<G> {
    fn rank(&mut self, _: &P, _: &P::State, options: &Options<P::Action>, out: &mut Vec<f32>) {
        out.clear();
        out.resize(options.actions.len(), 0.0);
    }
}

impl<P: Features> Teacher<P> for Scored<P> {
    fn rank(&mut self, problem: &P, state: &P::State, _: &Options<P::Action>, out: &mut Vec<f32>) {
        let (_, scores) = self.score(problem, state);
        out.clear();
        out.extend_from_slice(scores);
    }
}

/// Makes a fresh estimator of what is left where futures are cut.
pub type MakeCostToGo<'m, P> = &'m (dyn Fn() -> Box<dyn CostToGo<P>> + Sync);

/// Labels the decisions of days.
pub struct Labeller<'l, P, G> {
    /// The policy that plays the rollouts.
    pub guide: &'l G,
    /// How labels are made.
    pub params: LabelParams,
    /// Estimates the cost of the states in which shortened futures end; without it the work that is
    /// left there is played.
    pub value: Option<MakeCostToGo<'l, P>>,
    /// The random seed.
    pub seed: Seed,
}

impl<P: Features, G: Teacher<P>> Labeller<'_, P, G> {
    /// Labels the decisions of day `day`. Every other day is decided by what rollouts find best,
    /// the others by the guide.
    pub fn day(&self, day: u64, mut world: World<Arc<P>>) -> Labels {
        let mut labels = Labels::default();
        let problem = Arc::clone(world.problem());
        let problem = &*problem;
        let mut guide = self.guide.clone();
        let mut rng = self.seed.stream(Stream::Explore, day);
        let mut comparator = Comparator::new(problem, &guide, self.value.map(|make| make()));
        let mut sketch = P::Sketch::default();
        let (mut options, mut scores) = (Options::default(), Vec::new());
        let (mut order, mut candidates) = (Vec::new(), Vec::new());
        let cut = Cut { arrivals: self.params.arrivals, lookahead: Time::INFINITY };
        while !world.done() {
            let state = world.state();
            problem.features(state, &mut sketch, &mut options);
            let chosen = guide.choose(problem, state, &mut rng);
            let seed = Seed(rng.bits());
            let stray = rng.unit() < self.params.strays;
            let random = rng.bits() as usize;
            let mut action = options.actions[0];
            if options.actions.len() > 1 {
                guide.rank(problem, state, &options, &mut scores);
                pick(&options.actions, chosen, &scores, self.params.options, random, &mut order);
                candidates.clear();
                candidates.extend(order.iter().map(|&i| options.actions[i]));
                let (guide, candidates) = (&guide, &candidates[..]);
                let root = Root { problem, state, guide, candidates, seed, cut };
                let costs = comparator.means(&root, self.params.futures);
                let row = |&i: &usize| options.rows[i * P::OPTION..(i + 1) * P::OPTION].iter();
                labels.push(&options.global, order.iter().flat_map(row).copied(), costs);
                let best = (0..costs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b]));
                action = match best {
                    _ if stray => options.actions[random % options.actions.len()],
                    Some(best) if day.is_multiple_of(2) => candidates[best],
                    _ => chosen,
                };
            }
            world.act(action).expect("an option is legal");
        }
        labels
    }

    /// Labels days on several threads; the result does not depend on how many. After each the watch
    /// hears the number of the next day. `None` if it asks to stop.
    pub fn days<S: Scenario<Problem = P>>(
        &self,
        days: &TrainingDays<S>,
        range: Range<u64>,
        threads: usize,
        watch: &mut dyn Watch,
    ) -> Option<Labels>
    where
        G: Sync,
    {
        let mut all = Labels::default();
        let Range { start, end } = range;
        let one = |i| self.day(start + i, days.open(start + i));
        let step = |done| start + done;
        let whole = in_pieces(end - start, threads, watch, step, one, |labels| all.append(&labels));
        whole.then_some(all)
    }
}

/// Picks the options to be played: the chosen one, the best by score, and a random one of the rest.
fn pick<A: PartialEq>(
    actions: &[A],
    chosen: A,
    scores: &[f32],
    most: usize,
    random: usize,
    order: &mut Vec<usize>,
) {
    order.clear();
    order.extend(0..actions.len());
    order.sort_by(|&a, &b| {
        let rank = |i: usize| actions[i] != chosen;
        rank(a).cmp(&rank(b)).then(scores[b].total_cmp(&scores[a]))
    });
    let most = most.max(2);
    if order.len() > most {
        let left_out = most - 1 + random % (order.len() - most + 1);
        order.swap(most - 1, left_out);
        order.truncate(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_the_best_and_a_random_option_are_played() {
        let (actions, scores) = ([10, 11, 12, 13, 14], [0.0, 4.0, 1.0, 3.0, 2.0]);
        let mut order = Vec::new();
        for random in 0..9 {
            pick(&actions, 12, &scores, 3, random, &mut order);
            assert_eq!(order[..2], [2, 1]);
            assert_eq!(order[2], [3, 4, 0][random % 3]);
        }
        pick(&actions, 12, &scores, 9, 0, &mut order);
        assert_eq!(order, [2, 1, 3, 4, 0]);
    }
}
