//! A problem in about a hundred lines: one server, jobs that arrive over the day, weighted waiting.
//!
//! It is the example of what a problem must be ([`Problem`], [`Audit`], [`Scenario`]), and the problem on which search
//! and evaluation are tested.

use crate::{
    Audit, Cost, KeyMixer, LawError, LogOf, Menu, Problem, Rng, Scenario, Seed, StateKey, Status,
    Stream, Tape, Time, Timed, Violation,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One day: which jobs arrive when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToyDay {
    /// Its name.
    pub name: String,
    /// After this nothing arrives.
    pub horizon: Time,
    /// The jobs in order of arrival.
    pub jobs: Vec<Timed<Job>>,
}

/// Work for the server. Also the one kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// Its id.
    pub id: u32,
    /// How long it takes.
    pub length: f64,
    /// What each unit of time until its end costs.
    pub weight: f64,
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "job {}: length {}, weight {}", self.id, self.length, self.weight)
    }
}

/// What can be ordered: a job, or to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// The server starts this job.
    Start(u32),
    /// Nothing starts until something happens.
    Wait,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Start(job) => write!(f, "start job {job}"),
            Order::Wait => write!(f, "wait"),
        }
    }
}

/// The rules: one server, and a law by which about one job a time unit arrives until the horizon.
#[derive(Clone, Debug, PartialEq)]
pub struct Toy {
    /// After this nothing arrives.
    pub horizon: Time,
    /// Whether jobs are expected at all.
    pub expects: bool,
}

/// Where everything stands.
#[derive(Clone, Debug, PartialEq)]
pub struct ToyState {
    now: Time,
    /// Jobs that wait, by id, with their arrivals.
    pub open: Vec<Timed<Job>>,
    serving: Option<(Job, Time)>,
    next_id: u32,
    closed: bool,
    waiting: bool,
}

impl Problem for Toy {
    type State = ToyState;
    type Action = Order;
    type Event = Job;

    fn initial(&self) -> ToyState {
        let (now, open, serving, next_id) = (0.0, Vec::new(), None, 0);
        ToyState { now, open, serving, next_id, closed: false, waiting: false }
    }

    fn now(&self, state: &ToyState) -> Time {
        state.now
    }

    fn status(&self, state: &ToyState) -> Status {
        match state.serving {
            Some((_, until)) => Status::Running { until },
            None if !state.open.is_empty() && !state.waiting => Status::Decide,
            None if state.open.is_empty() && state.closed => Status::Done,
            None => Status::Idle,
        }
    }

    fn menu(&self, state: &ToyState, menu: &mut Menu<Order>) {
        menu.clear();
        for job in &state.open {
            menu.push(Order::Start(job.what.id), None);
        }
        menu.push(Order::Wait, state.closed.then_some("nothing more can arrive"));
    }

    fn apply(&self, state: &mut ToyState, action: Order) -> Cost {
        match action {
            Order::Wait => state.waiting = true,
            Order::Start(id) => {
                let at = state.open.iter().position(|job| job.what.id == id).expect("it is open");
                let job = state.open.remove(at).what;
                state.serving = Some((job, state.now + job.length));
            }
        }
        0.0
    }

    fn advance(&self, state: &mut ToyState, to: Time) -> Cost {
        let serving = state.serving.map_or(0.0, |(job, _)| job.weight);
        let weight = serving + state.open.iter().map(|job| job.what.weight).sum::<f64>();
        let cost = weight * (to - state.now);
        state.now = to;
        if state.serving.is_some_and(|(_, until)| until <= to) {
            state.serving = None;
        }
        cost
    }

    fn happen(&self, state: &mut ToyState, job: &Job) {
        state.open.push(Timed { time: state.now, what: *job });
        state.next_id = state.next_id.max(job.id + 1);
        state.waiting = false;
    }

    fn closing_time(&self, state: &ToyState) -> Option<Time> {
        (!state.closed).then_some(self.horizon)
    }

    fn close(&self, state: &mut ToyState) -> Cost {
        (state.closed, state.waiting) = (true, false);
        0.0
    }

    fn key(&self, state: &ToyState) -> StateKey {
        let mut key = KeyMixer::default();
        key.number(state.now);
        key.word(u64::from(state.closed) | u64::from(state.waiting) << 1);
        state.open.iter().for_each(|job| key.word(u64::from(job.what.id)));
        key.number(state.serving.map_or(-1.0, |(_, until)| until));
        key.finish()
    }

    fn sample_future(&self, state: &ToyState, until: Time, rng: &mut Rng, out: &mut Tape<Job>) {
        if self.expects && !state.closed {
            draw_jobs(state.now, until.min(self.horizon), state.next_id, rng, |time, job| {
                out.push(time, job);
            });
        }
    }
}

/// Draws jobs after `from` and not after `until`: gaps, lengths and weights are uniform.
fn draw_jobs(from: Time, until: Time, id: u32, rng: &mut Rng, mut push: impl FnMut(Time, Job)) {
    let mut time = from;
    for id in id.. {
        time += (2.0 * rng.unit()).max(1e-6);
        if time > until {
            return;
        }
        push(time, Job { id, length: 0.2 + 1.4 * rng.unit(), weight: rng.between(1, 9) as f64 });
    }
}

impl Audit for Toy {
    fn audit(&self, log: &LogOf<Self>) -> Result<Cost, Violation> {
        let mut open: Vec<Timed<Job>> =
            log.events().map(|event| Timed { time: event.time, what: *event.what }).collect();
        let (mut cost, mut free, mut number) = (0.0, 0.0, 0);
        for (decision, order) in log.decisions().enumerate() {
            number = decision + 1;
            let time = order.time;
            let fail = |what: String| Err(Violation { decision, time, what });
            let Order::Start(id) = *order.what else { continue };
            let Some(at) = open.iter().position(|job| job.what.id == id) else {
                return fail(format!("there is no job {id}, or it was started before"));
            };
            let job = open.remove(at);
            if time < job.time || time < free {
                return fail(format!("job {id} is not there yet, or the server is busy"));
            }
            free = time + job.what.length;
            cost += job.what.weight * (free - job.time);
        }
        match open.first() {
            Some(job) => {
                let what = format!("job {} is never started", job.what.id);
                Err(Violation { decision: number, time: free, what })
            }
            None => Ok(cost),
        }
    }
}

impl ToyDay {
    /// Day `index` of about twenty jobs.
    pub fn draw(seed: Seed, index: u64) -> Self {
        let (mut rng, mut jobs) = (seed.stream(Stream::Scenario, index), Vec::new());
        let horizon = 20.0;
        draw_jobs(0.0, horizon, 0, &mut rng, |time, what| jobs.push(Timed { time, what }));
        Self { name: format!("toy/seed{}-{index}", seed.0), horizon, jobs }
    }
}

impl Scenario for ToyDay {
    type Problem = Toy;

    const PROBLEM: &'static str = "toy";

    fn name(&self) -> &str {
        &self.name
    }

    fn rules(&self, law: Option<&str>) -> Result<Toy, LawError> {
        match law {
            Some(other) if other != Self::PROBLEM => Err(LawError::Unknown(other.to_string())),
            law => Ok(Toy { horizon: self.horizon, expects: law.is_some() }),
        }
    }

    fn events(&self) -> Vec<Timed<Job>> {
        self.jobs.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check;
    use crate::{Session, World};

    #[test]
    fn the_toy_keeps_to_the_rules() {
        for index in 0..20 {
            let day = ToyDay::draw(Seed(3), index);
            for law in [None, Some("toy")] {
                check(&day.rules(law).unwrap(), &day.events(), Seed(index));
            }
            let text = serde_json::to_string(&day).unwrap();
            assert_eq!(serde_json::from_str::<ToyDay>(&text).unwrap(), day);
        }
        let foreign = ToyDay::draw(Seed(3), 0).rules(Some("cvrp-20"));
        assert_eq!(foreign, Err(LawError::Unknown("cvrp-20".to_string())));
    }

    #[test]
    fn a_session_refuses_what_cannot_be() {
        let day = ToyDay::draw(Seed(3), 0);
        let problem = day.rules(None).unwrap();
        let mut session = Session::open(&problem);
        let job = |id| Job { id, length: 1.0, weight: 1.0 };
        session.hear(2.0, job(0)).unwrap();
        assert_eq!(session.tick(2.0).unwrap(), Status::Decide);
        let said = |refused: crate::Refused| refused.to_string();
        assert!(said(session.hear(1.0, job(1)).unwrap_err()).contains("before now"));
        assert!(said(session.tick(3.0).unwrap_err()).contains("a decision is due at 2"));
        assert!(said(session.act(Order::Start(7)).unwrap_err()).contains("not on the menu"));
        session.act(Order::Start(0)).unwrap();
        assert!(said(session.act(Order::Wait).unwrap_err()).contains("no decision is due"));
        session.tick(30.0).unwrap();
        assert_eq!((session.status(), session.cost()), (Status::Done, 1.0));
        assert!(said(session.hear(31.0, job(1)).unwrap_err()).contains("closed"));
        let mut late = Session::open(&problem);
        assert!(said(late.hear(21.0, job(1)).unwrap_err()).contains("closed"), "after the horizon");
        let error = World::open(&problem, day.events()).act(Order::Start(99)).unwrap_err();
        assert!(error.reason.contains("not on the menu"));
    }
}
