//! A second opinion on what a day cost.

use crate::{Cost, Problem, Time, Timed};
use thiserror::Error;

/// What is wrong with a list of decisions.
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

/// Recomputes cost and feasibility from the arrivals and the decisions alone, sharing no code with the dynamics.
pub trait Audit: Problem {
    /// The cost of the day, or the first rule that was broken. Arrivals are in order of time; the n-th is customer or
    /// job n. Every one must have been served.
    fn audit(
        &self,
        arrivals: &[Timed<Self::Arrival>],
        decisions: &[Timed<Self::Action>],
    ) -> Result<Cost, Violation>;
}
