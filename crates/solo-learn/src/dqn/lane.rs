//! One of the worlds that are learned from side by side.

use super::hyper::Hyper;
use super::replay::View;
use crate::days::TrainingDays;
use solo_core::{Cost, Policy, Problem, Rng, Scenario, Seed, Stream, World};
use std::sync::Arc;

/// Makes a fresh policy.
pub type MakePolicy<P> = fn() -> Box<dyn Policy<P>>;

/// A world with the day that it is at.
pub struct Lane<P: Problem> {
    /// The number of its day.
    pub day: u64,
    /// The day.
    pub world: World<Arc<P>>,
    /// Its state as the network sees it.
    pub view: View<P>,
    /// How many decisions were made in it.
    made: u64,
    /// What the baseline would still cost from here; 0 without one.
    baseline_cost: Cost,
    baseline: Option<MakePolicy<P>>,
}

/// With more decisions a day, two decisions would share a random stream.
const MOST_DECISIONS: u64 = 1 << 24;
/// Beyond this day random streams would meet again.
pub(crate) const MOST_DAYS: u64 = u64::MAX / MOST_DECISIONS;

impl<P: Problem> Lane<P> {
    /// A world at day `day`, which is not over.
    pub fn open(
        hyper: &Hyper,
        baseline: Option<MakePolicy<P>>,
        seed: Seed,
        (day, world): (u64, World<Arc<P>>),
    ) -> Self {
        let view = View::new(hyper.features);
        let mut lane = Self { day, world, view, made: 0, baseline_cost: 0.0, baseline };
        lane.baseline_cost = lane.price(seed);
        lane
    }

    /// Makes decisions that were made before; returns the states before each, and the last unless
    /// the day is over. `None` if a slot is not legal.
    pub fn catch_up(&mut self, seed: Seed, slots: &[u32]) -> Option<Vec<P::State>> {
        let mut states = vec![self.world.state().clone()];
        for &slot in slots {
            self.world.act_slot(slot).ok()?;
            if !self.world.done() {
                states.push(self.world.state().clone());
            }
        }
        self.made = slots.len() as u64;
        self.baseline_cost = if self.world.done() { 0.0 } else { self.price(seed) };
        Some(states)
    }

    /// The random stream of the baseline at this decision.
    fn rng(&self, seed: Seed) -> Rng {
        seed.stream(Stream::Agent, self.day * MOST_DECISIONS + self.made)
    }

    /// What the baseline would still cost. It is made anew each time, so that the answer depends on
    /// the state alone.
    fn price(&self, seed: Seed) -> Cost {
        self.baseline.map_or(0.0, |make| self.world.cost_to_go(&mut *make(), &mut self.rng(seed)))
    }

    /// What the baseline would do, as a slot of the menu in view.
    pub fn imitate(&self, seed: Seed) -> Option<u32> {
        let mut baseline = self.baseline?();
        let (problem, state) = (self.world.problem(), self.world.state());
        let action = baseline.choose(problem, state, &mut self.rng(seed));
        self.view.menu.slot(action).map(|slot| slot as u32)
    }

    /// Carries out the action of a legal slot of the menu in view, and returns its reward: minus
    /// its cost, or what it saves against the baseline from here to the end of the day on the same
    /// future.
    pub fn act(&mut self, hyper: &Hyper, seed: Seed, slot: u32) -> f32 {
        let action = self.view.menu.actions()[slot as usize];
        let cost = self.world.act(action).expect("the slot is legal");
        self.made += 1;
        let before = self.baseline_cost;
        self.baseline_cost = if self.world.done() { 0.0 } else { self.price(seed) };
        let reward = (before - self.baseline_cost - cost) / hyper.reward_scale;
        let floor = if hyper.reward_floor > 0.0 { -hyper.reward_floor } else { f64::NEG_INFINITY };
        reward.max(floor) as f32
    }
}

/// The next day with anything to decide, from `next` on, which then is the day after.
pub fn next_day<S: Scenario>(
    days: &TrainingDays<S>,
    next: &mut u64,
) -> (u64, World<Arc<S::Problem>>) {
    loop {
        let day = *next;
        *next += 1;
        let world = days.open(day);
        if !world.done() {
            return (day, world);
        }
    }
}
