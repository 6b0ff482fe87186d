//! The solution: a line of jobs per machine, with prefix times and suffix weights.

use super::piece::Piece;
use super::shop::Shop;
use solo_core::{Cost, Time};

/// The job number of the two ends of a line.
pub(super) const NOBODY: u32 = u32::MAX;

/// A job in its place, or one of the two ends of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// When it is complete.
    pub(super) end: Time,
    /// The weight of all jobs that move when this one does: from here to the line's end, or, with releases, up to the
    /// next idle time.
    pub(super) suffix: f64,
    /// Its setup after the job before it.
    pub(super) setup: Time,
    pub(super) job: u32,
    pub(super) class: u32,
}

/// Where the idle time behind a job is; only kept up with releases.
#[derive(Clone, Copy, Debug, Default)]
struct Idle {
    /// The first slot after this one that starts only when its job comes; the tail if there is none.
    next: u32,
    /// How long the machine stands idle before this slot.
    before: Time,
}

/// What one machine does: `[head, jobs..., tail]`. The head is the machine as it stands, the tail is after the last job.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pub(super) slots: Vec<Slot>,
    /// Where the tasks on its machine begin.
    base: usize,
    idle: Vec<Idle>,
    /// The sum of weight times completion.
    pub(super) cost: Cost,
}

impl Line {
    /// How many jobs it has.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.slots.len() - 2
    }

    /// The jobs, first to last.
    pub(super) fn jobs(&self) -> impl Iterator<Item = u32> {
        self.slots[1..self.slots.len() - 1].iter().map(|slot| slot.job)
    }

    /// Makes this a copy of `line`, without allocating once it has grown.
    #[inline]
    pub(super) fn copy(&mut self, line: &Line) {
        self.slots.clone_from(&line.slots);
        self.base = line.base;
        self.idle.clone_from(&line.idle);
        self.cost = line.cost;
    }

    /// Makes this the line of `machine` with these jobs.
    pub(super) fn fill<const RELEASES: bool>(
        &mut self,
        shop: &Shop,
        machine: usize,
        jobs: impl Iterator<Item = u32>,
    ) {
        let head = shop.heads[machine];
        self.base = shop.base_of(machine);
        let slot = |end, job, class| Slot { end, suffix: 0.0, setup: 0.0, job, class };
        self.slots.clear();
        self.slots.push(slot(head.at, NOBODY, head.class));
        self.slots.extend(jobs.map(|job| slot(0.0, job, shop.tasks[job as usize].class)));
        self.slots.push(slot(0.0, NOBODY, shop.fresh()));
        self.idle.clear();
        self.rebuild::<RELEASES>(shop);
    }

    /// Recomputes everything from the order of jobs.
    pub(super) fn rebuild<const RELEASES: bool>(&mut self, shop: &Shop) {
        let tail = self.slots.len() - 1;
        if RELEASES {
            self.idle.clear();
            self.idle.resize(tail + 1, Idle::default());
        }
        let tasks = &shop.tasks[self.base..];
        let mut previous = self.slots[0];
        self.cost = 0.0;
        for (k, slot) in self.slots[..tail].iter_mut().enumerate().skip(1) {
            let task = tasks[slot.job as usize];
            let mut start = previous.end;
            if RELEASES && task.release > start {
                self.idle[k].before = task.release - start;
                start = task.release;
            }
            slot.setup = shop.setup(previous.class, slot.class);
            slot.end = start + slot.setup + task.processing;
            self.cost += task.weight * slot.end;
            previous = *slot;
        }
        let mut suffix = 0.0;
        let mut next = tail as u32;
        for k in (1..tail).rev() {
            suffix += tasks[self.slots[k].job as usize].weight;
            self.slots[k].suffix = suffix;
            if RELEASES {
                self.idle[k].next = next;
                if self.idle[k].before > 0.0 {
                    (suffix, next) = (0.0, k as u32);
                }
            }
        }
    }

    /// Takes out `count` jobs from slot `at` on and appends them to `removed`.
    pub(super) fn remove<const RELEASES: bool>(
        &mut self,
        shop: &Shop,
        at: usize,
        count: usize,
        removed: &mut Vec<u32>,
    ) {
        let gone = &self.slots[at..at + count];
        removed.extend(gone.iter().map(|slot| slot.job));
        if !RELEASES {
            let (previous, last, next) =
                (self.slots[at - 1], self.slots[at + count - 1], self.slots[at + count]);
            let setup = shop.setup(previous.class, next.class);
            let shift = previous.end + setup - last.end - next.setup;
            let weight = gone[0].suffix - next.suffix;
            for slot in gone {
                self.cost -= shop.tasks[slot.job as usize].weight * slot.end;
            }
            self.cost += shift * next.suffix;
            self.slots[at + count].setup = setup;
            self.shift(at, -weight, at + count, shift);
        }
        self.slots.drain(at..at + count);
        if RELEASES {
            self.rebuild::<RELEASES>(shop);
        }
    }

    /// Adds `weight` to the suffixes of the slots before `at`, and `delay` to the ends of those from `behind` on.
    #[inline]
    fn shift(&mut self, at: usize, weight: f64, behind: usize, delay: Time) {
        for slot in &mut self.slots[1..at] {
            slot.suffix += weight;
        }
        for slot in &mut self.slots[behind..] {
            slot.end += delay;
        }
    }

    /// Puts a piece before slot `at`, at the stated extra cost.
    pub(super) fn insert<const RELEASES: bool>(
        &mut self,
        shop: &Shop,
        piece: &Piece,
        jobs: &[u32],
        at: usize,
        extra: Cost,
    ) {
        let (previous, next) = (self.slots[at - 1], self.slots[at]);
        let (into, out) =
            (shop.setup(previous.class, piece.class), shop.setup(piece.class, next.class));
        let mut new = Slot {
            end: previous.end + into,
            suffix: next.suffix + piece.weight,
            setup: into,
            job: NOBODY,
            class: piece.class,
        };
        for (k, &job) in jobs.iter().enumerate() {
            let task = &shop.tasks[self.base + job as usize];
            new.job = job;
            new.end += task.processing;
            self.slots.insert(at + k, new);
            new.suffix -= task.weight;
            new.setup = 0.0;
        }
        if RELEASES {
            self.rebuild::<RELEASES>(shop);
        } else {
            self.slots[at + jobs.len()].setup = out;
            let delay = into + piece.processing + out - next.setup;
            self.shift(at, piece.weight, at + jobs.len(), delay);
            self.cost += extra;
        }
    }

    /// Brings every run of one class into order of processing time over weight, as far as releases allow: always a gain.
    pub(super) fn sort_runs<const RELEASES: bool>(&mut self, shop: &Shop) {
        for k in 2..=self.len() {
            let mut at = k;
            while self.slots[at].class == self.slots[at - 1].class
                && self.swap_if_better::<RELEASES>(shop, at)
            {
                at -= 1;
            }
        }
    }

    /// Exchanges slot `at` with the one before it, of the same class, if that saves cost.
    #[inline]
    fn swap_if_better<const RELEASES: bool>(&mut self, shop: &Shop, at: usize) -> bool {
        let [a, b] = [self.slots[at - 1], self.slots[at]];
        if a.job == NOBODY {
            return false;
        }
        let [first, second] = [a.job, b.job].map(|job| &shop.tasks[self.base + job as usize]);
        let change = first.weight * second.processing - second.weight * first.processing;
        if change >= 0.0 {
            return false;
        }
        if RELEASES {
            let start = a.end - first.processing - a.setup;
            let idle = self.idle[at - 1].before > 0.0 || self.idle[at].before > 0.0;
            if idle || second.release > start {
                return false;
            }
        }
        self.cost += change;
        self.slots[at - 1].job = b.job;
        self.slots[at - 1].end = a.end - first.processing + second.processing;
        self.slots[at].job = a.job;
        self.slots[at].suffix = b.suffix - second.weight + first.weight;
        true
    }

    /// The cheapest place for a piece on this line, other than slot `not`: the slot it would stand before and the extra
    /// cost, if that is below `bound`.
    #[inline]
    pub(super) fn cheapest<const RELEASES: bool>(
        &self,
        shop: &Shop,
        piece: &Piece,
        jobs: &[u32],
        bound: Cost,
        not: usize,
    ) -> Option<(usize, Cost)> {
        let (into, from) = (shop.into(piece.class), shop.from(piece.class));
        let mut best = bound - piece.inner;
        let mut found = 0;
        let mut first = 1;
        if RELEASES {
            // nobody who could be done before the piece comes is made to wait for it
            let release = shop.tasks[jobs[0] as usize].release;
            first += self.slots[1..=self.len()].partition_point(|slot| slot.end <= release);
        }
        let mut previous = &self.slots[first - 1];
        for (k, next) in self.slots.iter().enumerate().skip(first) {
            let own = piece.weight * previous.end;
            if own >= best {
                break;
            }
            let setup = into[previous.class as usize];
            let extra = if RELEASES {
                self.simulate(shop, jobs, k, setup, from[next.class as usize], best + piece.inner)
                    - piece.inner
            } else {
                let delay = setup + piece.processing + from[next.class as usize] - next.setup;
                own + piece.weight * setup + next.suffix * delay
            };
            if extra < best && k != not {
                (best, found) = (extra, k);
            }
            previous = next;
        }
        (found > 0).then_some((found, best + piece.inner))
    }

    /// The extra cost of putting `jobs` before slot `at`, counted at least up to `bound`. A delay is carried from one
    /// busy stretch to the next until idle time has absorbed it.
    fn simulate(
        &self,
        shop: &Shop,
        jobs: &[u32],
        at: usize,
        into: Time,
        out: Time,
        bound: Cost,
    ) -> Cost {
        let tasks = &shop.tasks[self.base..];
        let mut time = self.slots[at - 1].end;
        let mut setup = into;
        let mut extra = 0.0;
        for &job in jobs {
            let task = &tasks[job as usize];
            time = time.max(task.release) + setup + task.processing;
            extra += task.weight * time;
            setup = 0.0;
        }
        let tail = self.slots.len() - 1;
        if at == tail {
            return extra;
        }
        let task = &tasks[self.slots[at].job as usize];
        let mut delay = time.max(task.release) + out + task.processing - self.slots[at].end;
        if delay < 0.0 {
            return extra + self.hasten(shop, at, delay);
        }
        let mut k = at;
        while delay > 0.0 && extra < bound {
            extra += delay * self.slots[k].suffix;
            k = self.idle[k].next as usize;
            if k == tail {
                break;
            }
            delay -= self.idle[k].before;
        }
        extra
    }

    /// The (negative) extra cost when slot `at` ends earlier: without the triangle inequality a detour can save setup.
    fn hasten(&self, shop: &Shop, at: usize, mut delay: Time) -> Cost {
        let tasks = &shop.tasks[self.base..];
        let tail = self.slots.len() - 1;
        let mut extra = 0.0;
        for k in at..tail {
            let task = &tasks[self.slots[k].job as usize];
            if k > at {
                let start = (self.slots[k - 1].end + delay).max(task.release);
                delay = start + self.slots[k].setup + task.processing - self.slots[k].end;
            }
            if delay >= 0.0 {
                break;
            }
            extra += delay * task.weight;
        }
        extra
    }
}
