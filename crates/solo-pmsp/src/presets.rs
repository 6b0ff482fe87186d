//! The paper's families of scenarios, with generators.

use crate::arrivals::{Batches, Law};
use crate::scenario::{Job, Scenario, Setup};
use crate::state::Arrival;
use solo_core::{Preset, Rng, Seed, Stream, Tape, Time, Variant};
use std::sync::Arc;

/// The presets.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "pmsp-20",
        about: "20 jobs known from the start, 3 machines, 5 families, setups by next family",
    },
    Preset { name: "pmsp-80", about: "as pmsp-20, with 80 jobs" },
    Preset {
        name: "pmsp-online-3",
        about: "about 80 jobs in 16 intervals of 130, 3 machines, 5 classes of unequal frequency",
    },
    Preset {
        name: "pmsp-online-10",
        about: "about 80 jobs in 60 intervals of 10, 10 machines, 5 classes of unequal frequency",
    },
    Preset {
        name: "pmsp-online-3-flipped",
        about: "the days of pmsp-online-3 with class i called 5 - i: the rare ones are now the frequent ones",
    },
    Preset {
        name: "pmsp-online-10-flipped",
        about: "the days of pmsp-online-10 with class i called 5 - i",
    },
    Preset {
        name: "pmsp-two-classes-10",
        about: "the paper's appendix: 2 batches of 2 jobs of 2 classes, 2 machines; to class 1 takes 10 times a job, back only 1",
    },
    Preset { name: "pmsp-two-classes-100", about: "as pmsp-two-classes-10, with 100 times a job" },
    Preset {
        name: "pmsp-two-classes-1000",
        about: "as pmsp-two-classes-10, with 1,000 times a job",
    },
];

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
    },
    /// The days of another preset with the classes in reverse order.
    Flipped {
        of: &'static str,
    },
    /// Two classes that look alike but for how long it takes to change: `there` from class 0 to class 1, 1 back.
    TwoClasses {
        there: f64,
    },
}

/// What can be changed of an online preset: how many times as many jobs come, how many times as long they run, how many
/// machines there are.
pub const CHANGES: &[&str] = &["rate", "size", "machines"];

fn recipe(preset: &str) -> Option<Recipe> {
    let variant = Variant::parse(preset, CHANGES)?;
    let mut recipe = named(variant.name)?;
    let Recipe::Online { machines, batches } = &mut recipe else {
        return (variant.name == preset).then_some(recipe);
    };
    batches.mean_per_interval *= variant.get("rate").unwrap_or(1.0);
    let size = variant.get("size").unwrap_or(1.0);
    batches.most_processing = ((batches.most_processing as f64 * size).round() as i64).max(1);
    *machines = variant.get("machines").map_or(*machines, |changed| changed as usize).max(1);
    (batches.mean_per_interval > 0.0).then_some(recipe)
}

fn named(preset: &str) -> Option<Recipe> {
    Some(match preset {
        "pmsp-20" => Recipe::Offline { machines: 3, jobs: 20 },
        "pmsp-80" => Recipe::Offline { machines: 3, jobs: 80 },
        "pmsp-online-3" => Recipe::Online { machines: 3, batches: batches(16, 130.0) },
        "pmsp-online-10" => Recipe::Online { machines: 10, batches: batches(60, 10.0) },
        "pmsp-online-3-flipped" => Recipe::Flipped { of: "pmsp-online-3" },
        "pmsp-online-10-flipped" => Recipe::Flipped { of: "pmsp-online-10" },
        "pmsp-two-classes-10" => Recipe::TwoClasses { there: 10.0 },
        "pmsp-two-classes-100" => Recipe::TwoClasses { there: 100.0 },
        "pmsp-two-classes-1000" => Recipe::TwoClasses { there: 1000.0 },
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
        most_weight: MOST_WEIGHT,
    }
}

/// Two batches of two jobs, all of length and weight 1, the second when one machine can be done with the first.
fn two_batches() -> Batches {
    Batches {
        intervals: 2,
        length: 4.0,
        mean_per_interval: 2.0,
        exact: true,
        shares: vec![1.0; 2],
        most_processing: 1,
        most_weight: 1,
    }
}

/// The arrival law of a preset; offline nothing is expected. `None` if there is no such preset.
pub fn law(preset: &str) -> Option<Law> {
    Some(match recipe(preset)? {
        Recipe::Offline { .. } => Law::Unknown,
        Recipe::Online { batches, .. } => Law::Batches(batches),
        Recipe::Flipped { of } => {
            let mut flipped = law(of)?;
            if let Law::Batches(batches) = &mut flipped {
                batches.shares.reverse();
            }
            flipped
        }
        Recipe::TwoClasses { .. } => Law::Batches(two_batches()),
    })
}

/// Scenario `index` of a preset: the same for the same seed on every machine. `None` if there is no such preset.
pub fn generate(preset: &str, seed: Seed, index: u64) -> Option<Scenario> {
    let mut rng = seed.stream(Stream::Scenario, index);
    let name = format!("{preset}/seed{}-{index}", seed.0);
    Some(match recipe(preset)? {
        Recipe::Offline { machines, jobs } => {
            let times: Vec<f64> = (0..CLASSES).map(|_| setup_time(&mut rng)).collect();
            let setup = Arc::new(Setup::by_next(&times));
            let jobs = (0..jobs).map(|_| offline_job(&mut rng)).collect();
            Scenario { name, machines, horizon: 0.0, setup, jobs }
        }
        Recipe::Online { machines, batches } => {
            let setup = Arc::new(full_setup(&mut rng));
            let horizon = f64::from(batches.intervals) * batches.length;
            let jobs = online_jobs(&batches, &mut rng);
            Scenario { name, machines, horizon, setup, jobs }
        }
        Recipe::Flipped { of } => Scenario { name, ..flipped(generate(of, seed, index)?) },
        Recipe::TwoClasses { there } => {
            let setup = Arc::new(Setup { classes: 2, flat: vec![0.0, there, 1.0, 0.0] });
            let batches = two_batches();
            let horizon = f64::from(batches.intervals) * batches.length;
            let jobs = online_jobs(&batches, &mut rng);
            Scenario { name, machines: 2, horizon, setup, jobs }
        }
    })
}

/// The same day with its classes called the other way round: whoever does not look at names decides the same.
fn flipped(mut day: Scenario) -> Scenario {
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

fn offline_job(rng: &mut Rng) -> Job {
    Job {
        processing: rng.between(1, MOST_PROCESSING) as f64,
        weight: rng.between(1, MOST_WEIGHT) as f64,
        class: rng.below(CLASSES) as u32,
        arrival: 0.0,
    }
}

/// The jobs of a day. A day without any job is no scenario: it is drawn again.
fn online_jobs(batches: &Batches, rng: &mut Rng) -> Vec<Job> {
    let mut tape = Tape::default();
    while tape.events().is_empty() {
        batches.sample(Time::NEG_INFINITY, Time::INFINITY, rng, &mut tape);
    }
    let job = |time: Time, arrival: &Arrival| {
        let Arrival::Job { processing, weight, class } = *arrival;
        Job { processing, weight, class, arrival: time }
    };
    tape.events().iter().map(|event| job(event.time, &event.what)).collect()
}
