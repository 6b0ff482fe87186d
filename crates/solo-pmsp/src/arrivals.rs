//! What is expected to arrive.

use crate::scenario::SchedulingDay;
use crate::state::Event;
use solo_core::dist::poisson;
use solo_core::params::short;
use solo_core::{Meter, Rng, Tape, Time};

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
    /// Processing times are uniform on the multiples of [`Batches::grain`] up to this.
    pub most_processing: i64,
    /// What processing times are multiples of; 1 as published.
    pub grain: i64,
    /// Weights are uniform on the whole numbers from 1 to this.
    pub most_weight: i64,
    /// What a time of 1 is in the day's units. All numbers above are in the law's own.
    pub unit: f64,
    /// How much later than the start of its interval a job may arrive: the rounding of a day in other units.
    pub rounding: Time,
}

/// What drawing a job counts as work.
const DRAW: usize = 16;

impl Batches {
    /// When interval `index` starts.
    fn start(&self, index: u32) -> Time {
        f64::from(index) * self.length * self.unit
    }

    /// When the intervals start, ascending.
    pub fn starts(&self) -> impl Iterator<Item = Time> {
        (0..self.intervals).map(|index| self.start(index))
    }

    /// The start of the last interval: nothing arrives after it.
    pub fn last_start(&self) -> Time {
        self.start(self.intervals.saturating_sub(1)) + self.rounding
    }

    /// How much later than the start of an interval this moment is, if that is no more than rounding.
    fn late(&self, time: Time) -> Option<Time> {
        let index = (time / (self.length * self.unit)).round();
        if !(0.0..f64::from(self.intervals)).contains(&index) {
            return None;
        }
        let late = time - self.start(index as u32);
        (late.abs() <= 1e-9 * self.length * self.unit).then_some(late)
    }

    /// A time in the law's own units. Rounded to a millionth, so that what is a whole number there is one here, too: the
    /// starts of intervals are met, and equal times stay equal.
    pub(crate) fn in_law_units(&self, time: Time) -> Time {
        const GRID: f64 = (1 << 20) as f64;
        (time / self.unit * GRID).round() / GRID
    }

    /// Appends the batches with `from < start <= until`, in order of time. Allocates nothing once the tape has grown.
    /// Jobs are numbered from `id` on. False if there was no time for all of them.
    pub fn sample(
        &self,
        from: Time,
        until: Time,
        mut id: u32,
        meter: &Meter<'_>,
        rng: &mut Rng,
        out: &mut Tape<Event>,
    ) -> bool {
        let due = self.starts().skip_while(|&start| start <= from);
        for start in due.take_while(|&start| start <= until) {
            let count = if self.exact {
                self.mean_per_interval as u32
            } else {
                poisson(self.mean_per_interval, rng)
            };
            for _ in 0..count {
                if meter.cuts(DRAW) {
                    return false;
                }
                out.push(start, self.job(id, rng));
                id += 1;
            }
        }
        true
    }

    fn job(&self, id: u32, rng: &mut Rng) -> Event {
        let class = self.class(rng);
        let lengths = self.most_processing / self.grain;
        let processing = (rng.between(1, lengths) * self.grain) as f64 * self.unit;
        let weight = rng.between(1, self.most_weight) as f64;
        Event::Job { id, processing: processing.into(), weight, class }
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

/// Whether a list of times tells machines apart.
fn unequal(times: &[Time]) -> bool {
    times.iter().any(|time| *time != times[0])
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

    /// Draws the arrivals after `from` and not after `until`, numbered from `id` on; false if there was no time for all.
    pub fn sample(
        &self,
        from: Time,
        until: Time,
        id: u32,
        meter: &Meter<'_>,
        rng: &mut Rng,
        out: &mut Tape<Event>,
    ) -> bool {
        match self {
            Law::Batches(batches) => batches.sample(from, until, id, meter, rng, out),
            Law::Unknown => true,
        }
    }

    /// The law for a scenario. An error says why the scenario contradicts it: the law would close the day before its last
    /// job, or draw classes that have no setup times.
    pub fn for_day(self, scenario: &SchedulingDay) -> Result<Self, String> {
        let Law::Batches(mut batches) = self else {
            let later = scenario.jobs.iter().filter(|job| job.arrival > 0.0).count();
            return match later {
                0 => Ok(self),
                _ => {
                    let all = scenario.jobs.len();
                    Err(format!(
                        "nothing arrives after its start, but here {later} of {all} jobs do"
                    ))
                }
            };
        };
        let (its, here) = (batches.shares.len(), scenario.setup.classes);
        if its != here {
            return Err(format!("it has {its} classes, this day {here}"));
        }
        if scenario.factors.is_none()
            && let Some((number, _)) = scenario.listed().find(|(_, times)| unequal(times))
        {
            return Err(format!(
                "job {number} lists its times by machine, and nothing says how long jobs to come take on each; add \"factors\", a row for each class"
            ));
        }
        if scenario.horizon < batches.last_start() * (1.0 - 1e-9) {
            return Err(format!(
                "it lasts until {}, this day until {}",
                short(batches.last_start()),
                short(scenario.horizon)
            ));
        }
        for (number, job) in scenario.jobs.iter().enumerate() {
            let Some(late) = batches.late(job.arrival) else {
                return Err(format!(
                    "its jobs arrive every {} until {}, but job {number} arrives at {}",
                    short(batches.length * batches.unit),
                    short(batches.last_start()),
                    short(job.arrival)
                ));
            };
            batches.rounding = batches.rounding.max(late);
        }
        Ok(Law::Batches(batches))
    }
}
