//! The current solution, the best one, and the way back.

use super::piece::Piece;
use super::schedule::Line;
use super::shop::Shop;
use crate::plan::{Instance, Plan};
use solo_core::{Cost, Finder, Meter, Time};

/// A start is completed by trying at most this many positions: some ten milliseconds.
const MOST_TRIED: usize = 5_000_000;

/// The current solution with its undo, the best solution, and scratch. Nothing here allocates once it has grown.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    pub(super) shop: Shop,
    pub(super) lines: Vec<Line>,
    /// The touched lines as they were.
    saved: Vec<Line>,
    touched: Vec<usize>,
    is_touched: Vec<bool>,
    /// Whether a job is in a line, while a start is made.
    pub(super) placed: Vec<bool>,
    pub(super) removed: Vec<u32>,
    pub(super) pieces: Vec<Piece>,
    /// The best solution's jobs, machine by machine.
    pub(super) best: Vec<Vec<u32>>,
}

impl Search {
    /// Starts from a plan: its jobs that are still open, each once, in its order. [`Search::complete`] adds the others.
    pub(super) fn start<const RELEASES: bool>(&mut self, instance: &Instance, plan: Option<&Plan>) {
        let machines = self.shop.heads.len();
        self.lines.resize_with(machines, Line::default);
        self.saved.resize_with(machines, Line::default);
        self.best.resize_with(machines, Vec::new);
        self.is_touched.clear();
        self.is_touched.resize(machines, false);
        self.touched.clear();
        self.placed.clear();
        self.placed.resize(instance.jobs.len(), false);
        let finder = Finder::new(instance.jobs.iter().map(|job| job.id));
        for (machine, line) in self.lines.iter_mut().enumerate() {
            let sequence = plan.and_then(|plan| plan.sequences.get(machine));
            let jobs = sequence.map_or(&[][..], Vec::as_slice).iter().filter_map(|&id| {
                let job = finder.find(id)?;
                if !self.shop.able(machine, job as u32) {
                    return None;
                }
                let first = !std::mem::replace(&mut self.placed[job], true);
                first.then_some(job as u32)
            });
            line.fill::<RELEASES>(&self.shop, machine, jobs);
        }
    }

    /// Puts in the jobs that are in no line, by processing time over weight, each where it costs least. Where that would
    /// take long, they go to the ends of the lines instead.
    pub(super) fn complete<const RELEASES: bool>(&mut self, meter: &Meter<'_>) {
        let missing = (0..).zip(&self.placed).filter(|(_, placed)| !**placed);
        self.removed.clear();
        self.removed.extend(missing.map(|(job, _)| job));
        self.pieces.clear();
        for k in 0..self.removed.len() {
            self.pieces.push(Piece::new(&self.shop, &self.removed, k));
        }
        self.sort_by(|piece| piece.processing / piece.weight);
        let tried = self.removed.len() * self.placed.len();
        let most = if tried <= MOST_TRIED && meter.affords(tried) { self.pieces.len() } else { 0 };
        let done = self.put_back::<RELEASES>(most, meter, || false);
        if done < self.pieces.len() {
            self.pieces.drain(..done);
            self.append::<RELEASES>();
        }
        self.keep();
    }

    /// Puts the pieces, in order of release and then in their order, at the end of the line that is free first.
    fn append<const RELEASES: bool>(&mut self) {
        let (shop, removed) = (&self.shop, &self.removed);
        let task = |piece: &Piece| &shop.tasks[removed[piece.first as usize] as usize];
        if RELEASES {
            self.pieces
                .sort_by(|a, b| task(a).release.max(0.0).total_cmp(&task(b).release.max(0.0)));
        }
        let mut free: Vec<Time> = Vec::new();
        let mut jobs: Vec<Vec<u32>> = Vec::new();
        for line in &self.lines {
            free.push(line.slots[line.len()].end);
            jobs.push(line.jobs().collect());
        }
        for piece in &self.pieces {
            let on = |machine: usize| piece.on(shop, machine, removed).processing;
            let able = (0..free.len()).filter(|&machine| on(machine).is_finite());
            let least = able.min_by(|&a, &b| free[a].total_cmp(&free[b])).unwrap_or(0);
            free[least] = free[least].max(task(piece).release) + on(least);
            jobs[least].extend(piece.jobs(removed));
        }
        for (machine, jobs) in jobs.into_iter().enumerate() {
            self.lines[machine].fill::<RELEASES>(shop, machine, jobs.into_iter());
        }
    }

    /// The best solution as a plan.
    pub(super) fn plan(&self, instance: &Instance) -> Plan {
        let ids =
            |jobs: &Vec<u32>| jobs.iter().map(|&job| instance.jobs[job as usize].id).collect();
        Plan { sequences: self.best.iter().map(ids).collect() }
    }

    /// Saves a line before its first change.
    #[inline]
    pub(super) fn touch(&mut self, machine: usize) {
        if !self.is_touched[machine] {
            self.is_touched[machine] = true;
            self.touched.push(machine);
            self.saved[machine].copy(&self.lines[machine]);
        }
    }

    /// Small gains that the changed lines allow at once.
    pub(super) fn polish<const RELEASES: bool>(&mut self) {
        for &machine in &self.touched {
            self.lines[machine].sort_runs::<RELEASES>(&self.shop);
        }
    }

    /// What the changes since the last [`Search::keep`] or [`Search::undo`] cost.
    pub(super) fn change(&self) -> Cost {
        self.touched
            .iter()
            .map(|&machine| self.lines[machine].cost - self.saved[machine].cost)
            .sum()
    }

    /// Accepts the changes.
    pub(super) fn keep(&mut self) {
        for machine in self.touched.drain(..) {
            self.is_touched[machine] = false;
        }
    }

    /// Takes the changes back.
    pub(super) fn undo(&mut self) {
        for machine in self.touched.drain(..) {
            self.is_touched[machine] = false;
            std::mem::swap(&mut self.lines[machine], &mut self.saved[machine]);
        }
    }

    /// The current cost, computed anew so that rounding never adds up.
    pub(super) fn recount<const RELEASES: bool>(&mut self) -> Cost {
        for line in &mut self.lines {
            line.rebuild::<RELEASES>(&self.shop);
        }
        self.lines.iter().map(|line| line.cost).sum()
    }

    /// Makes the current solution the best one.
    pub(super) fn remember(&mut self) {
        for (best, line) in self.best.iter_mut().zip(&self.lines) {
            best.clear();
            best.extend(line.jobs());
        }
    }
}
