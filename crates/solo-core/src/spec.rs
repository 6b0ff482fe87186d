//! Agents as they are typed: `hold(theta=1.5,age=10)`.

use crate::Budget;
use std::fmt;
use thiserror::Error;

/// One settable parameter of an agent.
#[derive(Clone, Copy, Debug)]
pub struct Param {
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
        /// When not given.
        default: f64,
    },
    /// A whole number from `low` to `high`.
    Whole {
        /// Smallest.
        low: u32,
        /// Largest.
        high: u32,
        /// When not given.
        default: u32,
    },
    /// One of some words; the first is the default.
    Choice(&'static [&'static str]),
    /// Anything, as the name of a file.
    Text {
        /// When not given.
        default: &'static str,
    },
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Number { low, high, default } if *high == f64::MAX => {
                write!(f, "number of at least {low}, default {default}")
            }
            Kind::Number { low, high, default } => {
                write!(f, "number from {low} to {high}, default {default}")
            }
            Kind::Whole { low, high, default } if *high == u32::MAX => {
                write!(f, "whole number of at least {low}, default {default}")
            }
            Kind::Whole { low, high, default } => {
                write!(f, "whole number from {low} to {high}, default {default}")
            }
            Kind::Choice(words) => write!(f, "{}, default {}", words.join(" or "), words[0]),
            Kind::Text { default } => write!(f, "text, default {default}"),
        }
    }
}

/// What is wrong with an agent as it was typed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct SpecError(pub String);

/// A name with parameters, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The agent's name.
    pub name: String,
    given: Vec<(String, String)>,
}

impl Spec {
    /// Reads `name` or `name(key=value,...)`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let wrong =
            || SpecError(format!("'{text}' should look like name or name(key=value,key=value)"));
        let Some((name, rest)) = text.split_once('(') else {
            let name = text.trim().to_string();
            return if name.is_empty() {
                Err(wrong())
            } else {
                Ok(Self { name, given: Vec::new() })
            };
        };
        let inside = rest.trim().strip_suffix(')').ok_or_else(wrong)?;
        let given = inside
            .split(',')
            .filter(|part| !part.trim().is_empty())
            .map(|part| {
                let (key, value) = part.split_once('=').ok_or_else(wrong)?;
                Ok((key.trim().to_string(), value.trim().to_string()))
            })
            .collect::<Result<_, SpecError>>()?;
        Ok(Self { name: name.trim().to_string(), given })
    }

    /// The value of each of `params`, given or default.
    pub fn resolve(&self, params: &'static [Param]) -> Result<Args, SpecError> {
        for (i, (key, _)) in self.given.iter().enumerate() {
            if !params.iter().any(|param| param.name == key) {
                return Err(SpecError(format!(
                    "agent '{}' has no parameter '{key}'; {}",
                    self.name,
                    allowed(params)
                )));
            }
            if self.given[..i].iter().any(|(earlier, _)| earlier == key) {
                return Err(SpecError(format!("agent '{}': '{key}' is given twice", self.name)));
            }
        }
        let values = params.iter().map(|param| self.value(param)).collect::<Result<_, _>>()?;
        Ok(Args { values })
    }

    fn value(&self, param: &Param) -> Result<(&'static str, Value), SpecError> {
        let given = self.given.iter().find(|(key, _)| key == param.name).map(|(_, v)| v.as_str());
        let wrong = |text: &str| {
            SpecError(format!(
                "agent '{}': {}={text} is not allowed; {} is a {} ({})",
                self.name, param.name, param.name, param.kind, param.about
            ))
        };
        let value = match (param.kind, given) {
            (Kind::Number { default, .. }, None) => Value::Number(default),
            (Kind::Number { low, high, .. }, Some(text)) => match text.parse::<f64>() {
                Ok(number) if number >= low && number <= high => Value::Number(number),
                _ => return Err(wrong(text)),
            },
            (Kind::Whole { default, .. }, None) => Value::Number(default.into()),
            (Kind::Whole { low, high, .. }, Some(text)) => match text.parse::<u32>() {
                Ok(number) if (low..=high).contains(&number) => Value::Number(number.into()),
                _ => return Err(wrong(text)),
            },
            (Kind::Choice(words), None) => Value::Word(words[0]),
            (Kind::Choice(words), Some(text)) => match words.iter().find(|word| **word == text) {
                Some(word) => Value::Word(word),
                None => return Err(wrong(text)),
            },
            (Kind::Text { default }, given) => Value::Text(given.unwrap_or(default).to_string()),
        };
        Ok((param.name, value))
    }
}

/// An agent as typed, parted from a budget of its own: `ruin(replan=depot)@25ms`.
pub fn split_budget(text: &str) -> Result<(&str, Option<Budget>), SpecError> {
    match text.rsplit_once('@') {
        Some((agent, budget)) => match budget.parse() {
            Ok(budget) => Ok((agent, Some(budget))),
            Err(error) => Err(SpecError(format!("'{text}': {error}"))),
        },
        None => Ok((text, None)),
    }
}

fn allowed(params: &[Param]) -> String {
    if params.is_empty() {
        return "it has none".to_string();
    }
    let lines: Vec<String> = params.iter().map(|p| format!("{} ({})", p.name, p.kind)).collect();
    format!("it has {}", lines.join(", "))
}

/// The values of an agent's parameters, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Args {
    values: Vec<(&'static str, Value)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number(f64),
    Word(&'static str),
    Text(String),
}

impl Args {
    /// The number of this name, which the agent's entry declares.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Number(number) => *number,
            _ => panic!("parameter '{name}' is no number"),
        }
    }

    /// The word of this name, which the agent's entry declares.
    pub fn word(&self, name: &str) -> &'static str {
        match self.get(name) {
            Value::Word(word) => word,
            _ => panic!("parameter '{name}' is no choice"),
        }
    }

    /// The text of this name, which the agent's entry declares.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Value::Text(text) => text,
            _ => panic!("parameter '{name}' is no text"),
        }
    }

    fn get(&self, name: &str) -> &Value {
        let found = self.values.iter().find(|(key, _)| *key == name);
        &found.unwrap_or_else(|| panic!("parameter '{name}' is not declared")).1
    }
}

/// The known name that `typed` was most likely meant to be, if any is near.
pub fn nearest<'n>(typed: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    known
        .map(|name| (strsim::damerau_levenshtein(typed, name), name))
        .filter(|(distance, name)| {
            *distance <= 1 + name.len() / 4 || (typed.len() >= 3 && name.contains(typed))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: &[Param] = &[
        Param {
            name: "theta",
            about: "share of a load",
            kind: Kind::Number { low: 0.0, high: f64::MAX, default: 1.0 },
        },
        Param { name: "replan", about: "when", kind: Kind::Choice(&["depot", "always"]) },
        Param { name: "k", about: "how many", kind: Kind::Whole { low: 1, high: 9, default: 3 } },
        Param { name: "model", about: "which file", kind: Kind::Text { default: "auto" } },
    ];

    #[test]
    fn values_and_defaults() {
        let args = Spec::parse("hold(theta=1.5)").unwrap().resolve(PARAMS).unwrap();
        assert_eq!((args.number("theta"), args.word("replan")), (1.5, "depot"));
        let args = Spec::parse("hold( replan = always )").unwrap().resolve(PARAMS).unwrap();
        assert_eq!((args.number("theta"), args.word("replan")), (1.0, "always"));
        let args = Spec::parse("hold(model=a/b-c.d)").unwrap().resolve(PARAMS).unwrap();
        assert_eq!(args.text("model"), "a/b-c.d");
    }

    #[test]
    fn mistakes_are_named() {
        let complain = |text: &str| {
            Spec::parse(text).and_then(|spec| spec.resolve(PARAMS)).unwrap_err().to_string()
        };
        assert!(complain("hold(beta=1)").contains("it has theta (number of at least 0"));
        assert!(complain("hold(theta=-1)").contains("theta=-1 is not allowed"));
        assert!(complain("hold(theta=NaN)").contains("not allowed"));
        assert!(complain("hold(k=2.5)").contains("whole number from 1 to 9, default 3"));
        assert!(complain("hold(k=10)").contains("k=10 is not allowed"));
        assert!(complain("hold(replan=never)").contains("depot or always"));
        assert!(complain("hold(theta=1,theta=2)").contains("given twice"));
        assert!(complain("hold(theta").contains("should look like"));
        assert!(complain("").contains("should look like"));
    }

    #[test]
    fn near_names_are_found() {
        let names = ["cvrp-20", "cvrp-online-20", "pmsp-online-3", "savings"];
        assert_eq!(nearest("pmsp-onlin-3", names.into_iter()), Some("pmsp-online-3"));
        assert_eq!(nearest("saving", names.into_iter()), Some("savings"));
        assert_eq!(nearest("xyz", names.into_iter()), None);
    }
}
