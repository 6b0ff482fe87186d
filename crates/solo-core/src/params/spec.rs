//! The grammar of agents and presets as they are typed.

use super::{ParamValue, Params, SpecError, plain};
use crate::Budget;
use serde_json::{Map, Value};
use std::fmt;

/// Reads `key=value,key=value`. Numbers become numbers, everything else text.
fn read_pairs(text: &str, wrong: impl Fn() -> SpecError) -> Result<Map<String, Value>, SpecError> {
    let mut map = Map::new();
    for part in text.split(',').filter(|part| !part.trim().is_empty()) {
        let (key, value) = part.split_once('=').ok_or_else(&wrong)?;
        let (key, value) = (key.trim(), value.trim());
        if key.is_empty() || value.is_empty() {
            return Err(wrong());
        }
        let number = value.parse::<u64>().map(Value::from).ok();
        let number = number.or_else(|| value.parse::<f64>().ok().map(|x| x.to_value()));
        let value = number.filter(Value::is_number).unwrap_or_else(|| value.into());
        if map.insert(key.to_string(), value).is_some() {
            return Err(SpecError(format!("'{key}' is given twice")));
        }
    }
    Ok(map)
}

/// An agent as it is asked for: a name, parameters and perhaps a budget of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSpec {
    /// The agent's name.
    pub name: String,
    /// The parameters that were given.
    pub params: Map<String, Value>,
    /// What a decision of it may cost, if it was said.
    pub budget: Option<Budget>,
    typed: String,
}

impl AgentSpec {
    /// Reads `name`, `name(key=value,...)` or either with `@budget`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let (agent, budget) = match text.rsplit_once('@') {
            Some((agent, budget)) => match budget.parse() {
                Ok(budget) => (agent, Some(budget)),
                Err(error) => return Err(SpecError(format!("agent '{text}': {error}"))),
            },
            None => (text, None),
        };
        let wrong = || {
            SpecError(format!(
                "agent '{text}' should look like name, name(key=value,key=value) or name@10ms"
            ))
        };
        let (name, inside) = match agent.split_once('(') {
            Some((name, rest)) => (name, rest.trim().strip_suffix(')').ok_or_else(wrong)?),
            None => (agent, ""),
        };
        let name = name.trim().to_string();
        if name.is_empty() {
            return Err(wrong());
        }
        let params = read_pairs(inside, wrong).map_err(|SpecError(what)| {
            match what.starts_with("agent") {
                true => SpecError(what),
                false => SpecError(format!("agent '{name}': {what}")),
            }
        })?;
        Ok(Self { name, params, budget, typed: text.to_string() })
    }

    /// The agent `name` with these parameters.
    pub fn new<T: Params>(name: &str, params: &T) -> Self {
        let params = params.changes();
        let inside: Vec<String> =
            params.iter().map(|(key, value)| format!("{key}={}", plain(value))).collect();
        let inside = inside.join(",");
        let typed = if inside.is_empty() { name.to_string() } else { format!("{name}({inside})") };
        Self { name: name.to_string(), params, budget: None, typed }
    }

    /// The same with a budget of its own.
    pub fn at(mut self, budget: Budget) -> Self {
        self.typed = format!("{}@{budget}", self.without_budget());
        self.budget = Some(budget);
        self
    }

    /// Its parameters.
    pub fn read<T: Params>(&self) -> Result<T, SpecError> {
        self.read_over(T::default())
    }

    /// Its parameters, where those that are not given are as in `base`.
    pub fn read_over<T: Params>(&self, base: T) -> Result<T, SpecError> {
        base.with(&format!("agent '{}'", self.name), &self.params)
    }

    /// The text without a budget.
    pub fn without_budget(&self) -> &str {
        match self.budget {
            Some(_) => self.typed.rsplit_once('@').map_or(&self.typed, |(agent, _)| agent),
            None => &self.typed,
        }
    }
}

impl fmt::Display for AgentSpec {
    /// As it was typed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.typed)
    }
}

impl std::str::FromStr for AgentSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        Self::parse(text)
    }
}

impl TryFrom<&str> for AgentSpec {
    type Error = SpecError;

    fn try_from(text: &str) -> Result<Self, SpecError> {
        Self::parse(text)
    }
}

impl TryFrom<&String> for AgentSpec {
    type Error = SpecError;

    fn try_from(text: &String) -> Result<Self, SpecError> {
        Self::parse(text)
    }
}

impl<T: Params> From<T> for AgentSpec {
    fn from(params: T) -> Self {
        Self::new(T::NAME, &params)
    }
}

/// A preset as it is typed: `name`, or `name:key=value` with further changes behind commas.
#[derive(Clone, Debug, PartialEq)]
pub struct PresetSpec<'t> {
    /// The preset.
    pub name: &'t str,
    changes: Map<String, Value>,
}

impl<'t> PresetSpec<'t> {
    /// Reads it.
    pub fn parse(text: &'t str) -> Result<Self, SpecError> {
        let Some((name, rest)) = text.split_once(':') else {
            return Ok(Self { name: text, changes: Map::new() });
        };
        let wrong = || {
            SpecError(format!("preset '{text}' should look like name or name:key=value,key=value"))
        };
        let changes = read_pairs(rest, wrong)?;
        if changes.is_empty() {
            return Err(wrong());
        }
        Ok(Self { name, changes })
    }

    /// Its changes.
    pub fn read<T: Params>(&self) -> Result<T, SpecError> {
        T::default().with(&format!("preset '{}'", self.name), &self.changes)
    }

    /// Whether anything is changed.
    pub fn changed(&self) -> bool {
        !self.changes.is_empty()
    }

    /// The preset that a text speaks of, its changes left aside.
    pub fn name_of(text: &str) -> &str {
        text.split(':').next().unwrap_or(text)
    }
}
