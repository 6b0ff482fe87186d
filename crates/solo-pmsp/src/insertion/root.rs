//! What a search does with a kept plan before it plays: plan well, and list what is worth playing.

use super::{InsertionPlan, Stop};
use crate::dynamics::Scheduling;
use crate::plan::Plan;
use crate::ruin::Ruin;
use crate::state::{Action, Pending, State};
use solo_core::{Finder, Meter, RolloutPolicy};

impl RolloutPolicy<Scheduling> for InsertionPlan {
    type Planner = Ruin;

    /// Takes over a plan of the open jobs; jobs that it lacks are inserted.
    fn adopt(&mut self, problem: &Scheduling, state: &State, plan: &Plan, meter: &Meter<'_>) {
        let finder = Finder::new(state.pending.iter().map(|job| job.id));
        self.clear(state);
        for ((machine, line), sequence) in (0..).zip(&mut self.lines).zip(&plan.sequences) {
            let open = sequence.iter().filter_map(|&job| finder.find(job));
            let able = open.filter(|&at| state.times.able(&state.pending[at], machine));
            line.extend(able.map(|at| Stop { job: state.pending[at], end: 0.0, weight: 0.0 }));
        }
        self.planned = self.lines.iter().map(Vec::len).sum();
        self.known = state.next_id;
        self.count_all(problem, state);
        if self.planned != state.pending.len() {
            let mut planned: Vec<u32> =
                self.lines.iter().flatten().map(|stop| stop.job.id).collect();
            planned.sort_unstable();
            let lacks = |job: &&Pending| planned.binary_search(&job.id).is_err();
            let lacking: Vec<Pending> = state.pending.iter().filter(lacks).copied().collect();
            self.insert_all(problem, state, &lacking, meter);
        }
    }

    /// Waiting; what the plan has first on each free machine; of every class the job with the smallest
    /// (setup + processing) / weight, on the free machine that suits it; then the next best pairs.
    fn shortlist(
        &mut self,
        problem: &Scheduling,
        state: &State,
        most: usize,
        meter: &Meter<'_>,
        out: &mut Vec<Action>,
    ) {
        out.push(Action::Wait);
        self.follow_within(problem, state, meter);
        for (machine, _) in state.free() {
            if let Some(stop) = self.lines[machine as usize].first() {
                out.push(Action::Assign { job: stop.job.id, machine });
            }
        }
        // Where machines are alike, one free machine of each last class is enough.
        let alike = state.times.alike();
        let mut pairs: Vec<Pair> = Vec::new();
        let mut seen: Vec<Option<u32>> = Vec::new();
        for (index, machine) in state.free() {
            if alike && seen.contains(&machine.class) {
                continue;
            }
            if meter.cuts(4 * state.pending.len()) {
                return;
            }
            seen.push(machine.class);
            for job in state.pending.iter().filter(|job| alike || state.times.able(job, index)) {
                let took = problem.duration(&state.times, job, index, machine.class);
                let ratio = took / job.weight.max(1e-9);
                let action = Action::Assign { job: job.id, machine: index };
                pairs.push(Pair { ratio, place: pairs.len() as u32, class: job.class, action });
            }
        }
        // The best of every class come twice.
        let classes = problem.setup.classes;
        let mut best: Vec<Option<Pair>> = vec![None; classes];
        for pair in &pairs {
            let best = &mut best[pair.class as usize];
            if best.is_none_or(|best| pair.order(&best).is_lt()) {
                *best = Some(*pair);
            }
        }
        let mut best: Vec<Pair> = best.into_iter().flatten().collect();
        best.sort_unstable_by(Pair::order);
        let enough = most.saturating_add(out.len() + best.len());
        if enough < pairs.len() {
            pairs.select_nth_unstable_by(enough, Pair::order);
            pairs.truncate(enough);
        }
        pairs.sort_unstable_by(Pair::order);
        out.extend(best.iter().chain(&pairs).map(|pair| pair.action));
    }
}

/// A job and a machine.
#[derive(Clone, Copy)]
struct Pair {
    /// (setup + processing) / weight.
    ratio: f64,
    /// Its place among all.
    place: u32,
    class: u32,
    action: Action,
}

impl Pair {
    /// The smallest ratio first, the first of several.
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        self.ratio.total_cmp(&other.ratio).then(self.place.cmp(&other.place))
    }
}
