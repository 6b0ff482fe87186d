//! `solo-bench sim`: how fast the simulator is on one core.

use crate::ui::{self, Align, BenchError, Table, count, seconds};
use allocation_counter::measure;
use criterion::Criterion;
use serde_json::Value;
use solo_core::{
    Cost, Policy, Presets, Problem, Rng, Rollouts, RulesOf, Scenario, Seed, Stream, Uniform, World,
};
use solo_cvrp::rules::Distance;
use solo_pmsp::Wspt;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Rollouts that warm the buffers, and that are then counted; both play the same games.
const WARM: usize = 300;

/// Measures rollouts from the first decision of a day, for the presets whose name holds `filter`.
pub(crate) fn sim(filter: &str) -> Result<(), BenchError> {
    let folder = Folder::new()?;
    end_quietly_on_broken_pipe(folder.0.clone());
    let mut bench = Bench {
        criterion: Criterion::default()
            .warm_up_time(Duration::from_millis(500))
            .measurement_time(Duration::from_secs(2))
            .sample_size(20)
            .without_plots()
            .output_directory(&folder.0),
        folder: folder.0.clone(),
        filter,
        rates: Vec::new(),
    };
    for preset in ["pmsp-80", "pmsp-online-3"] {
        let offer = solo_pmsp::presets::OFFER;
        bench.rule(&offer, preset, "uniform", Uniform::default());
        bench.rule(&offer, preset, "wspt", Wspt::default());
    }
    for preset in ["cvrp-100", "cvrp-online-100"] {
        let offer = solo_cvrp::presets::OFFER;
        bench.rule(&offer, preset, "uniform", Uniform::default());
        bench.rule(&offer, preset, "distance", Distance::default());
    }
    if bench.rates.is_empty() {
        let message = format!("no measured preset's name holds '{filter}'");
        return Err(BenchError::Usage(message));
    }
    print(&bench.rates)
}

/// Criterion prints by itself and panics when nobody listens any more; that is no error here either.
fn end_quietly_on_broken_pipe(folder: PathBuf) {
    let otherwise = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let said = panic.payload().downcast_ref::<String>();
        if said.is_some_and(|text| text.contains("Broken pipe")) {
            drop(Folder(folder.clone()));
            std::process::exit(0);
        }
        otherwise(panic);
    }));
}

struct Rate {
    preset: &'static str,
    rule: &'static str,
    seconds_a_day: Option<f64>,
    decisions_a_day: f64,
    allocations: u64,
}

struct Bench<'f> {
    criterion: Criterion,
    folder: PathBuf,
    filter: &'f str,
    rates: Vec<Rate>,
}

impl Bench<'_> {
    fn rule<S: Scenario>(
        &mut self,
        presets: &Presets<S>,
        preset: &'static str,
        rule: &'static str,
        policy: impl Policy<RulesOf<S>>,
    ) {
        if !preset.contains(self.filter) {
            return;
        }
        let Ok(scenario) = (presets.draw)(preset, Seed(0), 0) else { return };
        let Ok(problem) = scenario.rules(Some(preset)) else { return };
        let start = World::open(&problem, scenario.events()).state().clone();
        let mut game = Game {
            problem: &problem,
            start,
            rollouts: Rollouts::new(&problem),
            policy: Counted { policy, decisions: 0 },
        };
        let rng = Seed(0).stream(Stream::Agent, 0);
        game.play_many(rng.clone());
        let decisions_a_day = game.policy.decisions as f64 / WARM as f64;
        let allocations = measure(|| game.play_many(rng.clone())).count_total;

        let mut rng = rng.clone();
        let mut group = self.criterion.benchmark_group(preset);
        group.bench_function(rule, |bencher| bencher.iter(|| game.play(&mut rng)));
        group.finish();
        let seconds_a_day = time_of(&self.folder, preset, rule);
        self.rates.push(Rate { preset, rule, seconds_a_day, decisions_a_day, allocations });
    }
}

/// Rollouts of one rule from one state.
struct Game<'p, P: Problem, R> {
    problem: &'p P,
    start: P::State,
    rollouts: Rollouts<P>,
    policy: Counted<R>,
}

impl<P: Problem, R: Policy<P>> Game<'_, P, R> {
    fn play(&mut self, rng: &mut Rng) -> Cost {
        self.rollouts.run(self.problem, &self.start, &mut self.policy, rng)
    }

    fn play_many(&mut self, mut rng: Rng) {
        for _ in 0..WARM {
            black_box(self.play(&mut rng));
        }
    }
}

/// A rule that counts how often it is asked.
struct Counted<R> {
    policy: R,
    decisions: u64,
}

impl<P: Problem, R: Policy<P>> Policy<P> for Counted<R> {
    fn choose(&mut self, problem: &P, state: &P::State, rng: &mut Rng) -> P::Action {
        self.decisions += 1;
        self.policy.choose(problem, state, rng)
    }
}

/// The time of a rollout as criterion has written it down: the slope over samples of growing length where it fits
/// one, as in what it prints, else the mean.
fn time_of(folder: &Path, preset: &str, rule: &str) -> Option<f64> {
    let file = folder.join(preset).join(rule).join("new").join("estimates.json");
    let estimates: Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    let time = |name: &str| estimates[name]["point_estimate"].as_f64();
    Some(time("slope").or_else(|| time("mean"))? * 1e-9)
}

fn print(rates: &[Rate]) -> Result<(), BenchError> {
    let mut table = Table::new(&[
        ("preset", Align::Left),
        ("rule", Align::Left),
        ("decisions/s", Align::Right),
        ("days/s", Align::Right),
        ("time a day", Align::Right),
        ("decisions a day", Align::Right),
        ("allocations", Align::Right),
    ]);
    for rate in rates {
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "not measured".to_string());
        let time = rate.seconds_a_day;
        table.row(vec![
            rate.preset.to_string(),
            rate.rule.to_string(),
            or_none(time.map(|time| count(rate.decisions_a_day / time))),
            or_none(time.map(|time| count(1.0 / time))),
            or_none(time.map(seconds)),
            format!("{:.1}", rate.decisions_a_day),
            rate.allocations.to_string(),
        ]);
    }
    ui::line("Rollouts from the first decision of a day, on one core:");
    ui::print(&table);
    let allocating: Vec<String> = rates
        .iter()
        .filter(|rate| rate.allocations > 0)
        .map(|rate| format!("{} {}", rate.preset, rate.rule))
        .collect();
    if allocating.is_empty() {
        return Ok(());
    }
    let message = format!("warm rollouts allocate memory: {}", allocating.join(", "));
    Err(BenchError::Failed(message))
}

/// A temporary folder of this run.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, BenchError> {
        let folder = std::env::temp_dir().join(format!("solo-bench-{}", std::process::id()));
        fs::create_dir_all(&folder)
            .map_err(|error| BenchError::Failed(format!("{}: {error}", folder.display())))?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // what stays in the temporary folder does no harm
    }
}
