//! A second opinion on what a day cost.

use crate::{Cost, LogOf, Problem, Time};
use thiserror::Error;

/// What is wrong with a log.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("decision {decision} at time {time}: {what}")]
pub struct Violation {
    /// Which decision, counted from 0; the number of decisions if something is missing at the end.
    pub decision: usize,
    /// When.
    pub time: Time,
    /// What rule it breaks.
    pub what: String,
}

/// Recomputes cost and feasibility from the log alone, sharing no code with the dynamics.
pub trait Audit: Problem {
    /// The cost of the day, or the first rule that was broken. Everything that arrived must have been served.
    fn audit(&self, log: &LogOf<Self>) -> Result<Cost, Violation>
    where
        Self: Sized;
}
