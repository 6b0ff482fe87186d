//! Every reader survives what is almost right: good files with bytes changed, cut, doubled or put elsewhere.
//!
//! The readers are those of `fuzz/`, where a fuzzer feeds them for hours; here for a second each. A million inputs a
//! reader, with a limit on what each may allocate, are `cargo run -p solo-bench -- readers`.

#[path = "../../../fuzz/src/corpus.rs"]
#[allow(missing_docs, unreachable_pub)]
mod corpus;
#[path = "../../../fuzz/src/readers.rs"]
#[allow(missing_docs, unreachable_pub)]
mod readers;

use solo_core::Seed;
use std::time::{Duration, Instant};

#[test]
fn every_good_input_is_taken() {
    for (name, read) in readers::READERS {
        for (number, input) in corpus::good(name).iter().enumerate() {
            assert!(read(input), "{name}, input {number}: {}", String::from_utf8_lossy(input));
        }
    }
}

#[test]
fn no_reader_panics_or_hangs_on_what_is_almost_right() {
    for (name, read) in readers::READERS {
        let mut mutants = corpus::Mutants::new(name, Seed(17));
        let started = Instant::now();
        let mut inputs = 0;
        while inputs < 200 || (inputs < 5_000 && started.elapsed() < Duration::from_secs(1)) {
            let bytes = mutants.next(inputs);
            let began = Instant::now();
            read(&bytes);
            assert!(began.elapsed() < Duration::from_secs(10), "{name} hangs on {bytes:?}");
            inputs += 1;
        }
    }
}
