//! The second opinion: cost and feasibility from the log alone.

use crate::dynamics::Scheduling;
use crate::state::{Action, Event};
use crate::times::Processing;
use solo_core::{Audit, Cost, LogOf, Recorded, Time, Violation};
use std::collections::BTreeMap;

/// Times this close, relative to their size, count as equal: sums of the same times in another order.
const TOLERANCE: f64 = 1e-9;

fn before(a: Time, b: Time) -> bool {
    a < b - TOLERANCE * b.abs().max(1.0)
}

/// A job as the log tells of it.
struct Job {
    arrival: Time,
    processing: Processing,
    weight: f64,
    class: usize,
    started: bool,
}

/// A machine as the decisions so far leave it.
#[derive(Clone, Default)]
struct Lane {
    free_at: Time,
    last_class: Option<usize>,
}

impl Scheduling {
    /// The jobs of a log by number, each of which must come once and be of a class that there is.
    fn audit_jobs(&self, log: &LogOf<Self>) -> Result<BTreeMap<u32, Job>, Violation> {
        let mut jobs = BTreeMap::new();
        let mut decision = 0;
        for entry in log.entries() {
            let (arrival, event) = match &entry.what {
                Recorded::Event(event) => (entry.time, event),
                Recorded::Decision(_) => {
                    decision += 1;
                    continue;
                }
                Recorded::Closed => continue,
            };
            let fail = |what: String| Err(Violation { decision, time: arrival, what });
            match event {
                &Event::Job { id, ref processing, weight, class } => {
                    let processing = processing.clone();
                    let (class, classes) = (class as usize, self.setup.classes);
                    if class >= classes {
                        return fail(format!("job {id} is of class {class} among {classes}"));
                    }
                    let job = Job { arrival, processing, weight, class, started: false };
                    if jobs.insert(id, job).is_some() {
                        return fail(format!("a second job {id} arrives"));
                    }
                }
            }
        }
        Ok(jobs)
    }

    /// Starts a job on a machine, both with their numbers, if that is allowed; returns what the job costs.
    fn audit_start(
        &self,
        (id, job): (u32, &mut Job),
        (index, machine): (u32, &mut Lane),
        time: Time,
    ) -> Result<Cost, String> {
        if before(time, job.arrival) {
            return Err(format!("job {id} arrives only at {}", job.arrival));
        }
        if job.started {
            return Err(format!("job {id} is started a second time"));
        }
        if before(time, machine.free_at) {
            return Err(format!("machine {index} is busy until {}", machine.free_at));
        }
        let setup = match machine.last_class {
            Some(from) => self.setup.flat[from * self.setup.classes + job.class],
            None => 0.0,
        };
        let processing = match &job.processing {
            Processing::ByMachine(times) => times.get(index as usize).copied(),
            Processing::Same(time) => match &self.factors {
                None => Some(*time),
                Some(factors) => {
                    let at = job.class * factors.machines + index as usize;
                    factors.flat.get(at).filter(|factor| factor.is_finite()).map(|x| x * time)
                }
            },
        };
        let Some(processing) = processing.filter(|time| time.is_finite()) else {
            return Err(format!("machine {index} cannot do job {id}"));
        };
        let completion = time + setup + processing;
        job.started = true;
        *machine = Lane { free_at: completion, last_class: Some(job.class) };
        Ok(job.weight * (completion - job.arrival))
    }
}

impl Audit for Scheduling {
    fn audit(&self, log: &LogOf<Self>) -> Result<Cost, Violation> {
        let mut jobs = self.audit_jobs(log)?;
        let mut machines = vec![Lane::default(); self.machines];
        let (mut clock, mut cost, mut number) = (0.0, 0.0, 0);
        for (decision, order) in log.decisions().enumerate() {
            let time = order.time;
            let fail = |what: String| Err(Violation { decision, time, what });
            if !time.is_finite() || time < clock {
                return fail(format!("its time is not a number from {clock} on"));
            }
            clock = time;
            number = decision + 1;
            let Action::Assign { job: id, machine: index } = *order.what else { continue };
            let Some(machine) = machines.get_mut(index as usize) else {
                return fail(format!("there is no machine {index} among {}", self.machines));
            };
            let known = jobs.len();
            let Some(job) = jobs.get_mut(&id) else {
                return fail(format!("there is no job {id} among {known}"));
            };
            match self.audit_start((id, job), (index, machine), time) {
                Ok(more) => cost += more,
                Err(what) => return fail(what),
            }
        }
        match jobs.iter().find(|(_, job)| !job.started) {
            Some((id, _)) => {
                let what = format!("job {id} is never started");
                Err(Violation { decision: number, time: clock, what })
            }
            None => Ok(cost),
        }
    }
}
