//! The search tree of Algorithm 1: counters and means of states and of their actions.

use solo_core::{Cost, StateKey};
use std::ops::Range;

/// A tree holds at most this many states...
pub const MOST_STATES: usize = 1 << 16;
/// ... with this many actions in all. Together with the table that finds them this is at most 32 MB.
pub const MOST_ACTIONS: usize = 1 << 20;

/// Twice the states: a search in the table soon meets a hole.
const SLOTS: usize = 2 * MOST_STATES;
const HOLE: u32 = u32::MAX;

/// A state of the tree.
#[derive(Clone, Copy, Debug)]
struct Node {
    key: StateKey,
    /// Where in the table it is found.
    slot: u32,
    /// Its actions are `actions[first..end]`.
    first: u32,
    end: u32,
    /// n_s of the paper.
    visits: u32,
}

/// What is known of an action in a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known<A> {
    /// The action.
    pub action: A,
    /// n_sa of the paper.
    pub visits: u32,
    /// Q^T of the paper, as a cost: the mean return of the visits.
    pub mean: Cost,
}

/// States by their keys, each with its candidate actions, best guess first.
///
/// All arrays are allocated once. When one is full no more states are added. Two states with the same 64-bit key would
/// share their counters; among 65,536 states that happens once in ten thousand million trees.
pub struct Tree<A> {
    /// Open addressing: the index of a state, or a hole.
    slots: Vec<u32>,
    nodes: Vec<Node>,
    actions: Vec<Known<A>>,
}

impl<A: Copy> Default for Tree<A> {
    fn default() -> Self {
        Self {
            slots: vec![HOLE; SLOTS],
            nodes: Vec::with_capacity(MOST_STATES),
            actions: Vec::with_capacity(MOST_ACTIONS),
        }
    }
}

impl<A: Copy> Tree<A> {
    /// Forgets everything, in the time that it takes to forget each state.
    pub fn clear(&mut self) {
        for node in self.nodes.drain(..) {
            self.slots[node.slot as usize] = HOLE;
        }
        self.actions.clear();
    }

    /// How many states it holds.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether more than half of the room is taken.
    pub fn is_half_full(&self) -> bool {
        self.nodes.len() > MOST_STATES / 2 || self.actions.len() > MOST_ACTIONS / 2
    }

    /// The state of this key, if it is in the tree.
    #[inline]
    pub fn find(&self, key: StateKey) -> Option<usize> {
        let index = self.slots[self.probe(key)];
        (index != HOLE).then_some(index as usize)
    }

    /// The slot of this key, or the hole where it belongs.
    #[inline]
    fn probe(&self, key: StateKey) -> usize {
        let mut slot = key.0 as usize % SLOTS;
        loop {
            match self.slots[slot] {
                HOLE => return slot,
                index if self.nodes[index as usize].key == key => return slot,
                _ => slot = (slot + 1) % SLOTS,
            }
        }
    }

    /// Adds a state that is not in the tree, with its candidates in order; `None` if there is no room for it.
    pub fn add(
        &mut self,
        key: StateKey,
        candidates: impl ExactSizeIterator<Item = A>,
    ) -> Option<usize> {
        let end = self.actions.len() + candidates.len();
        if self.nodes.len() == MOST_STATES || end > MOST_ACTIONS {
            return None;
        }
        let slot = self.probe(key);
        let (index, first) = (self.nodes.len(), self.actions.len() as u32);
        self.slots[slot] = index as u32;
        self.nodes.push(Node { key, slot: slot as u32, first, end: end as u32, visits: 0 });
        self.actions.extend(candidates.map(|action| Known { action, visits: 0, mean: 0.0 }));
        Some(index)
    }

    /// Where among all actions those of a state are.
    #[inline]
    fn range(&self, state: usize) -> Range<usize> {
        let node = self.nodes[state];
        node.first as usize..node.end as usize
    }

    /// What is known of a state's actions.
    #[inline]
    pub fn actions(&self, state: usize) -> &[Known<A>] {
        &self.actions[self.range(state)]
    }

    /// How often a state was visited.
    #[inline]
    pub fn visits(&self, state: usize) -> u32 {
        self.nodes[state].visits
    }

    /// Takes in that action `choice` of `state` led to this return.
    #[inline]
    pub fn learn(&mut self, state: usize, choice: usize, total: Cost) {
        self.nodes[state].visits += 1;
        let range = self.range(state);
        let known = &mut self.actions[range][choice];
        known.visits += 1;
        known.mean += (total - known.mean) / f64::from(known.visits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_again_and_means_are_means() {
        let mut tree = Tree::default();
        // the first two share a slot
        let keys = [StateKey(5), StateKey(5 + SLOTS as u64), StateKey(6)];
        for key in keys {
            assert_eq!(tree.find(key), None);
            tree.add(key, [key.0, key.0 + 1].into_iter()).unwrap();
        }
        assert_eq!(keys.map(|key| tree.find(key)), [Some(0), Some(1), Some(2)]);
        for total in [3.0, 6.0] {
            tree.learn(1, 1, total);
        }
        let known = tree.actions(1)[1];
        assert_eq!((known.action, known.visits, known.mean), (6 + SLOTS as u64, 2, 4.5));
        assert_eq!((tree.visits(1), tree.visits(0)), (2, 0));
        tree.clear();
        assert!(tree.is_empty() && keys.iter().all(|&key| tree.find(key).is_none()));
    }

    #[test]
    fn a_full_tree_takes_no_more() {
        let mut tree = Tree::default();
        let wide = tree.add(StateKey(0), vec![0_u8; MOST_ACTIONS].into_iter());
        assert_eq!((wide, tree.add(StateKey(1), [1].into_iter())), (Some(0), None));
        tree.clear();
        for key in 0..MOST_STATES as u64 {
            assert!(tree.add(StateKey(key), [1].into_iter()).is_some());
        }
        assert!(tree.add(StateKey(u64::MAX), [1].into_iter()).is_none() && tree.is_half_full());
        assert_eq!(tree.find(StateKey(4711)), Some(4711));
    }
}
