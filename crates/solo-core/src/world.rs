//! The day as it really happens.

use crate::course::{Course, Of};
use crate::{Cost, Illegal, LogOf, Policy, Problem, Rng, Status, Tape, Time, Timed, rollout};
use std::ops::Deref;

/// One day with its realised future, which nobody can read: it is not `Clone` and has no accessor for the tape. It
/// holds its rules by reference or by `Arc`.
pub struct World<R: Deref<Target: Problem + Sized>> {
    course: Course<R>,
    tape: Tape<<Of<R> as Problem>::Event>,
    stop: Time,
}

impl<R: Deref<Target: Problem + Sized>> World<R> {
    /// Opens the day with these events, and lets time run to the first decision.
    pub fn open(problem: R, events: Vec<Timed<<Of<R> as Problem>::Event>>) -> Self {
        Self::open_until(problem, events, Time::INFINITY)
    }

    /// Opens the day, and lets time run to the first decision or to `stop`; see [`World::run_until`].
    pub fn open_until(
        problem: R,
        events: Vec<Timed<<Of<R> as Problem>::Event>>,
        stop: Time,
    ) -> Self {
        let mut world = Self { course: Course::new(problem), tape: Tape::new(events), stop };
        world.settle();
        world
    }

    /// The rules.
    pub fn problem(&self) -> &R {
        &self.course.problem
    }

    /// Everything that has happened so far.
    pub fn state(&self) -> &<Of<R> as Problem>::State {
        &self.course.state
    }

    /// Whether the day is over.
    pub fn done(&self) -> bool {
        self.course.status() == Status::Done
    }

    /// The cost so far.
    pub fn cost(&self) -> Cost {
        self.course.cost()
    }

    /// The log so far.
    pub fn log(&self) -> &LogOf<Of<R>> {
        &self.course.log
    }

    /// Ends the day and hands over its log.
    pub fn into_log(self) -> LogOf<Of<R>> {
        self.course.log
    }

    /// Carries out a decision and lets time run to the next one; returns what that cost.
    pub fn act(&mut self, action: <Of<R> as Problem>::Action) -> Result<Cost, Illegal> {
        let cost = self.course.order(action)?;
        self.settle();
        Ok(cost + self.course.passed())
    }

    /// Carries out the action of a slot of the state's menu, as [`World::act`] does.
    pub fn act_slot(&mut self, slot: u32) -> Result<Cost, Illegal> {
        match self.course.action(slot) {
            Some(action) => self.act(action),
            None => Err(Illegal {
                time: self.course.now(),
                action: format!("slot {slot}"),
                reason: "the menu has no such slot".to_string(),
            }),
        }
    }

    /// Moves the moment beyond which time does not run: there the world rests even if no decision is due, with the
    /// events of that moment taken in. Without one, which is the usual case, it rests only at decisions.
    pub fn run_until(&mut self, stop: Time) {
        self.stop = stop;
        self.settle();
    }

    /// What `policy` would still cost from here on this day's own future. For rewards and for judging, which may know
    /// that; agents hold no world.
    pub fn cost_to_go(&self, policy: &mut (impl Policy<Of<R>> + ?Sized), rng: &mut Rng) -> Cost {
        let (mut state, mut tape) = (self.course.state.clone(), self.tape.clone());
        rollout(&*self.course.problem, &mut state, &mut tape, policy, rng)
    }

    fn settle(&mut self) {
        self.course.settle(&mut self.tape, self.stop);
    }
}
