//! Every verb, used as it is meant to be.

use crate::{Room, shared};

#[test]
fn help_has_examples() {
    let room = Room::new();
    assert!(room.run(&["--help"]).good().out.contains("EXAMPLES"));
    for verb in ["list", "agents", "generate", "simulate", "solve", "check", "completions"] {
        let help = room.run(&[verb, "--help"]).good().out;
        assert!(help.contains("EXAMPLES") && help.contains(&format!("solo {verb}")), "{help}");
    }
    assert!(room.run(&["--version"]).good().out.starts_with("solo "));
}

#[test]
fn presets_and_agents_are_listed() {
    let room = Room::new();
    let text = room.run(&["list"]).good().out;
    for word in ["pmsp-online-3", "cvrp-dispatch-50", "wspt", "savings", "customers=", ".vrp"] {
        assert!(text.contains(word), "{word}:\n{text}");
    }
    let hold = room.run(&["agents", "hold", "solo2"]).good().out;
    assert!(hold.contains("theta=") && hold.contains("solo2 (pmsp, cvrp)"), "{hold}");
    for text in [text, hold] {
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
    let one = room.run(&["list", "cvrp"]).good().out;
    assert!(one.contains("cvrp-20") && !one.contains("pmsp-20"), "{one}");
    let all = &room.run(&["list", "--json"]).good().json()[0];
    let problems: Vec<_> = all.as_array().unwrap().iter().map(|p| p["problem"].clone()).collect();
    assert_eq!(problems, ["pmsp", "cvrp"]);
    room.run(&["agents", "solo3"]).bad(2, &["did you mean 'solo2'?"]);
    room.run(&["simulate", "pmsp-20", "--agent", "solo3"]).bad(2, &["did you mean 'solo2'?"]);
}

#[test]
fn every_preset_is_generated_read_and_simulated() {
    let room = Room::new();
    let all = room.run(&["list", "--json"]).good().json();
    for problem in all[0].as_array().unwrap() {
        for preset in problem["presets"].as_array().unwrap() {
            let name = preset["name"].as_str().unwrap();
            let drawn = room.run(&["generate", name, "--count", "2", "--seed", "5"]).good().out;
            let ran = room
                .run_with(&["simulate", "-", "--json", "--budget", "5r"], drawn.as_bytes())
                .good();
            assert!(ran.json().len() >= 2 * 4, "{name}: at least four agents a day");
            assert_eq!(drawn, room.run(&["generate", name, "--count", "2", "--seed", "5"]).out);
        }
    }
    assert!(room.files().is_empty(), "nothing is drawn unasked with --json");
}

#[test]
fn generated_files_are_whole_and_in_other_formats() {
    let room = Room::new();
    room.run(&["generate", "cvrp-20", "--count", "3", "--out", "days.jsonl"]).good();
    assert_eq!(room.read("days.jsonl").lines().count(), 3);
    room.run(&["generate", "cvrp-20", "--out", "one.vrp"]).good();
    room.run(&["generate", "pmsp-20", "--out", "one.txt"]).good();
    assert_eq!(room.files(), ["days.jsonl", "one.txt", "one.vrp"]);
    for file in ["one.vrp", "one.txt"] {
        assert!(
            room.run(&["solve", file, "--budget", "50r"]).good().out.contains("decisions"),
            "{file}"
        );
    }
    let many = ["generate", "cvrp-20", "--count", "2", "--out", "two.vrp"];
    room.run(&many).bad(1, &["two.vrp", "holds one scenario"]);
}

#[test]
fn one_day_is_told_and_drawn() {
    let room = Room::new();
    let out = room.run(&["simulate", "pmsp-online-3", "--log"]).good().out;
    for text in [
        "pmsp-online-3/seed0-0: pmsp, machines 3",
        "agent",
        "to ruin",
        "hindsight",
        "solo2 saves",
        "-> ",
    ] {
        assert!(out.contains(text), "{text}:\n{out}");
    }
    assert_eq!(room.files(), ["pmsp-online-3-seed0-0.svg"]);
    assert!(room.read("pmsp-online-3-seed0-0.svg").starts_with("<svg"));

    let room = Room::new();
    let fleet = room.run(&["simulate", "cvrp-fleet-50", "--no-picture"]).good().out;
    assert!(fleet.contains("replanning (ruin+hold)"), "{fleet}");
    assert!(fleet.contains("uses that of cvrp-dispatch-50"), "{fleet}");
    assert!(room.files().is_empty());
    let asked =
        ["simulate", "cvrp-20", "--picture", "a.svg", "--episodes", "2", "--agent", "nearest"];
    room.run(&asked).good();
    assert_eq!(room.files(), ["a.svg"]);
}

#[test]
fn files_are_not_replaced_unless_that_is_asked_for() {
    let room = Room::new();
    room.write("a.svg", "mine");
    let picture = ["simulate", "cvrp-20", "--agent", "nearest", "--picture", "a.svg"];
    room.run(&picture).bad(2, &["a.svg: there is such a file", "--force"]);
    assert_eq!(room.read("a.svg"), "mine");
    room.run(&[&picture[..], &["--force"]].concat()).good();
    assert!(room.read("a.svg").starts_with("<svg"));
    room.write("days.jsonl", "mine");
    room.run(&["generate", "cvrp-20", "--out", "days.jsonl"]).bad(2, &["--force"]);
    assert_eq!(room.read("days.jsonl"), "mine");
    // A picture that nobody asked for takes the place of an older one, but of nothing else.
    room.write("cvrp-20-seed0-0.svg", "mine");
    let out = room.run(&["simulate", "cvrp-20", "--agent", "nearest"]);
    assert_eq!(out.code, Some(0));
    assert_eq!(room.read("cvrp-20-seed0-0.svg"), "mine");
}

#[test]
fn pictures_that_cannot_be_written_are_refused_before_the_run() {
    let room = Room::new();
    room.run(&["generate", "cvrp-20", "--out", "day.jsonl"]).good();
    for verb in [["simulate", "cvrp-20"], ["solve", "day.jsonl"]] {
        let refused = |file: &str, says: &[&str]| {
            let asked = [&verb[..], &["--budget", "1r", "--picture", file]].concat();
            let out = room.run(&asked).bad(2, says).out;
            assert_eq!(out, "", "nothing is simulated");
            assert_eq!(room.files(), ["day.jsonl"]);
        };
        refused("day.gif", &["day.gif: a picture is an SVG or a PNG", ".svg or .png"]);
        refused("day", &["day: a picture is an SVG or a PNG"]);
        if !cfg!(feature = "png") {
            refused(
                "day.png",
                &["writes no PNG; build with --features png, or name a file", ".svg"],
            );
        }
    }
}

#[test]
#[cfg_attr(not(feature = "png"), ignore = "needs --features png")]
fn pictures_are_painted_as_png() {
    let room = Room::new();
    room.run(&["generate", "cvrp-20", "--out", "day.jsonl"]).good();
    let verbs = [["simulate", "cvrp-dispatch-20", "a.png"], ["solve", "day.jsonl", "b.PNG"]];
    for [verb, what, file] in verbs {
        room.run(&[verb, what, "--agent", "nearest", "--picture", file]).good();
        let bytes = std::fs::read(room.path(file)).unwrap();
        assert!(bytes.starts_with(b"\x89PNG\r\n"), "{file}");
    }
}

#[test]
fn differences_are_to_whom_was_asked_for() {
    let room = Room::new();
    let asked = ["simulate", "pmsp-20", "--agent", "wspt", "--agent", "fifo", "--no-picture"];
    assert!(room.run(&asked).good().out.contains("to wspt"));
    let to = [&asked[..], &["--against", "fifo"]].concat();
    assert!(room.run(&to).good().out.contains("to fifo"));
    let wrong = [&asked[..], &["--against", "ruin"]].concat();
    room.run(&wrong).bad(2, &["--against ruin: it should be one of wspt, fifo"]);
}

#[test]
fn what_was_not_asked_for_is_said() {
    let room = Room::new();
    let day = r#"{"name":"monday","problem":"cvrp","depot":{"x":0.5,"y":0.5},"capacity":30,"pace":1,"waiting_weight":0.05,"horizon":10,"customers":[{"x":0.2,"y":0.7,"demand":4,"arrival":0.0},{"x":0.8,"y":0.1,"demand":7,"arrival":3.5}]}"#;
    room.write("monday.jsonl", day);
    let asked = ["simulate", "monday.jsonl", "--budget", "20r", "--no-picture", "--agent", "solo2"];
    let out = room.run(&asked).good().out;
    assert!(out.contains("solo2: no arrival law is known for this day"), "{out}");
    let json = room.run(&[&asked[..], &["--json"]].concat()).good().json();
    assert!(json[0]["notes"][0].as_str().unwrap().contains("no arrival law"), "{}", json[0]);
    room.run(&[&asked[..], &["--strict"]].concat()).bad(1, &["--strict"]);
    // With a law there is a guide, though not for days as small as this.
    let lawful = [&asked[..], &["--law", "cvrp-dispatch-20", "--json"]].concat();
    let note = "the guide cvrp-dispatch-20 was taught for 20 customers; this day has 2";
    assert_eq!(room.run(&lawful).good().json()[0]["notes"], serde_json::json!([note]));
    let preset = ["simulate", "cvrp-dispatch-20", "--budget", "20r", "--agent", "solo2", "--json"];
    assert_eq!(room.run(&preset).good().json()[0]["notes"], serde_json::json!([]));
}

#[test]
fn several_days_are_compared() {
    let room = Room::new();
    let file = shared("cvrp-20.jsonl");
    let out = room.run(&["simulate", &file, "--agent", "savings", "--agent", "nearest"]).good().out;
    let row = |agent: &str| {
        let line = out.lines().find(|line| line.starts_with(agent)).expect(agent);
        line.split_whitespace().map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(row("savings")[1], "6.30", "{out}");
    assert!(row("nearest")[2].starts_with('+'), "{out}");
    assert!(out.contains("100 episodes") && out.contains("95 % interval"), "{out}");
    let limited = room.run(&["simulate", &file, "--episodes", "7", "--json", "--agent", "sweep"]);
    assert_eq!(limited.good().json().len(), 7);
    assert!(room.files().is_empty());
}

#[test]
fn json_has_the_figures() {
    let room = Room::new();
    let ran = room.run(&["simulate", &shared("pmsp-online-3.jsonl"), "--episodes", "1", "--json"]);
    let objects = ran.good().json();
    let wspt = objects.iter().find(|object| object["agent"] == "wspt").unwrap();
    assert_eq!(wspt["scenario"], "pmsp-online-3/0");
    assert_eq!(wspt["cost"], 40409.0);
    let keys: Vec<_> = wspt.as_object().unwrap().keys().collect();
    let all = [
        "scenario",
        "agent",
        "cost",
        "decisions",
        "rollouts",
        "seconds",
        "slowest",
        "notes",
        "no_time",
    ];
    assert_eq!(keys, all);
    assert_eq!(wspt["no_time"], serde_json::json!({}));
}

#[test]
fn the_same_command_gives_the_same_costs_whatever_the_threads() {
    let room = Room::new();
    for preset in ["pmsp-online-10", "cvrp-online-20"] {
        let costs = |threads: &str| {
            let args = [
                "simulate",
                preset,
                "--episodes",
                "12",
                "--seed",
                "3",
                "--budget",
                "20r",
                "--json",
            ];
            let ran = room.run(&[&args[..], &["--threads", threads]].concat()).good();
            let pick = |object: &serde_json::Value| {
                ["scenario", "agent", "cost", "decisions"].map(|key| object[key].clone())
            };
            ran.json().iter().map(pick).collect::<Vec<_>>()
        };
        let alone = costs("1");
        assert_eq!(alone, costs("1"), "{preset}");
        assert_eq!(alone, costs("2"), "{preset}");
    }
}

#[test]
fn solutions_are_written_and_checked() {
    let room = Room::new();
    for file in ["cvrp-online-20.jsonl", "pmsp-online-3.jsonl"] {
        let file = shared(file);
        room.run(&[
            "solve",
            &file,
            "--budget",
            "20r",
            "--out",
            "solved.jsonl",
            "--picture",
            "a.svg",
            "--force",
        ])
        .good();
        let checked = room.run(&["check", &file, "solved.jsonl", "--json"]).good().json();
        assert_eq!(checked.len(), 100);
        assert!(checked.iter().all(|verdict| verdict["good"] == true));
    }
    assert_eq!(room.files(), ["a.svg", "solved.jsonl"]);

    room.run(&["generate", "pmsp-online-3", "--out", "day.jsonl"]).good();
    room.run(&["simulate", "day.jsonl", "--no-picture", "--solution", "solved.json"]).good();
    let out = room.run(&["check", "day.jsonl", "solved.json"]).good().out;
    assert!(out.contains("good, recomputed cost"), "{out}");
}

#[test]
fn other_peoples_formats_go_there_and_back() {
    let room = Room::new();
    room.write(
        "tiny.vrp",
        "NAME : tiny\nTYPE : CVRP\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 10\n\
         NODE_COORD_SECTION\n1 0 0\n2 1 1\n3 2 1\n4 -3 0\nDEMAND_SECTION\n1 0\n2 5\n3 5\n4 5\n\
         DEPOT_SECTION\n1\n-1\nEOF\n",
    );
    room.run(&["solve", "tiny.vrp", "--agent", "savings", "--out", "tiny.sol"]).good();
    assert!(room.read("tiny.sol").contains("Route #1"));
    let rounded = room.run(&["check", "tiny.vrp", "tiny.sol"]).good().out;
    assert!(rounded.contains("recomputed cost 10, stated cost 10"), "{rounded}");
    let exact = room.run(&["check", "tiny.vrp", "tiny.sol", "--format", "vrplib-exact", "--json"]);
    let cost = exact.json()[0]["cost"].as_f64().unwrap();
    let straight = 2f64.sqrt() + 1.0 + 5f64.sqrt() + 6.0;
    assert!((cost - straight).abs() < 1e-9, "{cost}");
    exact.bad(1, &["tiny: the cost is 10.650282, not 10 as stated"]);
}

#[test]
fn shells_complete_verbs_presets_and_agents() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = Room::new().run(&["completions", shell]).good().out;
        assert!(script.contains("COMPLETE"), "{shell}: {script}");
    }
    let complete = |words: &[&str]| {
        let room = Room::new();
        let mut command = room.command();
        command.env("COMPLETE", "bash").env("_CLAP_IFS", "\n");
        command.env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string());
        let output = command.arg("--").args(words).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(complete(&["solo", "sim"]).contains("simulate"));
    assert!(complete(&["solo", "simulate", "cvrp-disp"]).contains("cvrp-dispatch-50"));
    assert!(complete(&["solo", "simulate", "x", "--agent", "solo"]).contains("solo2"));
    assert!(complete(&["solo", "generate", "pmsp-"]).contains("pmsp-online-3"));
}

#[test]
fn a_recorded_comparison_goes_on_where_it_stopped() {
    let room = Room::new();
    let file = shared("pmsp-20.jsonl");
    let run = |episodes: &str| {
        let args =
            ["simulate", &file, "--agent", "wspt", "--agent", "ruin@200r", "--record", "r.jsonl"];
        let reference = format!("{}:best-known", shared("pmsp-references.csv"));
        let more = ["--episodes", episodes, "--reference", &reference, "--markdown"];
        room.run(&[&args[..], &more].concat())
    };
    run("3").good();
    let first = room.read("r.jsonl");
    assert_eq!(first.lines().count(), 6);
    // a crash may cut the last line short: it is dropped and simulated again
    room.write("r.jsonl", &first[..first.len() - 20]);
    let again = run("5");
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert!(again.err.contains("line 6 was cut short"), "{}", again.err);
    let out = again.out;
    let whole = room.read("r.jsonl");
    assert_eq!(whole.lines().count(), 10);
    // days end in any order
    let costs = |text: &str| {
        let line = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
        let cost = |day: serde_json::Value| {
            format!("{} {} {}", day["scenario"], day["agent"], day["cost"])
        };
        text.lines().map(line).map(cost).collect::<std::collections::BTreeSet<_>>()
    };
    assert!(costs(&whole).is_superset(&costs(&first)), "the same seed gives the same days");
    assert!(out.contains("| best-known |") && out.contains("| ruin@200r |"), "{out}");

    let unknown = format!("{}:best", shared("pmsp-references.csv"));
    room.run(&["simulate", &file, "--reference", &unknown]).bad(2, &["no method 'best'", "wspt"]);
    room.run(&["simulate", &file, "--agent", "ruin@soon"]).bad(2, &["'soon' is not a budget"]);
    room.write("other.jsonl", "{\"a\":1}\n");
    room.run(&["simulate", &file, "--record", "other.jsonl"])
        .bad(1, &["line 1 is not a recorded day"]);
}

#[test]
fn decisions_are_explained() {
    let room = Room::new();
    let asked = ["simulate", "pmsp-online-3", "--agent", "mcts+wspt(k=4)", "--agent", "wspt"];
    let asked = [&asked[..], &["--budget", "20r", "--explain", "--no-picture"]].concat();
    let text = room.run(&asked).good().out;
    for word in ["searched, 20 rollouts", "candidate", "wait", "more: the machine is busy"] {
        assert!(text.contains(word), "{word}:\n{text}");
    }
    let lines = room.run(&[&asked[..], &["--json"]].concat()).good().json();
    let decisions = lines[0]["explained"].as_array().unwrap();
    assert_eq!(decisions.len() as u64, lines[0]["decisions"].as_u64().unwrap());
    let first = &decisions[0];
    assert_eq!(first["candidates"][0]["action"], first["action"]);
    assert!(first["candidates"][0]["visits"].as_u64().unwrap() > 0 && first["tied"].is_boolean());
    let rule = &lines[1]["explained"][0];
    assert_eq!(rule["how"], "by its values");
    assert!(rule["candidates"][0]["value"].is_number() && rule["rollouts"] == 0);

    let guide = ["simulate", "cvrp-dispatch-20", "--agent", "guide", "--explain", "--no-picture"];
    let text = room.run(&guide).good().out;
    assert!(text.contains("by its values") && text.contains("value"), "{text}");
    let solo2 = ["simulate", "pmsp-online-3", "--agent", "solo2@30r", "--explain", "--json"];
    let lines = room.run(&solo2).good().json();
    let candidates = lines[0]["explained"][5]["candidates"].as_array().unwrap();
    let both = |c: &&serde_json::Value| c["visits"].as_u64() > Some(0) && c["value"].is_number();
    assert!(candidates.iter().any(|c| both(&c)), "the guide's value beside the search's");
}

#[test]
fn searches_take_parameters() {
    let room = Room::new();
    let run =
        |agent: &str| room.run(&["simulate", "cvrp-online-20", "--agent", agent, "--budget", "3r"]);
    run("mcts+distance(beta=1.5,gamma=0.9,k=0,lookahead=inf,futures=fresh)").good();
    for (wrong, word) in [
        ("mcts+distance(k=1.5)", "k is a whole number of at least 0"),
        ("mcts+distance(gamma=1.1)", "gamma is a number from 0 to 1"),
        ("mcts+distance(futures=true)", "common or fresh"),
        ("mcts+distance(alpha=1)", "it has beta"),
        ("mcts+wspt", "is one of pmsp"),
        ("lookahead(margn=1)", "it has k"),
        ("lookahead(k=0)", "k is a whole number of at least 1"),
    ] {
        run(wrong).bad(2, &[word]);
    }
}

#[test]
fn lookahead_explains_itself_and_ponders() {
    let room = Room::new();
    let asked = ["simulate", "cvrp-dispatch-20", "--agent", "lookahead@40r", "--json", "--explain"];
    let run = |more: &[&str]| room.run(&[&asked[..], more].concat());
    let still = run(&[]).good().json();
    let reasons = still[0]["explained"].as_array().unwrap();
    assert!(reasons.iter().any(|reason| reason["how"] == "searched on common futures"));
    let masked = still[0]["explained"].to_string().contains("the vehicle is at the depot");
    assert!(masked, "what is not allowed is there, with its reason");

    let pondering = run(&["--ponder", "300r"]).good().json();
    assert_ne!(pondering[0]["explained"], still[0]["explained"]);
    let again = run(&["--ponder", "300r"]).good().json();
    assert_eq!(pondering[0]["explained"], again[0]["explained"]);
    run(&["--ponder", "5"]).bad(2, &["'5' is not a budget"]);
}
