//! What a guide is told of a state and of each option.

use super::{FAR, Sketch, index, to_come};
use crate::arrivals::Law;
use crate::dynamics::Scheduling;
use crate::state::{Action, Pending, State};
use solo_core::{Features, Time};

/// What all options of a state share.
pub(super) struct View<'v> {
    problem: &'v Scheduling,
    state: &'v State,
    machines: f64,
    /// How many machines run.
    running: f64,
    /// The smallest index of a pair.
    least: f64,
    /// The weight of all pending jobs.
    weight: f64,
    /// Until the next batch, by the law.
    next_batch: Time,
    /// The share of the batches that is still to come.
    share_left: f64,
    /// Jobs in a batch, on average.
    per_batch: f64,
    /// Until the next machine is free.
    next_completion: Time,
}

impl<'v> View<'v> {
    pub(super) fn new(
        problem: &'v Scheduling,
        state: &'v State,
        sketch: &Sketch,
        least: f64,
    ) -> Self {
        let (next_batch, share_left, per_batch) = match &problem.law {
            Law::Batches(law) => {
                let (next, left) = to_come(law, state.now);
                (next.min(FAR), left / f64::from(law.intervals), law.mean_per_interval)
            }
            Law::Unknown => (FAR, 0.0, 0.0),
        };
        Self {
            problem,
            state,
            machines: state.machines.len().max(1) as f64,
            running: state.machines.iter().filter(|machine| machine.run.is_some()).count() as f64,
            least,
            weight: sketch.classes.iter().map(|class| class.weight).sum(),
            next_batch,
            share_left,
            per_batch,
            next_completion: (state.next_completion() - state.now).min(FAR),
        }
    }

    /// Jobs expected within some time.
    fn expected(&self, time: Time) -> f64 {
        match &self.problem.law {
            Law::Batches(law) if self.share_left > 0.0 => time / law.length * self.per_batch,
            _ => 0.0,
        }
    }

    /// The numbers about the whole state.
    pub(super) fn global(&self, sketch: &Sketch) -> [f64; Scheduling::GLOBAL] {
        let Self { state, machines, .. } = *self;
        let pending = state.pending.len() as f64;
        let work: f64 = sketch.classes.iter().map(|class| class.processing).sum();
        let remaining: f64 =
            state.machines.iter().filter_map(|m| Some(m.run?.until - state.now)).sum();
        [
            self.next_batch / FAR,
            self.share_left,
            (pending / machines / 5.0).min(5.0),
            (self.weight / machines / 25.0).min(5.0),
            (work / machines / 250.0).min(5.0),
            1.0 - self.running / machines,
            remaining / machines / 50.0,
            self.next_completion / FAR,
            self.least.min(50.0) / 10.0,
            self.per_batch / machines / 2.0,
            (sketch.plan.cost(state) / machines / 1000.0).min(5.0),
            (sketch.plan.busy_after(state, 0.0) / machines / 100.0).min(5.0),
        ]
    }

    /// Describes a pair: position of the job, machine, index.
    pub(super) fn pair(
        &self,
        sketch: &Sketch,
        (position, i, value): (u32, u32, f64),
    ) -> (Action, [f64; Scheduling::OPTION]) {
        let Self { problem, state, machines, next_batch, .. } = *self;
        let job = &state.pending[position as usize];
        let machine = &state.machines[i as usize];
        let class = &sketch.classes[job.class as usize];
        let setup = problem.setup(machine.class, job.class);
        let processing = state.times.on(job, i);
        let duration = setup + processing;
        let others = self.weight - job.weight;
        let mean = |sum: f64| if others > 0.0 { sum / others } else { 0.0 };
        let [first, second] = sketch.begin[job.class as usize];
        let unrelated = sketch.unrelated.of(state, job, i);
        let sooner = match unrelated {
            None => setup - if first.1 == i { second.0 } else { first.0 },
            Some(_) => duration - problem.done_elsewhere(state, job, i),
        };
        let own = machine.class.map(|k| &sketch.classes[k as usize]);
        // A job of the machine's class needs no setup on it, so that j itself counts 0 in this sum.
        let from_own = own.map_or(0.0, |own| mean(own.setups - setup * job.weight));
        let same = f64::from(u8::from(machine.class == Some(job.class)));
        let planned = sketch.plan.planned(problem, state, position as usize, i);
        let [slower, times_slower, wanted, suits] = unrelated.unwrap_or_default();
        let row = [
            0.0,
            processing / 50.0,
            job.weight / 5.0,
            setup / 25.0,
            value.min(50.0) / 10.0,
            if value > 0.0 { self.least / value } else { 1.0 },
            (job.weight / duration.max(1.0)).min(1.0) * 5.0,
            f64::from(u8::from(setup == 0.0)),
            (class.jobs - 1.0).min(10.0) / 5.0,
            (class.weight - job.weight).min(50.0) / 25.0,
            (class.processing - job.processing).min(500.0) / 250.0,
            sooner.clamp(-FAR, FAR) / 50.0,
            class.free_in.min(FAR) / FAR,
            class.share * 2.0,
            mean(class.setups) / 25.0,
            sketch.to_arrivals[job.class as usize] / 25.0,
            own.map_or(0.0, |own| own.jobs).min(10.0) / 5.0,
            own.map_or(0.0, |own| own.share) * 2.0,
            (duration - next_batch).clamp(-FAR, FAR) / FAR,
            from_own / 25.0,
            (class.machines - same) / machines * 2.0,
            slower,
            times_slower,
            wanted,
            suits,
            f64::from(u8::from(planned.now.is_some())),
            planned.more.clamp(-400.0, 1000.0) / 200.0,
            planned.start.min(FAR) / 50.0,
            (planned.end - next_batch).clamp(-2.0 * FAR, 2.0 * FAR) / FAR,
            (self.expected(duration) * class.share).min(3.0),
            sketch.least_setups(problem, machine.class, Some(job.class), false) / 10.0,
            sketch.least_setups(problem, machine.class, None, true) / 25.0,
            own.map_or(0.0, |own| own.machines - 1.0) / machines * 2.0,
            machine.class.map_or(0.0, |k| sketch.to_arrivals[k as usize]) / 25.0,
        ];
        (Action::Assign { job: job.id, machine: planned.now.unwrap_or(i) }, row)
    }

    /// Describes waiting.
    pub(super) fn wait(&self, sketch: &Sketch, row: &mut [f32]) {
        let next = (self.problem.index_next(self.state) / self.least).min(3.0);
        row[0] = 1.0;
        row[21] = (self.next_completion / 50.0) as f32;
        row[22] = (self.next_batch / 50.0) as f32;
        row[23] = if next.is_nan() { 3.0 } else { next as f32 };
        row[24] = (self.running / self.machines) as f32;
        let idle = sketch.plan.idle_weight(self.state);
        row[25] = f32::from(u8::from(idle == 0.0));
        let pause = self.next_completion.min(self.next_batch);
        row[26] = ((idle * pause).min(1000.0) / 200.0) as f32;
    }
}

impl Scheduling {
    /// The smallest index on the machine that is free next, its remaining time included.
    fn index_next(&self, state: &State) -> f64 {
        let machines = (0..).zip(&state.machines);
        let busy = machines.filter_map(|(i, machine)| Some((machine.run?.until, i, machine.class)));
        let Some((until, i, class)) = busy.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            return f64::INFINITY;
        };
        let left = until - state.now;
        let of = |job: &Pending| {
            index(left + self.setup(class, job.class) + state.times.on(job, i), job.weight)
        };
        state.pending.iter().map(of).fold(f64::INFINITY, f64::min)
    }
}
