//! The instance, laid out for fast reading.

use crate::dynamics::Scheduling;
use crate::plan::Instance;
use solo_core::{Cost, Time};

/// A job of the instance on a machine; its number here is its place in the instance. Times count from the shop's `base`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// Infinite if the machine cannot do it.
    pub(super) processing: Time,
    pub(super) weight: f64,
    /// No start before this; 0 or less if it has been there from the beginning.
    pub(super) release: Time,
    pub(super) class: u32,
}

/// When a machine is ready, and its class then; [`Shop::fresh`] if it has had no job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) at: Time,
    pub(super) class: u32,
}

/// Jobs, machines and setups. Besides the real classes there is one more, *fresh*: the class before the first job and
/// after the last. Its setups are 0, so that the ends of a sequence need no special case.
#[derive(Clone, Debug, Default)]
pub(super) struct Shop {
    /// The jobs, each on the machine that is fastest at it; where machines differ, then on machine 0, on machine 1 ...
    pub(super) tasks: Vec<Task>,
    /// How many jobs there are.
    pub(super) jobs: usize,
    /// Whether a job may take longer on one machine than on another.
    pub(super) unrelated: bool,
    pub(super) heads: Vec<Head>,
    /// The first moment that a machine is ready; the origin of all times here.
    pub(super) base: Time,
    /// Whether some job comes after that moment, so that machines may stand idle.
    pub(super) releases: bool,
    /// One more than the number of real classes.
    stride: usize,
    /// `stride x stride`: row by next class, column by previous class.
    into: Vec<f64>,
    /// `stride x stride`: row by previous class, column by next class.
    from: Vec<f64>,
}

impl Shop {
    /// Takes in an instance, reusing the buffers.
    pub(super) fn load(&mut self, problem: &Scheduling, instance: &Instance) {
        let classes = instance.setup.classes;
        self.stride = classes + 1;
        for (table, transposed) in [(&mut self.into, true), (&mut self.from, false)] {
            table.clear();
            table.resize(self.stride * self.stride, 0.0);
            for row in 0..classes {
                for column in 0..classes {
                    let (a, b) = if transposed { (column, row) } else { (row, column) };
                    table[row * self.stride + column] = problem.setup(Some(a as u32), b as u32);
                }
            }
        }
        self.base = instance.machines.iter().map(|ready| ready.at).fold(Time::INFINITY, Time::min);
        let fresh = classes as u32;
        self.heads.clear();
        self.heads.extend(
            instance.machines.iter().map(|ready| Head {
                at: ready.at - self.base,
                class: ready.class.unwrap_or(fresh),
            }),
        );
        self.tasks.clear();
        self.tasks.extend(instance.jobs.iter().map(|job| Task {
            processing: job.processing,
            weight: job.weight,
            release: job.arrival - self.base,
            class: job.class,
        }));
        self.jobs = instance.jobs.len();
        self.unrelated = !instance.times.alike();
        if self.unrelated {
            for machine in 0..instance.machines.len() as u32 {
                for (place, job) in instance.jobs.iter().enumerate() {
                    let processing = instance.times.on(job, machine);
                    self.tasks.push(Task { processing, ..self.tasks[place] });
                }
            }
        }
        self.releases = self.tasks.iter().any(|task| task.release > 0.0);
    }

    /// What the releases alone cost: no schedule costs less.
    pub(super) fn earliest(&self) -> Cost {
        let tasks = &self.tasks[..self.jobs];
        tasks.iter().map(|task| task.weight * task.release.max(0.0)).sum()
    }

    /// Where the tasks on a machine begin.
    #[inline]
    pub(super) fn base_of(&self, machine: usize) -> usize {
        if self.unrelated { (machine + 1) * self.jobs } else { 0 }
    }

    /// Whether a machine can do a job.
    #[inline]
    pub(super) fn able(&self, machine: usize, job: u32) -> bool {
        self.tasks[self.base_of(machine) + job as usize].processing.is_finite()
    }

    /// The class of nothing.
    pub(super) fn fresh(&self) -> u32 {
        self.stride as u32 - 1
    }

    /// The setup from one class to another.
    #[inline]
    pub(super) fn setup(&self, from: u32, to: u32) -> Time {
        self.from[from as usize * self.stride + to as usize]
    }

    /// The setups from every class into `class`.
    #[inline]
    pub(super) fn into(&self, class: u32) -> &[Time] {
        &self.into[class as usize * self.stride..][..self.stride]
    }

    /// The setups from `class` to every class.
    #[inline]
    pub(super) fn from(&self, class: u32) -> &[Time] {
        &self.from[class as usize * self.stride..][..self.stride]
    }
}
