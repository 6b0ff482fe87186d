//! The replay memory: decisions of any size, kept as states rather than graphs.
//!
//! Days are kept whole. So a state is stored once although it ends one decision and begins the
//! next, and a return over n decisions needs nothing more. States are encoded as graphs when they
//! are drawn, which costs far less than a pass of the network.

use super::priority::SumTree;
use solo_core::{Encode, FeatureSet, Graph, Menu, Problem, Rng};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is remembered of one day.
pub struct DayRecord<P: Problem> {
    problem: Arc<P>,
    /// The state before each decision, and the last state if the day is not over.
    states: Vec<P::State>,
    slots: Vec<u32>,
    rewards: Vec<f32>,
    done: bool,
    /// How many of its decisions can be drawn.
    drawable: usize,
}

impl<P: Problem> DayRecord<P> {
    /// The slots chosen so far.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// The reward of each.
    pub fn rewards(&self) -> &[f32] {
        &self.rewards
    }

    /// Whether the day is over.
    pub fn done(&self) -> bool {
        self.done
    }
}

/// A decision that can be drawn: of which day, and which of its decisions.
pub type ReplayEntry = (u64, u32);

/// Remembers the last decisions, and draws from them by priority.
pub struct Replay<P: Problem> {
    capacity: usize,
    /// A return is completed after this many decisions; 0 for never.
    n_step: usize,
    records: BTreeMap<u64, DayRecord<P>>,
    ring: Vec<ReplayEntry>,
    /// Where in the ring the next entry goes.
    next: usize,
    tree: SumTree,
    /// The largest priority so far: what a new decision gets.
    most: f64,
}

impl<P: Problem> Replay<P> {
    /// Remembers nothing yet.
    pub fn new(capacity: usize, n_step: usize) -> Self {
        Self {
            capacity,
            n_step,
            records: BTreeMap::new(),
            ring: Vec::new(),
            next: 0,
            tree: SumTree::new(capacity),
            most: 1.0,
        }
    }

    /// One like this that remembers nothing.
    pub fn emptied(&self) -> Self {
        Self::new(self.capacity, self.n_step)
    }

    /// How many decisions can be drawn.
    pub fn len(&self) -> usize {
        self.ring.len()
    }

    /// Whether nothing can be drawn.
    pub fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// A day begins in this state.
    pub fn begin(&mut self, day: u64, problem: &Arc<P>, state: &P::State) {
        let record = DayRecord {
            problem: Arc::clone(problem),
            states: vec![state.clone()],
            slots: Vec::new(),
            rewards: Vec::new(),
            done: false,
            drawable: 0,
        };
        self.records.insert(day, record);
    }

    /// Adds a decision of a day, its reward, and the state that it led to; `None` if the day is
    /// over.
    pub fn extend(&mut self, day: u64, slot: u32, reward: f32, state: Option<&P::State>) {
        let record = self.records.get_mut(&day).expect("the day has begun");
        let before = ready(record.slots.len(), false, self.n_step);
        record.slots.push(slot);
        record.rewards.push(reward);
        record.done = state.is_none();
        record.states.extend(state.cloned());
        let after = ready(record.slots.len(), record.done, self.n_step);
        for decision in before..after {
            self.push((day, decision as u32));
        }
        // All decisions of the day may have been overwritten while it went on.
        if self.records.get(&day).is_some_and(|record| record.done && record.drawable == 0) {
            self.records.remove(&day);
        }
    }

    fn push(&mut self, entry: ReplayEntry) {
        if self.ring.len() < self.capacity {
            self.ring.push(entry);
        } else {
            let old = std::mem::replace(&mut self.ring[self.next], entry);
            self.forget(old.0);
        }
        self.records.get_mut(&entry.0).expect("entries have records").drawable += 1;
        self.tree.set(self.next, self.most);
        self.next = (self.next + 1) % self.capacity;
    }

    fn forget(&mut self, day: u64) {
        let record = self.records.get_mut(&day).expect("entries have records");
        record.drawable -= 1;
        if record.drawable == 0 && record.done {
            self.records.remove(&day);
        }
    }

    /// Draws `count` places of the ring, one from each of as many equal shares of all priorities.
    pub fn draw(&self, count: usize, rng: &mut Rng, out: &mut Vec<usize>) {
        out.clear();
        let share = self.tree.total() / count as f64;
        out.extend((0..count).map(|i| self.tree.find((i as f64 + rng.unit()) * share)));
    }

    /// How likely a place is to be drawn.
    pub fn probability(&self, place: usize) -> f64 {
        self.tree.get(place) / self.tree.total()
    }

    /// Gives a place this priority.
    pub fn prioritise(&mut self, place: usize, priority: f64) {
        self.most = self.most.max(priority);
        self.tree.set(place, priority);
    }

    /// The slot chosen at a place, and the discounted rewards up to where its return is completed.
    pub fn outcome(&self, place: usize, discount: f64) -> ReplayOutcome {
        let (record, first) = self.at(place);
        let end = self.end(record, first);
        let (mut rewards, mut weight) = (0.0, 1.0);
        for &reward in &record.rewards[first..end] {
            rewards += weight * f64::from(reward);
            weight *= discount;
        }
        ReplayOutcome {
            slot: record.slots[first],
            rewards,
            weight,
            ends: end == record.states.len(),
        }
    }

    fn at(&self, place: usize) -> (&DayRecord<P>, usize) {
        let (day, decision) = self.ring[place];
        (&self.records[&day], decision as usize)
    }

    /// The decision at which the return of decision `first` is completed.
    fn end(&self, record: &DayRecord<P>, first: usize) -> usize {
        let all = record.slots.len();
        if self.n_step == 0 { all } else { all.min(first + self.n_step) }
    }

    /// The days by number, for [`Replay::restore_day`].
    pub fn days(&self) -> &BTreeMap<u64, DayRecord<P>> {
        &self.records
    }

    /// The ring with its priorities, where it goes on, and the largest priority so far, for
    /// [`Replay::restore`].
    pub fn ring(&self) -> (Vec<(ReplayEntry, f64)>, usize, f64) {
        let priority = |place| self.tree.get(place);
        let ring = self.ring.iter().copied().zip((0..).map(priority)).collect();
        (ring, self.next, self.most)
    }

    /// Restores a day: its decisions with rewards, and the states on the way.
    pub fn restore_day(
        &mut self,
        day: u64,
        problem: &Arc<P>,
        states: Vec<P::State>,
        slots: Vec<u32>,
        rewards: Vec<f32>,
    ) {
        let done = states.len() == slots.len();
        let problem = Arc::clone(problem);
        let record = DayRecord { problem, states, slots, rewards, done, drawable: 0 };
        self.records.insert(day, record);
    }

    /// Restores the ring, once its days are there. False if they do not fit together.
    pub fn restore(&mut self, ring: &[(ReplayEntry, f64)], next: usize, most: f64) -> bool {
        let full = ring.len() == self.capacity;
        let consistent = next < self.capacity && (full || next == ring.len());
        if ring.len() > self.capacity || !consistent {
            return false;
        }
        for (place, &((day, decision), priority)) in ring.iter().enumerate() {
            let Some(record) = self.records.get_mut(&day) else { return false };
            if decision as usize >= ready(record.slots.len(), record.done, self.n_step) {
                return false;
            }
            record.drawable += 1;
            self.ring.push((day, decision));
            self.tree.set(place, priority);
        }
        self.next = next;
        self.most = most;
        true
    }
}

impl<P: Encode> Replay<P> {
    /// Shows the state of a place, and the one that completes its return unless the day ended
    /// before. Returns their problem.
    pub fn show(&self, place: usize, first: &mut View<P>, last: &mut View<P>) -> &P {
        let (record, decision) = self.at(place);
        first.show(&record.problem, &record.states[decision]);
        if let Some(state) = record.states.get(self.end(record, decision)) {
            last.show(&record.problem, state);
        }
        &record.problem
    }
}

/// How many decisions of a day can be drawn when `made` were made.
fn ready(made: usize, done: bool, n_step: usize) -> usize {
    match n_step {
        _ if done => made,
        0 => 0,
        n => (made + 1).saturating_sub(n),
    }
}

/// What followed a decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayOutcome {
    /// What was chosen.
    pub slot: u32,
    /// The discounted rewards.
    pub rewards: f64,
    /// How much the value of the state after them counts.
    pub weight: f64,
    /// Whether the day ended before.
    pub ends: bool,
}

/// A state as a network sees it. A reused one allocates nothing once it has grown.
pub struct View<P: Problem> {
    feature_set: FeatureSet,
    /// The state's graph.
    pub graph: Graph,
    /// Its actions.
    pub menu: Menu<P::Action>,
}

impl<P: Problem> View<P> {
    /// Sees these features.
    pub fn new(feature_set: FeatureSet) -> Self {
        Self { feature_set, graph: Graph::default(), menu: Menu::default() }
    }
}

impl<P: Encode> View<P> {
    /// Encodes a state.
    pub fn show(&mut self, problem: &P, state: &P::State) {
        problem.encode(state, self.feature_set, &mut self.graph);
        problem.menu(state, &mut self.menu);
    }

    /// The graph with the legal slots.
    pub fn seen(&self) -> (&Graph, &[u32]) {
        (&self.graph, self.menu.legal())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::days::TrainingDays;
    use solo_core::{Seed, Stream};
    use solo_pmsp::{Scheduling, presets};

    /// Simulates `days` days, always by the first legal slot; the reward of decision t is t.
    fn play(replay: &mut Replay<Scheduling>, from: u64, days: u64) -> usize {
        let source = TrainingDays::new(&presets::OFFER, &["pmsp-20".to_string()], Seed(1)).unwrap();
        let (mut menu, mut made) = (Menu::default(), 0);
        for day in from..from + days {
            let mut world = source.open(day);
            replay.begin(day, world.problem(), world.state());
            let mut decision = 0;
            while !world.done() {
                world.problem().menu(world.state(), &mut menu);
                let slot = menu.legal()[0];
                world.act_slot(slot).unwrap();
                let state = (!world.done()).then(|| world.state());
                replay.extend(day, slot, decision as f32, state);
                decision += 1;
            }
            made += decision;
        }
        made
    }

    #[test]
    fn returns_over_n_decisions() {
        for (n_step, rewards, weight) in [(1, 3.0, 0.5), (3, 3.0 + 2.0 + 1.25, 0.125)] {
            let mut replay = Replay::new(1000, n_step);
            let made = play(&mut replay, 0, 1);
            assert_eq!(replay.len(), made);
            let outcome = replay.outcome(3, 0.5);
            assert_eq!((outcome.rewards, outcome.weight, outcome.ends), (rewards, weight, false));
            assert!(replay.outcome(made - 1, 0.5).ends);
        }
        let mut replay = Replay::new(1000, 0);
        let made = play(&mut replay, 0, 1);
        let all = replay.outcome(0, 1.0);
        assert_eq!((all.rewards, all.ends), ((made * (made - 1) / 2) as f64, true));
    }

    #[test]
    fn only_the_last_decisions_are_kept() {
        let mut replay = Replay::new(50, 1);
        let made = play(&mut replay, 0, 10);
        assert!(made > 150);
        assert_eq!(replay.len(), 50);
        assert!(replay.records.len() <= 4, "{} days", replay.records.len());
        let drawable: usize = replay.records.values().map(|record| record.drawable).sum();
        assert_eq!(drawable, 50);
        let (mut first, mut last) = (View::new(FeatureSet::Extended), View::new(FeatureSet::Base));
        for place in 0..50 {
            replay.show(place, &mut first, &mut last);
            assert_eq!(first.graph.edges.len() + 1, first.menu.len());
        }
    }

    #[test]
    fn large_errors_are_drawn_more_often() {
        let mut replay = Replay::new(100, 1);
        play(&mut replay, 0, 10);
        (0..100).for_each(|place| replay.prioritise(place, 1.0));
        replay.prioritise(7, 101.0);
        assert!((replay.probability(7) - 0.505).abs() < 1e-12);
        let (mut rng, mut drawn) = (Seed(3).stream(Stream::Explore, 0), Vec::new());
        replay.draw(1000, &mut rng, &mut drawn);
        let count = drawn.iter().filter(|place| **place == 7).count();
        assert!((504..=506).contains(&count), "{count}");
    }

    #[test]
    fn a_memory_can_be_made_again() {
        let mut replay = Replay::new(60, 2);
        play(&mut replay, 0, 7);
        replay.prioritise(5, 0.25);
        let (ring, next, most) = replay.ring();
        let mut again = Replay::new(60, 2);
        for (day, record) in replay.days() {
            again.restore_day(
                *day,
                &record.problem,
                record.states.clone(),
                record.slots.clone(),
                record.rewards.clone(),
            );
        }
        assert!(again.restore(&ring, next, most));
        play(&mut replay, 7, 3);
        play(&mut again, 7, 3);
        assert_eq!(replay.ring(), again.ring());
        assert_eq!(replay.tree.total(), again.tree.total());
        assert!(!Replay::<Scheduling>::new(60, 2).restore(&ring, next, most));
    }
}
