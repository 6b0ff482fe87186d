//! Agents with networks: bundled models work at once, at other sizes too, and decline what they were not made for.

use crate::Room;

/// The mean cost of an agent over some days.
fn mean(room: &Room, source: &str, agent: &str, more: &[&str]) -> f64 {
    let args = [&["simulate", source, "--agent", agent, "--json"], more].concat();
    let ran = room.run(&args).good();
    let costs: Vec<f64> = ran.json().iter().map(|day| day["cost"].as_f64().unwrap()).collect();
    costs.iter().sum::<f64>() / costs.len() as f64
}

#[test]
fn every_preset_has_a_model_that_beats_the_rule() {
    let room = Room::new();
    for preset in room.run(&["presets", "--json"]).good().json()[0].as_array().unwrap() {
        for preset in preset["presets"].as_array().unwrap() {
            let preset = preset["name"].as_str().unwrap();
            if ["cvrp-fleet-50", "pmsp-unrelated-5"].contains(&preset)
                || ["-two-", "-tiny-", "flipped"].iter().any(|part| preset.contains(part))
            {
                continue; // no model was trained for these
            }
            let cost = |agent| mean(&room, preset, agent, &["--episodes", "4"]);
            let rule = if preset.starts_with("pmsp") { "wspt" } else { "nearest" };
            let (net, rule) = (cost("qnet"), cost(rule));
            assert!(net < rule, "{preset}: {net} against {rule}");
        }
    }
}

/// Scenarios of a preset with twice the items, or half of them.
fn resized(room: &Room, preset: &str, items: &str, double: bool) -> String {
    let text = room.run(&["generate", preset, "--count", "4"]).good();
    let mut lines = String::new();
    for mut day in text.json() {
        let list = day[items].as_array_mut().unwrap();
        if double {
            list.extend(list.clone());
        } else {
            list.truncate(list.len() / 2);
        }
        lines += &format!("{day}\n");
    }
    lines
}

#[test]
fn a_network_serves_twice_and_half_the_size() {
    let room = Room::new();
    for (preset, items) in [("pmsp-20", "jobs"), ("pmsp-80", "jobs"), ("cvrp-20", "customers")] {
        for double in [false, true] {
            room.write("days.jsonl", resized(&room, preset, items, double));
            let cost = |agent: &str| mean(&room, "days.jsonl", agent, &[]);
            let rule = if preset.starts_with("pmsp") { "wspt" } else { "nearest" };
            let (net, rule) = (cost(&format!("qnet(model={preset})")), cost(rule));
            assert!(net < rule, "{preset}, double {double}: {net} against {rule}");
        }
    }
}

#[test]
fn searches_with_a_network_repeat_themselves() {
    let room = Room::new();
    for agent in ["solo", "solo+prune"] {
        let run = || mean(&room, "pmsp-20", agent, &["--budget", "20r"]);
        assert_eq!(run(), run());
    }
}

#[test]
fn a_model_declines_what_it_was_not_made_for() {
    let room = Room::new();
    let scenario = r#"{"name":"three","problem":"pmsp","machines":2,"horizon":0,"setup":[[0,1,2],[1,0,2],[1,2,0]],"jobs":[{"processing":3,"weight":1,"class":2,"arrival":0},{"processing":2,"weight":4,"class":1,"arrival":0}]}"#;
    room.write("three.jsonl", scenario);
    for agent in ["qnet", "solo", "lookahead+qnet"] {
        let ran = room.run(&["simulate", "three.jsonl", "--agent", agent]);
        assert_eq!(ran.code, Some(1), "{}", ran.out);
        for text in ["declined", "was trained for 5 classes; this day has 3", "solo train"] {
            assert!(ran.err.contains(text), "{}", ran.err);
        }
    }
    let wrong = |agent: &str, says: &[&str]| {
        let ran = room.run(&["simulate", "pmsp-20", "--agent", agent]);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(says.iter().all(|text| ran.err.contains(text)), "{}", ran.err);
    };
    wrong("qnet(model=cvrp-20)", &["there is no model 'cvrp-20'", "pmsp-online-3"]);
    wrong("qnet(model=nothing)", &["there is no model 'nothing'", "pmsp-20"]);
    wrong("qnet(model=no.safetensors)", &["no.safetensors"]);
    wrong("qnet(model=three.jsonl)", &["three.jsonl"]);
}
