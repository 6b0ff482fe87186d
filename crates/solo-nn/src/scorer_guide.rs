//! Deciding by a scorer.

use crate::scorer::{Scorer, Scratch};
use solo_core::{Features, Guide, Menu, Options, Policy, Rng};
use std::sync::Arc;

/// Takes the option with the largest score; ties go to the first. Allocates nothing when warm; a copy for a rollout
/// copies the sketch alone.
pub struct Scored<P: Features> {
    scorer: Arc<Scorer>,
    sketch: P::Sketch,
    seen: Options<P::Action>,
    scratch: Scratch,
    scores: Vec<f32>,
}

impl<P: Features> Scored<P> {
    /// Decides by this scorer, which must be of the problem's shape.
    pub fn new(scorer: Arc<Scorer>) -> Self {
        Self {
            scorer,
            sketch: P::Sketch::default(),
            seen: Options::default(),
            scratch: Scratch::default(),
            scores: Vec::new(),
        }
    }

    /// Scores the options of a state.
    pub fn score(&mut self, problem: &P, state: &P::State) -> (&Options<P::Action>, &[f32]) {
        problem.features(state, &mut self.sketch, &mut self.seen);
        let Self { scorer, seen, scratch, scores, .. } = self;
        scorer.scores(&seen.global, &seen.rows, scratch, scores);
        (&self.seen, &self.scores)
    }

    /// What is carried from decision to decision.
    pub fn sketch(&mut self) -> &mut P::Sketch {
        &mut self.sketch
    }
}

impl<P: Features> Clone for Scored<P> {
    fn clone(&self) -> Self {
        Self { sketch: self.sketch.clone(), ..Self::new(Arc::clone(&self.scorer)) }
    }

    fn clone_from(&mut self, from: &Self) {
        if !Arc::ptr_eq(&self.scorer, &from.scorer) {
            self.scorer = Arc::clone(&from.scorer);
        }
        self.sketch.clone_from(&from.sketch);
    }
}

impl<P: Features> Policy<P> for Scored<P> {
    fn choose(&mut self, problem: &P, state: &P::State, _rng: &mut Rng) -> P::Action {
        problem.features(state, &mut self.sketch, &mut self.seen);
        if let [only] = self.seen.actions[..] {
            return only;
        }
        let Self { scorer, seen, scratch, scores, .. } = self;
        scorer.scores(&seen.global, &seen.rows, scratch, scores);
        let mut best = 0;
        for i in 1..scores.len() {
            if scores[i] > scores[best] {
                best = i;
            }
        }
        seen.actions[best]
    }
}

impl<P: Features> Guide<P> for Scored<P> {
    /// The scores; what is no option comes last.
    fn values(
        &mut self,
        problem: &P,
        state: &P::State,
        menu: &Menu<P::Action>,
        out: &mut Vec<f64>,
    ) {
        self.score(problem, state);
        out.clear();
        out.resize(menu.len(), f64::NEG_INFINITY);
        for (&action, &score) in self.seen.actions.iter().zip(&self.scores) {
            if let Some(slot) = menu.slot(action) {
                out[slot] = f64::from(score);
            }
        }
    }
}
