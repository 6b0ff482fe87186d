//! Routing as the command line sees it.

use crate::arrivals::Law;
use crate::dynamics::Routing;
use crate::hindsight::hindsight;
use crate::hold::Hold;
use crate::plan::Urgent;
use crate::ruin::Ruin;
use crate::rules::{Distance, Nearest};
use crate::savings::Savings;
use crate::scenario::Scenario;
use crate::state::{Action, Arrival};
use crate::sweep::Sweep;
use crate::{formats, picture, presets, vrplib};
use serde_json::{Map, Value};
use solo_core::domain::{Arrivals, Decisions, ScenarioFormat, SolutionFormat};
use solo_core::file::{Object, Reader};
use solo_core::spec::{Kind, Param};
use solo_core::{
    AgentEntry, Domain, Failure, GuideVisitor, Meter, Preset, Reflex, Replan, Rng, Seed, Solver,
    Timed, Uniform, When,
};

/// The routing problem.
pub struct Cvrp;

const REPLAN: &[Param] = &[Param {
    name: "replan",
    about: "plan anew at the depot, as published, or at every decision",
    kind: Kind::Choice(When::WORDS),
}];

const REPLAN_RUIN: &[Param] = &[Param {
    name: "replan",
    about: "plan anew at every decision, or only at the depot",
    kind: Kind::Choice(&["always", "depot"]),
}];

const HOLD: &[Param] = &[
    Param {
        name: "theta",
        about: "go when the open load reaches so many full loads",
        kind: Kind::Number { low: 0.0, high: f64::MAX, default: 1.5 },
    },
    Param {
        name: "age",
        about: "go when a call is older than this",
        kind: Kind::Number { low: 0.0, high: f64::MAX, default: 10.0 },
    },
];

fn planned<S: Solver<Routing> + 'static>(solver: S, when: &str) -> Box<Replan<Routing, Urgent<S>>> {
    Box::new(Replan::new(Urgent(solver), When::from_word(when)))
}

impl Domain for Cvrp {
    type Problem = Routing;
    type Scenario = Scenario;
    type Scout = crate::keep::Keep;

    const NAME: &'static str = "cvrp";
    const SHOWN: &'static [&'static str] =
        &["ruin", "hold", "savings", "sweep", "wait-all", "nearest", "distance", "uniform"];
    const SOLVER: &'static str = "ruin";
    const GUIDE: &'static str = "distance";
    const RIVALS: &'static [&'static str] = &["ortools", "ortools-gls", "pyvrp"];

    fn presets() -> &'static [Preset] {
        presets::presets()
    }

    fn generate(preset: &str, seed: Seed, index: u64) -> Option<Scenario> {
        presets::generate(preset, seed, index)
    }

    fn agents() -> Vec<AgentEntry<Routing>> {
        vec![
            AgentEntry {
                name: "uniform",
                about: "every legal action equally likely",
                params: &[],
                make: |_| Box::new(Reflex(Uniform::default())),
            },
            AgentEntry {
                name: "distance",
                about: "a random customer, nearer ones more likely",
                params: &[],
                make: |_| Box::new(Reflex(Distance::default())),
            },
            AgentEntry {
                name: "nearest",
                about: "the nearest customer that fits",
                params: &[],
                make: |_| Box::new(Reflex(Nearest)),
            },
            AgentEntry {
                name: "savings",
                about: "routes by Clarke and Wright's parallel savings",
                params: REPLAN,
                make: |args| planned(Savings, args.word("replan")),
            },
            AgentEntry {
                name: "sweep",
                about: "routes by sweeping a ray around the depot",
                params: REPLAN,
                make: |args| planned(Sweep, args.word("replan")),
            },
            AgentEntry {
                name: "ruin",
                about: "routes by ruin and recreate, each plan starting from the last",
                params: REPLAN_RUIN,
                make: |args| {
                    let when = When::from_word(args.word("replan"));
                    Box::new(Replan::new(Ruin::default(), when))
                },
            },
            AgentEntry {
                name: "wait-all",
                about: "waits until everyone has called, then drives savings routes",
                params: &[],
                make: |_| Box::new(Hold::new(f64::INFINITY, f64::INFINITY)),
            },
            AgentEntry {
                name: "hold",
                about: "waits at the depot for a worthwhile load, then drives savings routes",
                params: HOLD,
                make: |args| Box::new(Hold::new(args.number("theta"), args.number("age"))),
            },
        ]
    }

    fn guides(visitor: &mut impl GuideVisitor<Routing>) {
        visitor.visit::<Uniform<Routing>>("uniform");
        visitor.visit::<Distance>("distance");
        visitor.visit::<Nearest>("nearest");
    }

    fn name(scenario: &Scenario) -> &str {
        &scenario.name
    }

    fn problem(scenario: &Scenario, law: Option<&str>) -> Option<Routing> {
        let law = match law {
            Some(preset) => presets::law(preset, scenario)?,
            None => Law::Unknown,
        };
        Some(Routing::new(scenario, law))
    }

    fn arrivals(scenario: &Scenario) -> Arrivals<Routing> {
        let call = |c: &crate::Customer| Timed {
            time: c.arrival,
            what: Arrival::Customer { at: c.at, demand: c.demand },
        };
        scenario.customers.iter().map(call).collect()
    }

    fn hindsight(
        problem: &Routing,
        arrivals: &[Timed<Arrival>],
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decisions<Routing>, Failure> {
        Ok(hindsight(problem, arrivals, meter, rng).decisions)
    }

    fn picture(
        problem: &Routing,
        arrivals: &[Timed<Arrival>],
        decisions: &[Timed<Action>],
        title: &str,
    ) -> String {
        let (depot, capacity) = (problem.depot.at, problem.capacity);
        picture::routes(depot, capacity, problem.fleet, arrivals, decisions, title)
    }

    fn read(reader: &mut Reader, name: &str, object: &mut Object<'_>) -> Option<Scenario> {
        formats::read(reader, name, object)
    }

    fn write(scenario: &Scenario) -> Map<String, Value> {
        formats::write(scenario)
    }

    fn read_action(reader: &mut Reader, object: &mut Object<'_>) -> Option<Action> {
        formats::read_action(reader, object)
    }

    fn write_action(action: Action) -> Map<String, Value> {
        formats::write_action(action)
    }

    fn scenario_formats() -> Vec<ScenarioFormat<Scenario>> {
        vec![ScenarioFormat {
            extension: "vrp",
            about: "VRPLIB: EUC_2D (rounded), EXACT_2D (not rounded) or EXPLICIT distances",
            read: vrplib::read,
            write: vrplib::write,
        }]
    }

    fn solution_formats() -> Vec<SolutionFormat<Scenario, Routing>> {
        vec![SolutionFormat {
            extension: "sol",
            about: "VRPLIB: one line a route, then the cost",
            read: vrplib::read_solution,
            write: vrplib::write_solution,
        }]
    }
}
