//! Sampled futures, drawn from the law by number.

use solo_core::{Meter, Problem, Rng, Seed, Stream, Tape, Time, words};

/// Which futures the rollouts of a decision are played against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Futures {
    /// The j-th visit of every action at the root meets the j-th future, so that actions are compared on the same
    /// futures, and luck is no merit.
    Common,
    /// Every rollout meets a future of its own.
    Fresh,
}

words!(Futures { Common: "common", Fresh: "fresh" });

/// This many futures are kept between visits; later ones are drawn again each time.
const KEPT: usize = 128;

/// The futures of one decision. Future j and the rng that goes with it are streams of their own, so that they are the
/// same whenever and however often they are asked for.
pub(crate) struct SampledFutures<A> {
    seed: Seed,
    until: Time,
    /// The first `drawn` of these are drawn; the last one serves all futures that are not kept.
    tapes: Vec<Tape<A>>,
    drawn: usize,
    current: usize,
}

impl<A> Default for SampledFutures<A> {
    fn default() -> Self {
        let tapes = (0..=KEPT).map(|_| Tape::default()).collect();
        Self { seed: Seed(0), until: Time::INFINITY, tapes, drawn: 0, current: KEPT }
    }
}

impl<A> SampledFutures<A> {
    /// Begins anew: futures follow from `seed` and end at `until`.
    pub(crate) fn begin(&mut self, seed: Seed, until: Time) {
        (self.seed, self.until, self.drawn) = (seed, until, 0);
    }

    /// What the futures follow from.
    pub(crate) fn seed(&self) -> Seed {
        self.seed
    }

    /// The guide's rng in future `j`.
    pub(crate) fn rng(&self, j: u64) -> Rng {
        self.seed.stream(Stream::Agent, 2 * j + 1)
    }

    /// The future that was put on last.
    #[inline]
    pub(crate) fn current(&mut self) -> &mut Tape<A> {
        &mut self.tapes[self.current]
    }

    /// Puts on future `j` of `state`, from its beginning; false if there was no time. Those that are kept come in order
    /// at first.
    pub(crate) fn put_on<P: Problem<Event = A>>(
        &mut self,
        problem: &P,
        state: &P::State,
        j: u64,
        meter: &Meter<'_>,
    ) -> bool {
        let kept = usize::try_from(j).ok().filter(|&j| j < KEPT && j <= self.drawn);
        self.current = kept.unwrap_or(KEPT);
        let tape = &mut self.tapes[self.current];
        if kept.is_some_and(|j| j < self.drawn) {
            tape.rewind();
            return true;
        }
        tape.clear();
        let mut rng = self.seed.stream(Stream::Agent, 2 * j);
        if !problem.sample_future_within(state, self.until, meter, &mut rng, tape) {
            return false;
        }
        self.drawn += usize::from(kept.is_some());
        if self.until.is_finite() {
            tape.close_at(self.until);
        }
        true
    }
}
