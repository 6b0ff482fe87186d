//! What happened and when.

use crate::Time;

/// Something with the moment it happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timed<T> {
    /// When.
    pub time: Time,
    /// What.
    pub what: T,
}

/// The record of a day: what arrived and what was decided, each in order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Journal<Arrival, Action> {
    /// The arrivals so far; the n-th is customer or job n.
    pub arrivals: Vec<Timed<Arrival>>,
    /// The decisions so far, waiting included.
    pub decisions: Vec<Timed<Action>>,
}

impl<Arrival, Action> Default for Journal<Arrival, Action> {
    fn default() -> Self {
        Self { arrivals: Vec::new(), decisions: Vec::new() }
    }
}
