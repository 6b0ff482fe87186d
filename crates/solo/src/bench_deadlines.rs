//! `solo bench deadlines`: how far searches overrun the time they are given.

use crate::ui::{Align, Exit, Out, Print, Table, seconds};
use solo_core::{Agent, Budget, Domain, Guide, Meter, Seed, Stream, SystemClock, World};
use solo_cvrp::Cvrp;
use solo_cvrp::rules::Distance;
use solo_pmsp::{Pmsp, Wspt};
use solo_search::lookahead::Params;
use solo_search::{Lookahead, Settings, Uct};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// So many decisions are timed in each case.
const DECISIONS: usize = 300;
const BUDGETS: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(50)];

/// Times decisions of large days on one core.
pub(crate) fn deadlines(out: &mut Out) -> Result<(), Exit> {
    let mut table = Table::new(&[
        ("day", Align::Left),
        ("agent", Align::Left),
        ("budget", Align::Right),
        ("overrun: median", Align::Right),
        ("99 %", Align::Right),
        ("most", Align::Right),
    ]);
    let mut scheduling = Vec::new();
    for (jobs, machines) in [(80, 10), (1000, 10)] {
        let days = (0..).map_while(|i| Pmsp::generate("pmsp-80", Seed(0), i));
        let mut scenario = Pmsp::generate("pmsp-80", Seed(0), 0).unwrap_or_else(|| unreachable!());
        scenario.jobs = days.flat_map(|day| day.jobs).take(jobs).collect();
        scenario.machines = machines;
        scheduling.push((format!("{jobs} jobs x {machines}"), scenario, None));
    }
    let online = |preset| Pmsp::generate(preset, Seed(0), 0).map(|day| (day, Some(preset)));
    let day = online("pmsp-online-10").map(|(day, law)| ("pmsp-online-10".to_string(), day, law));
    scheduling.extend(day);
    for (name, scenario, law) in &scheduling {
        rows::<Pmsp, Wspt>(name, scenario, *law, "mcts+wspt", &mut table);
    }
    let mut routing = Vec::new();
    let days = (0..).map_while(|i| Cvrp::generate("cvrp-100", Seed(0), i));
    if let Some(mut scenario) = Cvrp::generate("cvrp-100", Seed(0), 0) {
        scenario.customers = days.flat_map(|day| day.customers).take(1000).collect();
        routing.push(("1,000 customers".to_string(), scenario, None));
    }
    let preset = "cvrp-dispatch-100";
    let day = Cvrp::generate(preset, Seed(0), 0);
    routing.extend(day.map(|day| (preset.to_string(), day, Some(preset))));
    for (name, scenario, law) in &routing {
        rows::<Cvrp, Distance>(name, scenario, *law, "mcts+distance", &mut table);
    }
    out.line(&format!("Time beyond the budget, {DECISIONS} decisions each, on one core:"))?;
    table.print(out)?;
    out.flush()
}

fn rows<D: Domain, G: Guide<D::Problem> + Default + 'static>(
    name: &str,
    scenario: &D::Scenario,
    law: Option<&str>,
    uct: &str,
    table: &mut Table,
) {
    for budget in BUDGETS {
        let mut row = |agent: &str, make: &dyn Fn() -> Box<dyn Agent<D::Problem>>| {
            let Some(over) = overruns::<D>(scenario, law, budget, make) else { return };
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
        row(uct, &|| Box::new(Uct::new(G::default(), Settings::DEFAULT)));
        row("lookahead", &|| {
            Box::new(Lookahead::<D::Problem, D::Scout>::scouting(Params::DEFAULT))
        });
    }
}

/// How far decisions overran, in order. Every decision has an agent of its own, which remembers nothing: the hardest case.
fn overruns<D: Domain>(
    scenario: &D::Scenario,
    law: Option<&str>,
    budget: Duration,
    make: &dyn Fn() -> Box<dyn Agent<D::Problem>>,
) -> Option<Vec<Duration>> {
    let problem = D::problem(scenario, law)?;
    let mut world = World::open(&problem, D::arrivals(scenario));
    let mut dice = Seed(0).stream(Stream::Agent, 0);
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    let mut over = Vec::with_capacity(DECISIONS);
    while over.len() < DECISIONS {
        if world.done() {
            world = World::open(&problem, D::arrivals(scenario));
        }
        let mut agent = make();
        let meter = Meter::start(Budget::Wall(budget), &clock, &stop);
        let decision = agent.decide(&problem, world.state(), &meter, &mut dice).ok()?;
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
