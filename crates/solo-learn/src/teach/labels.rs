//! States with what each of their options costs more than the best.

use serde::{Deserialize, Serialize};
use solo_core::{Cost, Features};

/// Labelled states, one behind the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Labels {
    global: Vec<f32>,
    rows: Vec<f32>,
    /// What each option costs more than the best of its state.
    regrets: Vec<f32>,
    /// Where each state's options end.
    ends: Vec<u32>,
}

/// One labelled state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label<'l> {
    /// Features of the whole state.
    pub global: &'l [f32],
    /// Features of each option, row by row.
    pub rows: &'l [f32],
    /// What each option costs more than the best.
    pub regrets: &'l [f32],
}

impl Labels {
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// State `index`, of a problem with `global` features of a state and `option` of an option.
    pub fn get(&self, index: usize, global: usize, option: usize) -> Label<'_> {
        let from = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let to = self.ends[index] as usize;
        Label {
            global: &self.global[index * global..(index + 1) * global],
            rows: &self.rows[from * option..to * option],
            regrets: &self.regrets[from..to],
        }
    }

    /// The mean regret of an option drawn at random: the scale of what can be learned.
    pub fn scale(&self) -> f32 {
        let (mut sum, mut from) = (0.0, 0);
        for &to in &self.ends {
            let regrets = &self.regrets[from..to as usize];
            sum += regrets.iter().map(|r| f64::from(*r)).sum::<f64>() / regrets.len() as f64;
            from = to as usize;
        }
        ((sum / self.len().max(1) as f64) as f32).max(f32::MIN_POSITIVE)
    }

    /// Appends a state whose options have these features and cost this much.
    pub fn push(&mut self, global: &[f32], rows: impl Iterator<Item = f32>, costs: &[Cost]) {
        let least = costs.iter().copied().fold(Cost::INFINITY, Cost::min);
        self.global.extend_from_slice(global);
        self.rows.extend(rows);
        self.regrets.extend(costs.iter().map(|cost| (cost - least) as f32));
        self.ends.push(self.regrets.len() as u32);
    }

    /// Appends others.
    pub fn append(&mut self, other: &Self) {
        let before = self.regrets.len() as u32;
        self.global.extend_from_slice(&other.global);
        self.rows.extend_from_slice(&other.rows);
        self.regrets.extend_from_slice(&other.regrets);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// Whether these are labels of states of `P`, with as many numbers as there should be.
    pub(crate) fn fits<P: Features>(&self) -> bool {
        let Self { global, rows, regrets, ends } = self;
        let last = ends.last().copied().unwrap_or(0) as usize;
        Some(global.len()) == ends.len().checked_mul(P::GLOBAL)
            && Some(rows.len()) == regrets.len().checked_mul(P::OPTION)
            && regrets.len() == last
            && ends.is_sorted()
    }
}
