//! Where everything stands in a scheduling day.

use crate::times::{Processing, Times};
use serde::{Deserialize, Serialize};
use solo_core::Time;
use std::fmt;

/// What happens from outside: today only jobs; breakdowns, cancellations and completion reports come as further variants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// A job comes in.
    Job {
        /// Its number; no other job has it.
        id: u32,
        /// How long it runs, setup not included.
        processing: Processing,
        /// What each unit of time costs.
        weight: f64,
        /// Its class.
        class: u32,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Job { id, processing, weight, class } => {
                write!(f, "job {id}: processing {processing}, weight {weight}, class {class}")
            }
        }
    }
}

/// What can be ordered. Jobs have the numbers that they arrived with, machines are counted from 0.
///
/// As JSON it is `{"job":3,"machine":0}` or `{"wait":true}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ActionFields", into = "ActionFields")]
pub enum Action {
    /// A free machine starts a pending job, setup first.
    Assign {
        /// Which job.
        job: u32,
        /// Which machine.
        machine: u32,
    },
    /// Nothing starts until something happens.
    Wait,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Assign { job, machine } => write!(f, "job {job} on machine {machine}"),
            Action::Wait => write!(f, "wait"),
        }
    }
}

/// The fields of an action as JSON.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActionFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    job: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machine: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wait: Option<bool>,
}

impl From<Action> for ActionFields {
    fn from(action: Action) -> Self {
        match action {
            Action::Assign { job, machine } => {
                Self { job: Some(job), machine: Some(machine), ..Self::default() }
            }
            Action::Wait => Self { wait: Some(true), ..Self::default() },
        }
    }
}

impl TryFrom<ActionFields> for Action {
    type Error = String;

    fn try_from(fields: ActionFields) -> Result<Self, String> {
        match fields {
            ActionFields { job: Some(job), machine: Some(machine), wait: None } => {
                Ok(Action::Assign { job, machine })
            }
            ActionFields { job: None, machine: None, wait: Some(true) } => Ok(Action::Wait),
            _ => {
                Err("should have \"job\" and \"machine\" with numbers, or \"wait\": true"
                    .to_string())
            }
        }
    }
}

/// A job that no machine has started yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pending {
    /// The job's number.
    pub id: u32,
    /// Its class.
    pub class: u32,
    /// How long it runs, setup not included: on the machine that is fastest at it, if machines differ.
    pub processing: f64,
    /// What each unit of time costs.
    pub weight: f64,
    /// When it arrived.
    pub arrival: Time,
    /// Its row among the [`Times`] of its state or instance.
    pub(crate) row: u32,
}

/// A job on a machine, setup included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobRun {
    /// The job's number.
    pub job: u32,
    /// What each unit of time costs.
    pub weight: f64,
    /// When it is complete.
    pub until: Time,
}

/// A machine, free or running.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Machine {
    /// The class of its last or current job; `None` before the first.
    pub class: Option<u32>,
    /// What it runs; `None` if it is free.
    pub run: Option<JobRun>,
}

/// Everything that has happened and still matters.
#[derive(Debug, PartialEq)]
pub struct State {
    /// The clock.
    pub now: Time,
    /// Jobs that no machine has started yet, by number.
    pub pending: Vec<Pending>,
    /// The machines.
    pub machines: Vec<Machine>,
    /// How long pending jobs run where machines are not alike.
    pub times: Times,
    /// How many jobs have arrived so far.
    pub arrived: u32,
    /// Larger than the number of any job so far.
    pub next_id: u32,
    /// The sum of the weights of the jobs that have arrived and are not complete.
    pub weight_in_system: f64,
    /// Whether nothing can arrive any more.
    pub closed: bool,
    /// Whether the last order was to wait, and nothing has happened since.
    pub waiting: bool,
}

impl State {
    /// Adds a pending job in its place by number.
    #[inline]
    pub fn add(&mut self, job: Pending) {
        match self.pending.last() {
            Some(last) if last.id > job.id => {
                let at = self.pending.partition_point(|pending| pending.id < job.id);
                self.pending.insert(at, job);
            }
            _ => self.pending.push(job),
        }
    }

    /// Where in `pending` a job stands, if it is pending.
    #[inline]
    pub fn position(&self, job: u32) -> Option<usize> {
        self.pending.binary_search_by_key(&job, |pending| pending.id).ok()
    }

    /// The free machines, by number.
    #[inline]
    pub fn free(&self) -> impl Iterator<Item = (u32, &Machine)> {
        (0..).zip(&self.machines).filter(|(_, machine)| machine.run.is_none())
    }

    /// When the first running machine completes its job; infinite if none runs.
    #[inline]
    pub fn next_completion(&self) -> Time {
        let ends = self.machines.iter().filter_map(|machine| machine.run.map(|run| run.until));
        ends.fold(Time::INFINITY, Time::min)
    }

    /// Whether some free machine can do some pending job.
    #[inline]
    pub fn can_start(&self) -> bool {
        let free = || self.machines.iter().any(|machine| machine.run.is_none());
        !self.pending.is_empty() && free() && (self.times.alike() || self.can_start_able())
    }

    /// The same where machines are not alike; apart, so that the question above stays short.
    #[inline(never)]
    fn can_start_able(&self) -> bool {
        let able = |machine| self.pending.iter().any(|job| self.times.able(job, machine));
        self.free().any(|(machine, _)| able(machine))
    }

    /// The lowest pending job that a free machine can do, with the lowest such machine.
    pub(crate) fn first_start(&self) -> Option<(&Pending, u32)> {
        self.pending.iter().find_map(|job| {
            let (machine, _) = self.free().find(|&(machine, _)| self.times.able(job, machine))?;
            Some((job, machine))
        })
    }

    /// Whether waiting is allowed: something can still happen by itself.
    #[inline]
    pub fn may_wait(&self) -> bool {
        !self.closed || self.machines.iter().any(|machine| machine.run.is_some())
    }
}

impl Clone for State {
    fn clone(&self) -> Self {
        let (pending, machines) = (self.pending.clone(), self.machines.clone());
        Self { pending, machines, times: self.times.clone(), ..*self }
    }

    /// Reuses the vectors, so that warm rollouts allocate nothing.
    #[inline]
    fn clone_from(&mut self, from: &Self) {
        let State {
            now,
            pending,
            machines,
            times,
            arrived,
            next_id,
            weight_in_system,
            closed,
            waiting,
        } = from;
        self.pending.clone_from(pending);
        self.machines.clone_from(machines);
        self.times.clone_from(times);
        self.now = *now;
        self.arrived = *arrived;
        self.next_id = *next_id;
        self.weight_in_system = *weight_in_system;
        self.closed = *closed;
        self.waiting = *waiting;
    }
}
