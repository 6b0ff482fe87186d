//! A report of a folder whose numbers are known.

use solo_core::{AgentKind, Budget, Seed};
use solo_eval::folder::{Failed, Folder, RunInfo};
use solo_eval::record::{Figures, Key, Record};
use solo_eval::report;
use solo_eval::results::Results;
use solo_eval::sheets::sheet;
use solo_eval::table::{Align, Table};
use std::collections::BTreeMap;
use std::time::Duration;

const SUITE: &str = r#"
title = "A <small> suite"
published = "published.toml"
deviations = [{ what = "none", decision = "0001-one.md" }]
[rows.rules]
agents = ["base", "better", "wild", "missing@5ms"]
[rows.short]
agents = ["better"]
budgets = ["1ms", "10ms"]
first = 8
[rows.known]
methods = ["best"]
[[column]]
name = "one"
preset = "p"
first = 10
references = "r.csv"
rows = ["rules", "short", "known"]
reference = "base"
[[steps]]
title = "step by step"
budgets = ["1ms", "10ms"]
lines = [
    { what = "plain", agents = ["base"] },
    { what = "searched", agents = ["better"] },
    { what = "searched again", agents = ["better"] },
    { what = "wild", agents = ["wild"], to = "plain" },
]
[[shares]]
title = "how far"
rows = ["better", "better@1ms"]
from = ["base", "wild"]
to = ["best"]
[[seeds]]
title = "chance of training"
lines = [{ what = "better", rows = ["better", "better@1ms"] }]
[[scatter]]
title = "better against base"
x = { column = "one", row = "base" }
y = { column = "one", row = "better" }
[[quality]]
title = "by budget"
column = "one"
agents = ["better"]
levels = ["better"]
[[curve]]
title = "a curve"
file = "curve.csv"
levels = { rule = 9.0 }
"#;

const PUBLISHED: &str = r#"
[[column]]
name = "one"
source = "a table"
reference = "Theirs"
values = [{ name = "Theirs", agent = "base", cost = 20.0 }, { name = "Other", cost = 22.0, note = "elsewhere" }]
"#;

fn run() -> RunInfo {
    let text = |text: &str| text.to_string();
    RunInfo {
        run: 0,
        started: 0,
        version: text("0"),
        program: text("abc"),
        commit: None,
        suite: text("s"),
        command: text("solo eval"),
        machine: text("a machine"),
        cores: text("one day per core"),
    }
}

/// What kind the agents of the suite are.
fn kind_of(agent: &str) -> Option<AgentKind> {
    match agent {
        "base" | "wild" => Some(AgentKind::Rule),
        "missing" => Some(AgentKind::Solver),
        "better" => Some(AgentKind::Search),
        _ => None,
    }
}

fn load(folder: &Folder) -> Results {
    Results::load(folder, &kind_of).unwrap()
}

/// Days of cost 10, 11, ..., of which `better` takes 2 % off.
fn folder(place: &str) -> Folder {
    let folder = Folder::make(place).unwrap();
    folder.begin(run(), false).unwrap();
    folder.write("suite.toml", SUITE).unwrap();
    folder.write("published.toml", PUBLISHED).unwrap();
    folder.write("references.csv", "scenario,method,cost\np/0,best,9\np/1,best,10\n").unwrap();
    folder.write("curves/0.csv", "step,validation_cost\n0,20\n10,10\n20,8\n").unwrap();
    let names: Vec<String> = (0..10).map(|day| format!("p/{day}")).collect();
    folder.write_scenarios(&BTreeMap::from([("one".to_string(), names.clone())])).unwrap();
    let failed = Failed {
        column: "one".to_string(),
        row: "missing@5ms".to_string(),
        days: 1,
        why: "no such solver".to_string(),
    };
    folder.write_failures(&[failed]).unwrap();
    let record = Record::open(&folder.name("days.jsonl")).unwrap();
    for (day, name) in names.iter().enumerate() {
        let cost = 10.0 + day as f64;
        let add = |agent: &str, budget: u64, cost: f64| {
            let budget = Budget::Wall(Duration::from_millis(budget));
            let figures = Figures {
                cost,
                decisions: 5,
                rollouts: 0,
                seconds: 0.1,
                slowest: 0.05,
                core: Some(0.5),
                run: Some(0),
            };
            record.add(Key::new(name, agent, budget, Seed(0), None), figures).unwrap();
        };
        add("base", 10, cost);
        add("better", 10, 0.98 * cost);
        add("wild", 10, 3.0 * cost);
        if day < 8 {
            add("better@1ms", 1, 0.99 * cost);
        }
        if day < 4 {
            add("better@10ms", 10, 0.97 * cost);
        }
    }
    folder
}

#[test]
fn numbers_are_those_of_the_days() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(dir.path().to_str().unwrap());
    let results = load(&folder);
    let sheet = sheet(&results, 0);
    let line = |label: &str| sheet.lines.iter().find(|line| line.label == label).unwrap();
    let better = line("better");
    assert_eq!((better.mean.as_str(), better.gap.as_str()), ("14.21", "-2.00 %"));
    assert_eq!((better.gap_interval.as_str(), better.sign), ("-2.00 to -2.00", "better"));
    assert_eq!((better.days.as_str(), better.p.as_str()), ("10 / 0 / 0", "0.0020"));
    assert_eq!((better.core.as_str(), better.each.as_str()), ("50 %", "20.0 ms"));
    assert_eq!(line("base").published, "20.00");
    assert!(line("base").is_reference && line("base").gap.is_empty());
    assert_eq!(line("missing@5ms").note, "not run: no such solver");
    assert_eq!(line("better@10ms").note, "4 of 8 days so far");
    assert_eq!(line("better@10ms").sign, "", "four days say nothing");
    assert_eq!(line("best").note, "the file has 2 of 10 days");
    let other = line("Other");
    assert_eq!((other.published_gap.as_str(), other.n.as_str()), ("+10.00 %", ""));
}

#[test]
fn shares_and_seeds_stand_on_common_days() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(dir.path().to_str().unwrap());
    let results = load(&folder);
    // On the two days that `best` has: base 10.5, better 10.29, wild 31.5, best 9.5.
    let shares = results.suite.shares[0].grid(&results, 0).table().markdown();
    assert_eq!(shares[0], "| share | one (to best) |");
    assert_eq!(
        shares[2..],
        [
            "| better, from base | 21 %; 20 to 22; n 2 |",
            "| better, from wild | 96 %; 96 to 97; n 2 |",
            "| better@1ms, from base | 11 %; 10 to 11; n 2 |",
            "| better@1ms, from wild | 96 %; 96 to 96; n 2 |",
        ]
    );
    let seeds = results.suite.seeds[0].grid(&results, 0).table().markdown();
    assert_eq!(seeds[2..], ["| better | 13.30; 13.23 to 13.37, 1.02 %; n 8, 2 seeds |"]);
    let wrong = SUITE.replace("to = [\"best\"]", "to = [\"bset\"]");
    let said = solo_eval::suite::Suite::parse("s.toml", &wrong).unwrap_err().to_string();
    assert!(said.contains("[[shares]] 'how far': no column has a row 'bset'"), "{said}");
}

#[test]
fn steps_are_compared_with_the_one_above_or_named() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(dir.path().to_str().unwrap());
    let results = load(&folder);
    let grids = results.suite.steps[0].grids(&results);
    let titles: Vec<&str> = grids.iter().map(|grid| grid.title.as_str()).collect();
    assert_eq!(titles, ["step by step, 1ms a decision", "step by step, 10ms a decision"]);
    assert_eq!(
        grids[0].table().markdown()[2..],
        [
            "| plain | 14.50; n 10 |",
            "| searched | 13.37; -1.0 % (-1.0 to -1.0) *; n 8 |",
            "| searched again | as above |",
            "| wild (to: plain) | 43.50; +200.0 % (+200.0 to +200.0) *; n 10 |",
        ]
    );
    assert!(grids[1].table().lines()[2].contains("-3.0 %"));
}

#[test]
fn a_report_is_whole_and_can_be_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(dir.path().to_str().unwrap());
    let first = report::write(&folder, "docs", &kind_of).unwrap();
    assert_eq!(first.figures, 5, "what to take away, a spread, a scatter, a quality and a curve");
    let html = folder.read("report.html").unwrap();
    assert_eq!(html.matches("<svg").count(), 5);
    assert!(html.contains("step by step, 10ms a decision"));
    assert!(html.contains("A &lt;small&gt; suite") && html.contains("docs/0001-one.md"));
    assert!(
        html.contains("mean +200 % beyond the axis"),
        "rows that are far off do not stretch the axis"
    );
    report::write(&folder, "docs", &kind_of).unwrap();
    assert_eq!(folder.read("report.html").unwrap(), html, "the same days give the same report");
    let other = RunInfo { suite: "t".to_string(), ..run() };
    let refused = folder.begin(other.clone(), false).unwrap_err();
    assert!(refused.what.contains("another suite"), "{refused}");
    assert_eq!(folder.begin(other, true).unwrap().0.run, 1);
    let other = RunInfo { program: "def".to_string(), suite: "t".to_string(), ..run() };
    assert!(folder.begin(other, false).unwrap_err().what.contains("another build"));
}

#[test]
fn tables_are_set_as_text_and_as_markdown() {
    let mut table = Table::new(&[
        ("agent", Align::Left),
        ("cost", Align::Right),
        ("to wspt", Align::Right),
        ("note", Align::Left),
    ]);
    let row = |cells: &[&str]| cells.iter().map(ToString::to_string).collect();
    table.row(row(&["wspt", "42,615", "-", "the reference"]));
    table.row(row(&["lookahead@10ms", "9,876", "-76.8 %", ""]));
    table.row(row(&["größer", "1", "+0.1 %"]));
    insta::assert_snapshot!("table_text", table.lines().join("\n"));
    insta::assert_snapshot!("table_markdown", table.markdown().join("\n"));
}

#[test]
fn the_tables_of_a_column_are_readable() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(dir.path().to_str().unwrap());
    let results = load(&folder);
    insta::assert_snapshot!("sheet_text", sheet(&results, 0).table().lines().join("\n"));
}

#[test]
fn a_report_looks_as_it_should() {
    let dir = tempfile::tempdir().unwrap();
    let folder = folder(dir.path().to_str().unwrap());
    report::write(&folder, "docs", &kind_of).unwrap();
    insta::assert_snapshot!("tables_md", folder.read("tables.md").unwrap());
    let version = format!("<code>solo report</code> {}.", env!("CARGO_PKG_VERSION"));
    let html = folder.read("report.html").unwrap();
    assert!(html.contains(&version), "a report names the version that made it");
    let html = html.replace(&version, "<code>solo report</code> VERSION.");
    insta::assert_snapshot!("report_html", html);
}
