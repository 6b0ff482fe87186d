//! What is known of states, by state.

use solo_core::{Problem, StateKey};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Numbers about states, found by their key and then by equality: two states with the same key are never taken for one.
pub(super) struct Table<P: Problem, V> {
    first: HashMap<u64, u32, BuildHasherDefault<AsItIs>>,
    nodes: Vec<Node<P::State, V>>,
}

struct Node<S, V> {
    state: S,
    value: V,
    /// The next node with the same key, if there is one.
    next: Option<u32>,
}

impl<P: Problem, V: Copy> Table<P, V> {
    pub(super) fn new() -> Self {
        Self { first: HashMap::default(), nodes: Vec::new() }
    }

    /// How many states are known.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.nodes.clear();
    }

    pub(super) fn find(&self, key: StateKey, state: &P::State) -> Option<V> {
        let mut at = self.first.get(&key.0).copied();
        while let Some(node) = at.map(|at| &self.nodes[at as usize]) {
            if node.state == *state {
                return Some(node.value);
            }
            at = node.next;
        }
        None
    }

    /// Adds a state that is not there yet.
    pub(super) fn insert(&mut self, key: StateKey, state: P::State, value: V) {
        let next = self.first.insert(key.0, self.nodes.len() as u32);
        self.nodes.push(Node { state, value, next });
    }
}

/// Keys are mixed already.
#[derive(Default)]
pub(super) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solo_core::Problem;
    use solo_core::testing::toy::Toy;

    #[test]
    fn states_with_the_same_key_are_kept_apart() {
        let problem = Toy { horizon: 5.0, expects: false };
        let (early, mut late) = (problem.initial(), problem.initial());
        problem.advance(&mut late, 1.0);
        let mut table = Table::<Toy, f64>::new();
        let key = StateKey(7);
        table.insert(key, early.clone(), 1.0);
        assert_eq!(table.find(key, &late), None);
        table.insert(key, late.clone(), 2.0);
        assert_eq!((table.find(key, &early), table.find(key, &late)), (Some(1.0), Some(2.0)));
        assert_eq!((table.find(StateKey(8), &early), table.len()), (None, 2));
    }
}
