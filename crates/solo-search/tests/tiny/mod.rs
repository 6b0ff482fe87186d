//! Problems small enough for brute force, and their days one by one: every ordered draw of the law, written down without
//! the code under test.
#![allow(dead_code, unreachable_pub)] // each test file uses a part

use solo_core::{EventOf, Scenario, Seed, Timed};
use solo_cvrp::{Law as CallLaw, Point, Routing, Sites};
use solo_pmsp::{Batches, Law as JobLaw, Scheduling};

/// The events of a day.
pub type Day<P> = Vec<Timed<EventOf<P>>>;

/// The rules of a preset of scheduling.
pub fn scheduling(preset: &str) -> Scheduling {
    let day = solo_pmsp::presets::generate(preset, Seed(0), 0).unwrap();
    day.rules(Some(preset)).unwrap()
}

/// The rules of a preset of routing with so many customers.
pub fn routing(preset: &str, customers: u32) -> Routing {
    let day = solo_cvrp::presets::generate(preset, Seed(0), 0).unwrap();
    let mut problem = day.rules(Some(preset)).unwrap();
    if let CallLaw::Sites { count, .. } = &mut problem.law {
        *count = customers;
    }
    problem
}

/// Classes with the setups of the tiny presets, batches of as many jobs as machines every 20.
pub fn micro_jobs(classes: usize, lengths: i64, intervals: u32, machines: usize) -> Scheduling {
    let mut problem = scheduling("pmsp-tiny-1");
    problem.machines = machines;
    let JobLaw::Batches(law) = &mut problem.law else { panic!("tiny presets have batches") };
    *law = Batches {
        intervals,
        length: 20.0,
        mean_per_interval: machines as f64,
        shares: [1.0, 3.0][..classes].to_vec(),
        most_processing: 25 * lengths,
        most_weight: 1,
        ..law.clone()
    };
    problem
}

/// Two customers from two places at one of two times.
pub fn micro_places() -> Routing {
    let mut problem = routing("cvrp-tiny-3", 2);
    let places = vec![(Point { x: 0.25, y: 0.5 }, 1), (Point { x: 0.5, y: 1.0 }, 2)];
    problem.law = CallLaw::Sites { count: 2, sites: Sites::new(places, vec![1.0, 2.0]) };
    problem
}

/// All ways to choose one of `options` so many times, the first choice changing fastest.
fn choices(options: usize, times: usize) -> Vec<Vec<usize>> {
    let count = options.pow(times as u32);
    (0..count)
        .map(|n| (0..times).map(|place| n / options.pow(place as u32) % options).collect())
        .collect()
}

/// Every ordered sequence of jobs, with its probability.
pub fn ordered_jobs(problem: &Scheduling) -> Vec<(f64, Day<Scheduling>)> {
    let JobLaw::Batches(law) = &problem.law else { panic!("the law has batches") };
    let mut kinds = Vec::new();
    for (class, share) in (0..).zip(&law.shares) {
        for length in (law.grain..=law.most_processing).step_by(law.grain as usize) {
            for weight in 1..=law.most_weight {
                kinds.push((*share, class, length as f64, weight as f64));
            }
        }
    }
    let total: f64 = kinds.iter().map(|kind| kind.0).sum();
    let batch = law.mean_per_interval as usize;
    let day = |drawn: Vec<usize>| {
        let mut probability = 1.0;
        let event = |(id, kind): (usize, usize)| {
            let (share, class, processing, weight) = kinds[kind];
            probability *= share / total;
            Timed {
                time: (id / batch) as f64 * law.length,
                what: solo_pmsp::Event::Job {
                    id: id as u32,
                    processing: processing.into(),
                    weight,
                    class,
                },
            }
        };
        let events = drawn.into_iter().enumerate().map(event).collect();
        (probability, events)
    };
    choices(kinds.len(), batch * law.intervals as usize).into_iter().map(day).collect()
}

/// Every draw of every customer, in order of call and numbered so, with its probability.
pub fn ordered_calls(problem: &Routing) -> Vec<(f64, Day<Routing>)> {
    let CallLaw::Sites { count, sites } = &problem.law else { panic!("the law has sites") };
    let options = sites.places().len() * sites.times().len();
    let all = choices(options, *count as usize);
    let probability = 1.0 / all.len() as f64;
    let day = |drawn: Vec<usize>| {
        let mut calls: Vec<(f64, usize)> = drawn
            .into_iter()
            .map(|n| (sites.times()[n / sites.places().len()], n % sites.places().len()))
            .collect();
        calls.sort_by(|a, b| a.0.total_cmp(&b.0));
        let event = |(id, (time, place)): (u32, (f64, usize))| {
            let (at, demand) = sites.places()[place];
            Timed { time, what: solo_cvrp::Event::Customer { id, at, demand } }
        };
        (probability, (0..).zip(calls).map(event).collect())
    };
    all.into_iter().map(day).collect()
}
