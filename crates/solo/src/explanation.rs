//! Why a decision was made, in words and numbers that outlive the types of its problem.

use serde::Serialize;
use solo_core::{Candidate, Decision, Time};
use std::fmt::Display;

/// A decision with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// When.
    pub time: Time,
    /// What was decided.
    pub action: String,
    /// How many rollouts went into it.
    pub rollouts: u64,
    /// What the agent knows; nothing if it gives no reasons.
    #[serde(flatten)]
    pub reasons: Option<Reasons>,
}

/// What an agent knows of its decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reasons {
    /// How the answer was reached, in a few words.
    pub how: &'static str,
    /// Whether the best and the second best are within noise of each other.
    pub tied: bool,
    /// What was considered, best first; then what was masked or pruned.
    pub candidates: Vec<Considered>,
}

/// What is known of one action.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Considered {
    /// The action.
    pub action: String,
    /// Rollouts that began with it.
    pub visits: u64,
    /// The mean cost from here on, over those.
    pub mean: f64,
    /// The standard error of its difference to the chosen action on common futures.
    pub error: Option<f64>,
    /// The guide's value.
    pub value: Option<f64>,
    /// Why it was not considered.
    pub masked: Option<&'static str>,
}

impl Explanation {
    /// A decision made at `time`.
    pub fn new<A: Display>(time: Time, decision: &Decision<A>) -> Self {
        let considered = |candidate: &Candidate<A>| Considered {
            action: candidate.action.to_string(),
            visits: candidate.visits,
            mean: candidate.mean,
            error: candidate.error,
            value: candidate.value,
            masked: candidate.masked,
        };
        let reasons = decision.evidence.as_ref().map(|evidence| Reasons {
            how: evidence.how,
            tied: evidence.tied,
            candidates: evidence.candidates.iter().map(considered).collect(),
        });
        Self { time, action: decision.action.to_string(), rollouts: decision.rollouts, reasons }
    }
}
