//! A learner as a checkpoint holds it.
//!
//! Random streams are functions of the counters, and a day is a function of its number and the
//! slots chosen. So a checkpoint holds weights, optimiser and counters, and of every remembered or
//! running day its slots and rewards. Loading it simulates those days again.

use super::lane::{Lane, MOST_DAYS};
use super::learner::{Dqn, Tally};
use super::replay::ReplayEntry;
use crate::checkpoint::{SavedAdam, restore_weights};
use serde::{Deserialize, Serialize};
use solo_core::{Encode, Scenario};

/// Everything that the rest of learning depends on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedDqn {
    step: u64,
    updates: u64,
    next_day: u64,
    tally: Tally,
    net: Vec<f32>,
    target: Vec<f32>,
    average: Vec<f32>,
    adam: SavedAdam,
    /// Remembered days, by number.
    days: Vec<SavedDay>,
    /// The day that each world is at.
    lanes: Vec<u64>,
    /// What can be drawn, with its priority.
    ring: Vec<(ReplayEntry, f64)>,
    next: u64,
    most: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SavedDay {
    day: u64,
    slots: Vec<u32>,
    rewards: Vec<f32>,
}

impl<S: Scenario<Problem: Encode>> Dqn<S> {
    /// Saves the learner.
    pub fn save(&self) -> SavedDqn {
        let days = self.replay.days().iter().map(|(&day, record)| SavedDay {
            day,
            slots: record.slots().to_vec(),
            rewards: record.rewards().to_vec(),
        });
        let (ring, next, most) = self.replay.ring();
        SavedDqn {
            step: self.step,
            updates: self.updates,
            next_day: self.next_day,
            tally: self.tally,
            net: self.net.params().to_vec(),
            target: self.target.params().to_vec(),
            average: self.average.clone(),
            adam: SavedAdam::new(&self.adam),
            days: days.collect(),
            lanes: self.lanes.iter().map(|lane| lane.day).collect(),
            ring,
            next: next as u64,
            most,
        }
    }

    /// Makes this learner, fresh from its recipe, the one that was saved. `None` if what was saved
    /// makes no sense.
    pub fn load(&mut self, saved: SavedDqn) -> Option<()> {
        let SavedDqn { step, updates, next_day, tally, net, target, average, adam, .. } = &saved;
        // A tick makes one decision in every world, and at most one step of the weights for each.
        let last = self.hyper.total_steps.checked_add(self.lanes.len() as u64)?;
        if *step > last || updates > step || *next_day >= MOST_DAYS {
            return None;
        }
        [self.step, self.updates, self.next_day] = [*step, *updates, *next_day];
        self.tally = *tally;
        restore_weights(self.net.params_mut(), net)?;
        restore_weights(self.target.params_mut(), target)?;
        restore_weights(&mut self.average, average)?;
        self.adam = adam.restore(net.len())?;
        self.load_days(saved.days, &saved.lanes)?;
        let next = usize::try_from(saved.next).ok()?;
        self.replay.restore(&saved.ring, next, saved.most).then_some(())
    }

    /// Simulates the remembered days again, and puts those that go on into the worlds.
    fn load_days(&mut self, days: Vec<SavedDay>, lanes: &[u64]) -> Option<()> {
        let ascending = days.is_sorted_by(|a, b| a.day < b.day);
        if !ascending || days.last().is_some_and(|last| last.day >= self.next_day) {
            return None;
        }
        self.replay = self.replay.emptied();
        let mut running = Vec::new();
        for SavedDay { day, slots, rewards } in days {
            if slots.len() != rewards.len() {
                return None;
            }
            let world = self.days.open(day);
            let mut lane = Lane::open(&self.hyper, self.baseline, self.seed, (day, world));
            let states = lane.catch_up(self.seed, &slots)?;
            self.replay.restore_day(day, lane.world.problem(), states, slots, rewards);
            if !lane.world.done() {
                running.push(lane);
            }
        }
        if lanes.len() != self.lanes.len() {
            return None;
        }
        for (lane, &day) in self.lanes.iter_mut().zip(lanes) {
            let at = running.iter().position(|running| running.day == day)?;
            *lane = running.swap_remove(at);
        }
        Some(())
    }
}
