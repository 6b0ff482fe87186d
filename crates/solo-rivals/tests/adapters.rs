//! The real solvers, where they are installed (`cargo xtask rivals`; `cargo xtask test` does that first). Where they
//! are not, every test here says `skipped` and checks nothing; where they are, a solver that is missing or broken
//! fails.

mod common;

use common::{routing, scheduling, solve, solvers};
use solo_core::{Budget, Exchange, Failure, Offline, Problem};
use solo_cvrp::savings::Savings;
use solo_cvrp::{Action, Routing};
use solo_pmsp::{Scheduling, WsptPlan};
use solo_rivals::{External, Rival, SolverPool};
use std::time::Duration;

/// How much worse than savings a rival's plan may be.
const MARGIN: f64 = 1.25;
const TIME: Budget = Budget::Wall(Duration::from_millis(300));

/// The cost of a rival's plan.
fn cost<P: Exchange>(problem: &P, state: &P::State, rival: Rival) -> f64 {
    let mut solver = External::<P>::new(rival, SolverPool::default());
    let plan = solve(problem, state, &mut solver, TIME)
        .unwrap_or_else(|failure| panic!("{} should be installed: {failure}", rival.name));
    problem.plan_cost(&problem.snapshot(state), &plan).expect("was checked")
}

#[test]
fn routing_rivals_plan_at_the_depot() {
    if !solvers() {
        return;
    }
    for index in 0..3 {
        let (problem, state) = routing("cvrp-50", index);
        let plan = solve(&problem, &state, &mut Savings, TIME).expect("savings");
        let savings = problem.plan_cost(&problem.snapshot(&state), &plan).expect("feasible");
        // On a busy machine a rival gets little of its time: this checks that plans mean what we think they mean, not
        // how good they are. A misread route costs far more.
        for rival in [Rival::ORTOOLS, Rival::ORTOOLS_GLS, Rival::PYVRP] {
            let found = cost(&problem, &state, rival);
            assert!(found <= MARGIN * savings, "{}: {found}, savings {savings}", rival.name);
        }
    }
}

/// With a vehicle away from the depot and partly loaded, the plan goes on from where it is.
#[test]
fn routing_rivals_plan_in_the_middle_of_a_day() {
    if !solvers() {
        return;
    }
    let (problem, mut state) = routing("cvrp-20", 5);
    for customer in [3, 8] {
        problem.apply(&mut state, Action::Visit { vehicle: 0, customer });
        let ready = state.vehicles[0].ready;
        problem.advance(&mut state, ready);
    }
    let plan = solve(&problem, &state, &mut Savings, TIME).expect("savings");
    let savings = problem.plan_cost(&problem.snapshot(&state), &plan).expect("feasible");
    for rival in [Rival::ORTOOLS_GLS, Rival::PYVRP] {
        let found = cost::<Routing>(&problem, &state, rival);
        assert!(found <= MARGIN * savings, "{}: {found}, savings {savings}", rival.name);
    }
}

/// Priced, waiting is part of the plan: whole days of dispatch at the depot and in the middle of a trip.
#[test]
fn priced_waiting_is_planned_for() {
    if !solvers() {
        return;
    }
    // Neither search ends with the best plan on every machine, so the nine plans count together.
    let mut sums = [0.0; 2];
    for index in 0..3 {
        let (mut problem, mut state) = routing("cvrp-20", index);
        problem.waiting_weight = 0.2;
        for step in 0..3 {
            let costs = [Rival::ORTOOLS_GLS, Rival::ORTOOLS_WAITING]
                .map(|rival| cost::<Routing>(&problem, &state, rival));
            let [plain, priced] = costs;
            assert!(priced < 1.2 * plain, "day {index}, step {step}: {priced} priced, {plain} not");
            sums = [sums[0] + plain, sums[1] + priced];
            let customer = state.open[0].id;
            problem.apply(&mut state, Action::Visit { vehicle: 0, customer });
            let ready = state.vehicles[0].ready;
            problem.advance(&mut state, ready);
        }
    }
    assert!(sums[1] < sums[0], "{} priced, {} not", sums[1], sums[0]);
}

#[test]
fn cpsat_is_never_worse_than_its_hint() {
    if !solvers() {
        return;
    }
    for (preset, index) in [("pmsp-20", 0), ("pmsp-20", 1), ("pmsp-80", 0)] {
        let (problem, state) = scheduling(preset, index);
        let hint = WsptPlan::default();
        let plan = solve(&problem, &state, &mut { hint }, TIME).expect("a plan");
        let wspt = problem.plan_cost(&problem.snapshot(&state), &plan).expect("feasible");
        for rival in [Rival::CPSAT, Rival::CPSAT_CIRCUITS] {
            let found = cost::<Scheduling>(&problem, &state, rival);
            assert!(found <= wspt, "{} on {preset}: {found}, WSPT {wspt}", rival.name);
        }
    }
}

#[test]
fn cp_optimizer_says_what_is_missing() {
    if !solvers() {
        return;
    }
    let (problem, state) = scheduling("pmsp-20", 0);
    let mut solver = External::<Scheduling>::new(Rival::CPOPTIMIZER, SolverPool::default());
    match solve(&problem, &state, &mut solver, TIME) {
        Ok(_) => {}
        Err(Failure::Missing(why)) => {
            assert!(why.contains("CP Optimizer") || why.contains("docplex"), "{why}");
        }
        Err(failure) => panic!("{failure}"),
    }
}
