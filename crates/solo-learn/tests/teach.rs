//! Teaching is a function of recipe and seed: not of threads, nor of being interrupted.

use solo_core::{Clock, Domain, Seed};
use solo_cvrp::Cvrp;
use solo_learn::episode::Days;
use solo_learn::history::{Marks, Point};
use solo_learn::run::{BEST, CHECKPOINT, LearnError, Watch};
use solo_learn::teach::labels::{Search, Unranked, label};
use solo_learn::teach::recipe::GuideRecipe;
use solo_learn::teach::run::{Lesson, VALUE, teach};
use solo_pmsp::{Pmsp, Wspt};
use std::fs;
use std::path::Path;
use std::time::Duration;

const RECIPE: &str = r#"
preset = "PRESET"
hidden = 8
rounds = 3
days = 3
memory = 1
futures = 2
arrivals = 6
options = 4
strays = 0.1
epochs = 2
regret_epochs = 2
batch = 16
rate = 1e-2
tau = 0.3
steps = 4
pairs = 3
evolution_days = 2
sigma = 0.05
evolution_rate = 0.01
average = 0.5
[validation]
days = 4
every = 2
rule = "uniform"
reference = "ruin@10r"
"#;

const VALUED: &str = r#"
[value]
hidden = 8
days = 3
from = 2
round_days = 2
arrivals = 3
share = 0.5
futures = 2
strays = 0.1
epochs = 2
batch = 16
rate = 1e-2
"#;

fn recipe(preset: &str) -> GuideRecipe {
    let value = if preset.starts_with("pmsp") { VALUED } else { "" };
    let text = RECIPE.replace("PRESET", preset) + value;
    GuideRecipe::parse("folder/small.toml", &text).unwrap()
}

/// A clock that stands still, so that files can be compared.
struct Still;
impl Clock for Still {
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
}

/// Stops after so many ticks.
struct After(u64);
impl Watch for After {
    fn begun(&mut self, _: u64) {}
    fn ticked(&mut self, _: u64) {
        self.0 = self.0.saturating_sub(1);
    }
    fn validated(&mut self, _: &Point, _: f64) {}
    fn stop(&self) -> bool {
        self.0 == 0
    }
}

fn lesson<D: Domain>(preset: &str, out: &Path, threads: usize, ticks: u64, resume: bool) -> bool {
    let job = Lesson {
        recipe: &recipe(preset),
        seed: Seed(4),
        threads,
        out: out.to_path_buf(),
        resume,
        marks: Marks { costs: Vec::new() },
        wall_time: 0.0,
        clock: &Still,
    };
    teach::<D>(&job, &mut After(ticks)).unwrap().finished
}

fn same_files<D: Domain>(preset: &str) {
    let folder = tempfile::tempdir().unwrap();
    let [whole, threads, pieces] = ["whole", "threads", "pieces"].map(|n| folder.path().join(n));
    assert!(lesson::<D>(preset, &whole, 1, u64::MAX, false));
    assert!(lesson::<D>(preset, &threads, 2, u64::MAX, false));
    let mut times = 0;
    while !lesson::<D>(preset, &pieces, 1, 6, times > 0) {
        times += 1;
        assert!(times < 20, "it ends");
    }
    assert!(times > 1, "it was interrupted");
    let value = if preset.starts_with("pmsp") { VALUE } else { BEST };
    for file in [BEST, CHECKPOINT, value, "card.md", "curve.csv"] {
        let read = |of: &Path| fs::read(of.join(file)).unwrap();
        assert!(read(&whole) == read(&threads), "{preset}: {file} depends on the threads");
        assert!(read(&whole) == read(&pieces), "{preset}: {file} depends on interruptions");
    }
}

#[test]
fn interrupted_or_on_more_threads_it_comes_to_the_same_bits() {
    same_files::<Pmsp>("pmsp-online-3");
    same_files::<Cvrp>("cvrp-dispatch-20");
}

#[test]
fn an_occupied_folder_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    assert!(!lesson::<Pmsp>("pmsp-online-10", folder.path(), 1, 1, false));
    let recipe = recipe("pmsp-online-10");
    let job = |seed, resume| Lesson {
        recipe: &recipe,
        seed: Seed(seed),
        threads: 1,
        out: folder.path().to_path_buf(),
        resume,
        marks: Marks { costs: Vec::new() },
        wall_time: 0.0,
        clock: &Still,
    };
    let error = teach::<Pmsp>(&job(4, false), &mut After(1)).unwrap_err();
    assert!(matches!(error, LearnError::Occupied(_)), "{error}");
    let error = teach::<Pmsp>(&job(5, true), &mut After(1)).unwrap_err();
    assert!(matches!(error, LearnError::Checkpoint { .. }), "{error}");
}

#[test]
fn labels_know_the_best_option() {
    let days = Days::<Pmsp>::new(&["pmsp-online-3".to_string()], Seed(9)).unwrap();
    let search = Search { futures: 4, arrivals: 10, options: 5, strays: 0.0 };
    let guide = Unranked(Wspt::default());
    let labels = label(&days, (0, 2), &guide, search, None, Seed(9), 1, |_| true).unwrap();
    assert!(labels.len() > 50, "{} decisions in two days", labels.len());
    assert!(labels.scale() > 0.0);
    for i in 0..labels.len() {
        let label = labels.get(i, 12, 34);
        assert!((2..=5).contains(&label.regrets.len()));
        assert_eq!(label.rows.len(), 34 * label.regrets.len());
        assert_eq!(label.regrets.iter().copied().fold(f32::INFINITY, f32::min), 0.0);
    }
}

#[test]
fn recipes_are_read_with_their_faults() {
    assert_eq!(recipe("x").name, "small");
    for (from, to, named) in [
        ("hidden = 8", "hidden = 9", "hidden"),
        ("tau = 0.3", "tau = 0.0", "tau"),
        ("average = 0.5", "average = 1.0", "average"),
        ("rounds = 3", "rounds = 0", "rounds"),
        ("batch = 16", "betch = 16", "betch"),
    ] {
        let error = GuideRecipe::parse("r.toml", &RECIPE.replace(from, to)).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
    }
    for (from, to, named) in [
        ("hidden = 8", "hidden = 9", "hidden"),
        ("share = 0.5", "share = 1.5", "value.share"),
        ("futures = 2", "futures = 0", "value.futures"),
        ("rate = 1e-2", "rate = -1.0", "value.rate"),
    ] {
        let text = RECIPE.to_string() + &VALUED.replace(from, to);
        let error = GuideRecipe::parse("r.toml", &text).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
    }
}

#[test]
fn routing_has_no_value() {
    let folder = tempfile::tempdir().unwrap();
    let text = RECIPE.replace("PRESET", "cvrp-dispatch-20") + VALUED;
    let job = Lesson {
        recipe: &GuideRecipe::parse("r.toml", &text).unwrap(),
        seed: Seed(4),
        threads: 1,
        out: folder.path().to_path_buf(),
        resume: false,
        marks: Marks { costs: Vec::new() },
        wall_time: 0.0,
        clock: &Still,
    };
    let error = teach::<Cvrp>(&job, &mut After(1)).unwrap_err();
    assert!(error.to_string().contains("[value]"), "{error}");
}
