//! A day whose future nobody has: events are heard as they come.

use crate::course::{Course, Of};
use crate::{
    Agent, Cost, Decision, Failure, Illegal, LogOf, Meter, Problem, Recorded, Rng, Status, Tape,
    Time,
};
use std::ops::Deref;
use thiserror::Error;

/// Why a session does not take in an event, an order or a time. Nothing but the clock has changed then.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Refused {
    /// It lies in the past.
    #[error("time {said} is before now, {now}")]
    Past {
        /// What was said.
        said: Time,
        /// The session's clock.
        now: Time,
    },
    /// A decision has to be carried out first; order to wait if nothing is to be done.
    #[error("a decision is due at {due}, before {said}")]
    DecisionDue {
        /// When the decision is due.
        due: Time,
        /// What was said.
        said: Time,
    },
    /// The day has closed: nothing more can come.
    #[error("an event at {0} comes after the day has closed")]
    Closed(Time),
    /// The rules have no place for the event.
    #[error("the event at {time} cannot happen: {why}")]
    Event {
        /// When.
        time: Time,
        /// Why not.
        why: String,
    },
    /// The rules forbid the order.
    #[error(transparent)]
    Illegal(#[from] Illegal),
}

/// A live day: the fold of what was heard and ordered. Beside a [`crate::World`] with the same events and orders it
/// has the same state, cost and log.
pub struct Session<R: Deref<Target: Problem + Sized>> {
    course: Course<R>,
    /// Always empty: what comes is heard, not read.
    tape: Tape<<Of<R> as Problem>::Event>,
}

impl<R: Deref<Target: Problem + Sized>> Session<R> {
    /// Opens the day at time 0, before anything has happened.
    pub fn open(problem: R) -> Self {
        Self { course: Course::new(problem), tape: Tape::default() }
    }

    /// The rules.
    pub fn problem(&self) -> &R {
        &self.course.problem
    }

    /// Everything that has happened so far.
    pub fn state(&self) -> &<Of<R> as Problem>::State {
        &self.course.state
    }

    /// What the state is waiting for.
    pub fn status(&self) -> Status {
        self.course.status()
    }

    /// The clock.
    pub fn now(&self) -> Time {
        self.course.now()
    }

    /// The cost so far.
    pub fn cost(&self) -> Cost {
        self.course.cost()
    }

    /// The log so far.
    pub fn log(&self) -> &LogOf<Of<R>> {
        &self.course.log
    }

    /// Ends the session and hands over its log.
    pub fn into_log(self) -> LogOf<Of<R>> {
        self.course.log
    }

    /// Takes in an event of this moment, which is not before now. Several events of one moment are heard one after
    /// the other; the law closes and a decision becomes due with the next [`Session::tick`].
    pub fn hear(&mut self, time: Time, event: <Of<R> as Problem>::Event) -> Result<(), Refused> {
        let closed = |course: &Course<R>| course.problem.closing_time(&course.state).is_none();
        if closed(&self.course) {
            return Err(Refused::Closed(time));
        }
        self.run_to(time)?;
        if closed(&self.course) {
            return Err(Refused::Closed(time)); // the law has closed on the way
        }
        let Course { problem, state, .. } = &self.course;
        if let Some(why) = problem.objection(state, &event) {
            return Err(Refused::Event { time, why });
        }
        self.course.happen(event);
        Ok(())
    }

    /// Says that it is `time` and that everything up to then has been heard. Time goes no further than to the next
    /// decision that is due: carry it out, then tick again.
    pub fn tick(&mut self, time: Time) -> Result<Status, Refused> {
        self.run_to(time)?;
        self.course.close_if_due();
        Ok(self.status())
    }

    /// Asks an agent, which is given the state and never the session. Nothing is carried out.
    pub fn decide(
        &self,
        agent: &mut dyn Agent<Of<R>>,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<<Of<R> as Problem>::Action>, Failure> {
        agent.decide(&self.course.problem, &self.course.state, meter, rng)
    }

    /// Carries out a decision that is due now; returns what it cost at once.
    pub fn act(&mut self, action: <Of<R> as Problem>::Action) -> Result<Cost, Refused> {
        let before = self.course.cost();
        self.course.order(action)?;
        Ok(self.course.cost() - before)
    }

    /// Lets time pass up to `time`, without closing at that moment.
    fn run_to(&mut self, time: Time) -> Result<(), Refused> {
        let now = self.now();
        if !time.is_finite() || time < now {
            return Err(Refused::Past { said: time, now });
        }
        if self.status() == Status::Done {
            return Ok(());
        }
        self.course.settle(&mut self.tape, time);
        let due = self.now();
        if due < time && self.status() == Status::Decide {
            return Err(Refused::DecisionDue { due, said: time });
        }
        Ok(())
    }
}

/// Folds a log into the day that it records.
pub fn replay<R: Deref<Target: Problem + Sized>>(
    problem: R,
    log: &LogOf<Of<R>>,
) -> Result<Session<R>, Refused> {
    let mut session = Session::open(problem);
    for entry in log.entries() {
        match &entry.what {
            Recorded::Event(event) => session.hear(entry.time, event.clone())?,
            Recorded::Decision(action) => {
                session.tick(entry.time)?;
                session.act(*action)?;
            }
            Recorded::Closed => drop(session.tick(entry.time)?),
        }
    }
    Ok(session)
}
