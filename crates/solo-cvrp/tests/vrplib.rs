//! VRPLIB files: what is written can be read, and nothing panics.

use proptest::prelude::*;
use solo_core::{Faults, Log, Timed};
use solo_cvrp::formats::SCENARIO_FORMATS;
use solo_cvrp::{Action, Customer, Matrix, Place, Point, RoutingDay, Travel, vrplib};
use std::sync::Arc;

const HARBOUR: &str = include_str!("data/harbour-n9-k3.vrp");
const HARBOUR_SOLUTION: &str = include_str!("data/harbour-n9-k3.sol");
const VALLEY: &str = include_str!("data/valley-n7-k3.vrp");
const VALLEY_SOLUTION: &str = include_str!("data/valley-n7-k3.sol");

fn read(text: &str) -> Result<RoutingDay, Faults> {
    vrplib::read("folder/test.vrp", text)
}

/// A solution as it is written.
fn written(decisions: &[Timed<Action>], cost: f64) -> String {
    vrplib::write_solution(&Log::of(Vec::new(), decisions.to_vec()), cost)
}

/// The length of the decisions' routes, leg home included, summed here from the distances alone.
fn length(scenario: &RoutingDay, decisions: &[Timed<Action>]) -> f64 {
    let mut here = scenario.depot_place();
    let mut sum = 0.0;
    let mut go = |to: Place| {
        sum += scenario.travel.distance(here, to);
        here = to;
    };
    for decision in decisions {
        match decision.what {
            Action::Visit { customer, .. } => go(scenario.place(customer as usize)),
            Action::Depot { .. } => go(scenario.depot_place()),
            Action::Wait => panic!("solutions do not wait"),
        }
    }
    go(scenario.depot_place());
    sum
}

/// Reads an instance with its solution, checks the stated cost, writes both and reads them again.
fn check(vrp: &str, sol: &str) -> RoutingDay {
    let scenario = read(vrp).unwrap();
    let (decisions, cost) = vrplib::read_solution(&scenario, "test.sol", sol).unwrap();
    let cost = cost.unwrap();
    assert_eq!(length(&scenario, &decisions), cost);
    let visited = decisions.iter().filter(|d| matches!(d.what, Action::Visit { .. })).count();
    assert_eq!(visited, scenario.customers.len());
    assert_eq!(read(&vrplib::write(&scenario).unwrap()).unwrap(), scenario);
    let again = written(&decisions, cost);
    let words = |text: &str| -> Vec<String> { text.split_whitespace().map(String::from).collect() };
    assert_eq!(words(&again), words(sol), "a solution is written as it was read");
    let crlf = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
    assert_eq!(read(&crlf(vrp)).unwrap(), scenario);
    let read_again = vrplib::read_solution(&scenario, "test.sol", &crlf(&again)).unwrap();
    assert_eq!(read_again, (decisions, Some(cost)));
    scenario
}

#[test]
fn our_own_instances_are_read_with_their_solutions() {
    let harbour = check(HARBOUR, HARBOUR_SOLUTION);
    assert_eq!((harbour.name.as_str(), harbour.capacity), ("harbour-n9-k3", 20));
    assert_eq!((harbour.pace, harbour.waiting_weight, harbour.horizon), (1.0, 0.0, 0.0));
    assert_eq!((harbour.vehicles, harbour.travel.clone()), (1, Travel::Rounded));
    let second = Customer { at: Point { x: 36.0, y: 69.0 }, demand: 9, arrival: 0.0 };
    assert_eq!(harbour.customers[1], second);

    let valley = check(VALLEY, VALLEY_SOLUTION);
    let demands: Vec<u32> = valley.customers.iter().map(|customer| customer.demand).collect();
    assert_eq!(demands, [6, 4, 7, 5, 8, 3], "the depot, node 4, is moved to the front");
    let from_depot = |k: usize| valley.travel.distance(valley.depot_place(), valley.place(k));
    assert_eq!([0, 1, 2, 3, 4, 5].map(from_depot), [12.0, 19.0, 21.0, 24.0, 18.0, 20.0]);
    assert_eq!(valley.travel.distance(valley.place(3), valley.place(2)), 15.0);
    assert!(valley.travel.symmetric());
    let around = valley.customers.iter().all(|c| (c.at.x.hypot(c.at.y) - 1.0).abs() < 1e-12);
    assert!(around, "without coordinates, nodes are drawn on a circle");
}

#[test]
#[ignore = "needs CVRPLIB's X instances in the folder SOLO_CVRPLIB; cargo xtask test runs it where they are"]
fn the_x_instances_are_read_with_their_solutions() {
    let folder =
        std::env::var("SOLO_CVRPLIB").expect("SOLO_CVRPLIB names the folder of the X instances");
    let files = std::fs::read_dir(&folder).expect("CVRPLIB's instances are beside the project");
    let mut seen = 0;
    for path in files.map(|file| file.unwrap().path()) {
        if path.extension().is_some_and(|extension| extension == "vrp") {
            let text = |path| std::fs::read_to_string(path).unwrap();
            let scenario = check(&text(path.clone()), &text(path.with_extension("sol")));
            assert_eq!(scenario.name, path.file_stem().unwrap().to_string_lossy());
            assert_eq!(scenario.travel, Travel::Rounded);
            seen += 1;
        }
    }
    assert!(seen >= 11, "{seen}");
}

#[test]
fn spacing_quotes_and_order_do_not_matter() {
    let plain = read(HARBOUR).unwrap();
    let spaced = HARBOUR
        .replace(" : ", "\t:\t ")
        .replace("harbour-n9-k3", "\"harbour-n9-k3\"")
        .replace('\n', " \t\r\n\r\n")
        .replace("-1 ", "-1");
    assert_eq!(read(&spaced).unwrap(), plain);
    for colon in [":", ": ", " :", " "] {
        assert_eq!(read(&HARBOUR.replace(" : ", colon)).unwrap(), plain, "'{colon}'");
    }
    assert_eq!(read(&format!("\u{feff}{HARBOUR}")).unwrap(), plain);
    assert_eq!(read(&HARBOUR.replace("EOF\n", "")).unwrap(), plain, "EOF may be left out");
    assert_eq!(read(&format!("{HARBOUR}whatever follows")).unwrap(), plain);
    let (head, sections) = HARBOUR.split_at(HARBOUR.find("NODE_COORD").unwrap());
    let (sections, eof) = sections.split_at(sections.find("EOF").unwrap());
    assert_eq!(read(&format!("{sections}{head}{eof}")).unwrap(), plain);
    let ignored = "COMMENT : more\nVEHICLES : 3\nDISTANCE : 0\nSERVICE_TIME: 0.0\nNODE_COORD_TYPE : TWOD_COORDS\n";
    assert_eq!(read(&format!("{ignored}{HARBOUR}")).unwrap(), plain);
}

#[test]
fn a_scenario_without_name_is_called_after_its_file() {
    assert_eq!(read(&HARBOUR.replace("NAME : harbour-n9-k3\n", "")).unwrap().name, "test");
    assert_eq!(read(&HARBOUR.replace("NAME : harbour-n9-k3", "NAME :")).unwrap().name, "test");
}

#[test]
fn exact_distances_are_asked_for_by_type_or_by_format() {
    let exact = read(&HARBOUR.replace("EUC_2D", "EXACT_2D")).unwrap();
    assert_eq!(exact.travel, Travel::Euclid);
    let unrounded = |text| vrplib::read_exact("folder/test.vrp", text).unwrap();
    assert_eq!(unrounded(HARBOUR), exact);
    assert_eq!(unrounded(VALLEY), read(VALLEY).unwrap(), "a matrix is exact already");
    let broken = HARBOUR.replace("CVRP", "TSP");
    let faults = vrplib::read_exact("folder/test.vrp", &broken).unwrap_err();
    assert_eq!(Err(faults), read(&broken), "the same faults");
    let [rounded, plain] = ["vrplib", "vrplib-exact"].map(|name| {
        let format = SCENARIO_FORMATS.iter().find(|format| format.name == name).unwrap();
        assert_eq!(format.extension, "vrp");
        (format.read)("folder/test.vrp", HARBOUR).unwrap()
    });
    assert_eq!((rounded, plain), (read(HARBOUR).unwrap(), exact));
}

#[test]
fn every_format_of_a_matrix_is_read() {
    let start = "TYPE:CVRP\nDIMENSION:4\nCAPACITY:9\nEDGE_WEIGHT_TYPE:EXPLICIT\n";
    let end = "DEMAND_SECTION\n1 0\n2 1\n3 2\n4 3\nDEPOT_SECTION\n1\n-1\nEOF\n";
    let matrix = |format: &str, numbers: &str| {
        let text = format!(
            "{start}EDGE_WEIGHT_FORMAT:{format}\nEDGE_WEIGHT_SECTION\n{numbers}\nDISPLAY_DATA_SECTION\n1 5 6\n2 7 8\n3 9 1\n4 2 3\n{end}"
        );
        read(&text).unwrap()
    };
    let full = matrix("FULL_MATRIX", "0 1 2 3\n1 0 4 5\n2 4 0 6\n3 5 6 0");
    assert_eq!(full.depot, Point { x: 5.0, y: 6.0 }, "positions to display");
    assert_eq!(matrix("LOWER_ROW", "1 2\n4 3 5\n6"), full, "rows may be broken anywhere");
    assert_eq!(matrix("UPPER_ROW", "1 2 3\n4 5\n6"), full);
    assert_eq!(matrix("LOWER_DIAG_ROW", "0\n1 0\n2 4 0\n3 5 6 0"), full);
    assert_eq!(matrix("UPPER_DIAG_ROW", "0 1 2 3 0 4 5 0 6 0"), full);
    let skewed = matrix("FULL_MATRIX", "0 1.5 2 3\n9 0 4 5\n2 4 0 6\n3 5 6 0");
    assert!(!skewed.travel.symmetric());
    assert_eq!(read(&vrplib::write(&skewed).unwrap()).unwrap().travel, skewed.travel);
}

#[test]
fn online_scenarios_have_no_place_in_the_format() {
    let mut scenario = read(HARBOUR).unwrap();
    scenario.horizon = 5.0;
    assert!(vrplib::write(&scenario).unwrap_err().contains("horizon, and this scenario's is 5"));
    scenario.customers[2].arrival = 1.5;
    assert!(vrplib::write(&scenario).unwrap_err().contains("customer 2 calls at 1.5"));
}

#[test]
fn solutions_become_decisions_with_times() {
    let mut scenario = read(HARBOUR).unwrap();
    scenario.pace = 2.0;
    let text = "route #7 : 8\nRoute #2:\nROUTE #3: 3 4\n\ncost: 12.5\n";
    let (decisions, cost) = vrplib::read_solution(&scenario, "test.sol", text).unwrap();
    let visit = |customer: u32| Action::Visit { vehicle: 0, customer };
    let (depot, eight, three) = (scenario.depot_place(), scenario.place(7), scenario.place(2));
    let leg = |a: Place, b: Place| 2.0 * scenario.travel.distance(a, b);
    let back = leg(depot, eight) + leg(eight, depot);
    let expected = [
        Timed { time: 0.0, what: visit(7) },
        Timed { time: leg(depot, eight), what: Action::Depot { vehicle: 0 } },
        Timed { time: back, what: visit(2) },
        Timed { time: back + leg(depot, three), what: visit(3) },
    ];
    assert_eq!((decisions.as_slice(), cost), (expected.as_slice(), Some(12.5)));
    assert_eq!(written(&decisions, 12.5), "Route #1: 8\nRoute #2: 3 4\nCost 12.5\n");
    assert_eq!(vrplib::read_solution(&scenario, "test.sol", "").unwrap(), (vec![], None));
}

#[test]
fn the_routes_of_a_fleet_are_kept_apart() {
    let at = |time: f64, what: Action| Timed { time, what };
    let visit = |vehicle: u32, customer: u32| Action::Visit { vehicle, customer };
    let decisions = [
        at(0.0, visit(1, 4)),
        at(0.0, visit(0, 0)),
        at(1.0, Action::Wait),
        at(2.0, visit(1, 1)),
        at(3.0, Action::Depot { vehicle: 1 }),
        at(3.0, visit(0, 2)),
        at(4.0, visit(1, 3)),
    ];
    let expected = "Route #1: 5 2\nRoute #2: 1 3\nRoute #3: 4\nCost 7\n";
    assert_eq!(written(&decisions, 7.0), expected);
}

fn any_scenario() -> impl Strategy<Value = RoutingDay> {
    let number = || prop_oneof![-1e9..1e9f64, -1.0..1.0f64, (-1000i32..1000).prop_map(f64::from)];
    let point = (number(), number()).prop_map(|(x, y)| Point { x, y });
    let customer =
        (point.clone(), 0u32..=50).prop_map(|(at, demand)| Customer { at, demand, arrival: 0.0 });
    let customers = prop::collection::vec(customer, 1..12);
    let travel = (0..3, prop::collection::vec(0.0..1e9f64, 144));
    let inputs = ("\\PC{1,20}", point, 50u32..1_000_000_000, customers, travel);
    inputs.prop_map(|(name, depot, capacity, customers, (kind, mut flat))| {
        let side = customers.len() + 1;
        flat.truncate(side * side);
        flat.iter_mut().step_by(side + 1).for_each(|x| *x = 0.0);
        let travel = match kind {
            0 => Travel::Euclid,
            1 => Travel::Rounded,
            _ => Travel::Matrix(Arc::new(Matrix { side, flat })),
        };
        let (pace, waiting_weight, horizon, vehicles) = (1.0, 0.0, 0.0, 1);
        RoutingDay {
            name,
            depot,
            capacity,
            pace,
            waiting_weight,
            horizon,
            vehicles,
            customers,
            travel,
        }
    })
}

/// Swaps, drops, repeats and overwrites lines and characters of a good file.
fn mutate(text: &str, changes: &[(u8, usize, usize, char)]) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for &(kind, a, b, c) in changes {
        let (a, b) = (a % characters.len(), b % characters.len());
        match kind {
            0 => characters[a] = c,
            1 => characters.insert(a, c),
            2 => characters.swap(a, b),
            3 => drop(characters.drain(a..(a + b % 30).min(characters.len()))),
            _ => {
                let piece: Vec<char> = characters[a..].iter().copied().take(b % 60).collect();
                characters.splice(b..b, piece);
            }
        }
        if characters.is_empty() {
            break;
        }
    }
    characters.into_iter().collect()
}

fn changes() -> impl Strategy<Value = Vec<(u8, usize, usize, char)>> {
    let character = prop_oneof![
        any::<char>(),
        prop::char::range('0', '9'),
        prop::sample::select(vec!['\n', '\r', ' ', '\t', '-', '.', ':', '"', 'e', '#', 'E'])
    ];
    prop::collection::vec((0u8..5, any::<usize>(), any::<usize>(), character), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn instances_written_are_read_again(scenario in any_scenario()) {
        let text = vrplib::write(&scenario).unwrap();
        prop_assert_eq!(&read(&text).unwrap(), &scenario);
        prop_assert_eq!(&read(&text.replace('\n', "\r\n")).unwrap(), &scenario);
    }

    #[test]
    fn solutions_written_are_read_again(
        scenario in any_scenario(),
        order in prop::collection::vec(any::<u32>(), 12),
        splits in prop::collection::vec(any::<bool>(), 12),
        cost in 0.0..1e12f64,
    ) {
        let mut customers: Vec<usize> = (1..=scenario.customers.len()).collect();
        customers.sort_by_key(|&k| order[k - 1]);
        let mut text = "Route #1:".to_string();
        for (i, k) in customers.into_iter().enumerate() {
            text += &format!(" {k}");
            if splits[i] {
                text += &format!("\nRoute #{}:", i + 2);
            }
        }
        let (decisions, none) = vrplib::read_solution(&scenario, "s", &text).unwrap();
        prop_assert_eq!(none, None);
        let text = written(&decisions, cost);
        let again = vrplib::read_solution(&scenario, "s", &text).unwrap();
        prop_assert_eq!(again, (decisions, Some(cost)));
    }

    #[test]
    fn garbage_never_panics(text in "(\\PC|[\\r\\n\\t :#])*") {
        let _ = read(&text);
        let _ = vrplib::read_solution(&read(VALLEY).unwrap(), "s", &text);
    }

    #[test]
    fn changed_files_never_panic(changes in changes()) {
        for text in [HARBOUR, VALLEY] {
            if let Ok(scenario) = read(&mutate(text, &changes)) {
                prop_assert!(scenario.customers.iter().all(|c| c.demand <= scenario.capacity));
                // control characters in a name are not kept, everything else is
                let again = read(&vrplib::write(&scenario).unwrap()).unwrap();
                prop_assert_eq!(again.customers, scenario.customers);
                prop_assert_eq!(again.travel, scenario.travel);
            }
        }
        let scenario = read(HARBOUR).unwrap();
        let _ = vrplib::read_solution(&scenario, "s", &mutate(HARBOUR_SOLUTION, &changes));
    }
}
