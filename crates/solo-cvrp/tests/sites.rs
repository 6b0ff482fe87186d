//! The law of a few places and times.

use solo_core::{Enumerable, Scenario, Seed};
use solo_cvrp::presets::generate;
use solo_cvrp::{Law, Routing, RoutingDay};

fn rules(day: &RoutingDay, law: &str) -> Routing {
    day.rules(Some(law)).unwrap()
}

#[test]
fn tiny_presets_have_the_same_rules_every_day() {
    for preset in ["cvrp-tiny-1", "cvrp-tiny-2", "cvrp-tiny-3", "cvrp-tiny-4"] {
        let first = generate(preset, Seed(1), 0).unwrap();
        let problem = rules(&first, preset);
        assert_eq!(problem.not_enumerable(), None);
        let Law::Sites { count, sites } = &problem.law else { panic!("{preset} has sites") };
        assert_eq!(*count as usize, first.customers.len());
        let last = sites.times().last().unwrap();
        assert!(*last <= first.horizon && sites.times()[0] > 0.0, "{preset}: all times are heard");
        for index in 1..30 {
            let day = generate(preset, Seed(2), index).unwrap();
            assert_eq!(rules(&day, preset), problem);
            assert_eq!(day.outside(preset), Vec::<String>::new());
        }
    }
}

#[test]
fn days_that_the_law_could_not_have_drawn_are_named() {
    let day = generate("cvrp-tiny-1", Seed(1), 0).unwrap();
    let mut late = day.clone();
    late.customers[2].arrival = 2.5;
    let said = late.outside("cvrp-tiny-1").join("; ");
    assert!(said.contains("customer 2 calls from") && said.contains("at 2.5"), "{said}");
    let mut large = day.clone();
    large.customers[1].demand = 2;
    assert!(large.outside("cvrp-tiny-1").join("; ").contains("customer 1 calls from"));
    let mut short = day.clone();
    short.horizon = 5.0;
    let said = short.rules(Some("cvrp-tiny-1")).unwrap_err().to_string();
    assert!(said.contains("it lasts until 11, this day until 5"), "{said}");
    let mut small = generate("cvrp-tiny-3", Seed(1), 0).unwrap();
    small.capacity = 1;
    let said = small.rules(Some("cvrp-tiny-3")).unwrap_err().to_string();
    assert!(said.contains("demands up to 2, but a vehicle holds 1"), "{said}");
    let changed = generate("cvrp-tiny-1:customers=5", Seed(1), 0).unwrap_err().to_string();
    assert!(changed.contains("cannot be changed"), "{changed}");
}
