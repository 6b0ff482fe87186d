//! SchedulingDay files: what is written is read back, and what is wrong is named by line and field.

mod shared;

use serde_json::{Value, json};
use shared::{PRESETS, data, read, scenarios};
use solo_core::file::MOST_ITEMS;
use solo_core::{Faults, Seed};
use solo_pmsp::formats::{self, SCENARIO_FORMATS};
use solo_pmsp::presets::generate;
use solo_pmsp::{Action, Event, Job, SchedulingDay};

#[test]
fn shared_files_are_written_back_byte_by_byte() {
    for preset in PRESETS {
        for line in data(&format!("{preset}.jsonl")).lines() {
            let scenario = read(line).unwrap();
            assert_eq!(serde_json::to_string(&formats::write(&scenario)).unwrap(), line);
            assert_eq!(serde_json::to_string(&scenario).unwrap(), line);
        }
    }
}

#[test]
fn jobs_are_brought_into_order_of_arrival_keeping_equals() {
    let jobs = [(1, 5.5), (2, 0.0), (3, 5.5), (4, 2.0)];
    let jobs: Vec<Value> = jobs
        .iter()
        .map(|(p, a)| json!({"processing": p, "weight": 1, "class": 0, "arrival": a}))
        .collect();
    let line = json!({"name": "d", "problem": "pmsp", "machines": 1, "horizon": 6, "setup": [[0]], "jobs": jobs});
    let order: Vec<f64> =
        read(&line.to_string()).unwrap().jobs.iter().map(|job| job.processing.longest()).collect();
    assert_eq!(order, [2.0, 4.0, 1.0, 3.0]);
}

fn good() -> Value {
    json!({
        "name": "day", "problem": "pmsp", "machines": 2, "horizon": 10,
        "setup": [[0, 3], [4, 0]],
        "jobs": [
            {"processing": 5, "weight": 1, "class": 0, "arrival": 0},
            {"processing": 5, "weight": 1, "class": 1, "arrival": 10}
        ]
    })
}

/// Asserts that these are the faults, as field and part of the message, all on line 7.
fn expect(result: Result<SchedulingDay, Faults>, expected: &[(&str, &str)]) {
    let faults = result.expect_err("the file is wrong").0;
    let shown = Faults(faults.clone());
    assert_eq!(faults.len(), expected.len(), "{shown}");
    for (fault, (field, message)) in faults.iter().zip(expected) {
        assert_eq!((fault.file.as_str(), fault.line), ("day.jsonl", 7), "{shown}");
        assert_eq!(&fault.field, field, "{shown}");
        assert!(fault.message.contains(message), "{shown}");
    }
}

#[test]
fn times_may_be_fractional() {
    let mut day = good();
    day["jobs"][0]["processing"] = json!(2.75);
    day["setup"][0][1] = json!(0.5);
    let read_day = read(&day.to_string()).unwrap();
    assert_eq!((read_day.jobs[0].processing.longest(), read_day.setup.flat[1]), (2.75, 0.5));
    let written = serde_json::to_value(&read_day).unwrap();
    assert_eq!(written["jobs"][0]["processing"], json!(2.75));
    assert_eq!(written["jobs"][1]["processing"], json!(5), "whole numbers stay whole");
    assert_eq!(read(&written.to_string()).unwrap(), read_day);
}

#[test]
fn every_json_fault_is_named() {
    assert!(read(&good().to_string()).is_ok());
    let cases: Vec<(&str, Value, &str, &str)> = vec![
        ("/name", json!(7), "name", "7 should be a text"),
        ("/problem", json!("cvrp"), "problem", "'cvrp' should be 'pmsp'"),
        ("/machines", json!(0), "machines", "0 should be a whole number from 1 to 1000"),
        ("/machines", json!(1.5), "machines", "whole"),
        ("/machines", json!(2000), "machines", "from 1 to 1000"),
        ("/machines", json!("two"), "machines", "\"two\" should be"),
        ("/horizon", json!(-1), "horizon", "-1 should be a number from 0"),
        ("/setup", json!([]), "setup", "has 0 rows"),
        ("/setup", json!(3), "setup", "should be a list"),
        ("/setup/1", json!([4]), "setup[1]", "must be square"),
        ("/setup/1/1", json!(2), "setup[1][1]", "2 should be 0"),
        ("/setup/0/1", json!(-2), "setup[0][1]", "-2 should be a number"),
        ("/setup/0/1", json!(null), "setup[0][1]", "null should be"),
        ("/jobs", json!([]), "jobs", "needs at least one job"),
        ("/jobs/1", json!(7), "jobs[1]", "7 should be an object"),
        ("/jobs/1/processing", json!(-5), "jobs[1].processing", "-5 should be a number"),
        ("/jobs/1/processing", json!(1e300), "jobs[1].processing", "should be a number"),
        ("/jobs/1/weight", json!(0.5), "jobs[1].weight", "0.5 should be a whole number"),
        ("/jobs/1/class", json!(2), "jobs[1].class", "2 should be a whole number from 0 to 1"),
        ("/jobs/1/arrival", json!(-3), "jobs[1].arrival", "-3 should be a number from 0"),
        ("/jobs/1/arrival", json!(10.5), "jobs[1].arrival", "10.5 is after the horizon 10"),
    ];
    for (pointer, value, field, message) in cases {
        let mut line = good();
        *line.pointer_mut(pointer).unwrap() = value;
        expect(read(&line.to_string()), &[(field, message)]);
    }
    for key in ["name", "problem", "machines", "horizon", "setup", "jobs"] {
        let mut line = good();
        line.as_object_mut().unwrap().remove(key);
        expect(read(&line.to_string()), &[(key, "missing; should be")]);
    }
    for key in ["processing", "weight", "class", "arrival"] {
        let mut line = good();
        line["jobs"][0].as_object_mut().unwrap().remove(key);
        expect(read(&line.to_string()), &[(&format!("jobs[0].{key}"), "missing")]);
    }
    let mut line = good();
    line["jobs"][0]["wieght"] = json!(3);
    line["colour"] = json!("red");
    expect(
        read(&line.to_string()),
        &[("jobs[0].wieght", "did you mean 'weight'?"), ("colour", "unknown field; known fields")],
    );
    let text = good().to_string();
    expect(read(&text[..text.len() - 20]), &[("", "truncated")]);
    expect(read("[1]"), &[("", "should be a JSON object")]);
    expect(read("{\"name\": NaN}"), &[("", "NaN")]);
}

#[test]
fn all_faults_come_at_once() {
    let mut line = good();
    line["machines"] = json!(-2);
    line["setup"] = json!([[1, 3], [4, 1]]);
    line["jobs"][0] = json!({"processing": -1, "weight": 1, "class": 9, "arrival": 99});
    expect(
        read(&line.to_string()),
        &[
            ("machines", "-2"),
            ("setup[0][0]", "should be 0"),
            ("setup[1][1]", "should be 0"),
            ("jobs[0].processing", "-1"),
            ("jobs[0].class", "from 0 to 1"),
            ("jobs[0].arrival", "after the horizon"),
        ],
    );
}

#[test]
fn too_much_is_refused() {
    let mut line = good();
    let job = line["jobs"][0].clone();
    line["jobs"] = vec![job.clone(); MOST_ITEMS].into();
    assert_eq!(read(&line.to_string()).unwrap().jobs.len(), MOST_ITEMS);
    line["jobs"] = vec![job.clone(); MOST_ITEMS + 1].into();
    expect(read(&line.to_string()), &[("jobs", "has 10001 jobs; at most 10000")]);
    line["machines"] = json!(101);
    line["jobs"] = vec![job.clone(); MOST_ITEMS].into();
    expect(read(&line.to_string()), &[("jobs", "has 1010000 pairs of a job and a machine")]);
    let million = format!("{{\"jobs\": [{}]}}", format!("{job},").repeat(1_000_000));
    expect(read(&million), &[("", "at most 10000 are accepted")]);
    let mut line = good();
    line["setup"] = vec![json!([]); 1_001].into();
    expect(read(&line.to_string()), &[("setup", "1 to 1000")]);
}

#[test]
fn actions_are_objects() {
    for (action, value) in [
        (Action::Wait, json!({"wait": true})),
        (Action::Assign { job: 3, machine: 1 }, json!({"job": 3, "machine": 1})),
    ] {
        assert_eq!(serde_json::to_value(action).unwrap(), value);
        assert_eq!(serde_json::from_value::<Action>(value).unwrap(), action);
    }
    const WHOLE: &str = "should have \"job\" and \"machine\" with numbers, or \"wait\": true";
    let wrong = [
        (json!({}), WHOLE),
        (json!({"wait": false}), WHOLE),
        (json!({"wait": true, "job": 1}), WHOLE),
        (json!({"job": 1}), WHOLE),
        (json!({"machine": 1}), WHOLE),
        (json!({"job": 1, "machine": 0, "wait": true}), WHOLE),
        (json!({"wait": 1}), "integer `1`, expected a boolean"),
        (json!({"job": -1, "machine": 0}), "integer `-1`, expected u32"),
        (json!({"job": 1, "machine": 0.5}), "floating point `0.5`, expected u32"),
        (json!({"job": 5_000_000_000u64, "machine": 0}), "integer `5000000000`, expected u32"),
        (
            json!({"job": 1, "machin": 0}),
            "unknown field `machin`, expected one of `job`, `machine`",
        ),
        (json!([1]), WHOLE),
        (json!("wait"), "string \"wait\", expected struct"),
    ];
    for (value, message) in wrong {
        let error = serde_json::from_value::<Action>(value.clone()).expect_err(&value.to_string());
        assert!(error.to_string().contains(message), "{value}: {error}");
    }
}

#[test]
fn events_are_objects_by_kind() {
    let event = Event::Job { id: 3, processing: 5.0.into(), weight: 2.0, class: 1 };
    let value = json!({"job": {"id": 3, "processing": 5.0, "weight": 2.0, "class": 1}});
    assert_eq!(serde_json::to_value(&event).unwrap(), value);
    assert_eq!(serde_json::from_value::<Event>(value).unwrap(), event);
    assert_eq!(event.to_string(), "job 3: processing 5, weight 2, class 1");
    let wrong = [
        (json!({"jib": {}}), "unknown variant `jib`, expected `job`"),
        (json!({"job": {"id": 3, "processing": 5, "weight": 2}}), "missing field `class`"),
        (
            json!({"job": {"id": 3, "processing": 5, "weight": 2, "class": 1, "colour": 2}}),
            "unknown field `colour`",
        ),
    ];
    for (value, message) in wrong {
        let error = serde_json::from_value::<Event>(value.clone()).expect_err(&value.to_string());
        assert!(error.to_string().contains(message), "{value}: {error}");
    }
}

#[test]
fn days_are_read_by_serde_too_with_every_fault() {
    let mut day = good();
    assert_eq!(serde_json::from_value::<SchedulingDay>(day.clone()).unwrap().jobs.len(), 2);
    day["machines"] = json!(0);
    day["jobs"][0]["class"] = json!(9);
    let error = serde_json::from_value::<SchedulingDay>(day).unwrap_err().to_string();
    assert!(error.contains("machines: 0 should be"), "{error}");
    assert!(error.contains("jobs[0].class: 9 should be"), "{error}");
}

fn liao(text: &str) -> Result<SchedulingDay, Faults> {
    (SCENARIO_FORMATS[0].read)("some/where/liao-3.txt", text)
}

const LIAO: &str = "3\n2\n30 17\n3\n5 1 0\n60 10 1\n7 2 0\n";

#[test]
fn the_text_format_is_read_and_written() {
    let scenario = liao(LIAO).unwrap();
    assert_eq!((scenario.name.as_str(), scenario.machines, scenario.horizon), ("liao-3", 3, 0.0));
    assert_eq!(scenario.setup.flat, [0.0, 17.0, 30.0, 0.0]);
    let job = Job { processing: 60.0.into(), weight: 10.0, class: 1, arrival: 0.0 };
    assert_eq!((scenario.jobs.len(), &scenario.jobs[1]), (3, &job));
    let write = SCENARIO_FORMATS[0].write;
    assert_eq!(write(&scenario).unwrap(), LIAO);
    for same in [
        LIAO.replace('\n', "\r\n"),
        LIAO.replace('\n', "\n\n  \n"),
        LIAO.replace(' ', "\t "),
        LIAO.replace("30 17", "30\n17"),
        LIAO.trim_end().to_string(),
    ] {
        assert_eq!(liao(&same).as_ref(), Ok(&scenario), "{same:?}");
    }
    for scenario in scenarios("pmsp-20") {
        let back = liao(&write(&scenario).unwrap()).unwrap();
        assert_eq!((back.setup, back.jobs), (scenario.setup, scenario.jobs));
    }
}

#[test]
fn what_the_text_format_cannot_hold_is_said() {
    let write = SCENARIO_FORMATS[0].write;
    let online = generate("pmsp-online-3", Seed(1), 0).unwrap();
    assert!(write(&online).unwrap_err().contains("offline scenarios only"));
    let mut squeezed = online;
    squeezed.horizon = 0.0;
    for job in &mut squeezed.jobs {
        job.arrival = 0.0;
    }
    assert!(write(&squeezed).unwrap_err().contains("depends on the class before"));
}

#[test]
fn every_fault_of_the_text_format_is_named() {
    type Named = (usize, &'static str, &'static str);
    let cases: &[(&str, &[Named])] = &[
        (
            "",
            &[
                (0, "machines", "missing"),
                (0, "families", "missing"),
                (0, "setups", "missing"),
                (0, "n", "missing"),
            ],
        ),
        ("0\n2\n30 17\n1\n5 1 0\n", &[(1, "machines", "0 should be a whole number from 1")]),
        ("3 4\n2\n30 17\n1\n5 1 0\n", &[(1, "machines", "more words follow")]),
        ("3\ntwo\n30 17\n1\n5 1 0\n", &[(2, "families", "'two' should be")]),
        ("3\n2\n30\t-17\n1\n5 1 0\n", &[(3, "setups[1]", "-17 should be")]),
        ("3\n2\n30 17 5\n1\n5 1 0\n", &[(3, "setups", "has 3 numbers; should have 2")]),
        ("3\n2\n30 17\n0\n", &[(4, "n", "0 should be a whole number from 1 to 10000")]),
        ("3\n2\n30 17\n1000000\n5 1 0\n", &[(4, "n", "from 1 to 10000")]),
        ("3\n2\n30 17\n3\n5 1 0\n\n5 1 0\n", &[(7, "jobs", "ends after 2 jobs; n is 3")]),
        ("3\n2\n30 17\n1\n5 1 0\n\n5 1 0\n", &[(7, "jobs[1]", "should be 1")]),
        (
            "3\n2\n30 17\n1\n5 1 2\n",
            &[(5, "jobs[0].family", "2 should be a whole number from 0 to 1")],
        ),
        ("3\n2\n30 17\n1\n5 1\n", &[(5, "jobs[0].family", "missing")]),
        ("3\n2\n30 17\n1\n5 1 0 8\n", &[(5, "jobs[0]", "more words follow")]),
        (
            "3\r\n2\r\n30 17\r\n2\r\n\r\nNaN 1 0\r\n5 1.5 x\r\n",
            &[
                (6, "jobs[0].processing", "NaN should be"),
                (7, "jobs[1].weight", "1.5 should be"),
                (7, "jobs[1].family", "'x' should be"),
            ],
        ),
    ];
    for (text, expected) in cases {
        let faults = liao(text).expect_err(text);
        let found: Vec<(usize, &str)> =
            faults.0.iter().map(|fault| (fault.line, fault.field.as_str())).collect();
        let named: Vec<(usize, &str)> =
            expected.iter().map(|(line, field, _)| (*line, *field)).collect();
        assert_eq!(found, named, "{text:?}: {faults}");
        for (fault, (_, _, message)) in faults.0.iter().zip(*expected) {
            assert!(fault.message.contains(message), "{text:?}: {faults}");
        }
    }
}
