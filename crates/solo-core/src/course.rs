//! A day under way: what a world and a session share.

use crate::problem::{Heard, settle_heard};
use crate::{Cost, LogOf, Menu, Problem, Recorded, Status, Tape, Time};
use std::ops::Deref;
use thiserror::Error;

/// An order that the rules forbid.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("at time {time} '{action}' is not allowed: {reason}")]
pub struct Illegal {
    /// When.
    pub time: Time,
    /// The order.
    pub action: String,
    /// Why not.
    pub reason: String,
}

/// The problem that a reference or an `Arc` points to.
pub(crate) type Of<R> = <R as Deref>::Target;

/// State, log and cost of a day, moved by orders and by time.
pub(crate) struct Course<R: Deref<Target: Problem + Sized>> {
    pub(crate) problem: R,
    pub(crate) state: <Of<R> as Problem>::State,
    pub(crate) log: LogOf<Of<R>>,
    /// The cost up to the last order.
    ordered: Cost,
    /// The cost of the time since, added up piece by piece: so it does not matter how often time was moved.
    passed: Cost,
    menu: Menu<<Of<R> as Problem>::Action>,
}

impl<R: Deref<Target: Problem + Sized>> Course<R> {
    /// The empty system at time 0.
    pub(crate) fn new(problem: R) -> Self {
        let (state, log, menu) = (problem.initial(), crate::Log::default(), Menu::default());
        Self { problem, state, log, ordered: 0.0, passed: 0.0, menu }
    }

    pub(crate) fn now(&self) -> Time {
        self.problem.now(&self.state)
    }

    pub(crate) fn cost(&self) -> Cost {
        self.ordered + self.passed
    }

    pub(crate) fn status(&self) -> Status {
        self.problem.status(&self.state)
    }

    /// The cost of the time since the last order.
    pub(crate) fn passed(&self) -> Cost {
        self.passed
    }

    /// Carries out an order if it is legal, and returns what it cost at once. No time passes.
    pub(crate) fn order(&mut self, action: <Of<R> as Problem>::Action) -> Result<Cost, Illegal> {
        let time = self.now();
        let illegal =
            |reason: &str| Illegal { time, action: action.to_string(), reason: reason.to_string() };
        match self.status() {
            Status::Done => return Err(illegal("the day is over")),
            Status::Decide => {}
            Status::Running { .. } | Status::Idle => {
                return Err(illegal("no decision is due"));
            }
        }
        self.problem.menu(&self.state, &mut self.menu);
        let slot = self.menu.slot(action).ok_or_else(|| illegal("it is not on the menu"))?;
        if let Some(reason) = self.menu.reason(slot) {
            return Err(illegal(reason));
        }
        self.log.push(time, Recorded::Decision(action));
        self.ordered += self.passed;
        self.passed = 0.0;
        let cost = self.problem.apply(&mut self.state, action);
        self.ordered += cost;
        Ok(cost)
    }

    /// The action of a slot of the state's menu, if there is one.
    pub(crate) fn action(&mut self, slot: u32) -> Option<<Of<R> as Problem>::Action> {
        self.problem.menu(&self.state, &mut self.menu);
        self.menu.actions().get(slot as usize).copied()
    }

    /// Takes in an event that is due now.
    pub(crate) fn happen(&mut self, event: <Of<R> as Problem>::Event) {
        let now = self.now();
        self.problem.happen(&mut self.state, &event);
        self.log.push(now, Recorded::Event(event));
    }

    /// Closes the law if it says so now.
    pub(crate) fn close_if_due(&mut self) {
        let now = self.now();
        if self.problem.closing_time(&self.state).is_some_and(|closing| closing <= now) {
            self.passed += self.problem.close(&mut self.state);
            self.log.push(now, Recorded::Closed);
        }
    }

    /// Lets time run to the next decision, but no further than `stop`, and writes down what happens.
    pub(crate) fn settle(&mut self, tape: &mut Tape<<Of<R> as Problem>::Event>, stop: Time) {
        let Self { problem, state, log, passed, .. } = self;
        *passed = settle_heard(&**problem, state, tape, stop, *passed, &mut |time, heard| {
            log.push(
                time,
                match heard {
                    Heard::Event(event) => Recorded::Event(event.clone()),
                    Heard::Closed => Recorded::Closed,
                },
            );
        });
    }
}
