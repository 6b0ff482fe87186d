//! A scorer learns what states cost that a shortened future ends in.
//!
//! Days are lived by the guide; where something arrives, the state and an empty system at the same moment are played to the
//! end of the same futures. What the state costs more, less the problem's own guess, is what the scorer is taught.

use crate::episode::Days;
use serde::Deserialize;
use solo_core::{
    Cost, Domain, Features, Menu, Policy, Rng, Seed, Status, Stream, Tape, Time, rollout,
    settle_until,
};
use solo_nn::{Adam, Scored, Scorer, Scratch, Valued, clip_by_norm};
use std::sync::Arc;

/// How a value at the horizon is taught.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueRecipe {
    /// Hidden numbers of the scorer; a multiple of 8.
    pub hidden: usize,
    /// Days that are lived.
    pub days: u64,
    /// From this round on a value is taught to each round's guide, on so many days, and tells what is left where futures are cut.
    pub from: u64,
    /// Days for that.
    pub round_days: u64,
    /// Futures are then cut after so many arrivals.
    pub arrivals: usize,
    /// The share of the moments of a day that are learnt from.
    pub share: f64,
    /// Every state is played on so many futures.
    pub futures: u64,
    /// How often a day goes on with an action at random.
    pub strays: f64,
    /// Times through the states.
    pub epochs: u64,
    /// States in a step of fitting.
    pub batch: usize,
    /// How far Adam steps at first; it falls to a hundredth.
    pub rate: f64,
}

impl ValueRecipe {
    /// What is wrong with it.
    pub fn fault(&self) -> Option<String> {
        let shape = solo_nn::ScorerShape { global: 0, option: 0, hidden: self.hidden };
        let shares = [("value.share", self.share), ("value.strays", self.strays)];
        let counts = [
            ("value.days", self.days),
            ("value.from", self.from),
            ("value.round_days", self.round_days),
            ("value.arrivals", self.arrivals as u64),
            ("value.futures", self.futures),
            ("value.epochs", self.epochs),
            ("value.batch", self.batch as u64),
        ];
        let outside = shares.into_iter().find(|(_, x)| !(0.0..=1.0).contains(x));
        let none = counts.into_iter().find(|(_, x)| *x == 0);
        let rate = !(self.rate.is_finite() && self.rate > 0.0);
        shape
            .fault()
            .or(outside.map(|(name, x)| format!("{name} must be from 0 to 1, not {x}")))
            .or(none.map(|(name, _)| format!("{name} must be at least 1")))
            .or(rate.then(|| format!("value.rate must be above 0, not {}", self.rate)))
    }
}

/// States with what the scorer should say of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    numbers: Vec<f32>,
    wanted: Vec<f32>,
}

impl Values {
    /// Appends others.
    pub fn append(&mut self, others: Self) {
        self.numbers.extend(others.numbers);
        self.wanted.extend(others.wanted);
    }
}

/// How well the scorer does on states that it has not learnt from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fitted {
    /// How many states there were in all.
    pub states: usize,
    /// The share of the variance that it explains.
    pub explained: f64,
}

/// Lives day `day` by `guide` and labels what it meets.
pub fn label_values<D: Domain>(
    days: &Days<D>,
    day: u64,
    guide: &Arc<Scorer>,
    recipe: &ValueRecipe,
    seed: Seed,
) -> Values {
    let mut lived = Lived::<D>::new(days, day, guide, seed);
    lived.label(recipe);
    lived.values
}

/// A day that is lived for its states.
struct Lived<D: Domain> {
    problem: Arc<D::Problem>,
    state: <D::Problem as solo_core::Problem>::State,
    tape: Tape<<D::Problem as solo_core::Problem>::Arrival>,
    guide: Scored<D::Problem>,
    dice: Rng,
    room: <D::Problem as Features>::Sketch,
    values: Values,
}

impl<D: Domain> Lived<D> {
    fn new(days: &Days<D>, day: u64, guide: &Arc<Scorer>, seed: Seed) -> Self {
        let (problem, tape) = days.start(day);
        Self {
            state: solo_core::Problem::initial(&*problem),
            problem,
            tape,
            guide: Scored::new(Arc::clone(guide)),
            dice: seed.stream(Stream::Explore, day),
            room: Default::default(),
            values: Values::default(),
        }
    }

    /// Goes from arrival to arrival.
    fn label(&mut self, recipe: &ValueRecipe) {
        let mut last = Time::NEG_INFINITY;
        for i in 0..self.tape.events().len() {
            let time = self.tape.events()[i].time;
            if time > last {
                last = time;
                self.live(time, recipe.strays);
                let futures = Seed(self.dice.bits());
                if self.dice.unit() < recipe.share {
                    self.play(futures, recipe.futures);
                }
            }
        }
    }

    /// Lives on up to `stop`.
    fn live(&mut self, stop: Time, strays: f64) {
        let Self { problem, state, tape, guide, dice, .. } = self;
        let problem = &**problem;
        let mut menu = Menu::default();
        settle_until(problem, state, tape, stop);
        while is_due(problem, state) && solo_core::Problem::now(problem, state) < stop {
            let mut action = guide.choose(problem, state, dice);
            if dice.unit() < strays {
                solo_core::Problem::menu(problem, state, &mut menu);
                let legal = menu.legal();
                action = menu.actions()[legal[dice.below(legal.len())] as usize];
            }
            solo_core::Problem::apply(problem, state, action);
            settle_until(problem, state, tape, stop);
        }
    }

    /// Labels the state by its cost on common futures.
    fn play(&mut self, seed: Seed, futures: u64) {
        let problem = &*self.problem;
        let mut numbers = Vec::new();
        let guess = problem.outlook(&self.state, &mut self.room, &mut numbers);
        let empty = problem.emptied(&self.state);
        let mut tape = Tape::default();
        let mut more = 0.0;
        for future in 0..futures {
            tape.clear();
            let mut dice = seed.stream(Stream::Agent, 2 * future);
            solo_core::Problem::sample_future(
                problem,
                &self.state,
                Time::INFINITY,
                &mut dice,
                &mut tape,
            );
            let mut cost = |state: &<D::Problem as solo_core::Problem>::State| {
                let mut dice = seed.stream(Stream::Agent, 2 * future + 1);
                tape.rewind();
                rollout(problem, &mut state.clone(), &mut tape, &mut self.guide.clone(), &mut dice)
            };
            more += cost(&self.state) - cost(&empty);
        }
        let wanted: Cost = more / futures as f64 - guess;
        self.values.numbers.extend_from_slice(&numbers);
        self.values.wanted.push(wanted as f32);
    }
}

fn is_due<P: solo_core::Problem>(problem: &P, state: &P::State) -> bool {
    problem.status(state) == Status::Decide
}

/// Longer gradients are shortened.
const CLIP: f32 = 5.0;
/// Every so many states one is kept to judge by.
const JUDGED: usize = 10;

/// Fits a new scorer to the values by least squares.
pub fn fit_values<P: Features>(
    values: &Values,
    recipe: &ValueRecipe,
    rng: &mut Rng,
) -> (Scorer, Fitted) {
    let width = P::OUTLOOK;
    let mut scorer = Scorer::new(Valued::<P>::shape(recipe.hidden), rng);
    let count = values.wanted.len();
    let (judged, mut order): (Vec<usize>, Vec<usize>) =
        (0..count).partition(|i| i.is_multiple_of(JUDGED));
    let square = values.wanted.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>();
    let scale = ((square / count.max(1) as f64).sqrt() as f32).max(f32::MIN_POSITIVE);
    let row = |i: usize| &values.numbers[i * width..(i + 1) * width];
    let mut adam = Adam::new(scorer.params().len());
    let mut grad = vec![0.0; scorer.params().len()];
    let (mut scratch, mut scores) = (Scratch::default(), Vec::new());
    for epoch in 0..recipe.epochs {
        for i in (1..order.len()).rev() {
            order.swap(i, rng.below(i + 1));
        }
        let rate = recipe.rate * 0.01f64.powf(epoch as f64 / recipe.epochs as f64);
        for batch in order.chunks(recipe.batch) {
            grad.fill(0.0);
            let share = 1.0 / batch.len() as f32;
            for &i in batch {
                let wanted = values.wanted[i] / scale;
                scorer.learn(&[], row(i), &mut scratch, &mut scores, &mut grad, |scores| {
                    scores[0] = (scores[0] - wanted) * share;
                });
            }
            clip_by_norm(&mut grad, CLIP);
            adam.step(rate as f32, scorer.params_mut(), &grad);
        }
    }
    // From units of the scale to those of the cost.
    let out = scorer.params().len() - recipe.hidden;
    scorer.params_mut()[out..].iter_mut().for_each(|weight| *weight *= scale);
    let wanted = |i: usize| f64::from(values.wanted[i]);
    let mean = judged.iter().map(|&i| wanted(i)).sum::<f64>() / judged.len().max(1) as f64;
    let (mut missed, mut spread) = (0.0, 0.0);
    for &i in &judged {
        scorer.scores(&[], row(i), &mut scratch, &mut scores);
        missed += (wanted(i) - f64::from(scores[0])).powi(2);
        spread += (wanted(i) - mean).powi(2);
    }
    let explained = if spread > 0.0 { 1.0 - missed / spread } else { 0.0 };
    (scorer, Fitted { states: count, explained })
}
