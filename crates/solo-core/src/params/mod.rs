//! Parameters as structs: one place for names, defaults, ranges and help.
//!
//! A struct declared with [`crate::params!`] has serde, defaults and one sentence for each field. The text
//! `hold(theta=1.5,age=10)@20ms` is a thin grammar over such a struct, and so are suites and presets with changes
//! (`cvrp-dispatch-50:customers=80`).

mod macros;
mod spec;

pub use spec::{AgentSpec, PresetSpec};

use serde_json::{Map, Value};
use std::fmt::{self, Debug};
use thiserror::Error;

/// What is wrong with parameters, an agent or a preset as it was given.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct SpecError(pub String);

impl From<std::convert::Infallible> for SpecError {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

/// One settable parameter.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// How it is typed.
    pub name: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// What it may be.
    pub kind: Kind,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number from `low` to `high`.
    Number {
        /// Smallest.
        low: f64,
        /// Largest.
        high: f64,
    },
    /// A whole number from `low` to `high`.
    Whole {
        /// Smallest.
        low: u64,
        /// Largest.
        high: u64,
    },
    /// One of some words.
    Choice(&'static [&'static str]),
    /// Anything, like the name of a file.
    Text,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Number { low, high } if *high == f64::MAX => {
                write!(f, "number of at least {low}")
            }
            Kind::Number { low, high } => write!(f, "number from {low} to {high}"),
            Kind::Whole { low, high } if *high >= u64::from(u32::MAX) => {
                write!(f, "whole number of at least {low}")
            }
            Kind::Whole { low, high } => write!(f, "whole number from {low} to {high}"),
            Kind::Choice(words) => write!(f, "{}", words.join(" or ")),
            Kind::Text => write!(f, "text"),
        }
    }
}

impl Kind {
    fn allows(&self, value: &Value) -> bool {
        match *self {
            Kind::Number { low, high } => {
                f64::from_value(value).is_some_and(|x| x >= low && x <= high)
            }
            Kind::Whole { low, high } => {
                u64::from_value(value).is_some_and(|x| (low..=high).contains(&x))
            }
            Kind::Choice(words) => value.as_str().is_some_and(|text| words.contains(&text)),
            Kind::Text => String::from_value(value).is_some(),
        }
    }
}

/// What a field of a parameter struct can hold.
pub trait ParamValue: Sized {
    /// As JSON. Infinity, which JSON lacks, is the text `inf`.
    fn to_value(&self) -> Value;
    /// From JSON; `None` if it is something else.
    fn from_value(value: &Value) -> Option<Self>;
}

impl ParamValue for f64 {
    fn to_value(&self) -> Value {
        if self.is_finite() { Value::from(*self) } else { Value::from(self.to_string()) }
    }

    fn from_value(value: &Value) -> Option<Self> {
        value.as_f64().or_else(|| value.as_str()?.parse().ok()).filter(|x| !x.is_nan())
    }
}

macro_rules! whole {
    ($($type:ty),*) => {$(
        impl ParamValue for $type {
            fn to_value(&self) -> Value {
                Value::from(*self as u64)
            }

            fn from_value(value: &Value) -> Option<Self> {
                let whole = |x: &f64| x.fract() == 0.0 && (0.0..=9e15).contains(x);
                let number = value.as_u64().or_else(|| value.as_f64().filter(whole).map(|x| x as u64));
                <$type>::try_from(number?).ok()
            }
        }
    )*};
}
whole!(u32, u64, usize);

impl ParamValue for String {
    fn to_value(&self) -> Value {
        Value::from(self.as_str())
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
}

impl<T: ParamValue> ParamValue for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_value)
    }

    fn from_value(value: &Value) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::from_value(value).map(Some) }
    }
}

/// Parameters of an agent or of a preset. Implemented by [`crate::params!`].
pub trait Params: Default + Clone + Debug + PartialEq + Send + Sync + 'static {
    /// The name of the agent that they are of; empty if several agents have them.
    const NAME: &'static str;
    /// One sentence.
    const ABOUT: &'static str;

    /// The fields, in order.
    fn fields() -> Vec<Field>;
    /// The value of every field.
    fn to_map(&self) -> Map<String, Value>;
    /// Takes over checked values of some fields. `None` if one cannot be taken over.
    fn set_checked(&mut self, map: &Map<String, Value>) -> Option<()>;

    /// These with the values of some fields changed. `what` is whose they are, like `agent 'hold'`.
    fn with(mut self, what: &str, map: &Map<String, Value>) -> Result<Self, SpecError> {
        check(what, &Self::fields(), map)?;
        match self.set_checked(map) {
            Some(()) => Ok(self),
            None => Err(SpecError(format!("{what}: its parameters make no sense"))),
        }
    }

    /// The fields that are not at their defaults.
    fn changes(&self) -> Map<String, Value> {
        let default = Self::default().to_map();
        self.to_map().into_iter().filter(|(key, value)| default.get(key) != Some(value)).collect()
    }
}

/// Two sets of parameters as one.
impl<A: Params, B: Params> Params for (A, B) {
    const NAME: &'static str = "";
    const ABOUT: &'static str = "";

    fn fields() -> Vec<Field> {
        [A::fields(), B::fields()].concat()
    }

    fn to_map(&self) -> Map<String, Value> {
        self.0.to_map().into_iter().chain(self.1.to_map()).collect()
    }

    fn set_checked(&mut self, map: &Map<String, Value>) -> Option<()> {
        self.0.set_checked(map)?;
        self.1.set_checked(map)
    }
}

/// Checks values against fields: unknown names and values out of range are named with what would be right.
pub fn check(what: &str, fields: &[Field], map: &Map<String, Value>) -> Result<(), SpecError> {
    for (key, value) in map {
        let Some(field) = fields.iter().find(|field| field.name == key) else {
            let known = nearest(key, fields.iter().map(|field| field.name));
            let near = known.map_or(String::new(), |near| format!(" (did you mean '{near}'?)"));
            return Err(SpecError(format!(
                "{what} has no parameter '{key}'{near}; {}",
                allowed(fields)
            )));
        };
        if !value.is_null() && !field.kind.allows(value) {
            let text = plain(value);
            return Err(SpecError(format!(
                "{what}: {key}={text} is not allowed; {key} is a {} ({})",
                field.kind, field.about
            )));
        }
    }
    Ok(())
}

fn allowed(fields: &[Field]) -> String {
    if fields.is_empty() {
        return "it has none".to_string();
    }
    let lines: Vec<String> = fields.iter().map(|f| format!("{} ({})", f.name, f.kind)).collect();
    format!("it has {}", lines.join(", "))
}

/// A value as it is typed.
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "as the preset".to_string(),
        other => other.as_f64().map_or_else(|| other.to_string(), |number| number.to_string()),
    }
}

/// A number as people write it: to four digits that count.
pub fn short(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let digits = 3 - number.abs().log10().floor() as i32;
    if digits <= 0 {
        return number.round().to_string();
    }
    let text = format!("{number:.*}", digits.min(12) as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

/// A preset as it is typed with `key` changed to `value`.
pub fn changed(preset: &str, key: &str, value: f64) -> String {
    let (name, changes) = preset.split_once(':').unwrap_or((preset, ""));
    let others = changes.split(',').filter(|change| !change.is_empty());
    let others = others.filter(|change| change.split('=').next() != Some(key));
    let all: Vec<String> =
        others.map(str::to_string).chain([format!("{key}={}", short(value))]).collect();
    format!("{name}:{}", all.join(","))
}

/// The known name that `typed` was most likely meant to be, if any is near.
pub fn nearest<'n>(typed: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Names that are much longer or shorter are not near, and comparing them takes the product of their lengths.
    let comparable = |name: &&str| typed.len() <= 5 + 5 * name.len();
    known
        .filter(comparable)
        .map(|name| (strsim::damerau_levenshtein(typed, name), name))
        .filter(|(distance, name)| {
            *distance <= 1 + name.len() / 4
                || (typed.len() >= 3 && name.contains(typed))
                || (name.len() >= 3 && typed.starts_with(name))
        })
        .min_by_key(|(distance, name)| (*distance, name.len().abs_diff(typed.len())))
        .map(|(_, name)| name)
}

#[doc(hidden)]
pub use serde;
#[doc(hidden)]
pub use serde_json::Value as JsonValue;
/// A JSON object.
pub type JsonMap = Map<String, Value>;

#[cfg(test)]
mod tests;
