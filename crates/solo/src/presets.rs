//! `solo presets`.

use crate::args::PresetsArgs;
use crate::ui::{Align, Exit, Out, Print, Table};
use serde_json::{Value, json};
use solo::any::AnyDomain;
use solo::registry::PROBLEMS;
use solo_core::spec::{Kind, Param};

pub(crate) fn run(args: &PresetsArgs, out: &mut Out) -> Result<(), Exit> {
    if args.json {
        let all: Vec<Value> = PROBLEMS.iter().map(|domain| to_json(*domain)).collect();
        return out.line(&Value::Array(all).to_string());
    }
    for (i, domain) in PROBLEMS.iter().enumerate() {
        if i > 0 {
            out.line("")?;
        }
        print(*domain, out)?;
    }
    Ok(())
}

fn print(domain: &dyn AnyDomain, out: &mut Out) -> Result<(), Exit> {
    let name = domain.name();
    let preset = format!("preset of {name}");
    let mut table = Table::new(&[(&preset, Align::Left), ("what it is", Align::Left)]);
    for preset in domain.presets() {
        table.row(vec![preset.name.to_string(), preset.about.to_string()]);
    }
    table.print(out)?;
    out.line("")?;

    let agent = format!("agent of {name}");
    let mut table = Table::new(&[(&agent, Align::Left), ("what it does", Align::Left)]);
    for agent in domain.agents() {
        let shown = domain.shown().contains(&agent.name);
        table.row(vec![
            format!("{}{}", agent.name, if shown { " *" } else { "" }),
            agent.about.to_string(),
        ]);
        for param in agent.params {
            table.row(vec![
                format!("  {}=", param.name),
                format!("  {} ({})", param.about, param.kind),
            ]);
        }
    }
    table.print(out)?;
    out.line("* compared when no agent is asked for")?;

    let formats = domain.scenario_extensions();
    if !formats.is_empty() {
        out.line("")?;
        let other = format!("files of {name}");
        let mut table = Table::new(&[(&other, Align::Left), ("what they hold", Align::Left)]);
        table.row(vec![".jsonl".to_string(), "one scenario a line".to_string()]);
        for (extension, about) in formats {
            table.row(vec![format!(".{extension}"), about.to_string()]);
        }
        table.print(out)?;
    }
    Ok(())
}

fn to_json(domain: &dyn AnyDomain) -> Value {
    let presets = domain.presets().iter();
    let presets: Vec<Value> =
        presets.map(|preset| json!({"name": preset.name, "about": preset.about})).collect();
    let agents = domain.agents().into_iter().map(|agent| {
        let params: Vec<Value> = agent.params.iter().map(param).collect();
        let shown = domain.shown().contains(&agent.name);
        json!({"name": agent.name, "about": agent.about, "shown": shown, "params": params})
    });
    let agents: Vec<Value> = agents.collect();
    json!({"problem": domain.name(), "presets": presets, "agents": agents})
}

fn param(param: &Param) -> Value {
    let mut object = json!({"name": param.name, "about": param.about});
    match param.kind {
        Kind::Number { low, high, default } => {
            object["low"] = json!(low);
            object["high"] = json!(high);
            object["default"] = json!(default);
        }
        Kind::Whole { low, high, default } => {
            object["low"] = json!(low);
            object["high"] = json!(high);
            object["default"] = json!(default);
        }
        Kind::Choice(words) => {
            object["choices"] = json!(words);
            object["default"] = json!(words.first());
        }
        Kind::Text { default } => object["default"] = json!(default),
    }
    object
}
