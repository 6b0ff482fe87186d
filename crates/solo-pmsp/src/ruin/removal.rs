//! Ruin: jobs are taken out, in strings that lie near each other in time, or as a whole run of one class.

use super::RuinParams;
use super::piece::Piece;
use super::schedule::Line;
use super::search::Search;
use solo_core::Rng;

impl Search {
    /// Takes out jobs of a random neighbourhood, and forms the pieces in which they are to be put back.
    pub(super) fn ruin<const RELEASES: bool>(&mut self, params: &RuinParams, rng: &mut Rng) {
        self.removed.clear();
        self.pieces.clear();
        let glue = rng.unit() < params.glue;
        let (machine, at) = self.pick(rng);
        if rng.unit() < params.runs {
            let (first, count) = run(&self.lines[machine], at);
            self.take::<RELEASES>(machine, first, count, glue);
            return;
        }
        let time = self.lines[machine].slots[at].end;
        self.take_string::<RELEASES>(machine, at, params.length, glue, rng);
        for _ in 0..rng.below(params.strings.max(1)) {
            let machine = rng.below(self.lines.len());
            let line = &self.lines[machine];
            if line.len() > 0 {
                let before = line.slots[1..=line.len()].partition_point(|slot| slot.end < time);
                let at = (before + 1).min(line.len());
                self.take_string::<RELEASES>(machine, at, params.length, glue, rng);
            }
        }
    }

    /// A random job's place.
    fn pick(&self, rng: &mut Rng) -> (usize, usize) {
        let mut left = rng.below(self.shop.jobs);
        for (machine, line) in self.lines.iter().enumerate() {
            if left < line.len() {
                return (machine, left + 1);
            }
            left -= line.len();
        }
        unreachable!("every job is in a line")
    }

    /// Takes out a string of random length around slot `at`.
    fn take_string<const RELEASES: bool>(
        &mut self,
        machine: usize,
        at: usize,
        longest: usize,
        glue: bool,
        rng: &mut Rng,
    ) {
        let len = self.lines[machine].len();
        let count = 1 + rng.below(longest.clamp(1, len));
        // any window of this length that holds `at`
        let lowest = (at + 1).saturating_sub(count).max(1);
        let highest = at.min(len + 1 - count);
        let first = lowest + rng.below(highest - lowest + 1);
        self.take::<RELEASES>(machine, first, count, glue);
    }

    fn take<const RELEASES: bool>(
        &mut self,
        machine: usize,
        first: usize,
        count: usize,
        glue: bool,
    ) {
        self.touch(machine);
        let start = self.removed.len();
        self.lines[machine].remove::<RELEASES>(&self.shop, first, count, &mut self.removed);
        let pieces = self.pieces.len();
        for k in start..self.removed.len() {
            let class = self.shop.tasks[self.removed[k] as usize].class;
            match self.pieces[pieces..].last_mut() {
                Some(piece) if glue && piece.class == class => {
                    piece.extend(&self.shop, &self.removed);
                }
                _ => self.pieces.push(Piece::new(&self.shop, &self.removed, k)),
            }
        }
    }
}

/// The first slot and the number of jobs of the run of one class around slot `at`.
fn run(line: &Line, at: usize) -> (usize, usize) {
    let jobs = &line.slots[1..=line.len()];
    let class = jobs[at - 1].class;
    let before = jobs[..at].iter().rev().take_while(|slot| slot.class == class).count();
    let behind = jobs[at..].iter().take_while(|slot| slot.class == class).count();
    (at + 1 - before, before + behind)
}
