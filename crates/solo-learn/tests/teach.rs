//! Teaching is a function of recipe and seed: not of threads, nor of being interrupted.

mod shared;

use shared::{After, CVRP, PMSP, same_files, same_models, task};
use solo_core::{Features, Seed};
use solo_learn::teach::{LabelParams, Labeller, Unranked};
use solo_learn::{
    BEST, CHECKPOINT, GuideRecipe, LearnError, NoValue, Summary, Task, TrainingDays, VALUE,
    WithValue, teach,
};
use solo_pmsp::{Scheduling, Wspt};
use std::fs;

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

fn teach_pmsp(task: &Task<'_>, watch: &mut After) -> Result<Summary, LearnError> {
    let recipe = recipe("pmsp-online-3");
    teach::<_, solo_pmsp::InsertionPlan, WithValue>(&recipe, &PMSP, task, watch)
}

fn teach_cvrp(
    recipe: &GuideRecipe,
    task: &Task<'_>,
    watch: &mut After,
) -> Result<Summary, LearnError> {
    teach::<_, solo_cvrp::insertion::InsertionPlan, NoValue>(recipe, &CVRP, task, watch)
}

#[test]
fn interrupted_or_on_more_threads_it_comes_to_the_same_files() {
    same_files("pmsp", 6, |task, watch| teach_pmsp(task, watch).unwrap().finished);
    let recipe = recipe("cvrp-dispatch-20");
    same_files("cvrp", 6, |task, watch| teach_cvrp(&recipe, task, watch).unwrap().finished);
}

#[test]
fn model_files_do_not_depend_on_the_clock() {
    same_models(&[BEST, VALUE], |task| {
        assert!(teach_pmsp(task, &mut After(u64::MAX)).unwrap().finished);
    });
}

#[test]
fn a_finished_run_writes_its_value_anew() {
    let folder = tempfile::tempdir().unwrap();
    let task = |resume| task(folder.path(), 4, 1, resume);
    assert!(teach_pmsp(&task(false), &mut After(u64::MAX)).unwrap().finished);
    let files = [VALUE, "value.md", BEST, "card.md", "curve.csv"];
    let read = || files.map(|file| fs::read(folder.path().join(file)).unwrap());
    let all = read();
    for gone in files {
        fs::remove_file(folder.path().join(gone)).unwrap();
    }
    fs::write(folder.path().join("curve.csv"), "stale").unwrap();
    assert!(teach_pmsp(&task(true), &mut After(0)).unwrap().finished, "nothing is left to do");
    assert!(read() == all);
}

#[test]
fn an_occupied_folder_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let task = |seed, resume| task(folder.path(), seed, 1, resume);
    assert!(!teach_pmsp(&task(4, false), &mut After(1)).unwrap().finished);
    let file = fs::read(folder.path().join(CHECKPOINT)).unwrap();
    let error = teach_pmsp(&task(4, false), &mut After(1)).unwrap_err();
    assert!(matches!(error, LearnError::Occupied(_)), "{error}");
    let error = teach_pmsp(&task(5, true), &mut After(1)).unwrap_err();
    assert!(matches!(error, LearnError::Checkpoint { .. }), "{error}");
    assert_eq!(fs::read(folder.path().join(CHECKPOINT)).unwrap(), file);
    assert!(!folder.path().join(VALUE).exists());
}

#[test]
fn labels_know_the_best_option() {
    let days = TrainingDays::new(&PMSP, &["pmsp-online-3".to_string()], Seed(9)).unwrap();
    let params = LabelParams { futures: 4, arrivals: 10, options: 5, strays: 0.0 };
    let guide = Unranked(Wspt::default());
    let labeller = Labeller { guide: &guide, params, value: None, seed: Seed(9) };
    let labels = labeller.days(&days, 0..2, 1, &mut After(u64::MAX)).unwrap();
    assert!(labels.len() > 50, "{} decisions in two days", labels.len());
    assert!(labels.scale() > 0.0);
    let (global, option) = (Scheduling::GLOBAL, Scheduling::OPTION);
    for i in 0..labels.len() {
        let label = labels.get(i, global, option);
        assert!((2..=5).contains(&label.regrets.len()));
        assert_eq!(label.rows.len(), option * label.regrets.len());
        assert_eq!(label.regrets.iter().copied().fold(f32::INFINITY, f32::min), 0.0);
    }
    assert!(labeller.days(&days, 0..2, 1, &mut After(1)).is_none(), "the watch can stop it");
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
    let recipe = GuideRecipe::parse("r.toml", &text).unwrap();
    let task = task(folder.path(), 4, 1, false);
    let error = teach_cvrp(&recipe, &task, &mut After(1)).unwrap_err();
    assert!(matches!(error, LearnError::NoValue("cvrp")), "{error}");
    assert!(error.to_string().contains("[value]"), "{error}");
}
