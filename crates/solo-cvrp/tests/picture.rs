//! Pictures of days: finished, unfinished and odd ones.

use proptest::prelude::*;
use solo_core::{Log, Scenario, Timed};
use solo_cvrp::{Action, Event, Law, Point, Routing, RoutingDay, Travel, picture, vrplib};
use solo_plot::spills::spills;

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

/// The numbers of an attribute in all elements whose tooltip begins so.
fn numbers(svg: &str, tip: &str, attribute: &str) -> Vec<f64> {
    let marked = svg.lines().filter(|line| line.contains(&format!("<title>{tip}")));
    let value = |line: &str| {
        let (_, rest) = line.split_once(&format!(" {attribute}=\"")).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    marked.map(value).collect()
}

fn visit(time: f64, vehicle: u32, customer: u32) -> Timed<Action> {
    Timed { time, what: Action::Visit { vehicle, customer } }
}

/// Customers at a distance of 0.5 to the right, to the left and above, who call at 1, 2 and 3.
fn three_calls() -> Vec<Timed<Event>> {
    let places = [(1.0, 0.5), (0.0, 0.5), (0.5, 1.0)];
    let call = |(id, (x, y)): (u32, (f64, f64))| Timed {
        time: f64::from(id) + 1.0,
        what: Event::Customer { id, at: Point { x, y }, demand: 1 },
    };
    (0..).zip(places).map(call).collect()
}

#[test]
fn every_vehicle_has_a_lane_with_calls_waiting_driving_and_service() {
    let back = Timed { time: 4.0, what: Action::Depot { vehicle: 0 } };
    let decisions = [visit(1.5, 0, 0), visit(2.5, 1, 1), back, visit(5.0, 0, 2)];
    let svg = routes((9, 3), &three_calls(), &decisions, "");
    for vehicle in ["vehicle 0<", "vehicle 1<", "vehicle 2<"] {
        assert_eq!(count(&svg, vehicle), 1, "{vehicle}");
    }
    assert!(svg.contains("vehicle 0 to customer 0, 1.5 to 2"));
    assert!(svg.contains("vehicle 0 to the depot, 4 to 4.5"));
    assert!(svg.contains("vehicle 0 to the depot, 5.5 to 6"), "everybody was served: home");
    assert!(svg.contains("vehicle 1 to the depot, 3 to 3.5"), "as soon as nobody can call");
    assert!(svg.contains("service of customer 2 at 5.5, 2.5 after the call"));
    assert_eq!(count(&svg, "stroke=\"#777777\""), 2, "vehicle 0 stood from 2 to 4; the legend");
    let called = |customer: u32| numbers(&svg, &format!("call of customer {customer}"), "x")[0];
    let unit = called(1) - called(0);
    assert!((called(2) - called(1) - unit).abs() < 0.1, "calls stand at their times");
    assert!((numbers(&svg, "vehicle 0 to customer 0", "width")[0] - 0.5 * unit).abs() < 0.1);
    let order = |y: &str, mark: &str| numbers(&svg, mark, y)[0];
    let bar = |vehicle: u32| order("y", &format!("vehicle {vehicle} to"));
    for customer in 0..3 {
        let (lane, tick) =
            ([0, 1, 0][customer], order("y", &format!("call of customer {customer}")));
        let dot = order("cy", &format!("service of customer {customer}"));
        assert!(tick < bar(lane) && bar(lane) < dot, "customer {customer} is not in its lane");
        assert!(lane == 1 || dot < bar(1), "customer {customer} is not in its lane");
    }
    assert_eq!(spills(&svg), [""; 0]);
}

#[test]
fn days_known_from_the_start_have_driving_times_and_no_calls() {
    let mut calls = three_calls();
    calls.iter_mut().for_each(|call| call.time = 0.0);
    let decisions = [visit(0.0, 0, 0), visit(0.5, 0, 1), visit(1.5, 0, 2)];
    let svg = routes((9, 1), &calls, &decisions, "");
    assert!(svg.contains("vehicle 0 to customer 1, 0.5 to 1.5") && svg.contains(">vehicle<"));
    assert!(svg.contains("service of customer 1 at 1.5"));
    assert_eq!(count(&svg, "call of"), 0);
    assert!(!svg.contains("customer waits") && !svg.contains("no more calls"));
    assert_eq!(spills(&svg), [""; 0]);
}

#[test]
fn who_is_not_served_is_shown_below_the_lanes() {
    let svg = routes((9, 1), &three_calls(), &[visit(1.5, 0, 0)], "");
    assert!(svg.contains(">not served<") && svg.contains("2 not served"));
    let lane = numbers(&svg, "call of customer 0", "y")[0];
    assert!(numbers(&svg, "call of customer 2", "y")[0] > lane + 20.0);
}

#[test]
fn a_large_fleet_does_not_fill_the_page() {
    let svg = routes((9, 500), &three_calls(), &[visit(1.5, 0, 0), visit(2.0, 499, 1)], "");
    assert!(svg.contains("... and 460 more vehicles"));
    assert!(svg.contains("vehicle 39<") && !svg.contains("vehicle 40<"));
    assert!(svg.contains(">call<") && !svg.contains("customer waits"), "no room for that");
    assert_eq!(spills(&svg), [""; 0]);
}

#[test]
fn above_sixty_customers_marks_are_smaller_and_routes_are_numbered() {
    let drawn = |n: u32| {
        let back = |vehicle| Timed { time: 9.0, what: Action::Depot { vehicle } };
        let ways =
            (0..n / 6).flat_map(|k| visits(6 * k..6 * k + 6, 0).into_iter().chain([back(0)]));
        let (calls, ways) = (calls(n as usize), ways.collect::<Vec<_>>());
        routes((40, 1), &calls, &ways, "")
    };
    let (few, many) = (drawn(60), drawn(96));
    let largest = |svg: &str| numbers(svg, "customer", "r").into_iter().fold(0.0, f64::max);
    assert!(largest(&few) > 7.0 && largest(&many) < 6.0);
    // on the map; the lanes number their routes in any case, in smaller letters
    let on_map = |svg: &str| {
        let label = |line: &&str| line.contains("paint-order") && line.contains("font-size=\"11\"");
        svg.lines().filter(label).count()
    };
    assert_eq!(on_map(&few), 0, "customers are numbered instead");
    assert!((4..=16).contains(&on_map(&many)), "where they fit");
    assert_eq!((spills(&few), spills(&many)), (vec![], vec![]));
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
        prop_assert_eq!(spills(&svg), Vec::<String>::new());
    }
}
