//! What the tests of runs share.
#![allow(dead_code)] // not every test file uses everything

use solo_core::{Clock, Policy, Presets, Seed};
use solo_cvrp::{Routing, RoutingDay};
use solo_learn::{CurvePoint, Marks, Task, Watch};
use solo_pmsp::{Scheduling, SchedulingDay};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(crate) const PMSP: Presets<SchedulingDay> = solo_pmsp::presets::OFFER;
pub(crate) const CVRP: Presets<RoutingDay> = solo_cvrp::presets::OFFER;

pub(crate) fn pmsp_insertion() -> Box<dyn Policy<Scheduling>> {
    Box::new(solo_pmsp::InsertionPlan::default())
}

pub(crate) fn wspt() -> Box<dyn Policy<Scheduling>> {
    Box::new(solo_pmsp::Wspt::default())
}

pub(crate) fn cvrp_insertion() -> Box<dyn Policy<Routing>> {
    Box::new(solo_cvrp::insertion::InsertionPlan::default())
}

/// A clock that stands still, so that files can be compared.
struct Still;
impl Clock for Still {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

/// A clock on which every look takes a minute.
pub(crate) struct Slow(AtomicU64);
impl Slow {
    pub(crate) fn new() -> Self {
        Self(AtomicU64::new(0))
    }
}
impl Clock for Slow {
    fn elapsed(&self) -> Duration {
        Duration::from_secs(60 * self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Runs the same task on a clock that stands still and on a slow one: the model files are the same
/// bytes, and the time stands on the card alone.
pub(crate) fn same_models(models: &[&str], session: impl Fn(&Task<'_>)) {
    let folder = tempfile::tempdir().unwrap();
    let [still, slow] = ["still", "slow"].map(|name| folder.path().join(name));
    session(&task(&still, 4, 1, false));
    session(&Task { clock: &Slow::new(), ..task(&slow, 4, 1, false) });
    for file in models {
        let read = |of: &Path| fs::read(of.join(file)).unwrap();
        assert!(read(&still) == read(&slow), "{file} depends on the clock");
    }
    let card = |of: &Path| fs::read_to_string(of.join("card.md")).unwrap();
    assert_ne!(card(&still), card(&slow), "the card tells the time");
}

/// Stops after this many ticks.
pub(crate) struct After(pub(crate) u64);
impl Watch for After {
    fn begun(&mut self, _: u64, _: &Marks) {}
    fn ticked(&mut self, _: u64) {
        self.0 = self.0.saturating_sub(1);
    }
    fn validated(&mut self, _: &CurvePoint, _: f64) {}
    fn stop(&self) -> bool {
        self.0 == 0
    }
}

pub(crate) fn task(out: &Path, seed: u64, threads: usize, resume: bool) -> Task<'static> {
    Task {
        seed: Seed(seed),
        threads,
        out: out.to_path_buf(),
        resume,
        marks: &|| Ok(Some(Marks { costs: vec![("rule".to_string(), 123.0)] })),
        wall_time: 0.0,
        clock: &Still,
    }
}

/// Runs the same task at one stretch, on two threads, and in pieces of `ticks`, and compares all
/// files. `session` runs a task until a watch stops it, and says whether it came to the end.
pub(crate) fn same_files(name: &str, ticks: u64, session: impl Fn(&Task<'_>, &mut After) -> bool) {
    let folder = tempfile::tempdir().unwrap();
    let [whole, threads, pieces] = ["whole", "threads", "pieces"].map(|n| folder.path().join(n));
    assert!(session(&task(&whole, 4, 1, false), &mut After(u64::MAX)));
    assert!(session(&task(&threads, 4, 2, false), &mut After(u64::MAX)));
    let mut times = 0;
    while !session(&task(&pieces, 4, 1, times > 0), &mut After(ticks)) {
        times += 1;
        assert!(times < 20, "it ends");
    }
    assert!(times > 1, "it was interrupted");
    let mut count = 0;
    for entry in fs::read_dir(&whole).unwrap() {
        let file = entry.unwrap().file_name();
        let read = |of: &Path| fs::read(of.join(&file)).unwrap();
        assert!(read(&whole) == read(&threads), "{name}: {file:?} depends on the threads");
        assert!(read(&whole) == read(&pieces), "{name}: {file:?} depends on interruptions");
        count += 1;
    }
    assert!(count >= 6, "all files are written");
}
