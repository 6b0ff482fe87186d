//! The problems that come with the program, each registered with what it has.

use crate::Entry;
use crate::agents::Nothing;
use solo_core::{Agent, Replan, When, params};
use solo_cvrp::agents::{HoldRoutes, Replanned, RuinHold, RuinRoutes};
use solo_cvrp::hold::Hold;
use solo_cvrp::plan::Urgent;
use solo_cvrp::rules::{Distance, Nearest};
use solo_cvrp::savings::Savings;
use solo_cvrp::sweep::Sweep;
use solo_cvrp::{Routing, RoutingDay};
use solo_pmsp::{Fifo, Scheduling, SchedulingDay, Wspt};

#[cfg(feature = "rivals")]
mod others {
    use solo_rivals::Rival;

    pub(super) const ROUTING: &[(Rival, &str)] = &[
        (Rival::ORTOOLS, "OR-Tools' routing solver with default parameters, as the paper ran it"),
        (Rival::ORTOOLS_GLS, "OR-Tools' routing solver with guided local search"),
        (
            Rival::ORTOOLS_WAITING,
            "OR-Tools' routing solver with guided local search and customers' waiting priced: trips one after another",
        ),
        (Rival::PYVRP, "PyVRP"),
    ];
    pub(super) const SCHEDULING: &[(Rival, &str)] = &[
        (Rival::CPSAT, "OR-Tools CP-SAT from a WSPT hint, one circuit through all machines"),
        (Rival::CPSAT_CIRCUITS, "OR-Tools CP-SAT from a WSPT hint, one circuit a machine"),
        (Rival::CPOPTIMIZER, "IBM CP Optimizer, where its engine is installed"),
    ];
}

#[cfg(not(feature = "rivals"))]
mod others {
    pub(super) const ROUTING: &[((), &str)] = &[];
    pub(super) const SCHEDULING: &[((), &str)] = &[];
}

params! {
    /// plans open jobs, as published at any event on the machines
    pub struct ReplannedJobs("") {
        /// plan anew at any event on the machines, as published, or at every decision
        replan: When = When::AtRest => Choice(When::WORDS),
    }
}

impl From<ReplannedJobs> for When {
    fn from(params: ReplannedJobs) -> Self {
        params.replan
    }
}

/// Scheduling on parallel machines.
pub fn pmsp() -> Entry<SchedulingDay> {
    Entry::new()
        .presets(solo_pmsp::presets::OFFER)
        .rule::<Wspt>(
            "wspt",
            "the job and free machine with the smallest (setup + processing) / weight",
        )
        .rule::<Fifo>("fifo", "the oldest job first, on the free machine with the least setup")
        .agent_named(
            "ruin",
            "plans the open jobs by ruin and recreate at every decision",
            ruin_jobs,
        )
        .planner::<solo_pmsp::InsertionPlan>()
        .networks(solo_pmsp::models::NETWORKS)
        .rewriters(solo_pmsp::models::REWRITERS)
        .guides_with_values::<solo_pmsp::InsertionPlan>(
            solo_pmsp::models::GUIDES,
            solo_pmsp::models::FIRST_ROUND,
            solo_pmsp::models::VALUES,
        )
        .rivals::<ReplannedJobs>(others::SCHEDULING)
        .hindsight(|problem, events, meter, rng| {
            solo_pmsp::hindsight(problem, events, meter, rng).map(|(decisions, _)| decisions)
        })
        .units()
        .pictures(solo_pmsp::picture::gantt)
        .formats(solo_pmsp::formats::SCENARIO_FORMATS, &[])
        .shown(
            &["solo2", "lookahead", "ruin", "wspt", "hindsight"],
            &["ruin@100ms", "solo@100ms", "wspt", "fifo"],
        )
        .solver("ruin")
}

fn ruin_jobs(_: Nothing) -> Box<dyn Agent<Scheduling>> {
    Box::new(Replan::<Scheduling, _>::new(solo_pmsp::Ruin::default(), When::Always))
}

/// Vehicle routing.
pub fn cvrp() -> Entry<RoutingDay> {
    Entry::new()
        .presets(solo_cvrp::presets::OFFER)
        .rule::<Distance>("distance", "a random customer, nearer ones more likely")
        .rule::<Nearest>("nearest", "the nearest customer that fits")
        .agent_named("savings", "routes by Clarke and Wright's parallel savings", savings)
        .agent_named("sweep", "routes by sweeping a ray around the depot", sweep)
        .agent::<RuinRoutes>(|params| {
            Box::new(Replan::new(solo_cvrp::ruin::Ruin::default(), params.replan.into()))
        })
        .agent_named(
            "wait-all",
            "waits until everyone has called, then drives savings routes",
            |_: Nothing| Box::new(Hold::savings(f64::INFINITY, f64::INFINITY)),
        )
        .as_rule()
        .agent::<HoldRoutes>(|params| Box::new(Hold::savings(params.theta, params.age)))
        .as_rule()
        .in_law_units(&["age"])
        .agent::<RuinHold>(|params| {
            let ruin = Replan::new(solo_cvrp::ruin::Ruin::default(), When::Always);
            Box::new(Hold::new(params.theta, params.age, ruin))
        })
        .in_law_units(&["age"])
        .planner::<solo_cvrp::insertion::InsertionPlan>()
        .networks(solo_cvrp::models::NETWORKS)
        .rewriters(solo_cvrp::models::REWRITERS)
        .guides::<solo_cvrp::insertion::InsertionPlan>(
            solo_cvrp::models::GUIDES,
            solo_cvrp::models::FIRST_ROUND,
        )
        .rivals::<Replanned>(others::ROUTING)
        .hindsight(|problem, events, meter, rng| {
            Ok(solo_cvrp::hindsight::hindsight(problem, events, meter, rng).decisions)
        })
        .units()
        .pictures(solo_cvrp::picture::routes)
        .formats(solo_cvrp::formats::SCENARIO_FORMATS, solo_cvrp::formats::SOLUTION_FORMATS)
        .shown(
            &["solo2", "lookahead", "ruin+hold", "ruin", "hindsight"],
            &["ruin@100ms", "solo@100ms", "savings", "sweep", "nearest"],
        )
        .solver("ruin")
        .opponent("ruin+hold")
}

fn savings(params: Replanned) -> Box<dyn Agent<Routing>> {
    Box::new(Replan::new(Urgent(Savings), params.replan.into()))
}

fn sweep(params: Replanned) -> Box<dyn Agent<Routing>> {
    Box::new(Replan::new(Urgent(Sweep), params.replan.into()))
}
