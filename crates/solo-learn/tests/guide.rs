//! A guide decides without memory from the heap, and without seeing the future.

use allocation_counter::measure;
use solo_core::conformance::fork;
use solo_core::{Budget, Domain, Features, Policy, Reflex, Rollouts, Seed, Stream, World};
use solo_cvrp::Cvrp;
use solo_nn::{Scored, Scorer, ScorerShape};
use solo_pmsp::Pmsp;
use std::sync::Arc;

fn scorer<P: Features>() -> Arc<Scorer> {
    let shape = ScorerShape { global: P::GLOBAL, option: P::OPTION, hidden: 16 };
    Arc::new(Scorer::new(shape, &mut Seed(8).stream(Stream::Init, 0)))
}

fn check<D: Domain>(preset: &str) {
    let scenario = D::generate(preset, Seed(31), 0).unwrap();
    let problem = D::problem(&scenario, Some(preset)).unwrap();
    let arrivals = D::arrivals(&scenario);
    let scorer = scorer::<D::Problem>();

    let world = World::open(&problem, arrivals.clone());
    let root = Scored::<D::Problem>::new(Arc::clone(&scorer));
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
    // Lists change places in a kept plan: it takes a few times until all have grown.
    let warm = (0..12).map(|_| play()).fold(0.0, |_, cost| cost);
    let mut again = 0.0;
    let counted = measure(|| again = play());
    assert_eq!(warm, again, "the same dice, the same rollouts");
    assert_eq!(counted.count_total, 0, "{preset}: {counted:?}");

    let mut make = |_: &[_]| -> Box<dyn solo_core::Agent<D::Problem>> {
        Box::new(Reflex(Scored::new(Arc::clone(&scorer))))
    };
    fork(&problem, &arrivals, &mut make, Budget::Rollouts(1), Seed(1), &|_| true).unwrap();
}

#[test]
fn warm_guides_allocate_nothing_and_see_no_future() {
    check::<Pmsp>("pmsp-online-3");
    check::<Pmsp>("pmsp-online-10");
    check::<Cvrp>("cvrp-dispatch-20");
    check::<Cvrp>("cvrp-fleet-50");
}

#[test]
fn a_guide_goes_on_from_any_state() {
    // A guide that was shown one day decides in another as a fresh one does.
    let open = |index| {
        let scenario = Cvrp::generate("cvrp-dispatch-50", Seed(7), index).unwrap();
        (Cvrp::problem(&scenario, Some("cvrp-dispatch-50")).unwrap(), Cvrp::arrivals(&scenario))
    };
    let mut used = Scored::new(scorer::<solo_cvrp::Routing>());
    let mut rng = Seed(7).stream(Stream::Agent, 0);
    for index in 0..3 {
        let (problem, arrivals) = open(index);
        let mut fresh = Scored::new(scorer::<solo_cvrp::Routing>());
        let mut world = World::open(&problem, arrivals);
        while !world.done() {
            let action = used.choose(&problem, world.state(), &mut rng);
            assert_eq!(action, fresh.choose(&problem, world.state(), &mut rng), "day {index}");
            world.act(action).unwrap();
        }
    }
}
