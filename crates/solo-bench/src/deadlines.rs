//! `solo-bench deadlines`: how far agents overrun the time they are given, with many open jobs or customers.

use crate::search::{customers, jobs};
use crate::ui::{self, Align, BenchError, Table, count, say, seconds};
use solo::cores::busy;
use solo::{Entry, Hurried, Solvers, problems};
use solo_core::{
    Agent, AgentSpec, Budget, Meter, NoTime, RulesOf, Scenario, Seed, Stream, SystemClock, World,
};
use solo_cvrp::RoutingDay;
use solo_pmsp::SchedulingDay;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const OPEN: [usize; 4] = [100, 500, 1_000, 5_000];
const AGENTS: [&str; 4] = ["solo2", "lookahead", "solo", "ruin"];
const BUDGETS: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(10)];

/// The 99th percentile of the overrun is at most this and a tenth of the budget.
const MOST_USUALLY: Duration = Duration::from_micros(500);
/// No overrun is longer.
const MOST_EVER: Duration = Duration::from_millis(5);

/// A case is left after this long.
const LONGEST_CASE: Duration = Duration::from_secs(60);
/// A day begins anew, with a new agent, after this many decisions...
const DECISIONS_A_DAY: usize = 150;
/// ... and when less than this part of its work is left.
const LEAST_OPEN: f64 = 0.8;

/// Days that begin with much open work.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// More comes later, by a law. One agent decides the day.
    Online,
    /// Everything is known from the start. Every decision has an agent of its own, which remembers nothing: otherwise
    /// all but the first would follow its plan.
    Offline,
}

/// What is measured.
#[derive(Clone, Copy)]
struct Case {
    kind: Kind,
    open: usize,
    agent: &'static str,
    budget: Duration,
}

/// What a decision took.
struct Took {
    wall: Duration,
    processor: f64,
    rollouts: u64,
    no_time: Option<NoTime>,
}

/// Times `decisions` decisions in each case of which every word of `filter` is a word.
pub(crate) fn deadlines(decisions: usize, filter: &[String]) -> Result<(), BenchError> {
    let mut bench = Bench { decisions, filter, table: table(), missed: Vec::new(), cases: 0 };
    bench.problem(&problems::cvrp(), route)?;
    bench.problem(&problems::pmsp(), schedule)?;
    if bench.cases == 0 {
        let message = format!("no case has the words '{}'", filter.join(" "));
        return Err(BenchError::Usage(message));
    }
    bench.print()
}

/// A day with `open` customers at its beginning, and its law.
fn route(kind: Kind, open: usize) -> (RoutingDay, &'static str) {
    let preset = match kind {
        Kind::Offline => return (customers(open), "cvrp-100"),
        Kind::Online => "cvrp-dispatch-100",
    };
    let mut days = (0..).map_while(|i| solo_cvrp::presets::generate(preset, Seed(0), i).ok());
    let mut day = days.next().expect("it is a preset");
    let at_once = days.flat_map(|day| day.customers).take(open);
    let at_once =
        at_once.map(|customer| solo_cvrp::scenario::Customer { arrival: 0.0, ..customer });
    day.customers.splice(0..0, at_once);
    (day, preset)
}

/// A day with `open` jobs at its beginning, and its law.
fn schedule(kind: Kind, open: usize) -> (SchedulingDay, &'static str) {
    let preset = match kind {
        Kind::Offline => return (jobs(open), "pmsp-80"),
        Kind::Online => "pmsp-online-10",
    };
    let mut days = (0..).map_while(|i| solo_pmsp::presets::generate(preset, Seed(0), i).ok());
    let mut day = days.next().expect("it is a preset");
    let at_once = days.flat_map(|day| day.jobs).take(open);
    let at_once = at_once.map(|job| solo_pmsp::scenario::Job { arrival: 0.0, ..job });
    day.jobs.splice(0..0, at_once);
    (day, preset)
}

struct Bench<'b> {
    decisions: usize,
    filter: &'b [String],
    table: Table,
    missed: Vec<String>,
    cases: usize,
}

fn table() -> Table {
    Table::new(&[
        ("problem", Align::Left),
        ("open", Align::Right),
        ("agent", Align::Left),
        ("budget", Align::Right),
        ("overrun: median", Align::Right),
        ("99 %", Align::Right),
        ("worst", Align::Right),
        ("processor: mean", Align::Right),
        ("worst", Align::Right),
        ("rollouts", Align::Right),
        ("no time for", Align::Left),
    ])
}

impl Bench<'_> {
    /// Measures all cases of a problem that are wanted.
    fn problem<S: Scenario>(
        &mut self,
        entry: &Entry<S>,
        draw: fn(Kind, usize) -> (S, &'static str),
    ) -> Result<(), BenchError> {
        for kind in [Kind::Online, Kind::Offline] {
            for open in OPEN {
                for agent in AGENTS {
                    for budget in BUDGETS {
                        let case = Case { kind, open, agent, budget };
                        if self.wanted(S::PROBLEM, &case) {
                            self.cases += 1;
                            let (day, law) = draw(kind, open);
                            self.row(
                                S::PROBLEM,
                                case,
                                &measure(entry, &day, law, case, self.decisions)?,
                            );
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn wanted(&self, problem: &str, case: &Case) -> bool {
        let words = words(problem, case);
        self.filter.iter().all(|wanted| words.contains(wanted))
    }

    fn row(&mut self, problem: &str, case: Case, took: &[Took]) {
        let mut over: Vec<Duration> =
            took.iter().map(|took| took.wall.saturating_sub(case.budget)).collect();
        over.sort();
        let at = |share: f64| over[((over.len() - 1) as f64 * share).ceil() as usize];
        let number = took.len() as f64;
        let mean = |of: fn(&Took) -> f64| took.iter().map(of).sum::<f64>() / number;
        let longest = took.iter().map(|took| took.processor).fold(0.0, f64::max);
        let words = words(problem, &case);
        let name = words.join(" ");
        let cells = [
            seconds(at(0.5).as_secs_f64()),
            seconds(at(0.99).as_secs_f64()),
            seconds(at(1.0).as_secs_f64()),
            seconds(mean(|took| took.processor)),
            seconds(longest),
            count(mean(|took| took.rollouts as f64)),
            hurried(took),
        ];
        say("measured", &format!("{name}: {}", cells.join(", ")));
        let [problem, kind, open, agent, budget] = words;
        let mut row = vec![format!("{problem} {kind}"), open, agent, budget];
        row.extend(cells);
        self.table.row(row);
        let usually = MOST_USUALLY + case.budget / 10;
        if took.len() < self.decisions {
            self.missed.push(format!("{name}: only {} decisions in {LONGEST_CASE:?}", took.len()));
        } else if at(0.99) > usually || at(1.0) > MOST_EVER {
            self.missed.push(name);
        }
    }

    fn print(&self) -> Result<(), BenchError> {
        ui::line(&format!(
            "Time beyond the budget, {} decisions a case, on one core. Processor time and rollouts are of a decision:",
            self.decisions
        ));
        ui::print(&self.table);
        if let Some(memory) = most_memory() {
            ui::line(&format!("memory: {memory:.0} MB at most"));
        }
        let limits =
            format!("99 % within {MOST_USUALLY:?} + 10 % of the budget, all within {MOST_EVER:?}");
        if self.missed.is_empty() {
            ui::line(&format!("kept in all of {} cases: {limits}", self.cases));
            return Ok(());
        }
        let missed =
            format!("{} of {} cases miss the limits ({limits})", self.missed.len(), self.cases);
        Err(BenchError::Failed(format!("{missed}:\n  {}", self.missed.join("\n  "))))
    }
}

/// What decisions had no time for, and how many.
fn hurried(took: &[Took]) -> String {
    let mut all = Hurried::default();
    took.iter().for_each(|took| all.count(took.no_time));
    let words: Vec<String> =
        all.counts().map(|(what, count)| format!("{what} ({count})")).collect();
    if words.is_empty() { "-".to_string() } else { words.join(", ") }
}

/// The words that a case is found by.
fn words(problem: &str, case: &Case) -> [String; 5] {
    let kind = if case.kind == Kind::Online { "online" } else { "offline" };
    [
        problem.to_string(),
        kind.to_string(),
        case.open.to_string(),
        case.agent.to_string(),
        format!("{:?}", case.budget),
    ]
}

/// What decisions with about `case.open` open jobs or customers take.
fn measure<S: Scenario>(
    entry: &Entry<S>,
    day: &S,
    law: &str,
    case: Case,
    decisions: usize,
) -> Result<Vec<Took>, BenchError> {
    let failed = |what: &dyn ToString| BenchError::Failed(what.to_string());
    let problem = day.rules(Some(law)).map_err(|error| failed(&error))?;
    let spec = AgentSpec::parse(case.agent).map_err(|error| failed(&error))?;
    let solvers = Solvers::default();
    let make = || -> Result<Box<dyn Agent<RulesOf<S>>>, BenchError> {
        Ok(entry.make(&spec, Some(law), &solvers).map_err(|error| failed(&error))?.agent)
    };
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    let mut rng = Seed(0).stream(Stream::Agent, 0);
    let mut world = World::open(&problem, day.events());
    let mut agent = make()?;
    let (mut took, mut today) = (Vec::with_capacity(decisions), 0);
    let started = Instant::now();
    let longest_day = ((1.0 - LEAST_OPEN) * case.open as f64) as usize;
    while took.len() < decisions && started.elapsed() < LONGEST_CASE {
        if world.done() || today == DECISIONS_A_DAY.min(longest_day) {
            (world, today) = (World::open(&problem, day.events()), 0);
            agent = make()?;
        } else if case.kind == Kind::Offline {
            agent = make()?;
        }
        let before = busy().unwrap_or(0.0);
        let meter = Meter::start(Budget::Wall(case.budget), &clock, &stop);
        let decision = agent.decide(&problem, world.state(), &meter, &mut rng);
        let wall = meter.elapsed();
        let processor = busy().unwrap_or(0.0) - before;
        let decision = decision.map_err(|error| failed(&error))?;
        let (rollouts, no_time) = (decision.rollouts, decision.no_time);
        took.push(Took { wall, processor, rollouts, no_time });
        world.act(decision.action).map_err(|error| failed(&error))?;
        today += 1;
    }
    Ok(took)
}

/// The most memory that this process has held, in millions of bytes, where the system tells.
fn most_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? * 1024.0 / 1e6)
}
