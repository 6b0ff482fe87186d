//! A warm rollout allocates nothing.

use allocation_counter::measure;
use solo_core::{Policy, Rollouts, Scenario, Seed, Stream, Uniform, World};
use solo_pmsp::presets::generate;
use solo_pmsp::{InsertionPlan, Scheduling, Wspt};

fn check(preset: &str, policy: &mut impl Policy<Scheduling>) {
    let scenario = generate(preset, Seed(31), 0).unwrap();
    let problem = scenario.rules(Some(preset)).unwrap();
    let world = World::open(&problem, scenario.events());
    let mut rollouts = Rollouts::new(&problem);
    let mut play = || {
        let mut rng = Seed(31).stream(Stream::Agent, 0);
        (0..300).map(|_| rollouts.run(&problem, world.state(), policy, &mut rng)).sum::<f64>()
    };
    let warm = play();
    let mut again = 0.0;
    let counted = measure(|| again = play());
    assert_eq!(warm, again, "the same rng, the same rollouts");
    assert_eq!(counted.count_total, 0, "{preset}: {counted:?}");
}

#[test]
fn warm_rollouts_allocate_nothing() {
    for preset in ["pmsp-80", "pmsp-online-10", "pmsp-unrelated-5"] {
        check(preset, &mut Uniform::<Scheduling>::default());
        check(preset, &mut Wspt::default());
        check(preset, &mut InsertionPlan::default());
    }
}
