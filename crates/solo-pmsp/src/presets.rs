//! The paper's families of scenarios, with generators.

use crate::arrivals::{Batches, Law};
use crate::scenario::{Job, SchedulingDay, Setup};
use crate::state::Event;
use crate::times::{CANNOT, Factors};
use solo_core::file::MOST_ITEMS;
use solo_core::params::{changed, short};
use solo_core::{
    Meter, Params, Preset, PresetSpec, Presets, Rng, Seed, SpecError, Stream, Tape, Time, Timed,
    params,
};
use std::sync::Arc;

const fn preset(name: &'static str, about: &'static str) -> Preset {
    Preset { name, about, like: None }
}

/// The presets.
pub const PRESETS: &[Preset] = &[
    preset(
        "pmsp-20",
        "20 jobs known from the start, 3 machines, 5 families, setups by next family",
    ),
    preset("pmsp-80", "as pmsp-20, with 80 jobs"),
    preset(
        "pmsp-online-3",
        "about 80 jobs in 16 intervals of 130, 3 machines, 5 classes of unequal frequency",
    ),
    preset(
        "pmsp-online-10",
        "about 80 jobs in 60 intervals of 10, 10 machines, 5 classes of unequal frequency",
    ),
    Preset {
        name: "pmsp-online-3-flipped",
        about: "the days of pmsp-online-3 with class i called 5 - i: the rare ones are now the frequent ones",
        like: Some("pmsp-online-3"),
    },
    Preset {
        name: "pmsp-online-10-flipped",
        about: "the days of pmsp-online-10 with class i called 5 - i",
        like: Some("pmsp-online-10"),
    },
    preset(
        "pmsp-unrelated-5",
        "about 80 jobs in 10 intervals of 130, 5 unrelated machines: each suits some classes and cannot do others",
    ),
    preset(
        "pmsp-two-classes-10",
        "the paper's appendix: 2 batches of 2 jobs of 2 classes, 2 machines; to class 1 takes 10 times a job, back only 1",
    ),
    preset("pmsp-two-classes-100", "as pmsp-two-classes-10, with 100 times a job"),
    preset("pmsp-two-classes-1000", "as pmsp-two-classes-10, with 1,000 times a job"),
    preset(
        "pmsp-tiny-1",
        "small enough for the best decisions to be computed: 1 machine, 4 batches of 2 jobs of 8 kinds",
    ),
    preset("pmsp-tiny-2", "as pmsp-tiny-1, with 2 machines and 3 batches"),
    preset("pmsp-tiny-3", "as pmsp-tiny-1, with long setups and 3 batches of 3 jobs"),
    preset("pmsp-tiny-4", "as pmsp-tiny-1, with 8 batches: too large for that"),
];

params! {
    /// What can be changed of an online preset.
    pub struct Changes("") {
        /// this many times as many jobs come; a day has at most 10,000
        rate: f64 = 1.0 => Number { low: 0.001, high: 100.0 },
        /// jobs run this many times as long at most
        size: f64 = 1.0 => Number { low: 0.0, high: 1000.0 },
        /// how many machines there are
        machines: Option<usize> = None => Whole { low: 1, high: 1000 },
        /// the law's unit of time in your units: 60 if that is 60 seconds
        time: f64 = 1.0 => Number { low: 1e-6, high: 1e6 },
    }
}

/// The presets, for the registry.
pub const OFFER: Presets<SchedulingDay> =
    Presets { list: PRESETS, changes: Changes::fields, draw: generate };

const CLASSES: usize = 5;
const MOST_PROCESSING: i64 = 100;
const MOST_SETUP: i64 = 50;
const MOST_WEIGHT: i64 = 10;
/// The mean number of jobs of an online day.
const ONLINE_JOBS: f64 = 80.0;

/// What sets a preset apart.
enum Recipe {
    Offline {
        machines: usize,
        jobs: usize,
    },
    Online {
        machines: usize,
        batches: Batches,
        /// Whether machines have factors, drawn for each day.
        unrelated: bool,
    },
    /// The days of another preset with the classes in reverse order.
    Flipped {
        of: &'static str,
    },
    /// Two classes with setups that are the same every day: `there` from class 0 to class 1, and `back`.
    TwoClasses {
        machines: usize,
        batches: Batches,
        there: f64,
        back: f64,
    },
}

fn recipe(preset: &str) -> Result<Recipe, SpecError> {
    let spec = PresetSpec::parse(preset)?;
    let unknown = || SpecError(format!("'{}' is not a preset of pmsp", spec.name));
    let mut recipe = named(spec.name).ok_or_else(unknown)?;
    let Changes { rate, size, machines: changed, time } = spec.read()?;
    match &mut recipe {
        Recipe::Online { machines, batches, .. } => {
            batches.mean_per_interval *= rate;
            let most = (batches.most_processing as f64 * size).round() as i64;
            batches.most_processing = most.max(1);
            batches.unit = time;
            *machines = changed.unwrap_or(*machines);
        }
        _ if spec.changed() => {
            return Err(SpecError(format!(
                "preset '{}' cannot be changed; pmsp-online-3, pmsp-online-10 and pmsp-unrelated-5 can",
                spec.name
            )));
        }
        _ => {}
    }
    Ok(recipe)
}

fn named(preset: &str) -> Option<Recipe> {
    Some(match preset {
        "pmsp-20" => Recipe::Offline { machines: 3, jobs: 20 },
        "pmsp-80" => Recipe::Offline { machines: 3, jobs: 80 },
        "pmsp-online-3" => {
            Recipe::Online { machines: 3, batches: batches(16, 130.0), unrelated: false }
        }
        "pmsp-online-10" => {
            Recipe::Online { machines: 10, batches: batches(60, 10.0), unrelated: false }
        }
        "pmsp-unrelated-5" => {
            Recipe::Online { machines: 5, batches: batches(10, 130.0), unrelated: true }
        }
        "pmsp-online-3-flipped" => Recipe::Flipped { of: "pmsp-online-3" },
        "pmsp-online-10-flipped" => Recipe::Flipped { of: "pmsp-online-10" },
        "pmsp-two-classes-10" => two_classes(10.0),
        "pmsp-two-classes-100" => two_classes(100.0),
        "pmsp-two-classes-1000" => two_classes(1000.0),
        "pmsp-tiny-1" => tiny(1, (4, 100.0), 2, (30.0, 15.0)),
        "pmsp-tiny-2" => tiny(2, (3, 50.0), 2, (30.0, 15.0)),
        "pmsp-tiny-3" => tiny(1, (3, 150.0), 3, (60.0, 40.0)),
        "pmsp-tiny-4" => tiny(1, (8, 100.0), 2, (30.0, 15.0)),
        _ => return None,
    })
}

fn batches(intervals: u32, length: Time) -> Batches {
    Batches {
        intervals,
        length,
        mean_per_interval: ONLINE_JOBS / f64::from(intervals),
        exact: false,
        shares: (1..=CLASSES).map(|i| 1.0 / i as f64).collect(),
        most_processing: MOST_PROCESSING,
        grain: 1,
        most_weight: MOST_WEIGHT,
        unit: 1.0,
        rounding: 0.0,
    }
}

/// Two batches of two jobs, all of length and weight 1, the second when one machine can be done with the first. The
/// classes look alike but for how long it takes to change.
fn two_classes(there: f64) -> Recipe {
    let batches = Batches {
        intervals: 2,
        length: 4.0,
        mean_per_interval: 2.0,
        exact: true,
        shares: vec![1.0; 2],
        most_processing: 1,
        grain: 1,
        most_weight: 1,
        unit: 1.0,
        rounding: 0.0,
    };
    Recipe::TwoClasses { machines: 2, batches, there, back: 1.0 }
}

/// Few batches of few jobs of eight kinds: class 0 or 1, length 25 or 50, weight 1 or 2.
fn tiny(
    machines: usize,
    (intervals, length): (u32, Time),
    jobs: u32,
    (there, back): (f64, f64),
) -> Recipe {
    let batches = Batches {
        intervals,
        length,
        mean_per_interval: f64::from(jobs),
        exact: true,
        shares: vec![1.0; 2],
        most_processing: 50,
        grain: 25,
        most_weight: 2,
        unit: 1.0,
        rounding: 0.0,
    };
    Recipe::TwoClasses { machines, batches, there, back }
}

/// The arrival law of a preset; offline nothing is expected.
pub fn law(preset: &str) -> Result<Law, SpecError> {
    Ok(match recipe(preset)? {
        Recipe::Offline { .. } => Law::Unknown,
        Recipe::Online { batches, .. } => Law::Batches(batches),
        Recipe::Flipped { of } => {
            let mut flipped = law(of)?;
            if let Law::Batches(batches) = &mut flipped {
                batches.shares.reverse();
            }
            flipped
        }
        Recipe::TwoClasses { batches, .. } => Law::Batches(batches),
    })
}

/// What of a scenario a preset's law could never have drawn, with the likely remedy.
pub fn outside(preset: &str, scenario: &SchedulingDay) -> Vec<String> {
    let Ok(Law::Batches(law)) = law(preset) else { return Vec::new() };
    let mut found = Vec::new();
    let most = |of: fn(&Job) -> f64| scenario.jobs.iter().map(of).fold(0.0, f64::max);
    let (longest, its) =
        (most(|job| job.processing.least()), law.most_processing as f64 * law.unit);
    if longest > its * (1.0 + 1e-9) {
        found.push(format!(
            "a job takes {}, the law's longest {}; if it is in other units, say so, as in --law {}",
            short(longest),
            short(its),
            changed(preset, "time", law.unit * longest / its)
        ));
    }
    let (heaviest, its) = (most(|job| job.weight), law.most_weight as f64);
    if heaviest > its {
        found.push(format!("a weight is {}, the law's largest {}", short(heaviest), short(its)));
    }
    found
}

/// SchedulingDay `index` of a preset: the same for the same seed on every machine.
pub fn generate(preset: &str, seed: Seed, index: u64) -> Result<SchedulingDay, SpecError> {
    let mut rng = seed.stream(Stream::Scenario, index);
    let name = format!("{preset}/seed{}-{index}", seed.0);
    Ok(match recipe(preset)? {
        Recipe::Offline { machines, jobs } => {
            let times: Vec<f64> = (0..CLASSES).map(|_| setup_time(&mut rng)).collect();
            let setup = Arc::new(Setup::by_next(&times));
            let jobs = (0..jobs).map(|_| offline_job(&mut rng)).collect();
            SchedulingDay { name, machines, horizon: 0.0, setup, factors: None, jobs }
        }
        Recipe::Online { machines, batches, unrelated } => {
            let factors = unrelated.then(|| Arc::new(draw_factors(machines, &mut rng)));
            let mut setup = full_setup(&mut rng);
            setup.flat.iter_mut().for_each(|time| *time *= batches.unit);
            let horizon = f64::from(batches.intervals) * batches.length * batches.unit;
            let jobs = online_jobs(&batches, &mut rng)?;
            SchedulingDay { name, machines, horizon, setup: Arc::new(setup), factors, jobs }
        }
        Recipe::Flipped { of } => SchedulingDay { name, ..flipped(generate(of, seed, index)?) },
        Recipe::TwoClasses { machines, batches, there, back } => {
            let setup = Arc::new(Setup { classes: 2, flat: vec![0.0, there, back, 0.0] });
            let horizon = f64::from(batches.intervals) * batches.length;
            let jobs = online_jobs(&batches, &mut rng)?;
            SchedulingDay { name, machines, horizon, setup, factors: None, jobs }
        }
    })
}

/// The same day with its classes called the other way round: whoever does not look at names decides the same.
fn flipped(mut day: SchedulingDay) -> SchedulingDay {
    let classes = day.setup.classes;
    // Both the rows and the columns of the matrix change places: all of it, read backwards.
    let flat = day.setup.flat.iter().rev().copied().collect();
    day.setup = Arc::new(Setup { classes, flat });
    for job in &mut day.jobs {
        job.class = classes as u32 - 1 - job.class;
    }
    day
}

fn setup_time(rng: &mut Rng) -> f64 {
    rng.between(1, MOST_SETUP) as f64
}

fn full_setup(rng: &mut Rng) -> Setup {
    let mut flat = vec![0.0; CLASSES * CLASSES];
    for (i, time) in flat.iter_mut().enumerate() {
        if i / CLASSES != i % CLASSES {
            *time = setup_time(rng);
        }
    }
    Setup { classes: CLASSES, flat }
}

/// Factors of 0.5 to 2 in steps of a quarter, so that times can be added without rounding. A machine can do three of four
/// classes, and a class can be done on two machines at least, if there are two.
fn draw_factors(machines: usize, rng: &mut Rng) -> Factors {
    let mut flat = Vec::new();
    for _ in 0..CLASSES {
        let row = flat.len();
        loop {
            flat.truncate(row);
            flat.extend((0..machines).map(|_| match rng.below(4) {
                0 => CANNOT,
                _ => rng.between(2, 8) as f64 / 4.0,
            }));
            let able = flat[row..].iter().filter(|factor| factor.is_finite()).count();
            if able >= machines.min(2) {
                break;
            }
        }
    }
    Factors { machines, flat }
}

fn offline_job(rng: &mut Rng) -> Job {
    Job {
        processing: (rng.between(1, MOST_PROCESSING) as f64).into(),
        weight: rng.between(1, MOST_WEIGHT) as f64,
        class: rng.below(CLASSES) as u32,
        arrival: 0.0,
    }
}

/// How often a day is drawn anew before the law is called impossible.
const DRAWS: usize = 1_000;

/// The jobs of a day. A day without any job, or with more than a file may have, is no scenario: it is drawn again.
fn online_jobs(batches: &Batches, rng: &mut Rng) -> Result<Vec<Job>, SpecError> {
    let mut tape = Tape::default();
    let all = Meter::unlimited();
    let drawn = (0..DRAWS).any(|_| {
        tape.clear();
        batches.sample(Time::NEG_INFINITY, Time::INFINITY, 0, &all, rng, &mut tape);
        (1..=MOST_ITEMS).contains(&tape.events().len())
    });
    if !drawn {
        return Err(SpecError(format!(
            "{DRAWS} days were drawn, and none had from 1 to {MOST_ITEMS} jobs; choose another rate"
        )));
    }
    let job = |event: &Timed<Event>| {
        let Event::Job { id: _, ref processing, weight, class } = event.what;
        Job { processing: processing.clone(), weight, class, arrival: event.time }
    };
    Ok(tape.events().iter().map(job).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_law_without_days_is_an_error_and_no_endless_search() {
        for mean_per_interval in [0.0, 2.0 * MOST_ITEMS as f64] {
            let law =
                Batches { mean_per_interval, exact: mean_per_interval > 0.0, ..batches(1, 1.0) };
            let drawn = online_jobs(
                &Batches { most_processing: 1, ..law },
                &mut Seed(1).stream(Stream::Scenario, 0),
            );
            let error = drawn.unwrap_err().to_string();
            assert!(error.contains("none had from 1 to 10000 jobs"), "{error}");
        }
    }
}
