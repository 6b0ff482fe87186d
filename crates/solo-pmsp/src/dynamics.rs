//! The rules of scheduling on parallel machines.

use crate::arrivals::Law;
use crate::scenario::{SchedulingDay, Setup};
use crate::state::{Action, Event, JobRun, Machine, Pending, State};
use crate::times::{ALIKE, CANNOT, Factors, Processing, Times};
use crate::wspt::Wspt;
use solo_core::{Cost, KeyMixer, Menu, Meter, Problem, Rng, StateKey, Status, Tape, Time};
use std::sync::Arc;

/// The largest processing time and weight, as in files.
const LARGEST: f64 = 1e9;

/// Parallel machines with setups between classes, and the arrival law.
///
/// A decision is due when a free machine can do a pending job, unless the last order was to wait and nothing has
/// happened since: no arrival, no completion, no closing of the law.
#[derive(Clone, Debug)]
pub struct Scheduling {
    /// How many machines there are.
    pub machines: usize,
    /// After this nothing arrives; 0 offline.
    pub horizon: Time,
    /// Setup times.
    pub setup: Arc<Setup>,
    /// How well each machine suits each class, if they differ.
    pub factors: Option<Arc<Factors>>,
    /// Whether a job may take longer on one machine than on another.
    pub unrelated: bool,
    /// What is expected to arrive.
    pub law: Law,
    /// What networks see as a unit of time.
    pub seen_time: Time,
}

impl Scheduling {
    /// The rules of a scenario under a law that fits it; see [`Law::for_day`].
    pub fn new(scenario: &SchedulingDay, law: Law) -> Self {
        Self {
            machines: scenario.machines,
            horizon: scenario.horizon,
            setup: Arc::clone(&scenario.setup),
            factors: scenario.factors.clone(),
            unrelated: scenario.unrelated(),
            seen_time: seen_time(scenario, &law),
            law,
        }
    }

    /// The setup that a job of class `next` needs on a machine whose last class is `last`: none on a fresh machine.
    #[inline]
    pub fn setup(&self, last: Option<u32>, next: u32) -> Time {
        last.map_or(0.0, |last| self.setup.between(last, next))
    }

    /// How long `job` occupies a machine whose last class is `last`: setup, then processing there; infinite if the machine
    /// cannot do it. `times` are those of the state or the instance that the job is of.
    #[inline]
    pub fn duration(&self, times: &Times, job: &Pending, machine: u32, last: Option<u32>) -> Time {
        self.setup(last, job.class) + times.on(job, machine)
    }

    /// An open job of these numbers, its times on the machines taken in.
    #[inline]
    pub(crate) fn open_job(&self, event: &Event, arrival: Time, times: &mut Times) -> Pending {
        let Event::Job { id, processing, weight, class } = event;
        let (id, class, weight) = (*id, *class, *weight);
        let (processing, row) = match (processing, &self.factors) {
            (Processing::Same(time), None) => (*time, ALIKE),
            (processing, factors) => times_of(processing, factors.as_deref(), class, times),
        };
        Pending { id, class, processing, weight, arrival, row }
    }

    /// Why these machines cannot have a job of this processing time, if so.
    fn processing_objection(&self, processing: &Processing) -> Option<String> {
        let amount = |x: f64| (0.0..=LARGEST).contains(&x);
        let list = match processing {
            Processing::Same(time) => {
                return (!amount(*time)).then(|| format!("a time that is not from 0 to {LARGEST}"));
            }
            Processing::ByMachine(list) => list,
        };
        if list.len() != self.machines {
            return Some(format!("times for {} machines of {}", list.len(), self.machines));
        }
        if !list.iter().any(|time| time.is_finite()) {
            return Some("no machine that can do it".to_string());
        }
        let wrong = |&time: &Time| time != CANNOT && !amount(time);
        list.iter().any(wrong).then(|| format!("a time that is not from 0 to {LARGEST}"))
    }
}

/// Takes in the times of a job of a class by machine; returns the least of them, and the job's row.
#[inline(never)]
fn times_of(
    processing: &Processing,
    factors: Option<&Factors>,
    class: u32,
    times: &mut Times,
) -> (Time, u32) {
    match (processing, factors) {
        (Processing::Same(time), None) => (*time, ALIKE),
        (Processing::Same(time), Some(factors)) => times.take_in(factors.times(*time, class)),
        (Processing::ByMachine(list), _) => times.take_in(list.iter().copied()),
    }
}

/// Offline days whose jobs are far from those of the published ones are in other units of time: there the longest job
/// is seen as a published one. Online days are brought into the units of their law instead.
fn seen_time(scenario: &SchedulingDay, law: &Law) -> Time {
    const LONGEST: f64 = 100.0;
    let longest = scenario.jobs.iter().map(|job| job.processing.longest()).fold(0.0, f64::max);
    let published = (0.5 * LONGEST..=LONGEST).contains(&longest);
    if scenario.horizon > 0.0 || *law != Law::Unknown || published || longest == 0.0 {
        1.0
    } else {
        longest / LONGEST
    }
}

impl State {
    /// Completes what machine `index` runs, if it is due.
    #[inline]
    fn complete_if_due(&mut self, index: usize) {
        let machine = &mut self.machines[index];
        if let Some(run) = machine.run.filter(|run| run.until <= self.now) {
            machine.run = None;
            self.weight_in_system -= run.weight;
            self.waiting = false;
        }
    }
}

impl Problem for Scheduling {
    type State = State;
    type Action = Action;
    type Event = Event;

    fn initial(&self) -> State {
        State {
            now: 0.0,
            pending: Vec::new(),
            machines: vec![Machine::default(); self.machines],
            times: Times::new(self.machines),
            arrived: 0,
            next_id: 0,
            weight_in_system: 0.0,
            closed: false,
            waiting: false,
        }
    }

    #[inline]
    fn now(&self, state: &State) -> Time {
        state.now
    }

    #[inline]
    fn status(&self, state: &State) -> Status {
        if !state.waiting && state.can_start() {
            return Status::Decide;
        }
        match state.next_completion() {
            until if until.is_finite() => Status::Running { until },
            _ if state.closed => Status::Done,
            _ => Status::Idle,
        }
    }

    fn menu(&self, state: &State, menu: &mut Menu<Action>) {
        menu.clear();
        for job in &state.pending {
            for (i, machine) in (0..).zip(&state.machines) {
                let reason = match machine.run {
                    Some(_) => Some("the machine is busy"),
                    None if !state.times.able(job, i) => Some("the machine cannot do the job"),
                    None => None,
                };
                menu.push(Action::Assign { job: job.id, machine: i }, reason);
            }
        }
        let reason = (!state.may_wait()).then_some(
            "nothing more can arrive and no machine is running, so nothing would happen",
        );
        menu.push(Action::Wait, reason);
    }

    /// A job that takes no time is complete at once, so that everything due now happens before the next decision.
    #[inline]
    fn apply(&self, state: &mut State, action: Action) -> Cost {
        match action {
            Action::Wait => state.waiting = true,
            Action::Assign { job, machine: index } => {
                let position = state.position(job).expect("a legal action names a pending job");
                let job = state.pending.remove(position);
                let machine = &mut state.machines[index as usize];
                let took = self.duration(&state.times, &job, index, machine.class);
                let until = state.now + took;
                state.times.release(job.row);
                machine.class = Some(job.class);
                machine.run = Some(JobRun { job: job.id, weight: job.weight, until });
                state.complete_if_due(index as usize);
            }
        }
        0.0
    }

    #[inline]
    fn advance(&self, state: &mut State, to: Time) -> Cost {
        let cost = state.weight_in_system * (to - state.now);
        state.now = to;
        for index in 0..state.machines.len() {
            state.complete_if_due(index);
        }
        cost
    }

    fn objection(&self, state: &State, event: &Event) -> Option<String> {
        let Event::Job { id, ref processing, weight, class } = *event;
        let classes = self.setup.classes;
        let running = |machine: &Machine| machine.run.is_some_and(|run| run.job == id);
        if class as usize >= classes {
            Some(format!("job {id} is of class {class} among {classes}"))
        } else if let Some(what) = self.processing_objection(processing) {
            Some(format!("job {id} has {what}"))
        } else if !(0.0..=LARGEST).contains(&weight) {
            Some(format!("job {id} has a weight that is not from 0 to {LARGEST}"))
        } else if id == u32::MAX {
            Some(format!("{id} is no number of a job"))
        } else if state.position(id).is_some() || state.machines.iter().any(running) {
            Some(format!("there is a job {id} already"))
        } else {
            None
        }
    }

    #[inline]
    fn happen(&self, state: &mut State, event: &Event) {
        let job = self.open_job(event, state.now, &mut state.times);
        state.add(job);
        state.arrived += 1;
        state.next_id = state.next_id.max(job.id + 1);
        state.weight_in_system += job.weight;
        state.waiting = false;
    }

    #[inline]
    fn closing_time(&self, state: &State) -> Option<Time> {
        (!state.closed).then(|| self.law.closing(self.horizon))
    }

    #[inline]
    fn close(&self, state: &mut State) -> Cost {
        state.closed = true;
        state.waiting = false;
        0.0
    }

    fn key(&self, state: &State) -> StateKey {
        let mut key = KeyMixer::default();
        key.number(state.now);
        key.word(u64::from(state.closed) | u64::from(state.waiting) << 1);
        key.word(u64::from(state.arrived));
        for machine in &state.machines {
            key.word(machine.class.map_or(u64::MAX, u64::from));
            key.word(machine.run.map_or(u64::MAX, |run| u64::from(run.job)));
            key.number(machine.run.map_or(0.0, |run| run.until));
            key.number(machine.run.map_or(0.0, |run| run.weight));
        }
        for job in &state.pending {
            key.word(u64::from(job.id) << 32 | u64::from(job.class));
            match state.times.row(job) {
                None => key.number(job.processing),
                Some(times) => times.iter().for_each(|time| key.number(*time)),
            }
            key.number(job.weight);
            key.number(job.arrival);
        }
        key.finish()
    }

    fn sample_future(&self, state: &State, until: Time, rng: &mut Rng, out: &mut Tape<Event>) {
        self.sample_future_within(state, until, &Meter::unlimited(), rng, out);
    }

    fn sample_future_within(
        &self,
        state: &State,
        until: Time,
        meter: &Meter<'_>,
        rng: &mut Rng,
        out: &mut Tape<Event>,
    ) -> bool {
        state.closed || self.law.sample(state.now, until, state.next_id, meter, rng, out)
    }

    fn slot(&self, state: &State, _menu: &Menu<Action>, action: Action) -> Option<usize> {
        let machines = state.machines.len();
        match action {
            Action::Assign { job, machine } => {
                let machine = Some(machine as usize).filter(|&machine| machine < machines)?;
                Some(state.position(job)? * machines + machine)
            }
            Action::Wait => Some(state.pending.len() * machines),
        }
    }

    /// What WSPT starts.
    fn at_hand(&self, state: &State) -> Action {
        Wspt::default().step(self, state)
    }
}
