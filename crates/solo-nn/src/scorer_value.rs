//! What a state will cost, by a scorer of its own.

use crate::scorer::{Scorer, ScorerShape, Scratch};
use solo_core::{Cost, CostToGo, Meter, Value};
use std::sync::Arc;

/// What a state costs more than an empty system: the problem's first guess, and what the scorer adds to it. The
/// scorer has no global numbers, and the state is its one option.
pub struct Valued<P: Value> {
    scorer: Arc<Scorer>,
    room: P::Sketch,
    numbers: Vec<f32>,
    scratch: Scratch,
    scores: Vec<f32>,
}

impl<P: Value> Valued<P> {
    /// The shape of scorers that tell what states of this problem cost.
    pub fn shape(hidden: usize) -> ScorerShape {
        ScorerShape { global: 0, option: P::VALUE_FEATURES, hidden }
    }

    /// Tells costs by this scorer, which must be of the problem's shape.
    pub fn new(scorer: Arc<Scorer>) -> Self {
        Self {
            scorer,
            room: P::Sketch::default(),
            numbers: Vec::new(),
            scratch: Scratch::default(),
            scores: Vec::new(),
        }
    }

    /// The guess, and what the scorer adds to it.
    fn add_score(&mut self, guess: Cost) -> Cost {
        self.scorer.scores(&[], &self.numbers, &mut self.scratch, &mut self.scores);
        guess + f64::from(self.scores[0])
    }
}

impl<P: Value + 'static> CostToGo<P> for Valued<P> {
    fn cost(&mut self, problem: &P, state: &P::State) -> Cost {
        let guess = problem.value_features(state, &mut self.room, &mut self.numbers);
        self.add_score(guess)
    }

    fn cost_within(&mut self, problem: &P, state: &P::State, meter: &Meter<'_>) -> Option<Cost> {
        let Self { room, numbers, .. } = self;
        let guess = problem.value_features_within(state, room, meter, numbers)?;
        Some(self.add_score(guess))
    }

    fn copy(&self) -> Box<dyn CostToGo<P>> {
        Box::new(Self::new(Arc::clone(&self.scorer)))
    }
}
