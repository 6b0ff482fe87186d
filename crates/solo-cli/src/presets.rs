//! `solo presets`.

use crate::args::PresetsArgs;
use crate::ui::{Align, Exit, Out, Print, Table};
use serde_json::{Value, json};
use solo::{AgentInfo, AnyProblem, bundled};
use solo_core::params::{Field, Kind, ParamValue, plain};

pub(crate) fn run(args: &PresetsArgs, out: &mut Out) -> Result<(), Exit> {
    if args.json {
        let all: Vec<Value> = bundled().problems().map(to_json).collect();
        return out.line(&Value::Array(all).to_string());
    }
    for (i, problem) in bundled().problems().enumerate() {
        if i > 0 {
            out.line("")?;
        }
        print(problem, out)?;
    }
    Ok(())
}

fn print(problem: &dyn AnyProblem, out: &mut Out) -> Result<(), Exit> {
    let name = problem.name();
    let preset = format!("preset of {name}");
    let mut table = Table::new(&[(&preset, Align::Left), ("what it is", Align::Left)]);
    for preset in problem.presets() {
        table.row(vec![preset.name.to_string(), preset.about.to_string()]);
    }
    for field in problem.changes() {
        let about = format!("  {} ({})", field.about, field.kind);
        table.row(vec![format!("  :{}=", field.name), about]);
    }
    table.print(out)?;
    out.line("")?;

    let agent = format!("agent of {name}");
    let mut table = Table::new(&[(&agent, Align::Left), ("what it does", Align::Left)]);
    for agent in problem.agents() {
        let shown = problem.shown().contains(&agent.name);
        table.row(vec![
            format!("{}{}", agent.name, if shown { " *" } else { "" }),
            agent.about.clone(),
        ]);
        for field in &agent.fields {
            table.row(vec![
                format!("  {}=", field.name),
                format!("  {} ({})", field.about, kind(&agent, field)),
            ]);
        }
    }
    table.print(out)?;
    out.line("* compared when no agent is asked for")?;

    let formats = problem.scenario_formats();
    if !formats.is_empty() {
        out.line("")?;
        let other = format!("files of {name}");
        let mut table = Table::new(&[(&other, Align::Left), ("what they hold", Align::Left)]);
        table.row(vec![".jsonl".to_string(), "one scenario a line".to_string()]);
        for format in formats {
            let ending = format!(".{} ({})", format.extension, format.name);
            table.row(vec![ending, format.about.to_string()]);
        }
        table.print(out)?;
    }
    Ok(())
}

fn to_json(problem: &dyn AnyProblem) -> Value {
    let presets = problem.presets().iter();
    let presets: Vec<Value> =
        presets.map(|preset| json!({"name": preset.name, "about": preset.about})).collect();
    let agents = problem.agents().into_iter().map(|agent| {
        let params: Vec<Value> = agent.fields.iter().map(|f| field(&agent, f)).collect();
        let shown = problem.shown().contains(&agent.name);
        json!({"name": agent.name, "about": agent.about, "shown": shown, "params": params})
    });
    let agents: Vec<Value> = agents.collect();
    json!({"problem": problem.name(), "presets": presets, "agents": agents})
}

/// What a field may be, and its default.
fn kind(agent: &AgentInfo, field: &Field) -> String {
    let default = agent.defaults.get(field.name).map(plain).unwrap_or_default();
    format!("{}, default {default}", field.kind)
}

fn field(agent: &AgentInfo, field: &Field) -> Value {
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
    object["default"] = json!(agent.defaults.get(field.name));
    object
}
