//! One of the worlds that are learnt from side by side.

use crate::episode::{Days, Episode};
use crate::hyper::{Hyper, NO_BASELINE};
use crate::replay::View;
use solo_core::{Cost, Domain, Policy, Problem, Rng, Seed, Stream};

/// A world with the day that it is at.
pub struct Lane<P: Problem, R> {
    /// The number of its day.
    pub day: u64,
    /// The day.
    pub episode: Episode<P>,
    /// How the network sees its state.
    pub view: View<P>,
    /// How many decisions were made in it.
    made: u64,
    /// What the rule would still cost from here; 0 without one.
    rule_cost: Cost,
    rule: Option<fn() -> R>,
}

/// More decisions than this a day would make dice meet again.
const MOST_DECISIONS: u64 = 1 << 24;

impl<P: Problem, R: Policy<P> + Default> Lane<P, R> {
    /// A world at day `day`, which is not over.
    pub fn open(hyper: &Hyper, seed: Seed, day: u64, episode: Episode<P>) -> Self {
        let rule: Option<fn() -> R> = (hyper.baseline != NO_BASELINE).then_some(R::default);
        let view = View::new(hyper.sight.sight());
        let mut lane = Self { day, episode, view, made: 0, rule_cost: 0.0, rule };
        lane.rule_cost = lane.price(seed);
        lane
    }

    /// Goes through decisions that were made before; returns the states before each, and the last unless the day is
    /// over. `None` if a slot is not legal.
    pub fn catch_up(&mut self, seed: Seed, slots: &[u32]) -> Option<Vec<P::State>> {
        let mut states = vec![self.episode.state().clone()];
        for &slot in slots {
            let episode = &mut self.episode;
            if episode.done() {
                return None;
            }
            episode.problem().menu(episode.state(), &mut self.view.menu);
            self.view.menu.legal().binary_search(&slot).ok()?;
            episode.act_slot(slot, &mut self.view.menu);
            if !episode.done() {
                states.push(episode.state().clone());
            }
        }
        self.made = slots.len() as u64;
        self.rule_cost = self.price(seed);
        Some(states)
    }

    /// The dice of the rule at this decision.
    fn dice(&self, seed: Seed) -> Rng {
        seed.stream(Stream::Agent, self.day * MOST_DECISIONS + self.made)
    }

    /// What the rule would still cost. The rule is made anew each time, so that the answer depends on the state alone.
    fn price(&self, seed: Seed) -> Cost {
        let cost = |rule: fn() -> R| self.episode.cost_by(&mut rule(), &mut self.dice(seed));
        self.rule.map_or(0.0, cost)
    }

    /// What the rule would do, as a slot of the menu in view.
    pub fn imitate(&self, seed: Seed) -> Option<u32> {
        let mut rule = self.rule?();
        let episode = &self.episode;
        let action = rule.choose(&**episode.problem(), episode.state(), &mut self.dice(seed));
        self.view.menu.slot(action).map(|slot| slot as u32)
    }

    /// Carries out a decision, and returns its reward: minus the cost, or what it saves against the rule from here to the
    /// end of the day on the same future.
    pub fn act(&mut self, hyper: &Hyper, seed: Seed, slot: u32) -> f32 {
        let cost = self.episode.act_slot(slot, &mut self.view.menu);
        self.made += 1;
        let before = self.rule_cost;
        self.rule_cost = if self.episode.done() { 0.0 } else { self.price(seed) };
        let reward = (before - self.rule_cost - cost) / hyper.reward_scale;
        let floor = if hyper.reward_floor > 0.0 { -hyper.reward_floor } else { f64::NEG_INFINITY };
        reward.max(floor) as f32
    }
}

/// The next day with anything to decide, from `next` on, which then is the day after.
pub fn next_day<D: Domain>(days: &Days<D>, next: &mut u64) -> (u64, Episode<D::Problem>) {
    loop {
        let day = *next;
        *next += 1;
        let episode = days.open(day);
        if !episode.done() {
            return (day, episode);
        }
    }
}
