//! `solo bench search`: how fast the tree search plays rollouts on one core, and how their cost grows.

use crate::ui::{Align, Exit, Out, Print, Table, count, seconds};
use allocation_counter::measure;
use solo::Error;
use solo_core::{
    Budget, Domain, Guide, Meter, Problem, Rng, Seed, Stream, SystemClock, Timed, World,
};
use solo_cvrp::Cvrp;
use solo_cvrp::rules::Distance;
use solo_pmsp::{Pmsp, Wspt};
use solo_search::{Settings, Uct};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Rollouts of one search.
const ROLLOUTS: u64 = 1_000;
/// Each case is measured for at least so long, and three times.
const AT_LEAST: Duration = Duration::from_millis(500);
/// Numbers of jobs or customers.
const SIZES: [usize; 6] = [20, 50, 100, 200, 500, 1000];

/// Measures searches from the first decision of an offline day, for the problems whose name holds `filter`.
pub(crate) fn search(filter: &str, out: &mut Out) -> Result<(), Exit> {
    let mut cases = Vec::new();
    if Pmsp::NAME.contains(filter) {
        cases.extend(measure_all::<Pmsp, Wspt>("pmsp-80", 80, "wspt"));
    }
    if Cvrp::NAME.contains(filter) {
        cases.extend(measure_all::<Cvrp, Distance>("cvrp-100", 100, "distance"));
    }
    if cases.is_empty() {
        return Err(Error::Usage(format!("no measured problem's name holds '{filter}'")).into());
    }
    print(&cases, out)
}

struct Case {
    name: &'static str,
    size: usize,
    guide: &'static str,
    seconds_a_rollout: f64,
    allocations: u64,
}

/// The preset as it is, and in all sizes.
fn measure_all<D: Domain, G: Guide<D::Problem> + Default>(
    preset: &'static str,
    own: usize,
    guide: &'static str,
) -> Vec<Case> {
    let case = |size: usize| measure_one::<D, G>(preset, size, guide);
    let sized = SIZES.into_iter().filter_map(|size| Some(Case { name: D::NAME, ..case(size)? }));
    case(own).into_iter().chain(sized).collect()
}

/// The first decision of a day with `size` jobs or customers, drawn as the preset draws them.
fn measure_one<D: Domain, G: Guide<D::Problem> + Default>(
    preset: &'static str,
    size: usize,
    guide: &'static str,
) -> Option<Case> {
    let problem = D::problem(&D::generate(preset, Seed(0), 0)?, None)?;
    let drawn = (0..).map_while(|index| D::generate(preset, Seed(0), index));
    let arrivals: Vec<Timed<<D::Problem as Problem>::Arrival>> =
        drawn.flat_map(|scenario| D::arrivals(&scenario)).take(size).collect();
    let world = World::open(&problem, arrivals);
    let mut uct = Uct::new(G::default(), Settings::DEFAULT);
    let mut play = |dice: &mut Rng| {
        let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
        let meter = Meter::start(Budget::Rollouts(ROLLOUTS), &clock, &stop);
        uct.forget();
        uct.search(&problem, world.state(), &meter, dice);
    };
    let dice = Seed(0).stream(Stream::Agent, 0);
    play(&mut dice.clone());
    let allocations = measure(|| play(&mut dice.clone())).count_total;
    let mut dice = dice;
    let (started, mut times) = (Instant::now(), Vec::new());
    while times.len() < 3 || started.elapsed() < AT_LEAST {
        let before = Instant::now();
        play(&mut dice);
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

fn print(cases: &[Case], out: &mut Out) -> Result<(), Exit> {
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
    out.line(&format!(
        "Whole rollouts of searches of {} from the first decision, on one core:",
        count(ROLLOUTS as f64)
    ))?;
    table.print(out)?;
    for problem in [Pmsp::NAME, Cvrp::NAME] {
        let of = cases.iter().filter(|case| case.name == problem);
        let points: Vec<_> = of.map(|case| (case.size as f64, case.seconds_a_rollout)).collect();
        if !points.is_empty() {
            let exponent = exponent(&points);
            out.line(&format!("{problem}: the time of a rollout grows as size^{exponent:.2}"))?;
        }
    }
    out.flush()?;
    if cases.iter().all(|case| case.allocations == 0) {
        return Ok(());
    }
    Err(Error::Failed("warm rollouts allocate memory".to_string()).into())
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
