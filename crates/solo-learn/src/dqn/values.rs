//! Values of many states, on several threads.

use solo_core::{Graph, pool};
use solo_nn::{Infer, Qnet};

/// States are always dealt out to this many parts, whatever the threads: a value may depend in its
/// last digit on what is computed with it, so that must not depend on the machine.
const PARTS: usize = 4;

/// A state as a network sees it: its graph and its legal slots.
pub type Seen<'g> = (&'g Graph, &'g [u32]);

/// Scratch to compute the values of many states in.
pub struct BatchValues {
    threads: usize,
    parts: Vec<Part>,
}

#[derive(Default)]
struct Part {
    infer: Infer,
    q: Vec<f32>,
    offsets: Vec<usize>,
}

impl BatchValues {
    /// Computes on up to `threads` threads.
    pub fn new(threads: usize) -> Self {
        let parts = (0..PARTS).map(|_| Part::default()).collect();
        Self { threads: threads.clamp(1, PARTS), parts }
    }

    /// Computes the values of all slots of these states, and hands those of each to `hear`, in
    /// order.
    pub fn of(&mut self, net: &Qnet, seen: &[Seen<'_>], mut hear: impl FnMut(usize, &[f32])) {
        let size = seen.len().div_ceil(PARTS).max(1);
        let mut work: Vec<_> = self.parts.iter_mut().zip(seen.chunks(size)).collect();
        pool::spread(&mut work, self.threads, |(part, seen)| {
            part.infer.q_values_batch(net, seen, &mut part.q, &mut part.offsets);
        });
        let mut index = 0;
        for (part, seen) in &work {
            for i in 0..seen.len() {
                hear(index, &part.q[part.offsets[i]..part.offsets[i + 1]]);
                index += 1;
            }
        }
    }
}
