//! Deciding by a scorer.

use crate::scorer::{Scorer, Scratch};
use solo_core::{Features, Guide, Menu, Meter, Options, Policy, Rng};
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
        self.score_within(problem, state, &Meter::unlimited());
        (&self.seen, &self.scores)
    }

    /// Scores the options of a state; false if the meter cut that off.
    fn score_within(&mut self, problem: &P, state: &P::State, meter: &Meter<'_>) -> bool {
        let seen = problem.features_within(state, &mut self.sketch, meter, &mut self.seen);
        if seen {
            let Self { scorer, seen, scratch, scores, .. } = self;
            scorer.scores(&seen.global, &seen.rows, scratch, scores);
        }
        seen
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
    fn choose(&mut self, problem: &P, state: &P::State, rng: &mut Rng) -> P::Action {
        self.choose_within(problem, state, &Meter::unlimited(), rng)
    }

    /// Where the features are cut off there is one option: what was at hand.
    fn choose_within(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        _rng: &mut Rng,
    ) -> P::Action {
        problem.features_within(state, &mut self.sketch, meter, &mut self.seen);
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
        self.values_within(problem, state, menu, &Meter::unlimited(), out);
    }

    fn values_within(
        &mut self,
        problem: &P,
        state: &P::State,
        menu: &Menu<P::Action>,
        meter: &Meter<'_>,
        out: &mut Vec<f64>,
    ) -> bool {
        if !self.score_within(problem, state, meter) {
            return false;
        }
        out.clear();
        out.resize(menu.len(), f64::NEG_INFINITY);
        for (&action, &score) in self.seen.actions.iter().zip(&self.scores) {
            if let Some(slot) = problem.slot(state, menu, action) {
                out[slot] = f64::from(score);
            }
        }
        true
    }
}
