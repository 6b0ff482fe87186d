//! States as a few numbers for each action worth a thought, for networks small enough to guide rollouts.

use crate::{Menu, Meter, Problem};

/// The actions of a state that are worth scoring, with what is known of each. Reused ones allocate nothing when warm.
#[derive(Clone, Debug)]
pub struct Options<A> {
    /// Legal actions, each once; at least one.
    pub actions: Vec<A>,
    /// Numbers about the whole state.
    pub global: Vec<f32>,
    /// Numbers about each action, row by row.
    pub rows: Vec<f32>,
}

impl<A> Default for Options<A> {
    fn default() -> Self {
        Self { actions: Vec::new(), global: Vec::new(), rows: Vec::new() }
    }
}

impl<A> Options<A> {
    /// Removes everything.
    pub fn clear(&mut self) {
        self.actions.clear();
        self.global.clear();
        self.rows.clear();
    }

    /// Leaves one action alone, of which nothing is known.
    pub fn only(&mut self, action: A) {
        self.clear();
        self.actions.push(action);
    }

    /// Appends an action, and returns its row of `width` zeros to be filled.
    #[inline]
    pub fn push(&mut self, action: A, width: usize) -> &mut [f32] {
        self.actions.push(action);
        let start = self.rows.len();
        self.rows.resize(start + width, 0.0);
        &mut self.rows[start..]
    }
}

/// A problem that can say in a few numbers what speaks for and against its actions. It knows the state and the law,
/// nothing else. Numbers are scaled by constants to about 1, so that they keep their meaning from day to day.
pub trait Features: Problem {
    /// What is carried from decision to decision: room to compute in, or a plan that follows the state. It depends on
    /// nothing but the states that it was shown.
    type Sketch: Default + Clone + Send + Sync + 'static;

    /// How many numbers describe the whole state.
    const GLOBAL: usize;
    /// How many numbers describe an action.
    const OPTION: usize;

    /// Fills `out` with the actions of `state` worth scoring, where a decision is due. Allocates nothing when warm.
    fn features(
        &self,
        state: &Self::State,
        sketch: &mut Self::Sketch,
        out: &mut Options<Self::Action>,
    );

    /// Fills `out` in the same way, unless `meter` cuts the work off: then false, and `out` holds one legal action alone,
    /// that of the plan at hand or of a simple rule.
    fn features_within(
        &self,
        state: &Self::State,
        sketch: &mut Self::Sketch,
        _meter: &Meter<'_>,
        out: &mut Options<Self::Action>,
    ) -> bool {
        self.features(state, sketch, out);
        true
    }
}

/// Checks at a decision that options are legal, named once and described in full. Panics with what was broken.
pub fn check_options<P: Features>(problem: &P, state: &P::State, sketch: &mut P::Sketch) {
    let mut options = Options::default();
    problem.features(state, sketch, &mut options);
    let mut menu = Menu::default();
    problem.menu(state, &mut menu);
    assert!(!options.actions.is_empty(), "there is always something to do");
    for (i, &action) in options.actions.iter().enumerate() {
        let slot = menu.slot(action).expect("an option is on the menu");
        assert_eq!(menu.reason(slot), None, "an option is legal");
        assert!(!options.actions[..i].contains(&action), "{action} is an option twice");
    }
    assert_eq!(options.global.len(), P::GLOBAL);
    assert_eq!(options.rows.len(), options.actions.len() * P::OPTION);
    let numbers = options.global.iter().chain(&options.rows);
    assert!(numbers.clone().all(|x| x.is_finite()), "features are numbers");
    let most = numbers.fold(0.0f32, |most, x| most.max(x.abs()));
    assert!(most < 100.0, "features are scaled, but one is {most}");
}
