//! Readers fed with inputs that are almost right: none may panic, hang or allocate much more than it is given.

#[path = "../../../fuzz/src/readers.rs"]
#[allow(missing_docs, unreachable_pub)]
mod all;
#[path = "../../../fuzz/src/corpus.rs"]
#[allow(missing_docs, unreachable_pub)]
mod corpus;

use crate::ui::{Align, BenchError, Table, count, line, print, say, seconds};
use solo_core::Seed;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The longest that a reader may take for an input.
const LONGEST: Duration = Duration::from_secs(2);
/// When a reader is taken to hang, and the program ends.
const HANGS: Duration = Duration::from_secs(60);

/// The most bytes that a reader may hold at a time for an input of this length.
fn most_bytes(input: usize) -> u64 {
    64 * input as u64 + (64 << 20)
}

/// How the inputs of one reader went.
#[derive(Default)]
struct Tally {
    inputs: u64,
    /// Inputs that were taken for good.
    taken: u64,
    together: Duration,
    slowest: Duration,
    longest_input: usize,
    /// The most bytes that were held at a time, and the length of that input.
    most: (u64, usize),
    /// What went wrong, with how often.
    faults: Vec<(String, u64)>,
}

/// The message of the last panic, kept instead of printed.
static SAID: Mutex<String> = Mutex::new(String::new());
/// The number of the input that is being read, from 1; 0 between readers.
static READING: AtomicU64 = AtomicU64::new(0);

/// Feeds every reader whose name holds `filter` with as many inputs.
pub(crate) fn readers(filter: &str, inputs: u64, seed: u64) -> Result<(), BenchError> {
    let chosen: Vec<_> = all::READERS.iter().filter(|(name, _)| name.contains(filter)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = all::READERS.iter().map(|(name, _)| *name).collect();
        let what = format!("no reader has '{filter}'; there are {}", names.join(", "));
        return Err(BenchError::Usage(what));
    }
    line(&format!(
        "{} inputs a reader, seed {seed}: good ones first, then changed ones; at most {} s and 64 x input + 64 MB each",
        count(inputs as f64),
        LONGEST.as_secs()
    ));
    panic::set_hook(Box::new(|info| {
        *SAID.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
    }));
    let done = AtomicBool::new(false);
    let tallies: Vec<(&str, Tally)> = std::thread::scope(|scope| {
        scope.spawn(|| watch(&done));
        let one = |(name, read): &&all::Reader| (*name, feed(name, *read, inputs, seed));
        let tallies = chosen.iter().map(one).collect();
        done.store(true, Ordering::Relaxed);
        tallies
    });
    drop(panic::take_hook());
    table(&tallies);
    let mut wrong = 0;
    for (name, tally) in &tallies {
        for (fault, times) in &tally.faults {
            say("error", &format!("{name}: {times} times: {fault}"));
            wrong += times;
        }
    }
    if wrong > 0 {
        return Err(BenchError::Failed(format!("{wrong} inputs went wrong")));
    }
    line("no panic, no hang, no allocation beyond the limit");
    Ok(())
}

/// Ends the program when one input takes for ever.
fn watch(done: &AtomicBool) {
    let (mut last, mut since) = (0, Instant::now());
    while !done.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(200));
        let now = READING.load(Ordering::Relaxed);
        if now != last {
            (last, since) = (now, Instant::now());
        } else if now > 0 && since.elapsed() > HANGS {
            say("error", &format!("input {} hangs; the seed leads to it again", now - 1));
            std::process::exit(1);
        }
    }
}

fn feed(name: &str, read: fn(&[u8]) -> bool, inputs: u64, seed: u64) -> Tally {
    let mut mutants = corpus::Mutants::new(name, Seed(seed));
    // What is made once and kept is not an input's.
    for good in corpus::good(name) {
        read(&good);
    }
    let mut tally = Tally::default();
    for number in 0..inputs {
        let bytes = mutants.next(number);
        READING.store(number + 1, Ordering::Relaxed);
        let (mut ended, began) = (Ok(false), Instant::now());
        let held = allocation_counter::measure(|| {
            ended = panic::catch_unwind(AssertUnwindSafe(|| read(&bytes)));
        });
        let took = began.elapsed();
        tally.inputs += 1;
        tally.together += took;
        tally.slowest = tally.slowest.max(took);
        tally.longest_input = tally.longest_input.max(bytes.len());
        tally.most = tally.most.max((held.bytes_max, bytes.len()));
        match ended {
            Ok(taken) => tally.taken += u64::from(taken),
            Err(_) => {
                // The place says which fault it is, the rest differs from input to input.
                let said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
                let place = said.lines().next().unwrap_or_default().to_string();
                tally.fault(place, number, &bytes);
            }
        }
        if took > LONGEST {
            tally.fault("took too long".to_string(), number, &bytes);
        }
        if held.bytes_max > most_bytes(bytes.len()) {
            tally.fault("held too much memory".to_string(), number, &bytes);
        }
    }
    READING.store(0, Ordering::Relaxed);
    tally
}

impl Tally {
    /// Counts a fault; the first input of its kind is shown.
    fn fault(&mut self, what: String, number: u64, bytes: &[u8]) {
        match self.faults.iter_mut().find(|(known, _)| known.starts_with(&what)) {
            Some((_, times)) => *times += 1,
            None => {
                let shown = bytes[..bytes.len().min(2_000)].escape_ascii();
                self.faults.push((format!("{what}; first at input {number}: {shown}"), 1));
            }
        }
    }
}

fn table(tallies: &[(&str, Tally)]) {
    let mut table = Table::new(&[
        ("reader", Align::Left),
        ("inputs", Align::Right),
        ("taken", Align::Right),
        ("time each", Align::Right),
        ("slowest", Align::Right),
        ("longest input", Align::Right),
        ("most held", Align::Right),
        ("of an input of", Align::Right),
        ("wrong", Align::Right),
    ]);
    let bytes = |bytes: u64| format!("{} kB", count((bytes as f64 / 1e3).ceil()));
    for (name, tally) in tallies {
        let each = tally.together.as_secs_f64() / tally.inputs.max(1) as f64;
        let wrong: u64 = tally.faults.iter().map(|(_, times)| times).sum();
        table.row(vec![
            (*name).to_string(),
            count(tally.inputs as f64),
            format!("{:.1} %", 100.0 * tally.taken as f64 / tally.inputs.max(1) as f64),
            seconds(each),
            seconds(tally.slowest.as_secs_f64()),
            bytes(tally.longest_input as u64),
            bytes(tally.most.0),
            bytes(tally.most.1 as u64),
            count(wrong as f64),
        ]);
    }
    print(&table);
}
