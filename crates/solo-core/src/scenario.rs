//! One day of a problem as data.

use crate::file::Reader;
use crate::{Audit, Problem, Timed};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fmt::Debug;
use thiserror::Error;

/// Why a day has no rules under a law.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum LawError {
    /// There is no such law.
    #[error("'{0}' is not a known law")]
    Unknown(String),
    /// The day contradicts the law.
    #[error("the law {law} does not fit this day: {why}; '--law none' expects nothing")]
    Misfit {
        /// The law as it was typed.
        law: String,
        /// What contradicts it.
        why: String,
    },
}

impl LawError {
    /// A law that does not fit, and why.
    pub fn misfit(law: &str, why: impl Into<String>) -> Self {
        Self::Misfit { law: law.to_string(), why: why.into() }
    }
}

/// The events of a problem.
pub type EventOf<P> = <P as Problem>::Event;
/// The actions of a problem.
pub type ActionOf<P> = <P as Problem>::Action;
/// The rules of a scenario.
pub type RulesOf<S> = <S as Scenario>::Problem;

/// One day: what is public from the start, and what happens when. With [`Problem`] and [`Audit`] this is all that a
/// problem must be; everything else is a capability that is registered if it is there.
pub trait Scenario:
    Serialize + DeserializeOwned + Clone + Debug + PartialEq + Send + Sync + 'static
{
    /// The rules.
    type Problem: Audit + 'static;

    /// The problem's name in files and presets.
    const PROBLEM: &'static str;

    /// The scenario's name.
    fn name(&self) -> &str;

    /// The rules of this day with the arrival law `law`, a preset as it is typed. Without a law nothing is expected,
    /// and the day closes at its horizon.
    fn rules(&self, law: Option<&str>) -> Result<Self::Problem, LawError>;

    /// Which numbers of this day the law `law` could never have drawn, a sentence each, with the likely remedy. Rules
    /// can be made all the same, but what was learned or is expected is not about such days.
    fn outside(&self, _law: &str) -> Vec<String> {
        Vec::new()
    }

    /// What happens from outside, in order of time.
    fn events(&self) -> Vec<Timed<EventOf<Self::Problem>>>;

    /// Whether something comes after the start.
    fn online(&self) -> bool {
        self.events().iter().any(|event| event.time > 0.0)
    }

    /// The day in a few words, for the head of a table: `machines 3, horizon 2080, 73 jobs`.
    fn summary(&self) -> String {
        format!("{} events", self.events().len())
    }

    /// Reads a scenario from its JSON object. Faults are noted by the reader; problems that can name every fault at
    /// once do so here.
    fn read(reader: &mut Reader, object: &Map<String, Value>) -> Option<Self> {
        reader.parse("", &Value::Object(object.clone()))
    }
}

/// The preset that a scenario's name begins with: what stands before the slash.
pub fn preset_of(scenario_name: &str) -> &str {
    scenario_name.split('/').next().unwrap_or(scenario_name)
}
