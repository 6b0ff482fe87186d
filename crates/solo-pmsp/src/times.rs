//! How long jobs run on each machine: alike everywhere, or unrelated.

use crate::state::Pending;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use solo_core::Time;
use std::fmt;
use std::sync::Arc;

/// What stands for the time on a machine that cannot do a job.
pub const CANNOT: Time = Time::INFINITY;

/// How long a job runs, setup not included.
///
/// As JSON it is a number, or a list with an entry for each machine: `[25,null,40]`, null where it cannot be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Processing {
    /// So long on every machine; times the factor of its class where the machines have [`Factors`].
    Same(Time),
    /// So long on each machine, [`CANNOT`] where it cannot be done. Factors do not apply.
    ByMachine(Arc<[Time]>),
}

impl Processing {
    /// The number, or the longest time of the list on a machine that can do the job.
    pub fn longest(&self) -> Time {
        match self {
            Self::Same(time) => *time,
            Self::ByMachine(times) => {
                times.iter().copied().filter(|time| time.is_finite()).fold(0.0, Time::max)
            }
        }
    }

    /// The number, or the least time of the list.
    pub fn least(&self) -> Time {
        match self {
            Self::Same(time) => *time,
            Self::ByMachine(times) => times.iter().copied().fold(CANNOT, Time::min),
        }
    }
}

impl From<Time> for Processing {
    fn from(time: Time) -> Self {
        Self::Same(time)
    }
}

impl fmt::Display for Processing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same(time) => write!(f, "{time}"),
            Self::ByMachine(times) => {
                let each = times.iter().map(|time| match time.is_finite() {
                    true => time.to_string(),
                    false => "-".to_string(),
                });
                write!(f, "[{}]", each.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// The two forms as JSON has them.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "should be a number, or a list with a number or null a machine")]
enum Form {
    Number(Time),
    List(Vec<Option<Time>>),
}

impl Serialize for Processing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Same(time) => Form::Number(*time),
            Self::ByMachine(times) => Form::List(
                times.iter().map(|&time| Some(time).filter(|time| time.is_finite())).collect(),
            ),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Processing {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Form::deserialize(deserializer)? {
            Form::Number(time) => Self::Same(time),
            Form::List(times) => {
                Self::ByMachine(times.into_iter().map(|time| time.unwrap_or(CANNOT)).collect())
            }
        })
    }
}

/// Machines that suit some classes better than others, known from the start: a job whose processing time is a number
/// takes it times the factor of its class on the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors {
    /// The number of machines.
    pub machines: usize,
    /// `classes x machines` factors, row by row; [`CANNOT`] where the machine cannot do jobs of the class. Every row has
    /// one that is finite.
    pub flat: Vec<f64>,
}

impl Factors {
    /// The factors of a class, machine by machine.
    #[inline]
    pub fn row(&self, class: u32) -> &[f64] {
        &self.flat[class as usize * self.machines..][..self.machines]
    }

    /// How long a job of this number and class takes on each machine.
    #[inline]
    pub fn times(&self, number: Time, class: u32) -> impl Iterator<Item = Time> + Clone {
        self.row(class).iter().map(move |&factor| match factor.is_finite() {
            true => factor * number,
            false => CANNOT,
        })
    }

    /// Whether they tell no two machines apart.
    pub fn alike(&self) -> bool {
        self.flat.chunks(self.machines.max(1)).all(|row| row.iter().all(|x| *x == row[0]))
    }
}

/// The row of a job that runs as long on every machine.
pub(crate) const ALIKE: u32 = u32::MAX;

/// The times of open jobs on machines that are not alike: a row for each such job. Empty where all are alike.
///
/// Rows of jobs that are gone are used again; which row a job has depends only on the events and starts before it.
#[derive(Debug, Default, PartialEq)]
pub struct Times {
    machines: usize,
    flat: Vec<Time>,
    unused: Vec<u32>,
}

impl Times {
    /// No rows yet, for so many machines.
    pub fn new(machines: usize) -> Self {
        Self { machines, ..Self::default() }
    }

    /// Whether no job so far told machines apart.
    #[inline]
    pub fn alike(&self) -> bool {
        self.flat.is_empty()
    }

    /// How long a job runs on a machine, setup not included; [`CANNOT`] if it cannot be done there.
    #[inline]
    pub fn on(&self, job: &Pending, machine: u32) -> Time {
        match job.row {
            ALIKE => job.processing,
            row => self.flat[row as usize * self.machines + machine as usize],
        }
    }

    /// Whether a machine can do a job.
    #[inline]
    pub fn able(&self, job: &Pending, machine: u32) -> bool {
        self.on(job, machine).is_finite()
    }

    /// The times of a job machine by machine, if it tells machines apart.
    #[inline]
    pub fn row(&self, job: &Pending) -> Option<&[Time]> {
        (job.row != ALIKE).then(|| &self.flat[job.row as usize * self.machines..][..self.machines])
    }

    /// Takes in the times of a job, one for each machine; returns the least of them, and the job's row. Equal times are
    /// no reason for a row.
    #[inline]
    pub(crate) fn take_in(&mut self, times: impl Iterator<Item = Time> + Clone) -> (Time, u32) {
        let least = times.clone().fold(CANNOT, Time::min);
        if times.clone().all(|time| time == least) {
            return (least, ALIKE);
        }
        let row = self.unused.pop().unwrap_or_else(|| {
            let rows = self.flat.len() / self.machines;
            self.flat.resize(self.flat.len() + self.machines, CANNOT);
            rows as u32
        });
        let start = row as usize * self.machines;
        self.flat[start..][..self.machines].iter_mut().zip(times).for_each(|(to, time)| *to = time);
        (least, row)
    }

    /// Forgets the times of a job that is no longer open.
    #[inline]
    pub(crate) fn release(&mut self, row: u32) {
        if row != ALIKE {
            self.unused.push(row);
        }
    }

    /// Gives the row of a job the same time on every machine.
    #[cfg(test)]
    pub(crate) fn set(&mut self, job: &Pending, time: Time) {
        self.flat[job.row as usize * self.machines..][..self.machines].fill(time);
    }

    /// Changes every time.
    pub(crate) fn convert(&mut self, change: impl Fn(Time) -> Time) {
        for time in self.flat.iter_mut().filter(|time| time.is_finite()) {
            *time = change(*time);
        }
    }
}

impl Clone for Times {
    fn clone(&self) -> Self {
        let Self { machines, flat, unused } = self;
        Self { machines: *machines, flat: flat.clone(), unused: unused.clone() }
    }

    /// Reuses the vectors, so that warm rollouts allocate nothing.
    #[inline]
    fn clone_from(&mut self, from: &Self) {
        let Self { machines, flat, unused } = from;
        self.machines = *machines;
        self.flat.clone_from(flat);
        self.unused.clone_from(unused);
    }
}
