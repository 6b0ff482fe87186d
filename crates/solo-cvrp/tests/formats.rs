//! Scenarios and decisions as JSON: what is written can be read, and every mistake is named.

use proptest::prelude::*;
use serde_json::{Value, json};
use solo_core::file::{MOST_ITEMS, Reader};
use solo_core::{Faults, Scenario};
use solo_cvrp::{Action, Customer, Event, Matrix, Point, RoutingDay, Travel, formats};
use std::sync::Arc;

fn read(text: &str) -> Result<RoutingDay, Faults> {
    let mut reader = Reader::new("day.jsonl");
    reader.at(3);
    let Some(map) = reader.json(text) else { return reader.finish(None) };
    let scenario = RoutingDay::read(&mut reader, &map);
    reader.finish(scenario)
}

fn write(scenario: &RoutingDay) -> String {
    Value::Object(formats::write(scenario)).to_string()
}

/// A good scenario; the tests break it.
fn good() -> Value {
    json!({
        "name": "day", "problem": "cvrp", "depot": {"x": 0.5, "y": 0.25}, "capacity": 10, "pace": 2.0,
        "waiting_weight": 0.05, "horizon": 8.0,
        "customers": [
            {"x": 0.1, "y": 0.2, "demand": 3, "arrival": 4.5},
            {"x": 0.3, "y": 0.9, "demand": 10, "arrival": 0.0},
        ],
        "vehicles": 3,
        "distance": [[0, 1, 2], [3, 0, 4], [5, 6, 0]],
    })
}

/// The good scenario with the field at `pointer` replaced, or removed if null.
fn with(pointer: &str, value: Value) -> String {
    let mut scenario = good();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = scenario.pointer_mut(parent).unwrap();
    match parent {
        Value::Object(map) if value.is_null() => drop(map.remove(key)),
        Value::Object(map) => drop(map.insert(key.to_string(), value)),
        other => other[key.parse::<usize>().unwrap()] = value,
    }
    scenario.to_string()
}

#[test]
fn a_scenario_is_read_in_order_of_arrival_its_matrix_with_it() {
    let scenario = read(&good().to_string()).unwrap();
    assert_eq!((scenario.name.as_str(), scenario.vehicles, scenario.capacity), ("day", 3, 10));
    assert_eq!((scenario.pace, scenario.waiting_weight, scenario.horizon), (2.0, 0.05, 8.0));
    assert_eq!(scenario.depot, Point { x: 0.5, y: 0.25 });
    let arrivals: Vec<f64> = scenario.customers.iter().map(|c| c.arrival).collect();
    assert_eq!(arrivals, [0.0, 4.5]);
    // customer 1 of the file, places 0 and 2 of its matrix, calls first
    assert_eq!(scenario.travel.distance(scenario.depot_place(), scenario.place(0)), 2.0);
    assert_eq!(scenario.travel.distance(scenario.place(0), scenario.place(1)), 6.0);
    let plain = read(&with("/distance", Value::Null)).unwrap();
    assert_eq!(plain.travel, Travel::Euclid);
    assert_eq!(read(&with("/vehicles", Value::Null)).unwrap().vehicles, 1);
    assert_eq!(read(&with("/distance", json!("rounded"))).unwrap().travel, Travel::Rounded);
}

#[test]
fn every_mistake_is_named_with_its_field() {
    let cases: &[(&str, Value, &str, &str)] = &[
        ("/name", Value::Null, "name", "missing"),
        ("/name", json!(3), "name", "3 should be a text"),
        ("/problem", Value::Null, "problem", "missing"),
        ("/problem", json!("pmsp"), "problem", "'pmsp' should be 'cvrp'"),
        ("/depot", Value::Null, "depot", "missing"),
        ("/depot", json!([1, 2]), "depot", "object in braces"),
        ("/depot/x", Value::Null, "depot.x", "missing"),
        ("/depot/y", json!("a"), "depot.y", "should be a number"),
        ("/depot/height", json!(1), "depot.height", "unknown field; known fields are x, y"),
        ("/capacity", json!(0), "capacity", "0 should be a whole number from 1"),
        ("/capacity", json!(2.5), "capacity", "2.5 should be a whole number"),
        ("/capacity", json!(-3), "capacity", "-3 should be"),
        ("/pace", json!(0), "pace", "0 should be a number from 0.000000001"),
        ("/pace", json!(-1), "pace", "-1 should be"),
        ("/pace", Value::Null, "pace", "missing"),
        ("/waiting_weight", json!(-0.1), "waiting_weight", "-0.1 should be a number from 0"),
        ("/horizon", json!(-8), "horizon", "-8 should be"),
        ("/horizon", json!(4), "customers[0].arrival", "4.5 is after the horizon of 4"),
        ("/customers", json!([]), "customers", "at least one customer"),
        ("/customers", json!({}), "customers", "list in brackets"),
        ("/customers", Value::Null, "customers", "missing"),
        ("/customers/1", json!(7), "customers[1]", "7 should be an object"),
        ("/customers/0/demand", json!(11), "customers[0].demand", "11 is above the capacity of 10"),
        ("/customers/0/demand", json!(-1), "customers[0].demand", "-1 should be a whole number"),
        ("/customers/0/demand", json!(1.5), "customers[0].demand", "1.5 should be a whole"),
        ("/customers/1/arrival", json!(-1), "customers[1].arrival", "-1 should be"),
        ("/customers/1/x", json!(1e300), "customers[1].x", "should be a number from -1000000000"),
        ("/customers/1/demnad", json!(1), "customers[1].demnad", "did you mean 'demand'?"),
        ("/vehicles", json!(0), "vehicles", "0 should be a whole number from 1 to 1000"),
        ("/vehicles", json!(1001), "vehicles", "1001 should be"),
        ("/vehicle", json!(1), "vehicle", "did you mean 'vehicles'?"),
        ("/colour", json!(1), "colour", "horizon, customers, vehicles, distance"),
        ("/distance", json!("far"), "distance", "list in brackets"),
        ("/distance", json!([[0, 1], [1, 0]]), "distance", "has 2 rows; should have 3"),
        ("/distance/1", json!([0, 1]), "distance[1]", "has 2 numbers; should have 3"),
        ("/distance/1/1", json!(4), "distance[1][1]", "4 should be 0"),
        ("/distance/2/0", json!(-4), "distance[2][0]", "-4 should be"),
    ];
    for (pointer, value, field, message) in cases {
        let text = with(pointer, value.clone());
        let faults = read(&text).expect_err(&text);
        let told = faults.0.iter().any(|fault| {
            (fault.file.as_str(), fault.line) == ("day.jsonl", 3)
                && fault.field == *field
                && fault.message.contains(message)
        });
        assert!(told, "{pointer} {value}: wanted {field}: {message}, got\n{faults}");
    }
}

#[test]
fn all_mistakes_are_told_at_once() {
    let mut scenario = good();
    scenario["capacity"] = json!(5);
    scenario["pace"] = json!(0);
    scenario["customers"][0]["x"] = json!("left");
    scenario["customers"][1]["arrival"] = json!(9);
    scenario["distance"][0][0] = json!(1);
    let faults = read(&scenario.to_string()).unwrap_err();
    let fields: Vec<&str> = faults.0.iter().map(|fault| fault.field.as_str()).collect();
    let expected =
        ["pace", "customers[0].x", "customers[1].demand", "customers[1].arrival", "distance[0][0]"];
    assert_eq!(fields, expected);
}

#[test]
fn too_much_is_refused_for_a_stated_reason() {
    let customer = json!({"x": 0, "y": 0, "demand": 1, "arrival": 0});
    let many = with("/customers", Value::Array(vec![customer.clone(); MOST_ITEMS + 1]));
    assert!(read(&many).unwrap_err().to_string().contains("at most 10000"));
    let junk = with("/customers", Value::Array(vec![json!(1); MOST_ITEMS + 1]));
    let faults = read(&junk).unwrap_err();
    assert_eq!((faults.0[0].field.as_str(), faults.0.len()), ("customers", 1), "{faults}");
    assert!(faults.0[0].message.starts_with("10001 customers; at most 10000"), "{faults}");

    let wide = with("/customers", Value::Array(vec![customer.clone(); formats::MOST_PLACES]));
    let faults = read(&wide).unwrap_err();
    assert_eq!(faults.0[0].field, "distance");
    assert!(faults.0[0].message.contains("at most 2000 places"), "{faults}");

    let mut full: Value = serde_json::from_str(&wide).unwrap();
    full.as_object_mut().unwrap().remove("distance");
    full["customers"] = Value::Array(vec![customer; MOST_ITEMS]);
    assert_eq!(read(&full.to_string()).unwrap().customers.len(), MOST_ITEMS);
}

#[test]
fn lines_that_are_no_scenario_are_faults() {
    for text in ["", "{", "[]", "3", "null", "{}", "{\"name\": NaN}", "\u{feff}{}"] {
        assert!(read(text).is_err(), "{text}");
    }
    let text = good().to_string();
    for end in 0..text.len() {
        assert!(read(&text[..end]).is_err(), "{}", &text[..end]);
    }
}

#[test]
fn rounded_distances_are_written_as_a_matrix_while_one_is_accepted() {
    let mut scenario = read(&with("/distance", json!("rounded"))).unwrap();
    scenario.customers[0].at = Point { x: 3.4, y: 0.25 };
    scenario.depot = Point { x: 0.0, y: 0.25 };
    let again = read(&write(&scenario)).unwrap();
    assert!(matches!(again.travel, Travel::Matrix(_)));
    assert_eq!(again.travel.distance(again.depot_place(), again.place(0)), 3.0);
    scenario.customers = vec![scenario.customers[0]; formats::MOST_PLACES];
    assert_eq!(formats::write(&scenario)["distance"], json!("rounded"));
    assert_eq!(read(&write(&scenario)).unwrap(), scenario);
}

#[test]
fn the_scenarios_that_come_with_the_project_are_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/scenarios");
    for (file, count, customers) in [("cvrp-20", 100, 20), ("cvrp-online-50", 100, 50)] {
        let text = std::fs::read_to_string(format!("{folder}/{file}.jsonl")).unwrap();
        let scenarios: Vec<RoutingDay> = text.lines().map(|line| read(line).unwrap()).collect();
        assert_eq!(scenarios.len(), count);
        for scenario in scenarios {
            assert_eq!(scenario.customers.len(), customers);
            assert_eq!(read(&write(&scenario)).unwrap(), scenario);
        }
    }
}

#[test]
fn actions_are_read_and_mistakes_named() {
    let cases = [
        (json!({"vehicle": 0, "customer": 5}), Action::Visit { vehicle: 0, customer: 5 }),
        (json!({"vehicle": 2, "depot": true}), Action::Depot { vehicle: 2 }),
        (json!({"wait": true}), Action::Wait),
    ];
    for (value, expected) in cases {
        assert_eq!(serde_json::to_value(expected).unwrap(), value);
        assert_eq!(serde_json::from_value::<Action>(value).unwrap(), expected);
    }
    const ONE: &str = "should have one of \"customer\": number, \"depot\": true, \"wait\": true";
    const WHOSE: &str = "should name its \"vehicle\" by number";
    let wrong = [
        (json!({}), WHOSE),
        (json!({"vehicle": 0}), ONE),
        (json!({"vehicle": 0, "customer": 1, "depot": true}), ONE),
        (json!({"wait": true, "depot": true}), ONE),
        (json!({"wait": true, "customer": 1, "vehicle": 0}), ONE),
        (json!({"wait": true, "vehicle": 0}), "\"vehicle\" should be left out"),
        (json!({"wait": false}), ONE),
        (json!({"wait": 1}), "integer `1`, expected a boolean"),
        (json!({"vehicle": 0, "depot": false}), ONE),
        (json!({"vehicle": 0, "depot": "yes"}), "string \"yes\", expected a boolean"),
        (json!({"depot": true}), WHOSE),
        (json!({"customer": 1}), WHOSE),
        (json!({"vehicle": -1, "customer": 1}), "integer `-1`, expected u32"),
        (json!({"vehicle": 0, "customer": 1.5}), "floating point `1.5`, expected u32"),
        (json!({"vehicle": 0, "customer": 1e12}), "floating point `1000000000000.0`, expected u32"),
        (
            json!({"vehicle": 0, "custmer": 1}),
            "unknown field `custmer`, expected one of `vehicle`, `customer`",
        ),
    ];
    for (value, message) in wrong {
        let error = serde_json::from_value::<Action>(value.clone()).expect_err(&value.to_string());
        assert!(error.to_string().contains(message), "{value}: {error}");
    }
}

#[test]
fn events_are_objects_by_kind() {
    let event = Event::Customer { id: 3, at: Point { x: 0.25, y: 0.123_456 }, demand: 7 };
    let value = json!({"customer": {"id": 3, "at": {"x": 0.25, "y": 0.123_456}, "demand": 7}});
    assert_eq!(serde_json::to_value(&event).unwrap(), value);
    assert_eq!(serde_json::from_value::<Event>(value).unwrap(), event);
    assert_eq!(event.to_string(), "customer 3: x 0.25, y 0.123, demand 7");
    let wrong = [
        (json!({"customr": {}}), "unknown variant `customr`, expected `customer`"),
        (json!({"customer": {"id": 3, "demand": 7}}), "missing field `at`"),
        (json!({"customer": {"id": 3, "at": {"x": 1}, "demand": 7}}), "missing field `y`"),
        (
            json!({"customer": {"id": 3, "at": {"x": 1, "y": 1}, "demand": 7, "age": 2}}),
            "unknown field `age`",
        ),
        (json!({"customer": {"id": 3, "at": {"x": 1, "y": 1}, "demand": -7}}), "expected u32"),
    ];
    for (value, message) in wrong {
        let error = serde_json::from_value::<Event>(value.clone()).expect_err(&value.to_string());
        assert!(error.to_string().contains(message), "{value}: {error}");
    }
}

fn any_scenario() -> impl Strategy<Value = RoutingDay> {
    let number = || prop_oneof![-1e9..1e9f64, -1.0..1.0f64];
    let point = (number(), number()).prop_map(|(x, y)| Point { x, y });
    let customer = (point.clone(), 0u32..=50, 0.0..40.0f64)
        .prop_map(|(at, demand, arrival)| Customer { at, demand, arrival });
    let customers = prop::collection::vec(customer, 1..12);
    let flat = prop::option::of(prop::collection::vec(0.0..1e9f64, 144));
    let numbers = (50u32..1_000_000_000, 1e-3..1e3f64, 0.0..10.0f64, 40.0..1e6f64, 1usize..=1000);
    (".*", point, numbers, customers, flat).prop_map(|(name, depot, numbers, customers, flat)| {
        let (capacity, pace, waiting_weight, horizon, vehicles) = numbers;
        let side = customers.len() + 1;
        let travel = flat.map_or(Travel::Euclid, |flat| {
            let mut flat = flat[..side * side].to_vec();
            flat.iter_mut().step_by(side + 1).for_each(|x| *x = 0.0);
            Travel::Matrix(Arc::new(Matrix { side, flat }))
        });
        let mut scenario = RoutingDay {
            name,
            depot,
            capacity,
            pace,
            waiting_weight,
            horizon,
            vehicles,
            customers,
            travel,
        };
        scenario.sort();
        scenario
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again(scenario in any_scenario()) {
        let text = write(&scenario);
        prop_assert_eq!(&serde_json::to_string(&scenario).unwrap(), &text);
        prop_assert_eq!(&serde_json::from_str::<RoutingDay>(&text).unwrap(), &scenario);
        prop_assert_eq!(read(&text).unwrap(), scenario);
    }

    #[test]
    fn garbage_never_panics(text in ".*") {
        let _ = read(&text);
    }

    #[test]
    fn a_changed_byte_never_panics(at in 0usize..400, byte in 32u8..127) {
        let mut bytes = good().to_string().into_bytes();
        let at = at % bytes.len();
        bytes[at] = byte;
        let _ = read(&String::from_utf8(bytes).unwrap());
    }
}
