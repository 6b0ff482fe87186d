//! Learning is a function of recipe and seed: not of threads, nor of being interrupted.

use solo_core::{Domain, Policy, Seed};
use solo_cvrp::Cvrp;
use solo_learn::codec::{Reader, Writer};
use solo_learn::dqn::Learner;
use solo_learn::hyper::{Features, Gather, Hyper};
use solo_pmsp::{Insertion, Pmsp, Wspt};

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
        baseline: "scout".to_string(),
        reward_floor: 0.0,
        rule_fraction: 0.5,
        average: 0.99,
        sight: Features::Wide,
        symmetry: true,
    }
}

fn learner<D: Domain, R: Policy<D::Problem> + Default>(
    hyper: Hyper,
    presets: &[&str],
    threads: usize,
) -> Learner<D, R> {
    let presets: Vec<String> = presets.iter().map(|preset| (*preset).to_string()).collect();
    Learner::new(hyper, &presets, Seed(3), threads).unwrap()
}

fn saved<D: Domain, R: Policy<D::Problem> + Default>(learner: &Learner<D, R>) -> Vec<u8> {
    let mut writer = Writer::default();
    learner.save(&mut writer);
    writer.0
}

fn same_weights_on_any_number_of_threads<D: Domain, R: Policy<D::Problem> + Default>(
    hyper: &Hyper,
    presets: &[&str],
) {
    let states = [1, 2, 3, 8].map(|threads| {
        let mut learner = learner::<D, R>(hyper.clone(), presets, threads);
        (0..60).for_each(|_| learner.tick());
        assert!(learner.updates() > 30);
        saved(&learner)
    });
    assert!(states.iter().all(|state| *state == states[0]));
}

fn goes_on_as_if_nothing_had_happened<D: Domain, R: Policy<D::Problem> + Default>(
    hyper: &Hyper,
    presets: &[&str],
) {
    let mut whole = learner::<D, R>(hyper.clone(), presets, 1);
    let mut parts = learner::<D, R>(hyper.clone(), presets, 1);
    for stretch in [1, 7, 30, 2, 25] {
        (0..stretch).for_each(|_| whole.tick());
        (0..stretch).for_each(|_| parts.tick());
        let file = saved(&parts);
        parts = learner(hyper.clone(), presets, 1);
        let mut reader = Reader(&file);
        assert!(parts.load(&mut reader).is_some() && reader.0.is_empty());
        assert!(saved(&parts) == file, "what is loaded is what was saved");
        assert!(saved(&whole) == file, "and what would have been without a break");
    }
}

#[test]
fn threads_and_breaks_change_nothing() {
    same_weights_on_any_number_of_threads::<Pmsp, Wspt>(&hyper(), &["pmsp-20", "pmsp-online-3"]);
    same_weights_on_any_number_of_threads::<Cvrp, <Cvrp as Domain>::Scout>(
        &hyper(),
        &["cvrp-dispatch-20"],
    );
    goes_on_as_if_nothing_had_happened::<Pmsp, Insertion>(&hyper(), &["pmsp-20", "pmsp-online-3"]);
    goes_on_as_if_nothing_had_happened::<Cvrp, <Cvrp as Domain>::Scout>(&hyper(), &["cvrp-20"]);
    let monte_carlo =
        Hyper { n_step: 0, baseline: "none".to_string(), rule_fraction: 0.0, ..hyper() };
    goes_on_as_if_nothing_had_happened::<Pmsp, Wspt>(&monte_carlo, &["pmsp-20"]);
}

#[test]
fn a_damaged_memory_is_refused() {
    let mut whole = learner::<Pmsp, Wspt>(hyper(), &["pmsp-20"], 1);
    (0..40).for_each(|_| whole.tick());
    let file = saved(&whole);
    for cut in (0..file.len()).step_by(file.len() / 50) {
        let mut fresh = learner::<Pmsp, Wspt>(hyper(), &["pmsp-20"], 1);
        assert!(fresh.load(&mut Reader(&file[..cut])).is_none());
    }
    let mut other = learner::<Cvrp, <Cvrp as Domain>::Scout>(hyper(), &["cvrp-20"], 1);
    assert!(other.load(&mut Reader(&file)).is_none(), "weights of another problem");
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
        reward_scale: 1000.0,
        baseline: "none".to_string(),
        rule_fraction: 0.0,
        ..hyper()
    };
    let mut learner = learner::<Pmsp, Wspt>(faithful, &["pmsp-20"], 1);
    let surprise = |learner: &mut Learner<Pmsp, Wspt>| {
        let tally = learner.take_tally();
        tally.surprise / tally.steps as f64
    };
    (0..800).for_each(|_| learner.tick());
    let first = surprise(&mut learner);
    (0..1200).for_each(|_| learner.tick());
    let last = surprise(&mut learner);
    assert!(last < 0.8 * first, "{first} {last}");
}
