//! `solo-bench guides`: how long a decision of the guides bundled takes, alone and inside rollouts, on one core.

use crate::ui::{self, Align, BenchError, Table, seconds};
use allocation_counter::measure;
use solo_core::{
    BundledModel, Features, Policy, Presets, Problem, Rng, Rollouts, RulesOf, Scenario, Seed,
    Stream, World,
};
use solo_nn::{Scored, Scorer};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Each case is measured for at least so long.
const AT_LEAST: Duration = Duration::from_millis(400);
/// Rollouts that are timed together.
const ROLLOUTS: usize = 50;

/// Measures the guides on days of the presets whose name holds `filter`: the one that it was taught for, and one with 80 jobs
/// or 100 customers known from the start.
pub(crate) fn guides(filter: &str) -> Result<(), BenchError> {
    let mut cases = Vec::new();
    let (guides, presets) = (solo_pmsp::models::GUIDES, solo_pmsp::presets::OFFER);
    cases.extend(measure_all(guides, &presets, "pmsp-80", filter));
    let (guides, presets) = (solo_cvrp::models::GUIDES, solo_cvrp::presets::OFFER);
    cases.extend(measure_all(guides, &presets, "cvrp-100", filter));
    if cases.is_empty() {
        return Err(BenchError::Usage(format!("no measured preset's name holds '{filter}'")));
    }
    print(&cases)
}

struct Case {
    day: &'static str,
    guide: &'static str,
    decisions: f64,
    alone: f64,
    inside: f64,
    allocations: u64,
}

/// Every guide on the days that it was taught for, and on days where all is known from the start.
fn measure_all<S: Scenario>(
    guides: &[BundledModel],
    presets: &Presets<S>,
    whole: &'static str,
    filter: &str,
) -> Vec<Case>
where
    RulesOf<S>: Features,
{
    let mut cases = Vec::new();
    for guide in guides {
        let (scorer, _) = Scorer::from_safetensors(guide.bytes).expect("bundled guides are whole");
        let scorer = Arc::new(scorer);
        for day in [guide.name, whole].into_iter().filter(|day| day.contains(filter)) {
            cases.extend(one(day, guide.name, presets, Scored::new(Arc::clone(&scorer))));
        }
    }
    cases
}

fn one<S: Scenario>(
    day: &'static str,
    guide: &'static str,
    presets: &Presets<S>,
    mut scored: Scored<RulesOf<S>>,
) -> Option<Case>
where
    RulesOf<S>: Features,
{
    let scenario = (presets.draw)(day, Seed(0), 0).ok()?;
    let problem = scenario.rules(Some(day)).ok()?;
    let world = World::open(&problem, scenario.events());
    let root = scored.clone();
    let mut player = root.clone();
    let mut rollouts = Rollouts::new(&problem);
    let mut play = |rng: &mut Rng| {
        let mut decisions = 0;
        for _ in 0..ROLLOUTS {
            player.clone_from(&root);
            let mut counted = Counted { policy: &mut player, decisions: 0 };
            rollouts.run(&problem, world.state(), &mut counted, rng);
            decisions += counted.decisions;
        }
        decisions
    };
    let rng = Seed(0).stream(Stream::Agent, 0);
    (0..4).for_each(|_| _ = play(&mut rng.clone()));
    let allocations = measure(|| _ = play(&mut rng.clone())).count_total;
    let mut rng = rng;
    let inside = median(|| {
        let before = Instant::now();
        let decisions = play(&mut rng);
        before.elapsed().as_secs_f64() / decisions.max(1) as f64
    });
    let mut decisions = 0.0;
    let alone = median(|| {
        let mut world = World::open(&problem, scenario.events());
        let (mut time, mut count) = (Duration::ZERO, 0u64);
        while !world.done() {
            let before = Instant::now();
            let action = scored.choose(&problem, world.state(), &mut rng);
            time += before.elapsed();
            count += 1;
            if world.act(action).is_err() {
                break;
            }
        }
        decisions = count as f64;
        time.as_secs_f64() / count.max(1) as f64
    });
    Some(Case { day, guide, decisions, alone, inside, allocations })
}

/// The median of what is measured again and again.
fn median(mut measured: impl FnMut() -> f64) -> f64 {
    let (started, mut times) = (Instant::now(), Vec::new());
    while times.len() < 3 || started.elapsed() < AT_LEAST {
        times.push(measured());
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// A rule that counts how often it is asked.
struct Counted<'r, R> {
    policy: &'r mut R,
    decisions: u64,
}

impl<P: Problem, R: Policy<P>> Policy<P> for Counted<'_, R> {
    fn choose(&mut self, problem: &P, state: &P::State, rng: &mut Rng) -> P::Action {
        self.decisions += 1;
        self.policy.choose(problem, state, rng)
    }
}

fn print(cases: &[Case]) -> Result<(), BenchError> {
    let mut table = Table::new(&[
        ("day", Align::Left),
        ("guide", Align::Left),
        ("decisions", Align::Right),
        ("alone, each", Align::Right),
        ("in rollouts, each", Align::Right),
        ("allocations", Align::Right),
    ]);
    for case in cases {
        table.row(vec![
            case.day.to_string(),
            case.guide.to_string(),
            format!("{:.0}", case.decisions),
            seconds(case.alone),
            seconds(case.inside),
            case.allocations.to_string(),
        ]);
    }
    ui::line(
        "A decision by a guide alone, and inside rollouts with everything around it, on one core:",
    );
    ui::print(&table);
    if cases.iter().all(|case| case.allocations == 0) {
        return Ok(());
    }
    Err(BenchError::Failed("warm rollouts allocate memory".to_string()))
}
