//! What is moved: a job, or several of one class.

use super::shop::Shop;
use solo_core::{Cost, Time};

/// Adjacent jobs of one class that are moved together, in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// Where its jobs begin among the removed ones.
    pub(super) first: u32,
    /// How many they are.
    pub(super) count: u32,
    pub(super) class: u32,
    /// On the machine that is fastest at each of its jobs, until it is looked at [`on`](Piece::on) one.
    pub(super) processing: Time,
    pub(super) weight: f64,
    /// The sum of weight times completion, if it were started at time 0 without setup or releases.
    pub(super) inner: Cost,
    /// Pieces are put back in ascending order of this.
    pub(super) key: f64,
}

impl Piece {
    /// A piece of the removed job at `first`.
    pub(super) fn new(shop: &Shop, removed: &[u32], first: usize) -> Self {
        let task = &shop.tasks[removed[first] as usize];
        Self {
            first: first as u32,
            count: 1,
            class: task.class,
            processing: task.processing,
            weight: task.weight,
            inner: task.weight * task.processing,
            key: 0.0,
        }
    }

    /// Adds the next removed job.
    pub(super) fn extend(&mut self, shop: &Shop, removed: &[u32]) {
        let task = &shop.tasks[removed[(self.first + self.count) as usize] as usize];
        self.count += 1;
        self.processing += task.processing;
        self.weight += task.weight;
        self.inner += task.weight * self.processing;
    }

    /// The piece on a machine: infinite processing if that cannot do all of its jobs.
    #[inline]
    pub(super) fn on(&self, shop: &Shop, machine: usize, removed: &[u32]) -> Self {
        if !shop.unrelated {
            return *self;
        }
        let base = shop.base_of(machine);
        let mut piece = Self { processing: 0.0, inner: 0.0, ..*self };
        for &job in self.jobs(removed) {
            let task = &shop.tasks[base + job as usize];
            piece.processing += task.processing;
            piece.inner += task.weight * piece.processing;
        }
        piece
    }

    /// Its jobs.
    pub(super) fn jobs<'j>(&self, removed: &'j [u32]) -> &'j [u32] {
        &removed[self.first as usize..(self.first + self.count) as usize]
    }
}
