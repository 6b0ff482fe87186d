//! A guide decides without allocating, and without seeing the future.

use allocation_counter::measure;
use solo_core::testing::fork;
use solo_core::{
    Agent, Budget, Features, Policy, Presets, Reflex, Rollouts, Scenario, Seed, Stream, World,
};
use solo_nn::{Scored, Scorer, ScorerShape};
use std::sync::Arc;

fn scorer<P: Features>() -> Arc<Scorer> {
    let shape = ScorerShape { global: P::GLOBAL, option: P::OPTION, hidden: 16 };
    Arc::new(Scorer::new(shape, &mut Seed(8).stream(Stream::Init, 0)))
}

fn check<S: Scenario<Problem: Features>>(presets: &Presets<S>, preset: &str) {
    let day = (presets.draw)(preset, Seed(31), 0).unwrap();
    let problem = day.rules(Some(preset)).unwrap();
    let scorer = scorer::<S::Problem>();

    let world = World::open(&problem, day.events());
    let root = Scored::<S::Problem>::new(Arc::clone(&scorer));
    let mut guide = root.clone();
    let mut rollouts = Rollouts::new(&problem);
    let mut play = || {
        let mut rng = Seed(31).stream(Stream::Agent, 0);
        let mut one = || {
            guide.clone_from(&root);
            rollouts.run(&problem, world.state(), &mut guide, &mut rng)
        };
        (0..100).map(|_| one()).sum::<f64>()
    };
    // Lists change places in a plan that is kept: it takes a few times until all have grown.
    let warm = (0..12).map(|_| play()).fold(0.0, |_, cost| cost);
    let mut again = 0.0;
    let counted = measure(|| again = play());
    assert_eq!(warm, again, "the same random stream, the same rollouts");
    assert_eq!(counted.count_total, 0, "{preset}: {counted:?}");

    let mut make = |_: &[_]| -> Box<dyn Agent<S::Problem>> {
        Box::new(Reflex(Scored::new(Arc::clone(&scorer))))
    };
    fork(&problem, &day.events(), &mut make, Budget::Rollouts(1), Seed(1), &|_| true).unwrap();
}

#[test]
fn warm_guides_allocate_nothing_and_see_no_future() {
    check(&solo_pmsp::presets::OFFER, "pmsp-online-3");
    check(&solo_pmsp::presets::OFFER, "pmsp-online-10");
    check(&solo_pmsp::presets::OFFER, "pmsp-unrelated-5");
    check(&solo_cvrp::presets::OFFER, "cvrp-dispatch-20");
    check(&solo_cvrp::presets::OFFER, "cvrp-fleet-50");
}

#[test]
fn a_guide_goes_on_from_any_state() {
    // A guide that was shown one day decides in another as a fresh one does.
    let open = |index| {
        let day = (solo_cvrp::presets::OFFER.draw)("cvrp-dispatch-50", Seed(7), index).unwrap();
        (day.rules(Some("cvrp-dispatch-50")).unwrap(), day.events())
    };
    let mut used = Scored::new(scorer::<solo_cvrp::Routing>());
    let mut rng = Seed(7).stream(Stream::Agent, 0);
    for index in 0..3 {
        let (problem, events) = open(index);
        let mut fresh = Scored::new(scorer::<solo_cvrp::Routing>());
        let mut world = World::open(&problem, events);
        while !world.done() {
            let action = used.choose(&problem, world.state(), &mut rng);
            assert_eq!(action, fresh.choose(&problem, world.state(), &mut rng), "day {index}");
            world.act(action).unwrap();
        }
    }
}
