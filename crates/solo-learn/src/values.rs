//! Values of many states, by several threads.

use solo_core::Graph;
use solo_nn::{Infer, Qnet};
use std::thread;

/// Parts that states are dealt out to, whatever the threads: a value may depend in its last digit on what is computed with
/// it, so that must not depend on the machine.
const PARTS: usize = 4;

/// A state as a network sees it: its graph and its legal slots.
pub type Seen<'g> = (&'g Graph, &'g [u32]);

/// Room to compute the values of many states in.
pub struct Values {
    threads: usize,
    parts: Vec<Part>,
}

#[derive(Default)]
struct Part {
    infer: Infer,
    q: Vec<f32>,
    offsets: Vec<usize>,
}

impl Values {
    /// Computes on up to so many threads.
    pub fn new(threads: usize) -> Self {
        let parts = (0..PARTS).map(|_| Part::default()).collect();
        Self { threads: threads.clamp(1, PARTS), parts }
    }

    /// Computes the values of all slots of these states, and tells `hear` those of each in order.
    pub fn of(&mut self, net: &Qnet, seen: &[Seen<'_>], mut hear: impl FnMut(usize, &[f32])) {
        let size = seen.len().div_ceil(PARTS).max(1);
        let mut work: Vec<_> = self.parts.iter_mut().zip(seen.chunks(size)).collect();
        let share = work.len().div_ceil(self.threads).max(1);
        let compute = |work: &mut [(&mut Part, &[Seen<'_>])]| {
            for (part, seen) in work {
                part.infer.q_values_batch(net, seen, &mut part.q, &mut part.offsets);
            }
        };
        if self.threads == 1 {
            compute(&mut work);
        } else {
            thread::scope(|scope| {
                for work in work.chunks_mut(share) {
                    scope.spawn(move || compute(work));
                }
            });
        }
        let mut index = 0;
        for (part, seen) in &work {
            for i in 0..seen.len() {
                hear(index, &part.q[part.offsets[i]..part.offsets[i + 1]]);
                index += 1;
            }
        }
    }
}
