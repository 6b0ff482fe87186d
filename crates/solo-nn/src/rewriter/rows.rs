//! Sequences of different lengths side by side: the rows of a step lie together, the longest sequence first.

/// Which row holds which node of which sequence. Row `step[t] + slot` is node t of the sequence in that slot; only
/// sequences that are longer than t have one, and these are the first slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// Where the rows of each step begin; one more at the end.
    pub(crate) step: Vec<usize>,
    /// The slot of each sequence.
    pub(crate) slot: Vec<u32>,
    /// How many nodes each sequence has.
    pub(crate) length: Vec<usize>,
    /// For each row, that of the same sequence's node as far from its end as this one is from its beginning.
    pub(crate) mirror: Vec<u32>,
    /// For each row, its slot.
    pub(crate) slot_of: Vec<u32>,
    order: Vec<u32>,
}

impl Rows {
    /// Lays out sequences of these lengths.
    pub(crate) fn lay_out(&mut self, lengths: impl Iterator<Item = usize>) {
        self.length.clear();
        self.length.extend(lengths);
        let Self { step, slot, length, mirror, slot_of, order } = self;
        order.clear();
        order.extend(0..length.len() as u32);
        order.sort_by_key(|&s| std::cmp::Reverse(length[s as usize])); // stable, so the same everywhere
        slot.clear();
        slot.resize(length.len(), 0);
        for (at, &sequence) in (0..).zip(&*order) {
            slot[sequence as usize] = at;
        }
        step.clear();
        step.push(0);
        slot_of.clear();
        let mut active = length.len();
        for t in 0.. {
            while active > 0 && length[order[active - 1] as usize] <= t {
                active -= 1;
            }
            if active == 0 {
                break;
            }
            slot_of.extend(0..active as u32);
            step.push(slot_of.len());
        }
        mirror.clear();
        for t in 0..step.len() - 1 {
            let active = step[t + 1] - step[t];
            mirror.extend((0..active).map(|at| {
                let length = length[order[at] as usize];
                (step[length - 1 - t] + at) as u32
            }));
        }
    }

    /// How many rows.
    pub(crate) fn len(&self) -> usize {
        self.slot_of.len()
    }

    /// How many steps: the length of the longest sequence.
    pub(crate) fn steps(&self) -> usize {
        self.step.len() - 1
    }

    /// How many sequences have a node at step `t`.
    pub(crate) fn active(&self, t: usize) -> usize {
        self.step[t + 1] - self.step[t]
    }

    /// The row of a node.
    pub(crate) fn row(&self, sequence: usize, node: usize) -> usize {
        self.step[node] + self.slot[sequence] as usize
    }

    /// The sequence in each slot.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_a_row_of_its_own() {
        let lengths = [3, 5, 1, 5, 2];
        let mut rows = Rows::default();
        rows.lay_out(lengths.into_iter());
        assert_eq!((rows.len(), rows.steps()), (16, 5));
        let mut seen = vec![false; rows.len()];
        for (sequence, length) in lengths.into_iter().enumerate() {
            for node in 0..length {
                let row = rows.row(sequence, node);
                assert!(!std::mem::replace(&mut seen[row], true));
                assert_eq!(rows.mirror[row] as usize, rows.row(sequence, length - 1 - node));
                assert_eq!(rows.slot_of[row], rows.slot[sequence]);
                assert_eq!(rows.order()[rows.slot_of[row] as usize] as usize, sequence);
            }
        }
    }
}
