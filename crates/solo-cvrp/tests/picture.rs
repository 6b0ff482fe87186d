//! Pictures of days: finished, unfinished and odd ones.

use proptest::prelude::*;
use solo_core::{Log, Scenario, Timed};
use solo_cvrp::{Action, Event, Law, Point, Routing, RoutingDay, Travel, picture, vrplib};

/// A picture of a day around a depot in the middle.
fn routes(
    (capacity, vehicles): (u32, usize),
    calls: &[Timed<Event>],
    decisions: &[Timed<Action>],
    title: &str,
) -> String {
    let day = RoutingDay {
        name: "day".to_string(),
        depot: Point { x: 0.5, y: 0.5 },
        capacity,
        pace: 1.0,
        waiting_weight: 0.0,
        horizon: 1_000.0,
        vehicles,
        customers: Vec::new(),
        travel: Travel::Euclid,
    };
    let log = Log::of(calls.to_vec(), decisions.to_vec());
    picture::routes(&Routing::new(&day, Law::Unknown), &log, title)
}

fn calls(count: usize) -> Vec<Timed<Event>> {
    let call = |k: usize| {
        let at = Point { x: (k % 10) as f64 / 10.0, y: (k / 10) as f64 / 10.0 };
        Timed {
            time: k as f64 / 8.0,
            what: Event::Customer { id: k as u32, at, demand: 1 + k as u32 % 9 },
        }
    };
    (0..count).map(call).collect()
}

fn visits(customers: std::ops::Range<u32>, vehicle: u32) -> Vec<Timed<Action>> {
    let visit = |customer| Timed { time: 0.25, what: Action::Visit { vehicle, customer } };
    customers.map(visit).collect()
}

fn count(svg: &str, what: &str) -> usize {
    svg.matches(what).count()
}

#[test]
fn a_finished_day_returns_home_and_an_unfinished_one_does_not() {
    let calls = calls(4);
    let all = routes((30, 1), &calls, &visits(0..4, 0), "a < b & c");
    assert!(all.contains("a &lt; b &amp; c"));
    assert!(all.contains("4 of 4 customers served"));
    assert!(all.contains("route 1: 4 customers, load 10/30"));
    assert!(all.contains("customer 3: demand 4, called at 0.375, ordered at 0.25"));
    let some = routes((30, 1), &calls, &visits(0..3, 0), "");
    assert!(some.contains("1 not served"));
    assert!(some.contains("customer 3: demand 4, called at 0.375, not served"));
    // one customer fewer and nobody home: two legs fewer, and the legend's colour lines stay
    assert_eq!(count(&all, "stroke-width=\"1.2\"/>") - count(&some, "stroke-width=\"1.2\"/>"), 1);
    assert_eq!(count(&all, "stroke-width=\"1.8\"/>") - count(&some, "stroke-width=\"1.8\"/>"), 1);
}

#[test]
fn a_fleet_is_told_apart() {
    let mut decisions = visits(0..2, 0);
    decisions.extend(visits(2..5, 1));
    decisions.push(Timed { time: 1.0, what: Action::Depot { vehicle: 0 } });
    decisions.extend(visits(5..6, 0));
    let svg = routes((30, 2), &calls(6), &decisions, "fleet");
    assert!(svg.contains("route 1, vehicle 0: 2 customers, load 3/30"));
    assert!(svg.contains("route 2, vehicle 1: 3 customers, load 12/30"));
    assert!(svg.contains("route 3, vehicle 0: 1 customer, load 6/30"));
}

#[test]
fn many_customers_go_without_numbers_and_many_routes_are_summed_up() {
    let numbered = |n: usize| routes((30, 1), &calls(n), &[], "").contains(">59<");
    assert!(numbered(60));
    assert!(!numbered(61));
    let back = Timed { time: 0.0, what: Action::Depot { vehicle: 0 } };
    let alone = |k: u32| visits(k..k + 1, 0).into_iter().chain([back]);
    let decisions: Vec<_> = (0..100).flat_map(alone).collect();
    let svg = routes((30, 1), &calls(100), &decisions, "");
    assert!(svg.contains("more routes"));
    assert_eq!(count(&svg, "<title>customer"), 100);
}

#[test]
fn our_own_instances_are_drawn() {
    let text = include_str!("data/valley-n7-k3.vrp");
    let scenario = vrplib::read("valley", text).unwrap();
    let solution = include_str!("data/valley-n7-k3.sol");
    let (decisions, _) = vrplib::read_solution(&scenario, "valley", solution).unwrap();
    assert_eq!((scenario.capacity, scenario.customers.len()), (16, 6));
    let log = Log::of(scenario.events(), decisions);
    let svg = picture::routes(&scenario.rules(None).unwrap(), &log, &scenario.name);
    assert!(svg.contains("6 of 6 customers served") && svg.contains("route 3: 2 customers"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Solutions are drawn before anybody has checked them.
    #[test]
    fn odd_days_are_drawn_all_the_same(
        points in prop::collection::vec((-1e9..1e9f64, prop_oneof![Just(0.0), -1.0..1.0f64], 0..1_000_000_000u32), 0..80),
        orders in prop::collection::vec((0u32..3, 0u32..90, 0u8..4), 0..120),
        spread in prop::sample::select(vec![0.0, 1e-9, 1.0]),
        vehicles in 0usize..4,
    ) {
        let calls: Vec<_> = (0..)
            .zip(points)
            .map(|(id, (x, y, demand))| {
                let at = Point { x: x * spread, y: y * spread };
                Timed { time: 0.0, what: Event::Customer { id, at, demand } }
            })
            .collect();
        let decisions: Vec<_> = orders
            .into_iter()
            .map(|(vehicle, customer, kind)| match kind {
                0 => Action::Wait,
                1 => Action::Depot { vehicle },
                _ => Action::Visit { vehicle, customer },
            })
            .map(|what| Timed { time: 1.5, what })
            .collect();
        let svg = routes((1, vehicles), &calls, &decisions, "odd");
        prop_assert!(svg.ends_with("</svg>\n"));
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
