//! What a report says first, and how it sorts and marks its rows.

use solo_core::{AgentKind, Budget, Seed};
use solo_eval::folder::{Folder, RunInfo};
use solo_eval::record::{Figures, Key, Record};
use solo_eval::report;
use solo_eval::results::Results;
use solo_eval::sheets::{Sheet, sheet};
use std::collections::BTreeMap;
use std::time::Duration;

fn kind_of(agent: &str) -> Option<AgentKind> {
    Some(match agent {
        "rule" | "worse-rule" => AgentKind::Rule,
        "solver" | "same" => AgentKind::Solver,
        "search" => AgentKind::Search,
        "learned" | "lucky" => AgentKind::Learned,
        "bound" => AgentKind::Bound,
        _ => return None,
    })
}

/// How many percent more than 100 every agent costs on a day.
type Costs<'c> = &'c [(&'c str, &'c dyn Fn(u32) -> f64)];

/// A folder with columns of this many days, the agents in the order given.
fn folder(place: &str, columns: &[(&str, u32, &str, Costs<'_>)]) -> Folder {
    let folder = Folder::make(place).unwrap();
    let text = |text: &str| text.to_string();
    let run = RunInfo {
        run: 0,
        started: 0,
        version: text("0"),
        program: text("abc"),
        commit: None,
        suite: text("s"),
        command: text("solo eval"),
        machine: text("a machine"),
        cores: text("one day per core"),
    };
    folder.begin(run, false).unwrap();
    folder.write("references.csv", "scenario,method,cost\n").unwrap();
    folder.write_failures(&[]).unwrap();
    let record = Record::open(&folder.name("days.jsonl")).unwrap();
    let (mut suite, mut scenarios) =
        ("title = \"t\"\nabout = \"about it\"\n".to_string(), BTreeMap::new());
    for (column, days, reference, costs) in columns {
        let agents: Vec<String> = costs.iter().map(|(agent, _)| format!("\"{agent}\"")).collect();
        let agents = agents.join(", ");
        suite = format!(
            "{suite}[rows.{column}]\nagents = [{agents}]\n[[column]]\nname = \"{column}\"\n"
        ) + &format!("preset = \"{column}\"\nfirst = {days}\nrows = [\"{column}\"]\n")
            + &format!("reference = \"{reference}\"\n");
        let names: Vec<String> = (0..*days).map(|day| format!("{column}/{day}")).collect();
        for (day, name) in (0..).zip(&names) {
            for (agent, cost) in *costs {
                let budget = Budget::Wall(Duration::from_millis(10));
                let cost = 100.0 + cost(day);
                let (decisions, rollouts, seconds, slowest) = (5, 0, 0.1, 0.05);
                let figures = Figures {
                    cost,
                    decisions,
                    rollouts,
                    seconds,
                    slowest,
                    core: None,
                    run: Some(0),
                };
                record.add(Key::new(name, agent, budget, Seed(0), None), figures).unwrap();
            }
        }
        scenarios.insert((*column).to_string(), names);
    }
    folder.write("suite.toml", suite).unwrap();
    folder.write_scenarios(&scenarios).unwrap();
    folder
}

fn sheets(folder: &Folder) -> Vec<Sheet> {
    let results = Results::load(folder, &kind_of).unwrap();
    (0..results.columns.len()).map(|at| sheet(&results, at)).collect()
}

/// Up and down by one percent around this much.
fn around(percent: f64) -> impl Fn(u32) -> f64 {
    move |day| percent + if day % 2 == 0 { 1.0 } else { -1.0 }
}

#[test]
fn rows_stand_in_groups_the_cheapest_first() {
    let dir = tempfile::tempdir().unwrap();
    let (zero, five, nine, less, more) =
        (around(0.0), around(5.0), around(9.0), around(-4.0), around(2.0));
    let costs: Costs<'_> = &[
        ("unknown", &five),
        ("learned", &less),
        ("bound", &|_| -10.0),
        ("worse-rule", &nine),
        ("lucky", &|_| -4.5),
        ("solver", &zero),
        ("rule", &five),
        ("search", &more),
    ];
    let folder = folder(dir.path().to_str().unwrap(), &[("one", 10, "solver", costs)]);
    let sheet = &sheets(&folder)[0];
    let order: Vec<(&str, &str)> =
        sheet.lines.iter().map(|line| (line.opens, line.label.as_str())).collect();
    let expected = [
        ("rules", "rule"),
        ("", "worse-rule"),
        ("solvers", "solver"),
        ("searches", "search"),
        ("learned", "lucky"),
        ("", "learned"),
        ("other agents", "unknown"),
        ("bounds", "bound"),
    ];
    assert_eq!(order, expected);
    report::write(&folder, "docs", &kind_of).unwrap();
    let rows = |text: &str, before: &str, after: &str| {
        let rows: Vec<usize> = expected
            .iter()
            .map(|(_, label)| text.find(&format!("{before}{label}{after}")).expect(label))
            .collect();
        assert!(rows.is_sorted(), "{rows:?}");
    };
    let markdown = folder.read("tables.md").unwrap();
    rows(&markdown, "| ", " |");
    assert!(markdown.contains("| **rules** |  |"));
    let html = folder.read("report.html").unwrap();
    let html = html.replace("-<wbr>", "-");
    rows(&html, "<th scope=\"row\">", "</th>");
    assert!(html.contains("<span>other agents</span>"));
}

#[test]
fn only_differences_beyond_chance_are_marked() {
    let dir = tempfile::tempdir().unwrap();
    // cheaper on average, but by one day alone
    let lucky = |day| if day == 3 { -30.0 } else { 0.5 };
    let (less, more) = (around(-4.0), around(4.0));
    let costs: Costs<'_> = &[
        ("solver", &|_| 0.0),
        ("lucky", &lucky),
        ("learned", &less),
        ("rule", &more),
        ("same", &|_| 0.0),
    ];
    let few: Costs<'_> = &[("solver", &|_| 0.0), ("learned", &less)];
    let columns = [("many", 12, "solver", costs), ("few", 5, "solver", few)];
    let folder = folder(dir.path().to_str().unwrap(), &columns);
    let sheets = sheets(&folder);
    let line =
        |at: usize, label: &str| sheets[at].lines.iter().find(|line| line.label == label).unwrap();
    let signs = ["lucky", "learned", "rule", "same"].map(|label| line(0, label).sign);
    assert_eq!(signs, ["", "better", "worse", ""]);
    assert!(line(0, "lucky").gap.starts_with('-'), "{}", line(0, "lucky").gap);
    assert_eq!(line(0, "lucky").p, "", "no significance where the interval includes zero");
    assert!(!line(0, "learned").p.is_empty());
    assert_eq!((line(1, "learned").sign, line(1, "learned").p.as_str()), ("", ""), "five days");
    let table = sheets[0].table().markdown().join("\n");
    assert_eq!(table.matches(" *").count() - table.matches(" **").count(), 2, "{table}");
    report::write(&folder, "docs", &kind_of).unwrap();
    let html = folder.read("report.html").unwrap();
    let marks = |class: &str| html.matches(&format!("<span class=\"{class}\">")).count();
    // each in the column and in the table of all columns
    assert_eq!((marks("better"), marks("worse"), html.matches("&nbsp;*").count()), (2, 2, 4));
}

#[test]
fn percentages_have_the_digits_that_their_interval_allows() {
    let dir = tempfile::tempdir().unwrap();
    let wide = |day| f64::from(day % 4) * 30.0;
    let costs: Costs<'_> = &[
        ("solver", &|_| 0.0),
        ("learned", &around(-4.0)),
        ("search", &|_| -3.0),
        ("rule", &wide),
        ("worse-rule", &|_| 120.0),
    ];
    let folder = folder(dir.path().to_str().unwrap(), &[("one", 12, "solver", costs)]);
    let sheet = &sheets(&folder)[0];
    let gap = |label: &str| {
        let line = sheet.lines.iter().find(|line| line.label == label).unwrap();
        line.gap.as_str()
    };
    assert_eq!(
        ["learned", "search", "rule", "worse-rule"].map(gap),
        ["-4.0 %", "-3.00 %", "+45 %", "+120 %"]
    );
}

#[test]
fn a_report_begins_with_what_to_take_away() {
    let dir = tempfile::tempdir().unwrap();
    let (less, zero) = (around(-4.0), around(0.0));
    let first: Costs<'_> =
        &[("solver", &zero), ("learned", &less), ("bound", &|_| -10.0), ("rule", &|_| 90.0)];
    let second: Costs<'_> = &[("solver", &zero), ("learned", &|_| -2.0), ("rule", &|_| 5.0)];
    let columns = [("one", 10, "solver", first), ("two", 10, "solver", second)];
    let folder = folder(dir.path().to_str().unwrap(), &columns);
    let takeaways: Vec<String> = sheets(&folder).iter().map(|s| s.takeaway.clone()).collect();
    assert_eq!(
        takeaways,
        [
            "learned, the cheapest of 3 agents, costs 4.00 % less than solver (95 %: -4.02 to -3.98, 10 days); that is 40 % of what bound shows to be possible.",
            "learned, the cheapest of 3 agents, costs 2.0 % less than solver (95 %: -2.6 to -1.4, 10 days).",
        ]
    );
    report::write(&folder, "docs", &kind_of).unwrap();
    let said =
        "learned is the cheapest agent in both columns: 2.0 to 4.0 % below solver, beyond chance.";
    let html = folder.read("report.html").unwrap();
    let place = |text: &str| html.find(text).expect(text);
    let places = ["<h1>", said, "<svg", "about it", "<table>"].map(place);
    assert!(places.is_sorted(), "a sentence and a chart come first: {places:?}");
    assert!(
        html.contains("tbody th { text-align: left; font-weight: 500; position: sticky; left: 0;")
    );
    assert!(html.contains("thead th:first-child { text-align: left; position: sticky; left: 0; }"));
    assert!(folder.read("tables.md").unwrap().starts_with(&format!("# t\n\n{said}\n")));
    let chart = folder.read("figures/takeaway.svg").unwrap();
    assert_eq!(solo_plot::spills::spills(&chart), [""; 0]);
    for text in [">one<", ">two<", "learned -4.00 % *", "learned: -4.00 % on 10 days", "bounds"] {
        assert!(chart.contains(text), "{text}");
    }
    // the rule is far beyond the axis of the first column: an arrow, no point
    assert!(!chart.contains("rule: +90") && chart.contains("rule: +5.0 % on 10 days"));
}

#[test]
fn a_takeaway_does_not_claim_what_may_be_chance() {
    let lucky = |day| if day == 3 { -30.0 } else { 0.5 };
    let takeaway = |days: u32, costs: Costs<'_>| {
        let dir = tempfile::tempdir().unwrap();
        let folder = folder(dir.path().to_str().unwrap(), &[("one", days, "solver", costs)]);
        sheets(&folder)[0].takeaway.clone()
    };
    let said = takeaway(12, &[("solver", &|_| 0.0), ("lucky", &lucky)]);
    assert!(
        said.starts_with("lucky, the cheapest of 2 agents, costs 2")
            && said.ends_with("may be chance."),
        "{said}"
    );
    let said = takeaway(4, &[("solver", &|_| 0.0), ("learned", &|_| -3.0)]);
    assert!(said.ends_with("4 days), on too few days to rely on."), "{said}");
    let said = takeaway(12, &[("solver", &|_| 0.0), ("rule", &|_| 5.0)]);
    assert_eq!(
        said,
        "solver is the cheapest of 2 agents; the next, rule, costs 5.00 % more (12 days)."
    );
    assert_eq!(takeaway(1, &[("solver", &|_| 0.0)]), "solver is the only agent (1 day).");
}
