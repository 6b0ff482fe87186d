//! `solo-bench deadlines`: how far searches overrun the time they are given.

use crate::search::{customers, jobs};
use crate::ui::{self, Align, BenchError, Table, seconds};
use solo_core::{
    Agent, Budget, Guide, Meter, Offline, RolloutPolicy, RulesOf, Scenario, Seed, Stream,
    SystemClock, World,
};
use solo_cvrp::RoutingDay;
use solo_cvrp::rules::Distance;
use solo_pmsp::{SchedulingDay, Wspt};
use solo_search::{Lookahead, LookaheadParams, Uct, UctParams};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// So many decisions are timed in each case.
const DECISIONS: usize = 300;
const BUDGETS: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(50)];

/// Times decisions of large days on one core.
pub(crate) fn deadlines() -> Result<(), BenchError> {
    let mut table = Table::new(&[
        ("day", Align::Left),
        ("agent", Align::Left),
        ("budget", Align::Right),
        ("overrun: median", Align::Right),
        ("99 %", Align::Right),
        ("most", Align::Right),
    ]);
    for (count, machines) in [(80, 10), (1000, 10)] {
        let day = SchedulingDay { machines, ..jobs(count) };
        schedule(&format!("{count} jobs x {machines}"), &day, None, &mut table);
    }
    let preset = "pmsp-online-10";
    if let Ok(day) = solo_pmsp::presets::generate(preset, Seed(0), 0) {
        schedule(preset, &day, Some(preset), &mut table);
    }
    route("1,000 customers", &customers(1000), None, &mut table);
    let preset = "cvrp-dispatch-100";
    if let Ok(day) = solo_cvrp::presets::generate(preset, Seed(0), 0) {
        route(preset, &day, Some(preset), &mut table);
    }
    ui::line(&format!("Time beyond the budget, {DECISIONS} decisions each, on one core:"));
    ui::print(&table);
    Ok(())
}

fn schedule(name: &str, day: &SchedulingDay, law: Option<&str>, table: &mut Table) {
    rows::<_, Wspt, solo_pmsp::InsertionPlan>(name, day, law, "mcts+wspt", table);
}

fn route(name: &str, day: &RoutingDay, law: Option<&str>, table: &mut Table) {
    type Plan = solo_cvrp::insertion::InsertionPlan;
    rows::<_, Distance, Plan>(name, day, law, "mcts+distance", table);
}

fn rows<S, G, R>(name: &str, scenario: &S, law: Option<&str>, uct: &str, table: &mut Table)
where
    S: Scenario,
    RulesOf<S>: Offline,
    G: Guide<RulesOf<S>> + Default + 'static,
    R: RolloutPolicy<RulesOf<S>>,
{
    for budget in BUDGETS {
        let mut row = |agent: &str, make: &dyn Fn() -> Box<dyn Agent<RulesOf<S>>>| {
            let Some(over) = overruns::<S>(scenario, law, budget, make) else { return };
            let at = |share: f64| over[((over.len() - 1) as f64 * share) as usize];
            table.row(vec![
                name.to_string(),
                agent.to_string(),
                format!("{budget:?}"),
                seconds(at(0.5).as_secs_f64()),
                seconds(at(0.99).as_secs_f64()),
                seconds(at(1.0).as_secs_f64()),
            ]);
        };
        row(uct, &|| Box::new(Uct::new(G::default(), UctParams::default())));
        row("lookahead", &|| {
            Box::new(Lookahead::<RulesOf<S>, R>::planned(LookaheadParams::default()))
        });
    }
}

/// How far decisions overran, in order. Every decision has an agent of its own, which remembers nothing: the hardest case.
fn overruns<S: Scenario>(
    scenario: &S,
    law: Option<&str>,
    budget: Duration,
    make: &dyn Fn() -> Box<dyn Agent<RulesOf<S>>>,
) -> Option<Vec<Duration>> {
    let problem = scenario.rules(law)?;
    let mut world = World::open(&problem, scenario.events());
    let mut rng = Seed(0).stream(Stream::Agent, 0);
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    let mut over = Vec::with_capacity(DECISIONS);
    while over.len() < DECISIONS {
        if world.done() {
            world = World::open(&problem, scenario.events());
        }
        let mut agent = make();
        let meter = Meter::start(Budget::Wall(budget), &clock, &stop);
        let decision = agent.decide(&problem, world.state(), &meter, &mut rng).ok()?;
        let took = meter.elapsed();
        // Answers that take no thought are not counted.
        if took > budget / 2 {
            over.push(took.saturating_sub(budget));
        }
        world.act(decision.action).ok()?;
    }
    over.sort();
    Some(over)
}
