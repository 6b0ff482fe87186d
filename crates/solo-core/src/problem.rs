//! What a problem is, and the one event loop.

use crate::{Menu, Meter, Rng, Tape};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::{Debug, Display};

/// A moment of the simulated day, in the problem's own unit.
pub type Time = f64;
/// Money, distance, weighted hours: what is to be made small.
pub type Cost = f64;

/// What a state is waiting for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Status {
    /// A decision is due now.
    Decide,
    /// Vehicles drive or machines run; unless something happens first, nothing is to be decided before `until`.
    Running {
        /// When the machinery next does something by itself.
        until: Time,
    },
    /// Nothing moves: only an event, or the closing of the law, can change the state.
    Idle,
    /// Everything is served and nothing more can come.
    Done,
}

/// The rules and the arrival law of one scenario; no randomness and no realised future inside.
///
/// Invariants, checked by [`crate::testing`]: `apply`, `happen` and `close` let no time pass; `advance` delivers no
/// events; the costs they return add up to the audit's; `menu` lists every edge of the state's graph in graph
/// order, legal or masked, and waiting last.
pub trait Problem: Send + Sync {
    /// Everything that has happened and still matters.
    type State: Clone + Debug + PartialEq + Send + Sync;
    /// One thing that an agent can order.
    type Action: Copy + Eq + Debug + Display + Serialize + DeserializeOwned + Send + Sync;
    /// One event from outside. What it speaks of has an explicit id. An enum, so that further kinds of events can
    /// come.
    type Event: Clone + Debug + Display + PartialEq + Serialize + DeserializeOwned + Send + Sync;

    /// The empty system at time 0, before anything has happened.
    fn initial(&self) -> Self::State;
    /// The state's clock.
    fn now(&self, state: &Self::State) -> Time;
    /// What the state is waiting for.
    fn status(&self, state: &Self::State) -> Status;
    /// Fills `menu` with every action of the state's graph, each legal or masked for a stated reason; waiting last.
    fn menu(&self, state: &Self::State, menu: &mut Menu<Self::Action>);
    /// Carries out a legal action. No time passes; what takes no time is done within it.
    fn apply(&self, state: &mut Self::State, action: Self::Action) -> Cost;
    /// Lets time pass up to `to`, which is not after the next event of the machinery. Nothing happens from outside.
    fn advance(&self, state: &mut Self::State, to: Time) -> Cost;
    /// Why the state cannot take in an event, if so: an id that is there already, or numbers that the rules have no place
    /// for. Whatever comes from outside is asked about before it happens.
    fn objection(&self, _state: &Self::State, _event: &Self::Event) -> Option<String> {
        None
    }
    /// Takes in one event, due now.
    fn happen(&self, state: &mut Self::State, arrival: &Self::Event);
    /// When the *law* says that nothing more can come, given what has arrived; `None` once the state is closed.
    fn closing_time(&self, state: &Self::State) -> Option<Time>;
    /// Takes in that nothing more can come.
    fn close(&self, state: &mut Self::State) -> Cost;
    /// A fingerprint: equal states have equal keys.
    fn key(&self, state: &Self::State) -> StateKey;
    /// Draws from the law, given the state, the events after now and not after `until`, in order of time. Their ids are
    /// fresh.
    fn sample_future(
        &self,
        state: &Self::State,
        until: Time,
        rng: &mut Rng,
        out: &mut Tape<Self::Event>,
    );

    /// Draws the same, unless `meter` cuts the work off: then false, and what is in `out` means nothing.
    fn sample_future_within(
        &self,
        state: &Self::State,
        until: Time,
        _meter: &Meter<'_>,
        rng: &mut Rng,
        out: &mut Tape<Self::Event>,
    ) -> bool {
        self.sample_future(state, until, rng, out);
        true
    }

    /// The slot of an action on `menu`, the state's menu. To be implemented where it can be told without a search.
    fn slot(
        &self,
        _state: &Self::State,
        menu: &Menu<Self::Action>,
        action: Self::Action,
    ) -> Option<usize> {
        menu.slot(action)
    }

    /// A legal action that takes no thought, for when there is no time for any: what a simple rule does. The first legal
    /// one unless a problem knows better.
    fn at_hand(&self, state: &Self::State) -> Self::Action {
        let mut menu = Menu::default();
        self.menu(state, &mut menu);
        menu.actions()[menu.legal()[0] as usize]
    }
}

/// Moves time on until a decision is due or all is done, merging the machinery with the tape; returns the cost of the
/// time passed. Everything due at a moment happens before the decision at that moment.
///
/// The state closes when the law says so, or when the tape does (a shortened future), never because a tape is empty.
pub fn settle<P: Problem>(problem: &P, state: &mut P::State, tape: &mut Tape<P::Event>) -> Cost {
    settle_until(problem, state, tape, Time::INFINITY)
}

/// Moves time on as [`settle`] does, but no further than `stop`: there it takes in what happens at that moment, and no
/// more.
#[inline]
pub fn settle_until<P: Problem>(
    problem: &P,
    state: &mut P::State,
    tape: &mut Tape<P::Event>,
    stop: Time,
) -> Cost {
    settle_heard(problem, state, tape, stop, 0.0, &mut |_, _| {})
}

/// What [`settle_heard`] reports.
pub(crate) enum Heard<'e, E> {
    /// An event was taken in.
    Event(&'e E),
    /// The law closed.
    Closed,
}

/// Settles as [`settle_until`] does, adds the cost of the time passed to `cost`, and reports what happens.
#[inline]
pub(crate) fn settle_heard<P: Problem>(
    problem: &P,
    state: &mut P::State,
    tape: &mut Tape<P::Event>,
    stop: Time,
    mut cost: Cost,
    heard: &mut impl FnMut(Time, Heard<'_, P::Event>),
) -> Cost {
    loop {
        let now = problem.now(state);
        while let Some(event) = tape.take_due(now) {
            problem.happen(state, &event.what);
            heard(event.time, Heard::Event(&event.what));
        }
        if now >= stop {
            return cost;
        }
        let mut outside = tape.next_time();
        if let Some(law) = problem.closing_time(state) {
            let closing = law.min(tape.closing());
            if closing <= now {
                cost += problem.close(state);
                heard(now, Heard::Closed);
            } else {
                outside = outside.min(closing);
            }
        }
        let machinery = match problem.status(state) {
            Status::Decide | Status::Done => return cost,
            Status::Running { until } => until,
            Status::Idle => Time::INFINITY,
        };
        let to = machinery.min(outside).min(stop);
        assert!(to.is_finite() && to >= now, "time is stuck at {now}: the next event is at {to}");
        cost += problem.advance(state, to);
    }
}

/// The fingerprint of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateKey(pub u64);

/// Builds a [`StateKey`] from the words of a state, in order.
#[derive(Clone, Copy, Debug)]
pub struct KeyMixer(u64);

impl Default for KeyMixer {
    fn default() -> Self {
        Self(0x243f_6a88_85a3_08d3)
    }
}

impl KeyMixer {
    /// Adds a word.
    #[inline]
    pub fn word(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product as u64) ^ ((product >> 64) as u64) ^ word.rotate_left(32);
    }

    /// Adds a number by its bits; -0.0 counts as 0.0.
    #[inline]
    pub fn number(&mut self, number: f64) {
        self.word((number + 0.0).to_bits());
    }

    /// The key of all words so far.
    #[inline]
    pub fn finish(self) -> StateKey {
        StateKey(self.0)
    }
}
