//! What is expected to arrive.

use crate::scenario::SchedulingDay;
use crate::state::Event;
use solo_core::dist::poisson;
use solo_core::{Rng, Tape, Time};

/// The law that arrivals follow, known to everybody.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// All that is known is the scenario's horizon: nothing is expected, and the state closes there.
    Unknown,
    /// Jobs come in batches.
    Batches(Batches),
}

/// The paper's law: the day is cut into intervals of equal length, and all jobs of an interval arrive at its start.
#[derive(Clone, Debug, PartialEq)]
pub struct Batches {
    /// How many intervals there are.
    pub intervals: u32,
    /// How long each is.
    pub length: Time,
    /// The mean number of jobs in an interval.
    pub mean_per_interval: f64,
    /// Whether every interval has exactly that many, rather than a Poisson number.
    pub exact: bool,
    /// Class k has a share proportional to `shares[k]`.
    pub shares: Vec<f64>,
    /// Processing times are uniform on the whole numbers from 1 to this.
    pub most_processing: i64,
    /// Weights are uniform on the whole numbers from 1 to this.
    pub most_weight: i64,
}

impl Batches {
    /// When interval `index` starts.
    fn start(&self, index: u32) -> Time {
        f64::from(index) * self.length
    }

    /// The start of the last interval: nothing arrives after it.
    pub fn last_start(&self) -> Time {
        self.start(self.intervals.saturating_sub(1))
    }

    /// Appends the batches with `from < start <= until`, in order of time. Allocates nothing once the tape has grown.
    /// Jobs are numbered from `id` on.
    pub fn sample(
        &self,
        from: Time,
        until: Time,
        mut id: u32,
        rng: &mut Rng,
        out: &mut Tape<Event>,
    ) {
        let starts = (0..self.intervals).map(|index| self.start(index));
        for start in starts.skip_while(|&start| start <= from).take_while(|&start| start <= until) {
            let count = if self.exact {
                self.mean_per_interval as u32
            } else {
                poisson(self.mean_per_interval, rng)
            };
            for _ in 0..count {
                out.push(start, self.job(id, rng));
                id += 1;
            }
        }
    }

    fn job(&self, id: u32, rng: &mut Rng) -> Event {
        let class = self.class(rng);
        let processing = rng.between(1, self.most_processing) as f64;
        let weight = rng.between(1, self.most_weight) as f64;
        Event::Job { id, processing, weight, class }
    }

    fn class(&self, rng: &mut Rng) -> u32 {
        let mut left = rng.unit() * self.shares.iter().sum::<f64>();
        let last = self.shares.len().saturating_sub(1);
        let found = self.shares[..last].iter().position(|share| {
            left -= share;
            left < 0.0
        });
        found.unwrap_or(last) as u32
    }
}

impl Law {
    /// When the law says that nothing more can come. All jobs of an interval arrive at its start, so that everybody
    /// knows after the last start that the day's work is complete.
    #[inline]
    pub fn closing(&self, horizon: Time) -> Time {
        match self {
            Law::Unknown => horizon,
            Law::Batches(batches) => batches.last_start(),
        }
    }

    /// Draws the arrivals after `from` and not after `until`, numbered from `id` on.
    pub fn sample(&self, from: Time, until: Time, id: u32, rng: &mut Rng, out: &mut Tape<Event>) {
        if let Law::Batches(batches) = self {
            batches.sample(from, until, id, rng, out);
        }
    }

    /// Whether the scenario can have come from this law: as many classes, a horizon that reaches the last interval, and
    /// every arrival at the start of an interval. Otherwise the law would close the day before its last job, or draw
    /// classes that have no setup times.
    pub fn fits(&self, scenario: &SchedulingDay) -> bool {
        let Law::Batches(batches) = self else { return true };
        let starts = |time: Time| (0..batches.intervals).any(|index| batches.start(index) == time);
        batches.shares.len() == scenario.setup.classes
            && scenario.horizon >= batches.last_start()
            && scenario.jobs.iter().all(|job| starts(job.arrival))
    }
}
