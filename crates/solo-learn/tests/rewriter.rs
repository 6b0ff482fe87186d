//! Rewriters learn something, the same whatever interrupts them, and plan within their budget.

mod shared;

use shared::{After, CVRP, PMSP, same_files, same_models, task};
use solo_core::{Budget, Meter, Offline, Problem, Rewrite, Scenario, Seed, Solver, Stream};
use solo_learn::checkpoint::{decode, encode};
use solo_learn::rewriter::{Lessons, SavedRewriter};
use solo_learn::{
    BEST, LearnError, NO_START, RecipeVariant, Rewriter, RewriterHyper, RewriterRecipe,
    TrainingDays, Validation, train_rewriter,
};
use solo_nn::{RewriterNet, RewriterShape};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const SMALL: &str = "cvrp-20";

fn hyper() -> RewriterHyper {
    RewriterHyper {
        days: 64,
        batch: 16,
        rewrites: 10,
        updates: 4,
        sharpness: 10.0,
        discount: 0.9,
        policy_weight: 0.1,
        learning_rate: 3e-3,
        decay: 0.9,
        decay_every: 50,
        clip: 5.0,
        average: 0.9,
        hidden: 16,
        region: 16,
        attention: 16,
        start: NO_START.to_string(),
    }
}

fn recipe(preset: &str) -> RewriterRecipe {
    RewriterRecipe {
        name: "small".to_string(),
        variant: RecipeVariant::Default,
        presets: vec![preset.to_string()],
        validation: Validation {
            preset: preset.to_string(),
            days: 3,
            every: 32,
            rule: "rule".to_string(),
            reference: "ruin@10r".to_string(),
        },
        hyper: hyper(),
        changes: Vec::new(),
    }
}

fn lessons(threads: usize) -> Lessons<solo_cvrp::RoutingDay> {
    let days = TrainingDays::new(&CVRP, &[SMALL.to_string()], Seed(1_000_003)).unwrap();
    Lessons::new(hyper(), days, None, Seed(3), threads)
}

#[test]
fn a_small_recipe_learns_to_shorten_routes() {
    let recipe = RewriterRecipe {
        validation: Validation { days: 40, every: 320, ..recipe(SMALL).validation },
        hyper: RewriterHyper { days: 1280, rewrites: 25, updates: 8, ..hyper() },
        ..recipe(SMALL)
    };
    let folder = tempfile::tempdir().unwrap();
    let task = task(folder.path(), 1, 2, false);
    let summary = train_rewriter(&recipe, &CVRP, None, &task, &mut After(u64::MAX)).unwrap();
    let days = TrainingDays::new(&CVRP, &[SMALL.to_string()], Seed(2000)).unwrap();
    let first: f64 = (0..40).map(|day| first_cost(&days, day)).sum::<f64>() / 40.0;
    let best = summary.best.unwrap().cost;
    assert!(best < 0.97 * first, "nearest {first}, rewritten {best}");
}

/// The cost of a day by the solution that rewriting begins with.
fn first_cost(days: &TrainingDays<solo_cvrp::RoutingDay>, day: u64) -> f64 {
    let world = days.open(day);
    let problem = &**world.problem();
    let instance = problem.snapshot(world.state());
    let mut draft = solo_core::Draft::default();
    problem.first_draft(&instance, &Meter::unlimited(), &mut draft).unwrap();
    draft.cost
}

#[test]
fn runs_come_to_the_same_files_interrupted_or_on_more_threads() {
    let cvrp = recipe(SMALL);
    same_files("cvrp", 1, |task, watch| {
        train_rewriter(&cvrp, &CVRP, None, task, watch).unwrap().finished
    });
    let pmsp = recipe("pmsp-20");
    same_files("pmsp", 1, |task, watch| {
        train_rewriter(&pmsp, &PMSP, None, task, watch).unwrap().finished
    });
    same_models(&[BEST], |task| {
        assert!(train_rewriter(&cvrp, &CVRP, None, task, &mut After(u64::MAX)).unwrap().finished);
    });
}

#[test]
fn what_was_saved_is_loaded_in_full_or_not_at_all() {
    let (mut whole, mut parts) = (lessons(1), lessons(3));
    for stretch in [1, 2, 1] {
        (0..stretch).for_each(|_| whole.tick());
        (0..stretch).for_each(|_| parts.tick());
        let bytes = encode(&parts.save());
        parts = lessons(3);
        parts.load(&decode(&bytes).unwrap()).unwrap();
        assert!(encode(&whole.save()) == bytes, "what would have been without a break");
    }
    let bytes = encode(&whole.save());
    for cut in (0..bytes.len()).step_by(bytes.len() / 50) {
        assert_eq!(decode::<SavedRewriter>(&bytes[..cut]), None);
    }
    let days = TrainingDays::new(&PMSP, &["pmsp-20".to_string()], Seed(1)).unwrap();
    let mut other = Lessons::<solo_pmsp::SchedulingDay>::new(hyper(), days, None, Seed(3), 1);
    assert!(other.load(&decode(&bytes).unwrap()).is_none(), "weights of another problem");
}

#[test]
fn learning_begins_with_the_weights_of_another() {
    let net = RewriterNet::new(
        RewriterShape { features: 7, hidden: 16, region: 16, attention: 16 },
        &mut Seed(8).stream(Stream::Init, 0),
    );
    let days = TrainingDays::new(&CVRP, &[SMALL.to_string()], Seed(1)).unwrap();
    let lessons = Lessons::<solo_cvrp::RoutingDay>::new(hyper(), days, Some(&net), Seed(3), 1);
    assert!(lessons.net().params() == net.params());
    let wider = RewriterRecipe { hyper: RewriterHyper { hidden: 32, ..hyper() }, ..recipe(SMALL) };
    let folder = tempfile::tempdir().unwrap();
    let run = |recipe: &RewriterRecipe, start| {
        let name = if start { "a" } else { "b" };
        let task = task(&folder.path().join(name), 1, 1, folder.path().join(name).exists());
        let start = start.then_some(&net);
        train_rewriter(recipe, &CVRP, start, &task, &mut After(1)).map(drop)
    };
    let error = run(&wider, true).unwrap_err();
    assert!(matches!(&error, LearnError::Start(what) if what.contains("other widths")), "{error}");
    run(&recipe(SMALL), false).unwrap();
    fs::rename(folder.path().join("b"), folder.path().join("a")).unwrap();
    let error = run(&recipe(SMALL), true).unwrap_err();
    assert!(matches!(error, LearnError::Checkpoint { .. }), "begun with others: {error}");
}

/// A plan of a day of 20 customers within a budget; also how many rewrites it took, and whether time was short.
fn plan(steps: u64, meter: &Meter<'_>) -> (solo_cvrp::plan::Plan, u64, bool) {
    // It expects nothing of any node, and so goes on for ever.
    let shape = RewriterShape { features: 7, hidden: 16, region: 16, attention: 16 };
    let net = Arc::new(RewriterNet::zero(shape));
    let days = TrainingDays::new(&CVRP, &["cvrp-20".to_string()], Seed(7)).unwrap();
    let world = days.open(0);
    let problem = &**world.problem();
    let instance = problem.snapshot(world.state());
    let mut rewriter = Rewriter::new("m".to_string(), net, steps);
    let mut rng = Seed(0).stream(Stream::Agent, 0);
    let plan = rewriter.solve(problem, &instance, meter, &mut rng).unwrap();
    solo_cvrp::check::plan_cost(problem, &instance, &plan).unwrap();
    (plan, meter.spent(), meter.has_cut())
}

#[test]
fn rewriting_ends_with_its_budget() {
    struct Still;
    impl solo_core::Clock for Still {
        fn elapsed(&self) -> std::time::Duration {
            std::time::Duration::ZERO
        }
    }
    let stop = AtomicBool::new(false);
    let budget = |rollouts| Meter::start(Budget::Rollouts(rollouts), &Still, &stop);
    let (none, spent, _) = plan(0, &budget(10));
    assert_eq!(spent, 0);
    for rollouts in [1, 2, 3] {
        let (_, spent, cut) = plan(50, &budget(rollouts));
        assert_eq!((spent, cut), (rollouts, false));
    }
    let (_, all, cut) = plan(50, &budget(1000));
    assert_eq!((all, cut), (50, false));
    stop.store(true, Ordering::Relaxed);
    let (stopped, spent, cut) = plan(50, &budget(1000));
    assert_eq!((stopped, spent, cut), (none, 0, true), "the first solution, and it is said");
}

#[test]
fn days_of_another_kind_are_declined() {
    let shape = RewriterShape { features: 21, hidden: 16, region: 16, attention: 16 };
    let net = Arc::new(RewriterNet::zero(shape));
    let day = solo_pmsp::presets::generate("pmsp-20", Seed(1), 0).unwrap();
    let problem = day.rules(None).unwrap();
    let instance = problem.snapshot(&problem.initial());
    let mut rng = Seed(0).stream(Stream::Agent, 0);
    let mut rewriter = Rewriter::new("mine".to_string(), net, 50);
    let error = rewriter.solve(&problem, &instance, &Meter::unlimited(), &mut rng).unwrap_err();
    let said = "the rewriter mine was trained for 6 classes; this day has 5";
    assert!(error.to_string().contains(said), "{error}");
}
