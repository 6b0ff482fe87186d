//! Schedules as a row of nodes, to be rewritten by swaps.
//!
//! Nodes 0 .. m are the machines, node m + k is the k-th open job. A row is a machine, its jobs in order, the next
//! machine, and so on; any two jobs may change places. With `c` classes a node has `2 c + 9` numbers: those of the
//! graph network (see [`encode`](crate::encode)), then start, end of setup and completion. Times count from now, and
//! those three are / 1000: a schedule is about ten times as long as a job. A machine's three times are when it is free.

use crate::dynamics::Scheduling;
use crate::encode::{TIME, WEIGHT};
use crate::plan::{Instance, Plan};
use crate::wspt::WsptPlan;
use solo_core::{Cost, Draft, Failure, Meter, Rewrite, Role, Time};

/// What times of a schedule are multiplied by beside those of jobs.
const SCHEDULE: f64 = 0.1;

/// A row under construction.
struct Row<'r> {
    problem: &'r Scheduling,
    instance: &'r Instance,
    draft: &'r mut Draft,
    now: Time,
    machine: u32,
    free: Time,
    class: Option<u32>,
}

impl<'r> Row<'r> {
    fn begin(problem: &'r Scheduling, instance: &'r Instance, draft: &'r mut Draft) -> Self {
        draft.nodes.clear();
        draft.roles.clear();
        draft.features.clear();
        draft.cost = 0.0;
        let now = instance.machines.iter().map(|ready| ready.at).fold(Time::INFINITY, Time::min);
        Self { problem, instance, draft, now, machine: 0, free: now, class: None }
    }

    fn push(&mut self, node: u32) {
        let machines = self.instance.machines.len() as u32;
        match node.checked_sub(machines) {
            None => self.machine(node),
            Some(job) => self.job(node, job as usize),
        }
    }

    fn machine(&mut self, node: u32) {
        let ready = self.instance.machines[node as usize];
        (self.machine, self.free, self.class) = (node, ready.at, ready.class);
        let classes = self.problem.setup.classes;
        let class = ready.class.map_or(classes, |class| class as usize);
        let remaining = (ready.at - self.now) * TIME / self.problem.seen_time;
        let numbers = self.add(node, Role::Fixed, [ready.at; 3]);
        numbers[4 + classes] = remaining as f32;
        numbers[5 + classes + class] = 1.0;
    }

    fn job(&mut self, node: u32, at: usize) {
        let job = &self.instance.jobs[at];
        let time = TIME / self.problem.seen_time;
        let start = self.free.max(job.arrival);
        let end =
            start + self.problem.duration(&self.instance.times, job, self.machine, self.class);
        (self.free, self.class) = (end, Some(job.class));
        self.draft.cost += job.weight * (end - job.arrival);
        let (now, classes) = (self.now, self.problem.setup.classes);
        let numbers = self.add(node, Role::Item, [start, end - job.processing, end]);
        numbers[0] = (job.processing * time) as f32;
        numbers[1] = (job.weight * WEIGHT) as f32;
        numbers[2] = ((job.arrival - now).max(0.0) * time) as f32;
        numbers[3 + job.class as usize] = 1.0;
        numbers[3 + classes] = 1.0;
    }

    /// Appends a node of zeros but for these times.
    fn add(&mut self, node: u32, role: Role, times: [Time; 3]) -> &mut [f32] {
        let width = self.problem.rewrite_features();
        let time = SCHEDULE * TIME / self.problem.seen_time;
        self.draft.nodes.push(node);
        self.draft.roles.push(role);
        let features = &mut self.draft.features;
        let start = features.len();
        features.resize(start + width - times.len(), 0.0);
        features.extend(times.map(|at| ((at - self.now) * time) as f32));
        &mut features[start..]
    }
}

impl Rewrite for Scheduling {
    fn rewrite_features(&self) -> usize {
        2 * self.setup.classes + 9
    }

    fn rewrite_words(&self, taught: usize, here: usize) -> (String, String) {
        let classes = |numbers: usize| numbers.saturating_sub(9) / 2;
        (format!("{} classes", classes(taught)), classes(here).to_string())
    }

    /// The plan by WSPT. Without time for it, the jobs in order of number, spread over the machines.
    fn first_draft(
        &self,
        instance: &Instance,
        meter: &Meter<'_>,
        draft: &mut Draft,
    ) -> Result<(), Failure> {
        let (jobs, machines) = (instance.jobs.len(), instance.machines.len());
        if machines == 0 && jobs > 0 {
            return Err(Failure::Refused("there is no machine to plan for".to_string()));
        }
        if !instance.times.alike() {
            let why = "swaps keep schedules of identical machines possible, and these machines are unrelated";
            return Err(Failure::Refused(why.to_string()));
        }
        let by_rule = if meter.affords(4 * jobs * jobs) {
            WsptPlan::default().plan(self, instance)
        } else {
            meter.cut();
            None
        };
        let mut row = Row::begin(self, instance, draft);
        let finder = solo_core::Finder::new(instance.jobs.iter().map(|job| job.id));
        for machine in 0..machines {
            row.push(machine as u32);
            match &by_rule {
                Some(plan) => {
                    let places = plan.sequences[machine].iter().filter_map(|&id| finder.find(id));
                    places.for_each(|at| row.push((machines + at) as u32));
                }
                None => {
                    (machine..jobs)
                        .step_by(machines)
                        .for_each(|at| row.push((machines + at) as u32));
                }
            }
        }
        Ok(())
    }

    fn swap(&self, instance: &Instance, draft: &Draft, [a, b]: [usize; 2], out: &mut Draft) {
        let mut row = Row::begin(self, instance, out);
        for (at, &node) in draft.nodes.iter().enumerate() {
            row.push(match at {
                _ if at == a => draft.nodes[b],
                _ if at == b => draft.nodes[a],
                _ => node,
            });
        }
    }

    fn drafted(&self, instance: &Instance, draft: &Draft) -> Plan {
        let machines = instance.machines.len() as u32;
        let mut plan = Plan::default();
        for &node in &draft.nodes {
            match node.checked_sub(machines) {
                None => plan.sequences.push(Vec::new()),
                Some(job) => {
                    if let Some(sequence) = plan.sequences.last_mut() {
                        sequence.push(instance.jobs[job as usize].id);
                    }
                }
            }
        }
        plan
    }

    /// The mean cost of a job: so one model serves days of any number of jobs, weights and units.
    fn rewrite_unit(&self, instance: &Instance, first: &Draft) -> Cost {
        let mean = first.cost / instance.jobs.len().max(1) as f64;
        if mean > 0.0 { mean } else { 1.0 }
    }
}
