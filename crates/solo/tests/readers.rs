//! Every reader survives what is almost right: good files with bytes changed, cut, doubled or put elsewhere.
//!
//! The readers are those of `fuzz/`, where a fuzzer feeds them for hours; here for a second each.

#[path = "../../../fuzz/src/readers.rs"]
#[allow(missing_docs, unreachable_pub)]
mod readers;

use solo_core::{Rng, Seed, Stream};
use std::path::Path;
use std::time::{Duration, Instant};

fn file(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

/// Good inputs of a reader, short ones.
fn seeds(reader: &str) -> Vec<Vec<u8>> {
    let day = |preset: &str| solo::bundled().draw(preset, 0, 0).unwrap();
    let line = |preset: &str| day(preset).write().to_string().into_bytes();
    let wspt = || solo::Simulation::of(&*day("pmsp-20")).agent("wspt").run().unwrap();
    match reader {
        "scenarios" => vec![line("cvrp-20"), line("pmsp-20")],
        "solutions" => {
            let solved = solo::Simulation::of(&*day("cvrp-20")).agent("nearest").run().unwrap();
            vec![solo::solution::to_json("cvrp", &solved).unwrap().to_string().into_bytes()]
        }
        "vrplib" => {
            let text = day("cvrp-20").write_foreign("vrp").unwrap().unwrap();
            vec![text.into_bytes(), b"Route #1: 1 2 3\nRoute #2: 4 5\nCost 12.5\n".to_vec()]
        }
        "liao" => vec![day("pmsp-20").write_foreign("txt").unwrap().unwrap().into_bytes()],
        "log" => vec![wspt().day.unwrap().log().into_bytes()],
        "suite" => vec![file("suites/smoke.toml"), file("suites/published.toml")],
        "recipe" => vec![file("recipes/pmsp-20.toml"), file("recipes/guide-pmsp-online-3.toml")],
        "model" => vec![file("crates/solo-pmsp/models/guide-pmsp-online-3.safetensors")],
        "typed" => [&b"solo2(k=12,margin=2)@10ms"[..], b"pmsp-online-3:rate=1.5", b"250ms"]
            .map(<[u8]>::to_vec)
            .to_vec(),
        other => panic!("no good input of {other}"),
    }
}

/// Bytes that mean something to some reader.
const TOKENS: &[&str] = &[
    "-1",
    "1e999",
    "NaN",
    "null",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "=",
    "99999999999999999999",
    "0",
    "\n",
    "\u{0}",
    "\u{feff}",
    "name",
    "true",
    "1e-300",
    "\\u0000",
    "é",
];

fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() + 1);
        match rng.below(6) {
            0 if at < bytes.len() => bytes[at] = rng.bits() as u8,
            1 => bytes.truncate(at),
            2 => {
                let end = (at + rng.below(40)).min(bytes.len());
                drop(bytes.drain(at..end));
            }
            3 => {
                let end = (at + rng.below(200)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                let to = rng.below(bytes.len() + 1);
                drop(bytes.splice(to..to, copy));
            }
            _ => {
                let token = TOKENS[rng.below(TOKENS.len())].bytes();
                let end = (at + rng.below(3)).min(bytes.len());
                drop(bytes.splice(at..end, token));
            }
        }
    }
}

#[test]
fn no_reader_panics_or_hangs_on_what_is_almost_right() {
    for (number, (name, read)) in readers::READERS.iter().enumerate() {
        let mut rng = Seed(17).stream(Stream::Explore, number as u64);
        let seeds = seeds(name);
        let started = Instant::now();
        let mut inputs = 0;
        while inputs < 200 || (inputs < 5_000 && started.elapsed() < Duration::from_secs(1)) {
            let mut bytes = seeds[rng.below(seeds.len())].clone();
            if inputs >= seeds.len() {
                mutate(&mut bytes, &mut rng);
            }
            let began = Instant::now();
            read(&bytes);
            assert!(began.elapsed() < Duration::from_secs(10), "{name} hangs on {bytes:?}");
            inputs += 1;
        }
    }
}
