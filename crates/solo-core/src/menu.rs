//! The actions of a state.

/// Every action of a state in graph order, each legal or masked for a stated reason; waiting is the last slot.
///
/// A reused menu allocates nothing once it has grown.
#[derive(Clone, Debug)]
pub struct Menu<A> {
    actions: Vec<A>,
    reasons: Vec<Option<&'static str>>,
    legal: Vec<u32>,
}

impl<A> Default for Menu<A> {
    #[inline]
    fn default() -> Self {
        Self { actions: Vec::new(), reasons: Vec::new(), legal: Vec::new() }
    }
}

impl<A: Copy + PartialEq> Menu<A> {
    /// Removes all actions.
    #[inline]
    pub fn clear(&mut self) {
        self.actions.clear();
        self.reasons.clear();
        self.legal.clear();
    }

    /// Appends a slot: legal, or masked because of `reason`.
    #[inline]
    pub fn push(&mut self, action: A, reason: Option<&'static str>) {
        if reason.is_none() {
            self.legal.push(self.actions.len() as u32);
        }
        self.actions.push(action);
        self.reasons.push(reason);
    }

    /// Appends many slots at once: faster than one by one, as room is made once and nothing depends on foreseeing what
    /// is legal.
    #[inline]
    pub fn extend(
        &mut self,
        slots: impl ExactSizeIterator<Item = (A, Option<&'static str>)> + Clone,
    ) {
        let first = self.actions.len();
        self.actions.extend(slots.clone().map(|(action, _)| action));
        self.reasons.extend(slots.map(|(_, reason)| reason));
        let mut legal = self.legal.len();
        self.legal.resize(legal + self.actions.len() - first, 0);
        for (slot, reason) in (first as u32..).zip(&self.reasons[first..]) {
            self.legal[legal] = slot;
            legal += usize::from(reason.is_none());
        }
        self.legal.truncate(legal);
    }

    /// All actions; slot i of the menu is edge i of the graph, and the last slot is waiting.
    #[inline]
    pub fn actions(&self) -> &[A] {
        &self.actions
    }

    /// The slots of the legal actions, ascending.
    #[inline]
    pub fn legal(&self) -> &[u32] {
        &self.legal
    }

    /// Why a slot is masked; `None` if it is legal.
    #[inline]
    pub fn reason(&self, slot: usize) -> Option<&'static str> {
        self.reasons[slot]
    }

    /// The slot of an action.
    #[inline]
    pub fn slot(&self, action: A) -> Option<usize> {
        self.actions.iter().position(|&a| a == action)
    }

    /// The number of slots.
    #[inline]
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Whether there are no slots at all.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }
}
