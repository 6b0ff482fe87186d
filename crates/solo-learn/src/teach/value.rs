//! Teaching what states cost in which shortened futures end.
//!
//! Days are decided by the guide. Where something arrives, the state and an empty system at the
//! same moment are played to the end of the same futures. The scorer learns what the state costs
//! more, less the problem's own guess.

use crate::days::DayEvents;
use crate::recipe_file::{MANY, RATE, RecipeFile, SHARE};
use serde::{Deserialize, Serialize};
use solo_core::{
    Cost, CostToGo, Features, Menu, Policy, Rng, Seed, Status, Stream, Tape, Time, Value, World,
    rollout,
};
use solo_nn::{Adam, Scored, Scorer, ScorerShape, Scratch, Valued, clip_by_norm};
use std::sync::Arc;

/// Whether and how a value at the horizon is taught: [`WithValue`] or [`NoValue`].
pub trait ValueTeaching<P: Features> {
    /// How; `None` if the problem has no features for it.
    fn methods() -> Option<ValueMethods<P>>;
}

/// For problems without features for a value: recipes with `[value]` are refused.
#[derive(Clone, Copy, Debug)]
pub struct NoValue;

impl<P: Features> ValueTeaching<P> for NoValue {
    fn methods() -> Option<ValueMethods<P>> {
        None
    }
}

/// For problems with features for a value.
#[derive(Clone, Copy, Debug)]
pub struct WithValue;

impl<P: Value + 'static> ValueTeaching<P> for WithValue {
    fn methods() -> Option<ValueMethods<P>> {
        Some(ValueMethods {
            features: P::VALUE_FEATURES,
            label: label_values::<P>,
            estimator: |scorer| Box::new(Valued::new(scorer)),
        })
    }
}

/// How a value at the horizon is taught for a problem.
pub struct ValueMethods<P: Features> {
    /// How many features a state has.
    pub features: usize,
    /// Decides a day by a guide, and labels the states that it comes to.
    pub label: LabelValues<P>,
    /// Estimates costs by a scorer.
    pub estimator: fn(Arc<Scorer>) -> Box<dyn CostToGo<P>>,
}

/// See [`label_values`].
pub type LabelValues<P> =
    fn(Arc<P>, DayEvents<P>, &Arc<Scorer>, &ValueRecipe, (Seed, u64)) -> ValueLabels;

impl<P: Features> ValueMethods<P> {
    /// The shape of scorers with this many hidden numbers.
    pub fn shape(&self, hidden: usize) -> ScorerShape {
        ScorerShape { global: 0, option: self.features, hidden }
    }
}

/// How a value at the horizon is taught.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueRecipe {
    /// Hidden numbers of the scorer; a multiple of 8.
    pub hidden: usize,
    /// Days that are simulated.
    pub days: u64,
    /// From this round on each round's guide gets a value, which estimates what is left where the
    /// futures of labels are cut.
    pub from: u64,
    /// Days for that.
    pub round_days: u64,
    /// After how many arrivals futures are then cut.
    pub arrivals: usize,
    /// The share of the moments of a day that are learned from.
    pub share: f64,
    /// On how many futures every state is played.
    pub futures: u64,
    /// How often a day goes on with a random action.
    pub strays: f64,
    /// Epochs of fitting.
    pub epochs: u64,
    /// States in a batch of fitting.
    pub batch: usize,
    /// The learning rate at first; it falls to a hundredth.
    pub rate: f64,
}

impl ValueRecipe {
    /// Notes what is out of range.
    pub(crate) fn check(&self, file: &mut RecipeFile<'_>) {
        file.check_width("value.hidden", self.hidden, 8, 1024);
        for (name, number, range) in [
            ("value.days", self.days as f64, MANY),
            ("value.from", self.from as f64, MANY),
            ("value.round_days", self.round_days as f64, MANY),
            ("value.arrivals", self.arrivals as f64, MANY),
            ("value.share", self.share, SHARE),
            ("value.futures", self.futures as f64, MANY),
            ("value.strays", self.strays, SHARE),
            ("value.epochs", self.epochs as f64, MANY),
            ("value.batch", self.batch as f64, MANY),
            ("value.rate", self.rate, RATE),
        ] {
            file.check(name, number, range);
        }
    }
}

/// Features of states, each with what the scorer should say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ValueLabels {
    features: Vec<f32>,
    wanted: Vec<f32>,
}

impl ValueLabels {
    /// Appends others.
    pub fn append(&mut self, others: &Self) {
        self.features.extend_from_slice(&others.features);
        self.wanted.extend_from_slice(&others.wanted);
    }
}

/// How well the scorer does on states that it was not fitted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ValueFit {
    /// How many states there were in all.
    pub states: u64,
    /// The share of the variance that it explains.
    pub explained: f64,
}

/// Decides day `day` by `guide`, and labels states where something arrives. Events are in order of
/// time.
pub fn label_values<P: Value>(
    problem: Arc<P>,
    events: DayEvents<P>,
    guide: &Arc<Scorer>,
    recipe: &ValueRecipe,
    (seed, day): (Seed, u64),
) -> ValueLabels {
    let mut times: Vec<Time> = events.iter().map(|event| event.time).collect();
    times.dedup();
    let mut labels = ValueLabels::default();
    let mut guide = Scored::<P>::new(Arc::clone(guide));
    let mut rng = seed.stream(Stream::Explore, day);
    let (mut sketch, mut features) = (P::Sketch::default(), Vec::new());
    let mut world = World::open_until(problem, events, Time::NEG_INFINITY);
    for time in times {
        world.run_until(time);
        simulate_until(&mut world, time, &mut guide, recipe.strays, &mut rng);
        let futures = Seed(rng.bits());
        if rng.unit() < recipe.share {
            let (problem, state) = (&**world.problem(), world.state());
            let guess = problem.value_features(state, &mut sketch, &mut features);
            labels.features.extend_from_slice(&features);
            let more = cost_over_empty(problem, state, &guide, futures, recipe.futures);
            labels.wanted.push((more - guess) as f32);
        }
    }
    labels
}

/// Decides by the guide, now and then at random, up to `stop`.
fn simulate_until<P: Features>(
    world: &mut World<Arc<P>>,
    stop: Time,
    guide: &mut Scored<P>,
    strays: f64,
    rng: &mut Rng,
) {
    let problem = Arc::clone(world.problem());
    let mut menu = Menu::default();
    while problem.status(world.state()) == Status::Decide && problem.now(world.state()) < stop {
        let mut action = guide.choose(&problem, world.state(), rng);
        if rng.unit() < strays {
            problem.menu(world.state(), &mut menu);
            let legal = menu.legal();
            action = menu.actions()[legal[rng.below(legal.len())] as usize];
        }
        world.act(action).expect("the action is legal");
    }
}

/// What a state costs more than an empty system, on average over common futures.
fn cost_over_empty<P: Value>(
    problem: &P,
    state: &P::State,
    guide: &Scored<P>,
    seed: Seed,
    futures: u64,
) -> Cost {
    let empty = problem.emptied(state);
    let mut tape = Tape::default();
    let mut more = 0.0;
    for future in 0..futures {
        tape.clear();
        let mut rng = seed.stream(Stream::Agent, 2 * future);
        problem.sample_future(state, Time::INFINITY, &mut rng, &mut tape);
        let mut cost = |state: &P::State| {
            let mut rng = seed.stream(Stream::Agent, 2 * future + 1);
            tape.rewind();
            rollout(problem, &mut state.clone(), &mut tape, &mut guide.clone(), &mut rng)
        };
        more += cost(state) - cost(&empty);
    }
    more / futures as f64
}

/// Longer gradients are shortened to this norm.
const CLIP: f32 = 5.0;
/// One of this many states is kept to judge by.
const JUDGED: usize = 10;

/// Fits a new scorer of this shape to the labels by least squares.
pub fn fit_values(
    labels: &ValueLabels,
    shape: ScorerShape,
    recipe: &ValueRecipe,
    rng: &mut Rng,
) -> (Scorer, ValueFit) {
    let mut scorer = Scorer::new(shape, rng);
    let count = labels.wanted.len();
    let (judged, mut order): (Vec<usize>, Vec<usize>) =
        (0..count).partition(|i| i.is_multiple_of(JUDGED));
    let square = labels.wanted.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>();
    let scale = ((square / count.max(1) as f64).sqrt() as f32).max(f32::MIN_POSITIVE);
    let row = |i: usize| &labels.features[i * shape.option..(i + 1) * shape.option];
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
                let wanted = labels.wanted[i] / scale;
                scorer.learn(&[], row(i), &mut scratch, &mut scores, &mut grad, |scores| {
                    scores[0] = (scores[0] - wanted) * share;
                });
            }
            clip_by_norm(&mut grad, CLIP);
            adam.step(rate as f32, scorer.params_mut(), &grad);
        }
    }
    // From units of the scale to those of the cost.
    let out = scorer.params().len() - shape.hidden;
    scorer.params_mut()[out..].iter_mut().for_each(|weight| *weight *= scale);
    let explained = explained(labels, &scorer, &judged);
    (scorer, ValueFit { states: count as u64, explained })
}

/// The share of the variance of these states that the scorer explains.
fn explained(labels: &ValueLabels, scorer: &Scorer, states: &[usize]) -> f64 {
    let (width, wanted) = (scorer.shape().option, |i: usize| f64::from(labels.wanted[i]));
    let mean = states.iter().map(|&i| wanted(i)).sum::<f64>() / states.len().max(1) as f64;
    let (mut scratch, mut scores) = (Scratch::default(), Vec::new());
    let (mut missed, mut spread) = (0.0, 0.0);
    for &i in states {
        let row = &labels.features[i * width..(i + 1) * width];
        scorer.scores(&[], row, &mut scratch, &mut scores);
        missed += (wanted(i) - f64::from(scores[0])).powi(2);
        spread += (wanted(i) - mean).powi(2);
    }
    if spread > 0.0 { 1.0 - missed / spread } else { 0.0 }
}
