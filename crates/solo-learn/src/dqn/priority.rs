//! Drawing by priority in logarithmic time.

/// Numbers with all their partial sums, in a binary tree: changing one and drawing by them both
/// take log n.
///
/// An inner number is always the sum of the two below it, so the tree is a function of its leaves
/// alone.
#[derive(Clone, Debug)]
pub struct SumTree {
    /// Node i has the children 2 i and 2 i + 1; the leaves begin at `half`.
    sums: Vec<f64>,
    half: usize,
}

impl SumTree {
    /// `capacity` zeros.
    pub fn new(capacity: usize) -> Self {
        let half = capacity.next_power_of_two().max(1);
        Self { sums: vec![0.0; 2 * half], half }
    }

    /// The sum of all.
    pub fn total(&self) -> f64 {
        self.sums[1]
    }

    /// Number `index`.
    pub fn get(&self, index: usize) -> f64 {
        self.sums[self.half + index]
    }

    /// Makes number `index` this.
    pub fn set(&mut self, index: usize, value: f64) {
        let mut node = self.half + index;
        self.sums[node] = value;
        while node > 1 {
            node /= 2;
            self.sums[node] = self.sums[2 * node] + self.sums[2 * node + 1];
        }
    }

    /// The index in whose share `mass`, from 0 to the total, falls. Never one whose number is 0,
    /// unless all are.
    pub fn find(&self, mut mass: f64) -> usize {
        let mut node = 1;
        while node < self.half {
            node *= 2;
            // Rounding may leave a little too much mass: never go where nothing is.
            if mass >= self.sums[node] && self.sums[node + 1] > 0.0 {
                mass -= self.sums[node];
                node += 1;
            }
        }
        node - self.half
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solo_core::{Seed, Stream};

    #[test]
    fn draws_are_in_proportion() {
        let mut tree = SumTree::new(5);
        for (index, value) in [1.0, 0.0, 3.0, 0.5, 0.5].into_iter().enumerate() {
            tree.set(index, value);
        }
        assert_eq!((tree.total(), tree.get(2)), (5.0, 3.0));
        let mut rng = Seed(1).stream(Stream::Explore, 0);
        let mut counts = [0.0_f64; 5];
        for _ in 0..50_000 {
            counts[tree.find(rng.unit() * tree.total())] += 1.0 / 10_000.0;
        }
        for (count, wanted) in counts.into_iter().zip([1.0, 0.0, 3.0, 0.5, 0.5]) {
            assert!((count - wanted).abs() < 0.06, "{counts:?}");
        }
        assert_eq!(tree.find(tree.total()), 4);
    }

    #[test]
    fn sums_depend_on_the_leaves_alone() {
        let mut rng = Seed(2).stream(Stream::Explore, 0);
        let mut worn = SumTree::new(37);
        for _ in 0..5_000 {
            worn.set(rng.below(37), rng.unit());
        }
        let mut fresh = SumTree::new(37);
        for index in (0..37).rev() {
            fresh.set(index, worn.get(index));
        }
        assert_eq!(worn.sums, fresh.sums);
    }

    #[test]
    fn an_empty_share_is_never_drawn() {
        let mut tree = SumTree::new(4);
        tree.set(1, 0.3);
        for mass in [0.0, 0.1, 0.3, 0.4] {
            assert_eq!(tree.find(mass), 1);
        }
    }
}
