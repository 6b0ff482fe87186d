//! Solutions as files: what was decided when, and what it cost.

use crate::Error;
use crate::any::{AnyProblem, AnyScenario};
use crate::files::{display_name, extension_of, open, read_text};
use crate::lines::{LineOf, Lines};
use crate::registry::Registry;
use crate::simulation::Outcome;
use serde_json::{Map, Value};
use solo_core::file::{Object, Reader};
use solo_core::{Cost, Faults, Violation};
use std::collections::HashMap;

/// What the audit says of a solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The scenario's name.
    pub scenario: String,
    /// The cost that the file states.
    pub stated: Option<Cost>,
    /// The recomputed cost, or the first rule that was broken.
    pub cost: Result<Cost, Violation>,
}

impl Verdict {
    /// Whether the solution keeps the rules and states its cost rightly, as far as the digits it is written with go.
    pub fn good(&self) -> bool {
        match (&self.cost, self.stated) {
            (Ok(cost), Some(stated)) => states(stated, *cost),
            (Ok(_), None) => true,
            (Err(_), _) => false,
        }
    }
}

/// Whether `stated` is `cost` written with as many decimals as it has: within half a unit of the last one, or a
/// millionth of the whole.
fn states(stated: Cost, cost: Cost) -> bool {
    let text = stated.to_string();
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let half_unit = 0.5 * 0.1_f64.powi(decimals.min(300) as i32);
    (stated - cost).abs() <= (half_unit * (1.0 + 1e-9)).max(1e-6 * cost.abs())
}

/// A solution as a JSON object; `None` if the day was not recorded.
pub fn to_json(problem: &str, outcome: &Outcome) -> Option<Value> {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_string(), value);
    put("scenario", Value::from(outcome.scenario.as_str()));
    put("problem", Value::from(problem));
    put("agent", Value::from(outcome.agent.as_str()));
    put("cost", Value::from(outcome.cost));
    put("decisions", Value::Array(outcome.day.as_ref()?.decisions()));
    Some(Value::Object(object))
}

/// Refuses, before any work is done, a file whose ending says that it cannot hold `count` solutions.
pub fn check_name(
    registry: &Registry,
    problem: &dyn AnyProblem,
    file: &str,
    count: u64,
) -> Result<(), Error> {
    let extension = extension_of(file);
    let claims = |problem: &dyn AnyProblem| problem.solution_extensions().contains(&&*extension);
    let usage = |message: String| Err(Error::Usage(format!("{file}: {message}; write .jsonl")));
    if claims(problem) {
        return match count {
            0 | 1 => Ok(()),
            _ => usage(format!("a .{extension} file holds one solution, not {count}")),
        };
    }
    match registry.problems().find(|other| claims(*other)) {
        Some(other) => {
            let (theirs, ours) = (other.name(), problem.name());
            usage(format!(".{extension} files hold solutions of {theirs}, these are of {ours}"))
        }
        None => Ok(()),
    }
}

/// Solutions as the text of a file of this name, which [`check_name`] accepts: other people's format if the ending
/// says so, else JSON lines.
pub fn to_text(problem: &dyn AnyProblem, file: &str, solved: &[Outcome]) -> Result<String, Error> {
    let extension = extension_of(file);
    if let ([one], true) = (solved, problem.solution_extensions().contains(&&*extension)) {
        let text = one.day.as_ref().and_then(|day| day.foreign(&extension, one.cost));
        return text.ok_or_else(|| Error::Failed(format!("{file}: the day was not recorded")));
    }
    let mut text = String::new();
    for object in solved.iter().filter_map(|outcome| to_json(problem.name(), outcome)) {
        text.push_str(&object.to_string());
        text.push('\n');
    }
    Ok(text)
}

/// Reads the solutions in a file and audits each against its scenario.
pub fn check(
    registry: &Registry,
    scenarios: &[Box<dyn AnyScenario>],
    file: &str,
) -> Result<Vec<Verdict>, Error> {
    let extension = extension_of(file);
    let foreign = |scenario: &dyn AnyScenario| {
        let problem = registry.problem(scenario.problem());
        problem.is_ok_and(|problem| problem.solution_extensions().contains(&&*extension))
    };
    match scenarios {
        [one] if foreign(one.as_ref()) => {
            let text = read_text(file)?;
            if let Some(verdict) = one.audit_foreign(&extension, file, &text) {
                return Ok(vec![verdict?]);
            }
        }
        many if many.iter().any(|one| foreign(one.as_ref())) => {
            return Err(Error::Failed(format!(
                "{file}: a .{extension} file is the solution of one scenario, here are {}",
                many.len()
            )));
        }
        _ => {}
    }
    Ok(check_lines(scenarios, file)?)
}

fn check_lines(scenarios: &[Box<dyn AnyScenario>], file: &str) -> Result<Vec<Verdict>, Faults> {
    let mut reader = Reader::new(&display_name(file));
    let mut lines = Lines::new(open(file)?);
    let mut verdicts = Vec::new();
    let known: HashMap<&str, &dyn AnyScenario> =
        scenarios.iter().map(|scenario| (scenario.name(), scenario.as_ref())).collect();
    let mut solved: HashMap<&str, usize> = HashMap::new();
    while let Some(line) = lines.next(&mut reader) {
        let LineOf::Text { number, text } = line else { continue };
        // Decisions outnumber items, so the limit on items, which `Reader::json` keeps, does not apply.
        let map = serde_json::from_str(&text).ok().or_else(|| reader.json(&text));
        let Some(map) = map else { continue };
        let mut object = Object::top(&map);
        let name = object.text(&mut reader, "scenario");
        let problem = object.text(&mut reader, "problem");
        object.optional("agent");
        let Some(name) = name else { continue };
        let Some(scenario) = known.get(name) else {
            reader.fault("scenario", format!("'{name}' is not in the scenario file"));
            continue;
        };
        if problem.is_some_and(|problem| problem != scenario.problem()) {
            reader.fault("problem", format!("'{name}' is a scenario of {}", scenario.problem()));
            continue;
        }
        if let Some(first) = solved.insert(scenario.name(), number) {
            reader.fault(
                "scenario",
                format!("'{name}' is solved twice, on lines {first} and {number}"),
            );
            continue;
        }
        verdicts.extend(scenario.audit(&mut reader, &mut object));
        object.end(&mut reader);
    }
    if reader.clean() && verdicts.is_empty() {
        reader.at(0);
        reader.fault("", "holds no solution");
    }
    reader.finish(Some(verdicts))
}

#[cfg(test)]
mod tests {
    use super::states;

    #[test]
    fn stated_costs_are_as_good_as_their_digits() {
        assert!(states(784.0, 784.0) && states(784.0, 784.4) && states(784.3, 784.345));
        assert!(!states(784.0, 785.0) && !states(784.3, 784.4) && !states(6.30, 6.36));
        assert!(states(42_615.123_456_7, 42_615.123_456_8));
        assert!(!states(f64::MAX, 1.0));
    }
}
