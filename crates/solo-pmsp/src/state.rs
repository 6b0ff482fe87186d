//! Where everything stands in a scheduling day.

use solo_core::Time;
use std::fmt;

/// What arrives: today only jobs; breakdowns and cancellations come as further variants.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrival {
    /// A job comes in.
    Job {
        /// How long it runs, setup not included.
        processing: f64,
        /// What each unit of time costs.
        weight: f64,
        /// Its class.
        class: u32,
    },
}

/// What can be ordered. Jobs are numbered in order of arrival, machines from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A job that no machine has started yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pending {
    /// The job's number.
    pub id: u32,
    /// Its class.
    pub class: u32,
    /// How long it runs, setup not included.
    pub processing: f64,
    /// What each unit of time costs.
    pub weight: f64,
    /// When it arrived.
    pub arrival: Time,
}

/// A job on a machine, setup included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
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
    pub run: Option<Run>,
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
    /// Jobs that have arrived so far.
    pub arrived: u32,
    /// The sum of the weights of the jobs that have arrived and are not complete.
    pub weight_in_system: f64,
    /// Whether nothing can arrive any more.
    pub closed: bool,
    /// Whether the last order was to wait, and nothing has happened since.
    pub waiting: bool,
}

impl State {
    /// Where in `pending` a job stands, if it is pending.
    #[inline]
    pub fn position(&self, job: u32) -> Option<usize> {
        self.pending.binary_search_by_key(&job, |pending| pending.id).ok()
    }

    /// The free machines, by number.
    pub fn free(&self) -> impl Iterator<Item = (u32, &Machine)> {
        (0..).zip(&self.machines).filter(|(_, machine)| machine.run.is_none())
    }

    /// When the first running machine completes its job; infinite if none runs.
    #[inline]
    pub fn next_completion(&self) -> Time {
        let ends = self.machines.iter().filter_map(|machine| machine.run.map(|run| run.until));
        ends.fold(Time::INFINITY, Time::min)
    }

    /// Whether waiting is allowed: something can still happen by itself.
    pub fn may_wait(&self) -> bool {
        !self.closed || self.machines.iter().any(|machine| machine.run.is_some())
    }
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self { pending: self.pending.clone(), machines: self.machines.clone(), ..*self }
    }

    /// Reuses the vectors, so that warm rollouts allocate nothing.
    fn clone_from(&mut self, from: &Self) {
        let State { now, pending, machines, arrived, weight_in_system, closed, waiting } = from;
        self.pending.clone_from(pending);
        self.machines.clone_from(machines);
        self.now = *now;
        self.arrived = *arrived;
        self.weight_in_system = *weight_in_system;
        self.closed = *closed;
        self.waiting = *waiting;
    }
}
