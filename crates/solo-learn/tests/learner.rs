//! Training is a function of recipe and seed: not of threads, nor of being interrupted.

mod shared;

use shared::{
    After, CVRP, PMSP, cvrp_insertion, pmsp_insertion, same_files, same_models, task, wspt,
};
use solo_core::{Encode, FeatureSet, Presets, Scenario, Seed};
use solo_learn::checkpoint::{decode, encode};
use solo_learn::dqn::{Dqn, Gather, Hyper, SavedDqn};
use solo_learn::{
    BEST, LearnError, MakePolicy, NO_BASELINE, Recipe, RecipeVariant, TrainingDays, Validation,
    train,
};
use solo_nn::Qnet;
use std::fs;

fn hyper() -> Hyper {
    Hyper {
        total_steps: 2000,
        target_update: 100,
        initial_random_steps: 50,
        learning_starts: 60,
        train_frequency: 4,
        discount: 0.9,
        batch: 16,
        replay: 150,
        priority_alpha: 0.6,
        priority_beta: 0.4,
        priority_floor: 1e-6,
        exploration_fraction: 0.2,
        exploration_final: 0.1,
        learning_rate: 1e-3,
        learning_rate_final: 0.1,
        clip: 200.0,
        double: true,
        dueling: true,
        n_step: 2,
        hidden: 16,
        passes: 1,
        aggregate: Gather::Mean,
        worlds: 5,
        reward_scale: 1000.0,
        baseline: "insertion".to_string(),
        reward_floor: 0.0,
        rule_fraction: 0.5,
        average: 0.99,
        features: FeatureSet::Extended,
        symmetry: true,
    }
}

/// Makes learners of one problem.
struct Maker<S: Scenario> {
    presets: Presets<S>,
    names: &'static [&'static str],
    baseline: Option<MakePolicy<S::Problem>>,
}

impl<S: Scenario<Problem: Encode>> Maker<S> {
    fn make(&self, hyper: &Hyper, threads: usize) -> Dqn<S> {
        let names: Vec<String> = self.names.iter().map(ToString::to_string).collect();
        let days = TrainingDays::new(&self.presets, &names, Seed(1_000_003)).unwrap();
        Dqn::new(hyper.clone(), days, self.baseline, Seed(3), threads)
    }

    fn same_weights_on_any_number_of_threads(&self, hyper: &Hyper) {
        let states = [1, 2, 3, 8].map(|threads| {
            let mut learner = self.make(hyper, threads);
            (0..60).for_each(|_| learner.tick());
            assert!(learner.updates() > 30);
            encode(&learner.save())
        });
        assert!(states.iter().all(|state| *state == states[0]));
    }

    fn goes_on_as_if_nothing_had_happened(&self, hyper: &Hyper) {
        let (mut whole, mut parts) = (self.make(hyper, 1), self.make(hyper, 1));
        for stretch in [1, 7, 30, 2, 25] {
            (0..stretch).for_each(|_| whole.tick());
            (0..stretch).for_each(|_| parts.tick());
            let bytes = encode(&parts.save());
            parts = self.make(hyper, 1);
            parts.load(decode(&bytes).unwrap()).unwrap();
            assert!(encode(&parts.save()) == bytes, "what is loaded is what was saved");
            assert!(encode(&whole.save()) == bytes, "and what would have been without a break");
        }
    }
}

const PMSP_BOTH: &[&str] = &["pmsp-20", "pmsp-online-3"];

#[test]
fn threads_and_breaks_change_nothing() {
    let pmsp = |baseline| Maker { presets: PMSP, names: PMSP_BOTH, baseline };
    let cvrp = |names| Maker { presets: CVRP, names, baseline: Some(cvrp_insertion) };
    pmsp(Some(wspt)).same_weights_on_any_number_of_threads(&hyper());
    cvrp(&["cvrp-dispatch-20"]).same_weights_on_any_number_of_threads(&hyper());
    pmsp(Some(pmsp_insertion)).goes_on_as_if_nothing_had_happened(&hyper());
    cvrp(&["cvrp-20"]).goes_on_as_if_nothing_had_happened(&hyper());
    let monte_carlo = Hyper { n_step: 0, rule_fraction: 0.0, ..hyper() };
    pmsp(None).goes_on_as_if_nothing_had_happened(&monte_carlo);
}

#[test]
fn a_damaged_memory_is_refused() {
    let pmsp = Maker { presets: PMSP, names: &["pmsp-20"], baseline: Some(wspt) };
    let mut whole = pmsp.make(&hyper(), 1);
    (0..40).for_each(|_| whole.tick());
    let bytes = encode(&whole.save());
    for cut in (0..bytes.len()).step_by(bytes.len() / 50) {
        assert_eq!(decode::<SavedDqn>(&bytes[..cut]), None);
    }
    let cvrp = Maker { presets: CVRP, names: &["cvrp-20"], baseline: Some(cvrp_insertion) };
    let saved = decode(&bytes).unwrap();
    assert!(cvrp.make(&hyper(), 1).load(saved).is_none(), "weights of another problem");
    // Whatever a byte is changed to, nothing panics, and where days or places do not fit together
    // it is noticed. Weights are in the middle: there any number will do.
    let mut refused = 0;
    for place in (0..60).chain((bytes.len() - 4000..bytes.len()).step_by(13)) {
        let mut changed = bytes.clone();
        changed[place] ^= 0x55;
        let mut fresh = pmsp.make(&hyper(), 1);
        match decode(&changed).and_then(|saved| fresh.load(saved)) {
            Some(()) => (0..3).for_each(|_| fresh.tick()),
            None => refused += 1,
        }
    }
    assert!(refused > 30, "{refused}");
}

#[test]
fn the_faithful_path_learns_something() {
    let faithful = Hyper {
        total_steps: 6000,
        initial_random_steps: 500,
        learning_starts: 500,
        target_update: 200,
        discount: 1.0,
        batch: 32,
        replay: 5000,
        priority_alpha: 0.0,
        exploration_fraction: 0.3,
        double: false,
        dueling: false,
        n_step: 1,
        hidden: 32,
        worlds: 1,
        rule_fraction: 0.0,
        ..hyper()
    };
    let pmsp = Maker { presets: PMSP, names: &["pmsp-20"], baseline: None };
    let mut learner = pmsp.make(&faithful, 1);
    let mut td_error = |ticks: u32| {
        (0..ticks).for_each(|_| learner.tick());
        let tally = learner.take_tally();
        tally.td_error / tally.steps as f64
    };
    let (first, last) = (td_error(800), td_error(1200));
    assert!(last < 0.8 * first, "{first} {last}");
}

fn recipe(preset: &str) -> Recipe {
    Recipe {
        name: "small".to_string(),
        variant: RecipeVariant::Default,
        presets: vec![preset.to_string()],
        validation: Validation {
            preset: preset.to_string(),
            days: 2,
            every: 100,
            rule: "rule".to_string(),
            reference: "ruin@10r".to_string(),
        },
        hyper: Hyper { total_steps: 400, ..hyper() },
        changes: Vec::new(),
    }
}

#[test]
fn runs_come_to_the_same_files_interrupted_or_on_more_threads() {
    let pmsp = recipe("pmsp-20");
    same_files("pmsp", 29, |task, watch| {
        train(&pmsp, &PMSP, Some(wspt), task, watch).unwrap().finished
    });
    let cvrp = recipe("cvrp-dispatch-20");
    same_files("cvrp", 29, |task, watch| {
        train(&cvrp, &CVRP, Some(cvrp_insertion), task, watch).unwrap().finished
    });
}

#[test]
fn the_header_of_a_model_says_how_it_came_about() {
    let folder = tempfile::tempdir().unwrap();
    let task = task(folder.path(), 4, 1, false);
    let recipe = recipe("pmsp-20");
    let summary = train(&recipe, &PMSP, Some(wspt), &task, &mut After(u64::MAX)).unwrap();
    assert_eq!(summary.points.len(), 4);
    let file = fs::read(folder.path().join(BEST)).unwrap();
    let (_, header) = Qnet::from_safetensors(&file).unwrap();
    let value = |name: &str| header.iter().find(|(key, _)| key == name).map(|(_, v)| v.as_str());
    assert_eq!(value("recipe"), Some("small"));
    assert_eq!(value("validation"), Some("2 x pmsp-20"));
    assert_eq!(value("cost rule"), Some("123.000"));
    assert_eq!(value("hours"), None, "the same run gives the same file, however long it takes");
    let card = fs::read_to_string(folder.path().join("card.md")).unwrap();
    assert!(card.contains("| hours | 0.00 |") && card.contains("| seed | 4 |"), "{card}");
}

#[test]
fn model_files_do_not_depend_on_the_clock() {
    let recipe = recipe("pmsp-20");
    same_models(&[BEST], |task| {
        assert!(train(&recipe, &PMSP, Some(wspt), task, &mut After(u64::MAX)).unwrap().finished);
    });
}

#[test]
fn models_of_before_with_the_time_in_their_header_are_read() {
    let before = solo_pmsp::models::NETWORKS.iter().map(|model| model.bytes);
    let hours = before.filter(|bytes| {
        let (_, header) = Qnet::from_safetensors(bytes).unwrap();
        header.iter().any(|(name, _)| name == "hours")
    });
    assert!(hours.count() > 0);
}

#[test]
fn what_a_recipe_names_must_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let task = task(folder.path(), 4, 1, false);
    let error = train(&recipe("pmsp-20"), &PMSP, None, &task, &mut After(1)).unwrap_err();
    assert!(matches!(&error, LearnError::Baseline { name, .. } if name == "insertion"), "{error}");
    let error = train(&recipe("cvrp-20"), &PMSP, Some(wspt), &task, &mut After(1)).unwrap_err();
    assert!(matches!(error, LearnError::Preset(_)), "{error}");
    let mut plain = recipe("pmsp-20");
    plain.hyper.baseline = NO_BASELINE.to_string();
    assert!(train(&plain, &PMSP, None, &task, &mut After(1)).is_ok());
}
