//! Suites: run, killed, continued, refused.

use crate::{Room, shared};
use std::collections::HashSet;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A suite of two columns: rules and a search with rollouts, and a file of scenarios with reference costs.
fn tiny() -> String {
    format!(
        r#"
title = "tiny"
seed = 3
[rows.rules]
agents = ["wspt", "fifo"]
[rows.search]
agents = ["lookahead"]
budgets = ["20r"]
first = 3
[rows.known]
methods = ["best-known"]
[[column]]
name = "online"
preset = "pmsp-online-3"
first = 4
rows = ["rules", "search"]
reference = "wspt"
pictures = [{{ row = "lookahead@20r", day = 1 }}]
[[column]]
name = "offline"
scenarios = "{}"
references = "{}"
first = 5
rows = ["known", "rules"]
reference = "best-known"
"#,
        shared("pmsp-20.jsonl"),
        shared("pmsp-references.csv")
    )
}

fn lines(room: &Room) -> Vec<serde_json::Value> {
    let read = |line: &str| serde_json::from_str(line).expect(line);
    room.read("out/days.jsonl").lines().map(read).collect()
}

#[test]
fn a_suite_is_simulated_once() {
    let room = Room::new();
    room.write("tiny.toml", tiny());
    let args = ["eval", "tiny.toml", "--out", "out"];
    let ran = room.run(&args).good();
    assert!(ran.out.contains("0 of 21 days are there already"), "{}", ran.out);
    assert!(ran.out.contains("21 days simulated, 0 left"), "{}", ran.out);
    assert_eq!(lines(&room).len(), 21);
    assert!(room.read("out/pictures/online-lookahead_20r-1.svg").contains("<svg"));
    assert_eq!(room.read("out/references.csv").lines().count(), 6);

    let ran = room.run(&args).good();
    assert!(ran.out.contains("21 of 21 days are there already"), "{}", ran.out);
    let ran = room.run(&["eval", "tiny.toml", "--out", "out", "--forget", "online / fifo"]);
    assert!(
        ran.err.contains("4 days forgotten") && ran.out.contains("4 days simulated"),
        "{}",
        ran.out
    );
    assert_eq!(lines(&room).len(), 21);

    let ran = room.run(&["report", "out"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let html = room.read("out/report.html");
    for outside in ["<script", "src=", "<link", "@import"] {
        assert!(!html.contains(outside), "everything is inside, no {outside}");
    }
    assert!(html.matches("<svg").count() >= 3, "two spreads and a picture");
    assert!(
        html.contains("best-known")
            && html.contains("lookahead@20r")
            && html.contains("solo eval tiny.toml --out out")
    );
    let tables = room.read("out/tables.md");
    assert!(
        tables.contains("| wspt | 4 |") && tables.contains("| lookahead@20r | 3 |"),
        "{tables}"
    );
    assert!(room.read("out/figures/spread-online.svg").contains("percent above wspt"));

    // What is simulated alone is the same.
    let alone =
        ["simulate", "pmsp-online-3", "--seed", "3", "--episodes", "3", "--agent", "lookahead@20r"];
    let alone = room.run(&[&alone[..], &["--json"]].concat()).good().json();
    for day in &alone {
        let same = |line: &&serde_json::Value| {
            line["scenario"] == day["scenario"] && line["agent"] == day["agent"]
        };
        let all = lines(&room);
        let line = all.iter().find(same).expect("the day is in the record");
        assert_eq!(line["cost"], day["cost"]);
    }
}

#[test]
fn cells_are_listed_and_picked() {
    let room = Room::new();
    room.write("tiny.toml", tiny());
    let ran = room.run(&["eval", "tiny.toml", "--out", "out", "--dry-run"]).good();
    assert!(ran.out.contains("lookahead@20r") && ran.out.contains("together"), "{}", ran.out);
    assert_eq!(room.files(), ["tiny.toml"]);
    room.run(&["eval", "tiny.toml", "--out", "out", "--only", "offline / w"]).good();
    assert_eq!(lines(&room).len(), 5);
    room.run(&["eval", "tiny.toml", "--out", "out", "--only", "nothing"])
        .bad(2, &["no cell of tiny.toml has 'nothing'"]);
}

#[test]
#[cfg(unix)]
fn what_is_killed_goes_on() {
    let room = Room::new();
    let slow = tiny().replace("first = 4", "first = 400").replace("first = 3", "first = 400");
    let slow = slow.replace("\"20r\"", "\"2000r\"").replace("@20r", "@2000r");
    room.write("slow.toml", &slow);
    let args = ["eval", "slow.toml", "--out", "out"];
    let days = || std::fs::read_to_string(room.path("out/days.jsonl")).unwrap_or_default();
    let mut command = room.command();
    let mut child = command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while days().lines().count() < 12 && started.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(20));
    }
    let busy = room.run(&args);
    busy.bad(1, &["out/days.jsonl", "another run"]);
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = days();
    let kept = kept[..=kept.rfind('\n').unwrap()].to_string();
    assert!(kept.lines().count() >= 12);
    // As if it had been killed while writing a line.
    room.write("out/days.jsonl", format!("{kept}{{\"scenario\":\"cut sh"));

    // Another state of the suite is not mixed in unless that is meant.
    let small = slow.replace("first = 400", "first = 4").replace("\"2000r\"", "\"2000r\", \"5r\"");
    room.write("slow.toml", small);
    room.run(&args).bad(1, &["holds results of another suite", "--mix"]);
    let ran = room.run(&[&args[..], &["--mix"]].concat()).good();
    assert!(!ran.out.contains("0 of "), "{}", ran.out);
    let all = lines(&room);
    let keys: HashSet<String> = all
        .iter()
        .map(|line| format!("{} {} {}", line["scenario"], line["agent"], line["budget"]))
        .collect();
    assert_eq!(keys.len(), all.len(), "no day was simulated twice");
    assert!(days().starts_with(&kept), "what was there is still there");
    assert!(all.iter().any(|line| line["run"] == 1), "days say which run simulated them");
}

#[test]
fn a_cell_that_fails_does_not_stop_the_others() {
    let room = Room::new();
    let suite = r#"
title = "a rival that is not installed, and one that declines"
[rows.all]
agents = ["ortools@10ms", "savings", "pyvrp@10r"]
[[column]]
name = "cvrp"
preset = "cvrp-20"
first = 3
rows = ["all"]
reference = "savings"
"#;
    room.write("rivals.toml", suite);
    let mut command = room.command();
    let command =
        command.args(["eval", "rivals.toml", "--out", "out"]).env("SOLO_PYTHON", "/nowhere");
    let output = command.output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(err.contains("cvrp / ortools@10ms failed on") && err.contains("/nowhere"), "{err}");
    assert!(err.contains("cvrp / pyvrp@10r failed on 3 days"), "{err}");
    assert_eq!(lines(&room).len(), 3);
    assert!(room.read("out/failures.json").contains("cargo xtask rivals"));
    room.run(&["report", "out"]);
    let tables = room.read("out/tables.md");
    assert!(tables.contains("not run: the agent failed: not available"), "{tables}");
    room.run(&["report", "nowhere"]).bad(1, &["nowhere: holds no results", "solo eval"]);
}

#[test]
fn a_plan_of_very_many_days_is_told_at_once_or_refused() {
    let room = Room::new();
    room.write("vast.toml", tiny().replace("first = 4", "first = 1_000_000_000_000"));
    room.run(&["eval", "vast.toml", "--dry-run"])
        .bad(1, &["vast.toml: column 'online': first = 1000000000000 should be from 1 to 1000000"]);
    let row = tiny().replace("first = 3", "first = 1_000_000_000_000");
    room.write("vast.toml", row);
    room.run(&["eval", "vast.toml", "--dry-run"]).bad(1, &["[rows.search]: first = 1000000000000"]);
    // Days that are only counted are not drawn: a million of them would take minutes.
    let large = tiny().replace("first = 4", "first = 1_000_000");
    room.write("large.toml", large.replace("pmsp-online-3", "pmsp-online-3:rate=100"));
    let ran = room.run(&["eval", "large.toml", "--dry-run"]).good();
    assert!(ran.out.contains("1,000,000"), "{}", ran.out);
}

#[test]
fn results_with_torn_lines_go_on() {
    let room = Room::new();
    let suite = tiny().replace("online-3\"", "online-3\"\ntitle = \"\u{e9}\"");
    room.write("tiny.toml", suite.replace("\"wspt\", \"fifo\"", "\"wspt\""));
    let args = ["eval", "tiny.toml", "--out", "out"];
    room.run(&args).good();
    let whole = lines(&room).len();
    for (file, torn) in [
        ("out/days.jsonl", &b"{\"scenario\":\"caf\xc3"[..]),
        ("out/runs.jsonl", &b"{\"run\":1,\"started\":17"[..]),
    ] {
        let good = std::fs::read(room.path(file)).unwrap();
        room.write(file, [&good[..], torn].concat());
        assert_eq!(
            room.run(&["report", "out"]).code,
            Some(0),
            "a report is made of the good lines"
        );
        let ran = room.run(&args);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let note = format!("was cut short after {} bytes and is left out", torn.len());
        assert!(ran.err.contains(&note), "{}", ran.err);
        assert!(ran.out.contains("0 days simulated, 0 left"), "{}", ran.out);
        assert_eq!(lines(&room).len(), whole, "no good line is lost");
        room.run(&args).good();
    }
    // The same of the record of a comparison.
    let simulate =
        ["simulate", "pmsp-20", "--agent", "wspt", "--no-picture", "--record", "r.jsonl"];
    room.run(&simulate).good();
    let good = std::fs::read(room.path("r.jsonl")).unwrap();
    room.write("r.jsonl", [&good[..], b"{\"scenario\":\"caf\xc3"].concat());
    let ran = room.run(&simulate);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("note: r.jsonl: line 2 was cut short"), "{}", ran.err);
    assert_eq!(std::fs::read(room.path("r.jsonl")).unwrap(), good);
}

#[test]
fn bad_suites_are_explained() {
    let room = Room::new();
    let args = ["eval", "bad.toml", "--out", "out"];
    room.run(&args).bad(1, &["bad.toml", "no such file"]);
    for (from, to, says) in [
        ("title = \"tiny\"", "titel = \"tiny\"", &["line 2", "unknown field `titel`"][..]),
        ("\"fifo\"", "\"fifa\"", &["column 'online'", "'fifa'", "did you mean 'fifo'?"]),
        ("\"fifo\"", "\"ruin@5parsecs\"", &["[rows.rules]", "'5parsecs' is not a budget"]),
        ("pmsp-online-3", "pmsp-online-4", &["column 'online'", "unknown preset"]),
        ("pmsp-20.jsonl", "pmsp-21.jsonl", &["pmsp-21.jsonl", "no such file"]),
        ("best-known", "best-unknown", &["has no method 'best-unknown'; it has wspt"]),
        ("day = 1", "day = 9", &["column 'online'", "no day 9"]),
        ("reference = \"wspt\"", "reference = \"wpst\"", &["has no row 'wpst'"]),
    ] {
        room.write("bad.toml", tiny().replace(from, to));
        room.run(&args).bad(1, says);
    }
    room.write("bad.toml", tiny());
    room.run(&[&args[..], &["--threads", "1000"]].concat()).bad(2, &["more than the"]);
}
