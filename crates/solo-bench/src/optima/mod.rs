//! `solo-bench optima`: how near agents come to the best that can be decided without knowing the future.
//!
//! On tiny problems the best online policy is computed over the law, and agents are simulated beside it on the same days.
//! Where that is too large, it is bounded from below. Everything is printed as Markdown; budgets are in rollouts.

mod agents;
mod growth;
mod policies;
mod tables;

use crate::ui::{self, BenchError};
use agents::Taught;
use policies::Solved;
use solo::bundled;
use solo_core::{CostToGo, Enumerable, Presets, RulesOf, Scenario, Seed, Timed};
use solo_nn::{Scorer, Valued};
use solo_pmsp::Scheduling;
use std::sync::Arc;
use std::time::Instant;
use tables::Report;

/// The days are drawn with this seed.
const DAYS: Seed = Seed(1000);
/// Computing ends beyond so many states.
const MOST_STATES: usize = 6_000_000;
/// The table of growth ends beyond so many.
const MOST_GROWN: usize = 1_000_000;
/// Expectations over all days are computed if there are no more than so many.
const MOST_DAYS: usize = 20_000;

/// A problem whose agents are compared with the optimum, or with a bound.
struct Case {
    preset: &'static str,
    /// Whether the optimum can be computed.
    solvable: bool,
    /// After how many moments arrivals are believed to end, in the values that bounds are made of.
    moments: &'static [usize],
    /// Agents as typed. MODEL stands for the guide taught on the problem.
    agents: &'static [&'static str],
    /// Which of them are replanning: where the way to the optimum begins.
    starts: &'static [&'static str],
    /// How a guide is taught.
    recipe: (&'static str, &'static str),
}

const SCHEDULING: Case = Case {
    preset: "",
    solvable: true,
    moments: &[0, 1, 2],
    agents: &[
        "wspt",
        "fifo",
        "ruin@200r",
        "mcts+wspt@50r",
        "mcts+wspt@200r",
        "mcts+wspt@1000r",
        "lookahead@50r",
        "lookahead@200r",
        "lookahead@1000r",
        "lookahead(margin=0)@1000r",
        "guide(model=MODEL)",
        "solo2(model=MODEL)@50r",
        "solo2(model=MODEL)@200r",
        "solo2(model=MODEL)@1000r",
        "solo2(model=MODEL,margin=0)@1000r",
    ],
    starts: &["ruin@200r"],
    recipe: ("guide-pmsp-tiny.toml", include_str!("../../../../recipes/guide-pmsp-tiny.toml")),
};

const ROUTING: Case = Case {
    preset: "",
    solvable: true,
    moments: &[0, 1, 2],
    agents: &[
        "nearest",
        "hold",
        "wait-all",
        "ruin@200r",
        "ruin+hold@200r",
        "mcts+nearest@50r",
        "mcts+nearest@200r",
        "mcts+nearest@1000r",
        "lookahead@50r",
        "lookahead@200r",
        "lookahead@1000r",
        "lookahead(margin=0)@1000r",
        "guide(model=MODEL)",
        "solo2(model=MODEL)@50r",
        "solo2(model=MODEL)@200r",
        "solo2(model=MODEL)@1000r",
        "solo2(model=MODEL,margin=0)@1000r",
    ],
    starts: &["ruin@200r", "ruin+hold@200r"],
    recipe: ("guide-cvrp-tiny.toml", include_str!("../../../../recipes/guide-cvrp-tiny.toml")),
};

const CASES: [Case; 8] = [
    Case { preset: "pmsp-tiny-1", ..SCHEDULING },
    Case { preset: "pmsp-tiny-2", ..SCHEDULING },
    Case { preset: "pmsp-tiny-3", ..SCHEDULING },
    Case { preset: "cvrp-tiny-1", ..ROUTING },
    Case { preset: "cvrp-tiny-2", ..ROUTING },
    Case { preset: "cvrp-tiny-3", ..ROUTING },
    Case { preset: "pmsp-tiny-4", solvable: false, moments: &[0], ..SCHEDULING },
    Case { preset: "cvrp-tiny-4", solvable: false, moments: &[0], ..ROUTING },
];

/// A learned value at the horizon as an estimate, where a problem has one.
type Estimate<P> = fn(Arc<Scorer>) -> Box<dyn CostToGo<P>>;

/// Compares agents on the problems whose name holds `filter`, over so many days each; or only tells how the exact solution
/// grows.
pub(crate) fn optima(filter: &str, days: u64, growth: bool) -> Result<(), BenchError> {
    if growth {
        return growth::print(MOST_GROWN);
    }
    let started = Instant::now();
    let mut report = Report::new(days);
    let cases: Vec<&Case> = CASES.iter().filter(|case| case.preset.contains(filter)).collect();
    if cases.is_empty() {
        return Err(BenchError::Usage(format!("no problem's name holds '{filter}'")));
    }
    for case in cases {
        ui::say("optima", case.preset);
        let done = if case.preset.starts_with("pmsp") {
            let value: Estimate<Scheduling> = |scorer| Box::new(Valued::<Scheduling>::new(scorer));
            compare(case, &solo_pmsp::presets::OFFER, Some(value), &mut report)
        } else {
            compare(case, &solo_cvrp::presets::OFFER, None, &mut report)
        };
        match done {
            // The others' tables are worth having all the same.
            Err(error) if !case.solvable => ui::say("left out", &error.to_string()),
            done => done?,
        }
    }
    report.print();
    ui::say("optima", &format!("done in {:.0} s", started.elapsed().as_secs_f64()));
    Ok(())
}

/// One problem: the exact policies, the bounds, and the agents on the same days.
fn compare<S: Scenario>(
    case: &Case,
    presets: &Presets<S>,
    estimate: Option<Estimate<RulesOf<S>>>,
    report: &mut Report,
) -> Result<(), BenchError>
where
    RulesOf<S>: Enumerable,
{
    let failed = |what: String| BenchError::Failed(format!("{}: {what}", case.preset));
    let draw = |index: u64| (presets.draw)(case.preset, DAYS, index);
    let day = draw(0).map_err(|error| failed(error.to_string()))?;
    let problem = day.rules(Some(case.preset)).map_err(|error| failed(error.to_string()))?;
    let mut days: Vec<Vec<Timed<_>>> = Vec::new();
    // Where the optimum is not known every day takes long.
    let count = if case.solvable { report.days } else { (report.days / 4).max(2) };
    for index in 0..count {
        days.push(draw(index).map_err(|error| failed(error.to_string()))?.events());
    }
    let owner = bundled().preset(case.preset).map_err(|error| failed(error.to_string()))?;
    let taught = Taught::by(case, owner).map_err(failed)?;
    let value = estimate.and_then(|estimate| Some(estimate(taught.value()?)));
    let solved =
        Solved::compute(&problem, case, &days, value).map_err(|e| failed(e.to_string()))?;
    let mut agents = Vec::new();
    for typed in case.agents {
        let costs = taught.simulate(owner, case.preset, typed, count).map_err(failed)?;
        agents.push((typed.replace("model=MODEL", "taught"), costs));
    }
    let about = presets.list.iter().find(|preset| preset.name == case.preset);
    let about = about.map_or(String::new(), |preset| preset.about.to_string());
    report.add(case, &about, solved, agents, taught.seconds);
    Ok(())
}
