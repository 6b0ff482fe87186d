//! `solo list` and `solo agents`: what there is.

use crate::args::{AgentsArgs, ListArgs};
use crate::ui::{Exit, Out};
use serde_json::{Value, json};
use solo::{AgentInfo, AnyProblem, Error, bundled};
use solo_core::AgentSpec;
use solo_core::params::{Field, Kind, ParamValue, nearest, plain};

/// Lines are at most this wide.
const WIDTH: usize = 80;

/// `solo list`.
pub(crate) fn list(args: &ListArgs, out: &mut Out) -> Result<(), Exit> {
    let wanted = match &args.problem {
        Some(name) => vec![bundled().problem(name).map_err(Error::Usage)?],
        None => bundled().problems().collect(),
    };
    if args.json {
        let all: Vec<Value> = wanted.iter().map(|problem| to_json(*problem)).collect();
        return out.line(&Value::Array(all).to_string());
    }
    for (i, problem) in wanted.into_iter().enumerate() {
        if i > 0 {
            out.line("")?;
        }
        print(problem, out)?;
    }
    out.line("")?;
    out.line("* compared when no agent is asked for, on days where things come over time")?;
    out.line("'solo agents NAME' tells an agent's parameters.")
}

fn print(problem: &dyn AnyProblem, out: &mut Out) -> Result<(), Exit> {
    let name = problem.name();
    out.line(&format!("{name}: presets"))?;
    let presets = problem.presets().iter();
    let presets = presets.map(|preset| (preset.name.to_string(), preset.about.to_string()));
    pairs(presets.collect(), out)?;
    let changes = problem.changes();
    if !changes.is_empty() {
        out.line("")?;
        out.line(&format!("{name}: what can be changed, as in PRESET:key=value,key=value"))?;
        let change = |field: &Field| {
            (format!("{}=", field.name), format!("{} ({})", field.about, field.kind))
        };
        pairs(changes.iter().map(change).collect(), out)?;
    }
    out.line("")?;
    out.line(&format!("{name}: agents"))?;
    let agent = |agent: AgentInfo| {
        let star = if is_shown(problem, agent.name) { " *" } else { "" };
        (format!("{}{star}", agent.name), agent.about)
    };
    pairs(problem.agents().into_iter().map(agent).collect(), out)?;
    out.line("")?;
    out.line(&format!("{name}: files"))?;
    let mut files = vec![(".jsonl".to_string(), "one scenario a line".to_string())];
    files.extend(problem.scenario_formats().into_iter().map(|format| {
        (format!(".{} ({})", format.extension, format.name), format.about.to_string())
    }));
    pairs(files, out)
}

fn is_shown(problem: &dyn AnyProblem, agent: &str) -> bool {
    let of = |text: &&str| AgentSpec::parse(text).is_ok_and(|spec| spec.name == agent);
    problem.shown(true).iter().any(of)
}

/// `solo agents`.
pub(crate) fn agents(args: &AgentsArgs, out: &mut Out) -> Result<(), Exit> {
    if args.names.is_empty() {
        for problem in bundled().problems() {
            let names: Vec<&str> = problem.agents().iter().map(|agent| agent.name).collect();
            out.line(&format!("{}:", problem.name()))?;
            wrap(&names.join(", "), WIDTH - 2, |line| out.line(&format!("  {line}")))?;
        }
        return out.line("'solo agents NAME' tells an agent's parameters.");
    }
    let mut all = Vec::new();
    for name in &args.names {
        let found = find(name);
        if found.is_empty() {
            return Err(unknown(name).into());
        }
        all.extend(found);
    }
    if args.json {
        let one = |(problems, agent): &(Vec<&str>, AgentInfo)| {
            let mut object = agent_json(agent);
            object["problems"] = json!(problems);
            object
        };
        return out.line(&Value::Array(all.iter().map(one).collect()).to_string());
    }
    for (i, (problems, agent)) in all.iter().enumerate() {
        if i > 0 {
            out.line("")?;
        }
        let text = format!("{} ({}): {}", agent.name, problems.join(", "), agent.about);
        wrap(&text, WIDTH, |line| out.line(line))?;
        let field = |field: &Field| {
            (format!("{}=", field.name), format!("{} ({})", field.about, kind(agent, field)))
        };
        pairs(agent.fields.iter().map(field).collect(), out)?;
        if let Some(first) = agent.fields.first() {
            let default = agent.defaults.get(first.name).map(plain).unwrap_or_default();
            out.line(&format!("example: '{}({}={default})@10ms'", agent.name, first.name))?;
        } else {
            out.line("nothing can be set")?;
        }
    }
    Ok(())
}

/// The agents of this name, with their problems; problems whose agents are the same share an entry.
fn find(name: &str) -> Vec<(Vec<&'static str>, AgentInfo)> {
    let name = AgentSpec::parse(name).map_or(name.to_string(), |spec| spec.name);
    let mut found: Vec<(Vec<&'static str>, AgentInfo)> = Vec::new();
    for problem in bundled().problems() {
        let agent = problem.agents().into_iter().find(|agent| agent.name == name);
        let Some(agent) = agent else { continue };
        let same = |(_, known): &&mut (Vec<_>, AgentInfo)| {
            known.about == agent.about && agent_json(known) == agent_json(&agent)
        };
        match found.iter_mut().find(same) {
            Some((problems, _)) => problems.push(problem.name()),
            None => found.push((vec![problem.name()], agent)),
        }
    }
    found
}

fn unknown(name: &str) -> Error {
    let all: Vec<AgentInfo> = bundled().problems().flat_map(AnyProblem::agents).collect();
    let near = nearest(name, all.iter().map(|agent| agent.name));
    let near = near.map_or(String::new(), |near| format!(" (did you mean '{near}'?)"));
    Error::Usage(format!("there is no agent '{name}'{near}; 'solo list' has all"))
}

/// Names with texts beside them, wrapped.
fn pairs(pairs: Vec<(String, String)>, out: &mut Out) -> Result<(), Exit> {
    let names = pairs.iter().map(|(name, _)| name.chars().count());
    let indent = 4 + names.max().unwrap_or(0).min(24);
    for (name, about) in pairs {
        let mut head = format!("  {name}");
        if head.chars().count() + 2 > indent {
            out.line(&head)?;
            head.clear();
        }
        wrap(&about, WIDTH - indent, |line| {
            let written = out.line(format!("{head:<indent$}{line}").trim_end());
            head.clear();
            written
        })?;
    }
    Ok(())
}

/// Gives the lines of a text of at most this width.
fn wrap(
    text: &str,
    width: usize,
    mut line: impl FnMut(&str) -> Result<(), Exit>,
) -> Result<(), Exit> {
    let mut now = String::new();
    for word in text.split_whitespace() {
        if !now.is_empty() && now.chars().count() + 1 + word.chars().count() > width {
            line(&now)?;
            now.clear();
        }
        if !now.is_empty() {
            now.push(' ');
        }
        now.push_str(word);
    }
    line(&now)
}

fn to_json(problem: &dyn AnyProblem) -> Value {
    let presets = problem.presets().iter();
    let presets: Vec<Value> =
        presets.map(|preset| json!({"name": preset.name, "about": preset.about})).collect();
    let changes: Vec<Value> = problem.changes().iter().map(field_json).collect();
    let agents = problem.agents().into_iter().map(|agent| {
        let mut object = agent_json(&agent);
        object["shown"] = json!(is_shown(problem, agent.name));
        object
    });
    let agents: Vec<Value> = agents.collect();
    json!({"problem": problem.name(), "presets": presets, "changes": changes, "agents": agents})
}

fn agent_json(agent: &AgentInfo) -> Value {
    let params = agent.fields.iter().map(|field| {
        let mut object = field_json(field);
        object["default"] = json!(agent.defaults.get(field.name));
        object
    });
    let params: Vec<Value> = params.collect();
    json!({"name": agent.name, "about": agent.about, "params": params})
}

/// What a field may be, and its default.
fn kind(agent: &AgentInfo, field: &Field) -> String {
    let default = agent.defaults.get(field.name).map(plain).unwrap_or_default();
    format!("{}, default {default}", field.kind)
}

fn field_json(field: &Field) -> Value {
    let mut object = json!({"name": field.name, "about": field.about});
    match field.kind {
        Kind::Number { low, high } => {
            object["low"] = low.to_value();
            object["high"] = high.to_value();
        }
        Kind::Whole { low, high } => {
            object["low"] = json!(low);
            object["high"] = json!(high);
        }
        Kind::Choice(words) => object["choices"] = json!(words),
        Kind::Text => {}
    }
    object
}
