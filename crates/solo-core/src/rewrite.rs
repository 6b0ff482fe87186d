//! Solutions that are rewritten step by step: a row of nodes, two of which change places.

use crate::{Cost, Failure, Meter, Offline};

/// What may happen to a node of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It stays where it is: a machine, a vehicle under way, the first departure from the depot.
    Fixed,
    /// An item may change places with it: another visit to the depot.
    Mark,
    /// It may be picked, and change places with any item or mark: a customer, a job.
    Item,
}

/// A solution as a row of nodes, with what a network reads of each and what the solution costs. The first node is
/// fixed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The numbers of the nodes in order. What they mean is the problem's.
    pub nodes: Vec<u32>,
    /// What may happen to each.
    pub roles: Vec<Role>,
    /// [`Rewrite::rewrite_features`] numbers of each node in order.
    pub features: Vec<f32>,
    /// The cost of the solution, without parts that no rewriting changes.
    pub cost: Cost,
}

impl Draft {
    /// Whether something can be rewritten: an item, and something else that it can change places with.
    pub fn has_moves(&self) -> bool {
        let movable = self.roles.iter().filter(|role| **role != Role::Fixed).count();
        movable > 1 && self.roles.contains(&Role::Item)
    }
}

/// A problem whose solutions can be rewritten, as NeuralRewriter does (Chen and Tian, 2019).
///
/// Every draft serves all open work of its instance: a swap that would break a rule is mended while the row is built
/// again.
pub trait Rewrite: Offline {
    /// How many numbers a node has.
    fn rewrite_features(&self) -> usize;

    /// Which days have nodes with `here` numbers and which with `taught`, in words: `("5 classes", "6 classes")`.
    fn rewrite_words(&self, taught: usize, here: usize) -> (String, String) {
        (format!("{taught} numbers a node"), format!("{here}"))
    }

    /// Makes `draft` the solution that rewriting begins with. Without time for it, one that takes less, and the meter
    /// has then cut.
    fn first_draft(
        &self,
        instance: &Self::Instance,
        meter: &Meter<'_>,
        draft: &mut Draft,
    ) -> Result<(), Failure>;

    /// Makes `out` the draft in which the nodes at two positions, an item and an item or mark, have changed places.
    /// Allocates nothing when warm.
    fn swap(&self, instance: &Self::Instance, draft: &Draft, at: [usize; 2], out: &mut Draft);

    /// The plan that a draft stands for.
    fn drafted(&self, instance: &Self::Instance, draft: &Draft) -> Self::Plan;

    /// What a cost of 1 is to the network, given the first draft: such that a good rewrite gains some tenths.
    fn rewrite_unit(&self, instance: &Self::Instance, first: &Draft) -> Cost;
}
