//! One day of scheduling: what is public from the start, and which jobs come when.

use crate::dynamics::Scheduling;
use crate::state::Event;
use crate::times::{Factors, Processing};
use crate::{Law, formats, presets};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use solo_core::file::Reader;
use solo_core::{LawError, Scenario, Time, Timed};
use std::sync::Arc;

/// Setup times between job classes.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The number of classes.
    pub classes: usize,
    /// `classes x classes` times, row by row, from the row's class to the column's; zero on the diagonal.
    pub flat: Vec<f64>,
}

impl Setup {
    /// Times that depend on the next class only, as in the offline benchmark.
    pub fn by_next(times: &[f64]) -> Self {
        let classes = times.len();
        let flat = (0..classes)
            .flat_map(|from| (0..classes).map(move |to| if from == to { 0.0 } else { times[to] }))
            .collect();
        Self { classes, flat }
    }

    /// The time from one class to another.
    #[inline]
    pub fn between(&self, from: u32, to: u32) -> f64 {
        self.flat[from as usize * self.classes + to as usize]
    }

    /// The times by next class, if they depend on nothing else. A class that is never changed to counts 0.
    pub fn next_only(&self) -> Option<Vec<f64>> {
        let classes = 0..self.classes as u32;
        let others = |to: u32| {
            classes.clone().filter(move |&from| from != to).map(move |from| self.between(from, to))
        };
        classes
            .clone()
            .map(|to| {
                let first = others(to).next().unwrap_or(0.0);
                others(to).all(|time| time == first).then_some(first)
            })
            .collect()
    }
}

/// Work that a machine does in one go.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// How long it runs, setup not included.
    pub processing: Processing,
    /// What each unit of time until its completion costs; whole, so that sums of weights are exact.
    pub weight: f64,
    /// Its class.
    pub class: u32,
    /// When it becomes known and can start.
    pub arrival: Time,
}

/// One day. Jobs are in order of arrival, and numbered so.
#[derive(Clone, Debug, PartialEq)]
pub struct SchedulingDay {
    /// `preset/...` for scenarios of a preset.
    pub name: String,
    /// How many machines there are.
    pub machines: usize,
    /// After this nothing arrives; 0 offline.
    pub horizon: Time,
    /// Setup times.
    pub setup: Arc<Setup>,
    /// How well each machine suits each class; `None` if they are alike.
    pub factors: Option<Arc<Factors>>,
    /// What arrives when.
    pub jobs: Vec<Job>,
}

impl SchedulingDay {
    /// Brings jobs into order of arrival, keeping the order of equal arrivals.
    pub fn sort(&mut self) {
        self.jobs.sort_by(|a, b| a.arrival.total_cmp(&b.arrival));
    }

    /// Whether a job may take longer on one machine than on another.
    pub fn unrelated(&self) -> bool {
        self.factors.as_ref().is_some_and(|factors| !factors.alike())
            || self.listed().any(|(_, times)| times.iter().any(|time| *time != times[0]))
    }

    /// The jobs that list their times by machine, with their numbers.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (usize, &[Time])> {
        self.jobs.iter().enumerate().filter_map(|(number, job)| match &job.processing {
            Processing::ByMachine(times) => Some((number, &**times)),
            Processing::Same(_) => None,
        })
    }
}

impl Scenario for SchedulingDay {
    type Problem = Scheduling;

    const PROBLEM: &'static str = "pmsp";

    fn name(&self) -> &str {
        &self.name
    }

    fn rules(&self, law: Option<&str>) -> Result<Scheduling, LawError> {
        let Some(preset) = law else { return Ok(Scheduling::new(self, Law::Unknown)) };
        let law = presets::law(preset).map_err(|_| LawError::Unknown(preset.to_string()))?;
        let law = law.for_day(self).map_err(|why| LawError::misfit(preset, why))?;
        Ok(Scheduling::new(self, law))
    }

    fn outside(&self, law: &str) -> Vec<String> {
        presets::outside(law, self)
    }

    fn events(&self) -> Vec<Timed<Event>> {
        let event = |(id, job): (u32, &Job)| Timed {
            time: job.arrival,
            what: Event::Job {
                id,
                processing: job.processing.clone(),
                weight: job.weight,
                class: job.class,
            },
        };
        (0..).zip(&self.jobs).map(event).collect()
    }

    fn summary(&self) -> String {
        let (machines, horizon, jobs) = (self.machines, self.horizon, self.jobs.len());
        let unrelated = if self.unrelated() { " (unrelated)" } else { "" };
        let mut text = format!("machines {machines}{unrelated}, horizon {horizon}, {jobs} jobs");
        let there = self.jobs.iter().filter(|job| job.arrival == 0.0).count();
        if there < jobs {
            text += &format!(", {there} of them from the start");
        }
        text
    }

    fn read(reader: &mut Reader, object: &Map<String, Value>) -> Option<Self> {
        formats::read(reader, object)
    }
}

impl Serialize for SchedulingDay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        formats::write(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SchedulingDay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = Map::deserialize(deserializer)?;
        let mut reader = Reader::new("scenario");
        let read = formats::read(&mut reader, &object);
        reader.finish(read).map_err(serde::de::Error::custom)
    }
}
