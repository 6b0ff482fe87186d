//! Laws of finite support as lists, and states without what does not matter.

use crate::arrivals::{Batches, Law};
use crate::dynamics::Scheduling;
use crate::state::{Event, JobRun, Machine, Pending, State};
use solo_core::outlook::multisets;
use solo_core::{Branch, Cost, Enumerable, Time};

impl Enumerable for Scheduling {
    fn not_enumerable(&self) -> Option<String> {
        match &self.law {
            Law::Batches(law) if !law.exact => {
                Some("there is no limit to the number of jobs in an interval".to_string())
            }
            Law::Batches(_) | Law::Unknown => None,
        }
    }

    fn next_moment(&self, state: &State, after: Time) -> Option<Time> {
        match &self.law {
            Law::Batches(law) if !state.closed => law.starts().find(|&start| start > after),
            _ => None,
        }
    }

    /// Every number of jobs of every kind that adds up to a batch.
    fn branches(&self, state: &State, _moment: Time) -> Vec<Branch<Event>> {
        let Law::Batches(law) = &self.law else { return Vec::new() };
        let kinds = law.kinds();
        let probabilities: Vec<f64> = kinds.iter().map(|kind| kind.probability).collect();
        let batch = |(probability, counts): (f64, Vec<usize>)| {
            let jobs = kinds.iter().zip(counts);
            let jobs = jobs.flat_map(|(kind, number)| std::iter::repeat_n(kind, number));
            let events = (state.next_id..).zip(jobs).map(|(id, kind)| {
                let Kind { processing, weight, class, .. } = *kind;
                Event::Job { id, processing: processing.into(), weight, class }
            });
            Branch { probability, events: events.collect() }
        };
        multisets(&probabilities, law.mean_per_interval as usize).into_iter().map(batch).collect()
    }

    fn numbered(&self, event: &Event, id: u32) -> Event {
        let Event::Job { processing, weight, class, .. } = event;
        Event::Job { id, processing: processing.clone(), weight: *weight, class: *class }
    }

    /// Names, which of the machines is which, and when pending jobs arrived do not matter: what their waiting costs from
    /// now on is the same. What running jobs cost is settled. Unrelated machines and their jobs are left as they are.
    fn unnamed(&self, state: &mut State) -> Cost {
        if self.factors.is_some() || !state.times.alike() {
            return 0.0;
        }
        state.pending.sort_unstable_by(|a, b| {
            let numbers = a.processing.total_cmp(&b.processing);
            a.class.cmp(&b.class).then(numbers).then(a.weight.total_cmp(&b.weight))
        });
        let jobs = state.pending.len() as u32;
        for (id, job) in (0..).zip(&mut state.pending) {
            *job = Pending { id, arrival: 0.0, ..*job };
        }
        let until = |machine: &Machine| machine.run.map_or(-1.0, |run| run.until);
        let ascending =
            |a: &Machine, b: &Machine| until(a).total_cmp(&until(b)).then(a.class.cmp(&b.class));
        state.machines.sort_unstable_by(ascending);
        let mut settled = 0.0;
        for (id, machine) in (jobs..).zip(&mut state.machines) {
            if let Some(run) = &mut machine.run {
                settled += run.weight * (run.until - state.now);
                state.weight_in_system -= run.weight;
                *run = JobRun { job: id, weight: 0.0, until: run.until };
            }
        }
        state.next_id = jobs + state.machines.len() as u32;
        state.arrived = 0;
        settled
    }

    fn reset_clock(&self, state: &mut State) {
        if state.closed {
            let runs = state.machines.iter_mut().filter_map(|machine| machine.run.as_mut());
            runs.for_each(|run| run.until -= state.now);
            state.now = 0.0;
        }
    }
}

/// A kind of job that can arrive.
#[derive(Clone, Copy, Debug)]
struct Kind {
    probability: f64,
    processing: f64,
    weight: f64,
    class: u32,
}

impl Batches {
    /// All kinds of jobs, each with the probability that the next job is one.
    fn kinds(&self) -> Vec<Kind> {
        let total: f64 = self.shares.iter().sum();
        let (lengths, weights) = (self.most_processing / self.grain, self.most_weight);
        let mut kinds = Vec::new();
        for (class, share) in (0..).zip(&self.shares) {
            let probability = share / total / (lengths * weights) as f64;
            for length in 1..=lengths {
                let processing = (length * self.grain) as f64 * self.unit;
                kinds.extend((1..=weights).map(|weight| Kind {
                    probability,
                    processing,
                    weight: weight as f64,
                    class,
                }));
            }
        }
        kinds
    }
}
