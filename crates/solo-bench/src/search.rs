//! `solo-bench search`: how fast the tree search plays rollouts on one core, and how their cost grows.

use crate::ui::{self, Align, BenchError, Table, count, seconds};
use allocation_counter::measure;
use solo_core::{Budget, Guide, Meter, Rng, RulesOf, Scenario, Seed, Stream, SystemClock, World};
use solo_cvrp::RoutingDay;
use solo_cvrp::rules::Distance;
use solo_pmsp::{SchedulingDay, Wspt};
use solo_search::{Uct, UctParams};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Rollouts of one search.
const ROLLOUTS: u64 = 1_000;
/// Each case is measured for at least so long, and three times.
const AT_LEAST: Duration = Duration::from_millis(500);
/// Numbers of jobs or customers.
const SIZES: [usize; 6] = [20, 50, 100, 200, 500, 1000];

/// Measures searches from the first decision of an offline day, for the problems whose name holds `filter`.
pub(crate) fn search(filter: &str) -> Result<(), BenchError> {
    let mut cases = Vec::new();
    if SchedulingDay::PROBLEM.contains(filter) {
        cases.extend(measure_all::<_, Wspt>("pmsp-80", 80, "wspt", jobs));
    }
    if RoutingDay::PROBLEM.contains(filter) {
        cases.extend(measure_all::<_, Distance>("cvrp-100", 100, "distance", customers));
    }
    if cases.is_empty() {
        return Err(BenchError::Usage(format!("no measured problem's name holds '{filter}'")));
    }
    print(&cases)
}

struct Case {
    name: &'static str,
    size: usize,
    guide: &'static str,
    seconds_a_rollout: f64,
    allocations: u64,
}

/// A day with this many jobs, drawn as pmsp-80 draws them.
pub(crate) fn jobs(size: usize) -> SchedulingDay {
    let mut days = (0..).map_while(|i| solo_pmsp::presets::generate("pmsp-80", Seed(0), i).ok());
    let first = days.next().expect("it is a preset");
    let jobs = first.jobs.iter().cloned().chain(days.flat_map(|day| day.jobs));
    SchedulingDay { jobs: jobs.take(size).collect(), ..first.clone() }
}

/// A day with this many customers, drawn as cvrp-100 draws them.
pub(crate) fn customers(size: usize) -> RoutingDay {
    let mut days = (0..).map_while(|i| solo_cvrp::presets::generate("cvrp-100", Seed(0), i).ok());
    let first = days.next().expect("it is a preset");
    let customers = first.customers.iter().copied().chain(days.flat_map(|day| day.customers));
    RoutingDay { customers: customers.take(size).collect(), ..first.clone() }
}

/// The preset as it is, and in all sizes.
fn measure_all<S: Scenario, G: Guide<RulesOf<S>> + Default>(
    preset: &'static str,
    own: usize,
    guide: &'static str,
    draw: fn(usize) -> S,
) -> Vec<Case> {
    let case = |size: usize| measure_one::<S, G>(preset, size, guide, draw);
    let sized = SIZES.into_iter().filter_map(|size| Some(Case { name: S::PROBLEM, ..case(size)? }));
    case(own).into_iter().chain(sized).collect()
}

/// The first decision of a day with `size` jobs or customers.
fn measure_one<S: Scenario, G: Guide<RulesOf<S>> + Default>(
    preset: &'static str,
    size: usize,
    guide: &'static str,
    draw: fn(usize) -> S,
) -> Option<Case> {
    let day = draw(size);
    let problem = day.rules(None).ok()?;
    let arrivals = day.events();
    let world = World::open(&problem, arrivals);
    let mut uct = Uct::new(G::default(), UctParams::default());
    let mut play = |rng: &mut Rng| {
        let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
        let meter = Meter::start(Budget::Rollouts(ROLLOUTS), &clock, &stop);
        uct.forget();
        uct.search(&problem, world.state(), &meter, rng);
    };
    let rng = Seed(0).stream(Stream::Agent, 0);
    play(&mut rng.clone());
    let allocations = measure(|| play(&mut rng.clone())).count_total;
    let mut rng = rng;
    let (started, mut times) = (Instant::now(), Vec::new());
    while times.len() < 3 || started.elapsed() < AT_LEAST {
        let before = Instant::now();
        play(&mut rng);
        times.push(before.elapsed().as_secs_f64() / ROLLOUTS as f64);
    }
    times.sort_by(f64::total_cmp);
    let seconds_a_rollout = times[times.len() / 2];
    Some(Case { name: preset, size, guide, seconds_a_rollout, allocations })
}

/// The slope of log time over log size, by least squares: the exponent of the growth.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(n, time)| (n.ln(), time.ln())).collect();
    let number = logs.len() as f64;
    let mean_x = logs.iter().map(|(x, _)| x).sum::<f64>() / number;
    let mean_y = logs.iter().map(|(_, y)| y).sum::<f64>() / number;
    let products: f64 = logs.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let squares: f64 = logs.iter().map(|(x, _)| (x - mean_x) * (x - mean_x)).sum();
    products / squares
}

fn print(cases: &[Case]) -> Result<(), BenchError> {
    let mut table = Table::new(&[
        ("day", Align::Left),
        ("size", Align::Right),
        ("guide", Align::Left),
        ("rollouts/s", Align::Right),
        ("time a rollout", Align::Right),
        ("allocations", Align::Right),
    ]);
    for case in cases {
        table.row(vec![
            case.name.to_string(),
            case.size.to_string(),
            case.guide.to_string(),
            count(1.0 / case.seconds_a_rollout),
            seconds(case.seconds_a_rollout),
            case.allocations.to_string(),
        ]);
    }
    ui::line(&format!(
        "Whole rollouts of searches of {} from the first decision, on one core:",
        count(ROLLOUTS as f64)
    ));
    ui::print(&table);
    for problem in [SchedulingDay::PROBLEM, RoutingDay::PROBLEM] {
        let of = cases.iter().filter(|case| case.name == problem);
        let points: Vec<_> = of.map(|case| (case.size as f64, case.seconds_a_rollout)).collect();
        if !points.is_empty() {
            let exponent = exponent(&points);
            ui::line(&format!("{problem}: the time of a rollout grows as size^{exponent:.2}"));
        }
    }
    if cases.iter().all(|case| case.allocations == 0) {
        return Ok(());
    }
    Err(BenchError::Failed("warm rollouts allocate memory".to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_are_found() {
        let points = [10.0, 100.0, 1000.0].map(|n: f64| (n, 3e-6 * n.powf(1.5)));
        assert!((exponent(&points) - 1.5).abs() < 1e-9);
    }
}
