//! `solo bench guides`: how long a decision of the guides in the box takes, alone and inside rollouts, on one core.

use crate::ui::{Align, Exit, Out, Print, Table, seconds};
use allocation_counter::measure;
use solo::Error;
use solo::guides::GUIDES;
use solo_core::{Domain, Policy, Problem, Rng, Rollouts, Seed, Stream, World};
use solo_cvrp::Cvrp;
use solo_nn::Scored;
use solo_pmsp::Pmsp;
use std::time::{Duration, Instant};

/// Each case is measured for at least so long.
const AT_LEAST: Duration = Duration::from_millis(400);
/// Rollouts that are timed together.
const ROLLOUTS: usize = 50;

/// Measures the guides on days of the presets whose name holds `filter`: the one that it was taught for, and one with 80 jobs
/// or 100 customers known from the start.
pub(crate) fn guides(filter: &str, out: &mut Out) -> Result<(), Exit> {
    let mut cases = Vec::new();
    for guide in &GUIDES {
        let whole = if guide.preset.starts_with(Pmsp::NAME) { "pmsp-80" } else { "cvrp-100" };
        for day in [guide.preset, whole] {
            if !day.contains(filter) {
                continue;
            }
            let case = if guide.preset.starts_with(Pmsp::NAME) {
                one::<Pmsp>(day, guide.preset, Scored::new(guide.scorer()))
            } else {
                one::<Cvrp>(day, guide.preset, Scored::new(guide.scorer()))
            };
            cases.extend(case);
        }
    }
    if cases.is_empty() {
        return Err(Error::Usage(format!("no measured preset's name holds '{filter}'")).into());
    }
    print(&cases, out)
}

struct Case {
    day: &'static str,
    guide: &'static str,
    decisions: f64,
    alone: f64,
    inside: f64,
    allocations: u64,
}

fn one<D: Domain>(
    day: &'static str,
    guide: &'static str,
    mut scored: Scored<D::Problem>,
) -> Option<Case> {
    let scenario = D::generate(day, Seed(0), 0)?;
    let problem = D::problem(&scenario, Some(day))?;
    let world = World::open(&problem, D::arrivals(&scenario));
    let root = scored.clone();
    let mut player = root.clone();
    let mut rollouts = Rollouts::new(&problem);
    let mut play = |dice: &mut Rng| {
        let mut decisions = 0;
        for _ in 0..ROLLOUTS {
            player.clone_from(&root);
            let mut counted = Counted { policy: &mut player, decisions: 0 };
            rollouts.run(&problem, world.state(), &mut counted, dice);
            decisions += counted.decisions;
        }
        decisions
    };
    let dice = Seed(0).stream(Stream::Agent, 0);
    (0..4).for_each(|_| _ = play(&mut dice.clone()));
    let allocations = measure(|| _ = play(&mut dice.clone())).count_total;
    let mut dice = dice;
    let inside = median(|| {
        let before = Instant::now();
        let decisions = play(&mut dice);
        before.elapsed().as_secs_f64() / decisions.max(1) as f64
    });
    let mut decisions = 0.0;
    let alone = median(|| {
        let mut world = World::open(&problem, D::arrivals(&scenario));
        let (mut time, mut count) = (Duration::ZERO, 0u64);
        while !world.done() {
            let before = Instant::now();
            let action = scored.choose(&problem, world.state(), &mut dice);
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

fn print(cases: &[Case], out: &mut Out) -> Result<(), Exit> {
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
    out.line(
        "A decision by a guide alone, and inside rollouts with everything around it, on one core:",
    )?;
    table.print(out)?;
    out.flush()?;
    if cases.iter().all(|case| case.allocations == 0) {
        return Ok(());
    }
    Err(Error::Failed("warm rollouts allocate memory".to_string()).into())
}
