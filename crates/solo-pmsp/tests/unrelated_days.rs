//! Days with unrelated machines: how they are drawn, read and written, and which laws fit them.

mod shared;

use serde_json::{Value, json};
use shared::read;
use solo_core::{Faults, Problem, Scenario, Seed, Stream, Tape, Time};
use solo_pmsp::formats::SCENARIO_FORMATS;
use solo_pmsp::presets::generate;
use solo_pmsp::{CANNOT, Event, Law, Processing, SchedulingDay};

const PRESET: &str = "pmsp-unrelated-5";

fn good() -> Value {
    json!({
        "name": "small", "problem": "pmsp", "machines": 3, "horizon": 10,
        "setup": [[0, 3], [4, 0]],
        "factors": [[1, 0.5, null], [null, 2, 1.25]],
        "jobs": [
            {"processing": 12, "weight": 1, "class": 0, "arrival": 0},
            {"processing": [2.5, null, 4], "weight": 2, "class": 1, "arrival": 3},
        ],
    })
}

fn expect(result: Result<SchedulingDay, Faults>, faults: &[(&str, &str)]) {
    let Err(Faults(found)) = result else { panic!("no fault among {faults:?}") };
    let same = found.len() == faults.len();
    assert!(same, "{found:?} {faults:?}");
    for (fault, (field, message)) in found.iter().zip(faults) {
        assert_eq!(
            (fault.file.as_str(), fault.line, fault.field.as_str()),
            ("day.jsonl", 7, *field)
        );
        assert!(fault.message.contains(message), "{fault}");
    }
}

#[test]
fn days_are_read_as_they_are_written() {
    let day = read(&good().to_string()).unwrap();
    let factors = day.factors.as_ref().unwrap();
    assert_eq!((factors.machines, factors.row(1)), (3, &[CANNOT, 2.0, 1.25][..]));
    assert_eq!(day.jobs[0].processing, Processing::Same(12.0));
    assert_eq!(day.jobs[1].processing, Processing::ByMachine([2.5, CANNOT, 4.0].into()));
    assert!(day.unrelated());
    assert_eq!(
        day.summary(),
        "machines 3 (unrelated), horizon 10, 2 jobs, 1 of them from the start"
    );
    let line = serde_json::to_string(&day).unwrap();
    assert!(line.contains(r#""factors":[[1,0.5,null],[null,2,1.25]]"#), "{line}");
    assert!(line.contains(r#""processing":[2.5,null,4]"#), "{line}");
    assert_eq!(read(&line), Ok(day));
    for index in 0..20 {
        let drawn = generate(PRESET, Seed(5), index).unwrap();
        assert_eq!(read(&serde_json::to_string(&drawn).unwrap()), Ok(drawn));
    }
}

#[test]
fn every_fault_is_named() {
    let cases: Vec<(&str, Value, &str, &str)> = vec![
        (
            "/jobs/1/processing",
            json!([1, 2]),
            "jobs[1].processing",
            "has 2 entries; should have 3, one for each machine",
        ),
        (
            "/jobs/1/processing",
            json!([1, 2, 3, 4]),
            "jobs[1].processing",
            "has 4 entries; should have 3",
        ),
        ("/jobs/1/processing", json!([]), "jobs[1].processing", "has 0 entries"),
        (
            "/jobs/1/processing",
            json!([null, null, null]),
            "jobs[1].processing",
            "no machine can do it",
        ),
        (
            "/jobs/1/processing",
            json!([1, -2, 3]),
            "jobs[1].processing[1]",
            "-2 should be a number from 0",
        ),
        (
            "/jobs/1/processing",
            json!([1, "x", 3]),
            "jobs[1].processing[1]",
            "\"x\" should be a number",
        ),
        (
            "/jobs/1/processing",
            json!([1, 1e300, 3]),
            "jobs[1].processing[1]",
            "should be a number from 0",
        ),
        (
            "/jobs/1/processing",
            json!([1, [2], 3]),
            "jobs[1].processing[1]",
            "[2] should be a number",
        ),
        ("/jobs/1/processing", json!(null), "jobs[1].processing", "null should be a number"),
        ("/factors", json!(3), "factors", "3 should be a list"),
        (
            "/factors",
            json!([[1, 1, 1]]),
            "factors",
            "has 1 rows; should have 2, one for each class",
        ),
        ("/factors/0", json!([1, 1]), "factors[0]", "has 2 entries; should have 3"),
        ("/factors/0", json!([null, null, null]), "factors[0]", "no machine can do it"),
        ("/factors/0", json!("fast"), "factors[0]", "should be a list"),
        ("/factors/1/2", json!(-1), "factors[1][2]", "-1 should be a number from 0 to 1000000"),
    ];
    for (pointer, value, field, message) in cases {
        let mut line = good();
        *line.pointer_mut(pointer).unwrap() = value;
        expect(read(&line.to_string()), &[(field, message)]);
    }
    let mut line = good();
    line["factor"] = json!([]);
    expect(read(&line.to_string()), &[("factor", "did you mean 'factors'?")]);
    let mut line = good();
    line["jobs"][0]["processing"] = json!([1, 2]);
    line["jobs"][1]["processing"] = json!([1, -2, null]);
    let faults =
        [("jobs[0].processing", "has 2 entries"), ("jobs[1].processing[1]", "-2 should be")];
    expect(read(&line.to_string()), &faults);
}

#[test]
fn a_format_without_times_by_machine_says_so() {
    let mut day = read(&good().to_string()).unwrap();
    day.horizon = 0.0;
    day.jobs.iter_mut().for_each(|job| job.arrival = 0.0);
    let write = SCENARIO_FORMATS[0].write;
    assert!(write(&day).unwrap_err().contains("these machines are unrelated"), "lists and factors");
    day.jobs.truncate(1);
    assert!(write(&day).unwrap_err().contains("these machines are unrelated"), "factors");
    day.factors = None;
    write(&day).unwrap();
}

#[test]
fn events_and_orders_are_lists_too() {
    let times = Processing::ByMachine([2.5, CANNOT, 4.0].into());
    let event = Event::Job { id: 3, processing: times, weight: 2.0, class: 1 };
    let value =
        json!({"job": {"id": 3, "processing": [2.5, null, 4.0], "weight": 2.0, "class": 1}});
    assert_eq!(serde_json::to_value(&event).unwrap(), value);
    assert_eq!(serde_json::from_value::<Event>(value).unwrap(), event);
    assert_eq!(event.to_string(), "job 3: processing [2.5, -, 4], weight 2, class 1");
    let wrong = json!({"job": {"id": 3, "processing": "long", "weight": 2.0, "class": 1}});
    let error = serde_json::from_value::<Event>(wrong).unwrap_err().to_string();
    assert!(
        error.contains("should be a number, or a list with a number or null a machine"),
        "{error}"
    );
}

#[test]
fn factors_are_drawn_as_stated() {
    let days: Vec<SchedulingDay> =
        (0..400).map(|index| generate(PRESET, Seed(3), index).unwrap()).collect();
    let rows = || {
        days.iter().flat_map(|day| {
            let factors = day.factors.as_ref().unwrap();
            (0..5).map(move |class| factors.row(class))
        })
    };
    let able = |row: &[f64]| row.iter().filter(|factor| factor.is_finite()).count();
    assert!(rows().all(|row| row.len() == 5 && able(row) >= 2));
    // three of four, a little more since rows with fewer than two are drawn again: 2,000 rows of 5, error 0.004
    let share = rows().map(able).sum::<usize>() as f64 / 10_000.0;
    assert!((share - 0.758).abs() < 0.015, "{share}");
    let finite = || rows().flatten().copied().filter(|factor| factor.is_finite());
    for quarter in 2..=8 {
        let factor = f64::from(quarter) / 4.0;
        let found = finite().filter(|x| *x == factor).count() as f64 / finite().count() as f64;
        assert!((found - 1.0 / 7.0).abs() < 0.02, "{factor}: {found}");
    }
    assert!(finite().all(|factor| (0.5..=2.0).contains(&factor)));
    let jobs = days.iter().map(|day| day.jobs.len()).sum::<usize>() as f64 / 400.0;
    assert!((jobs - 80.0).abs() < 2.0, "{jobs}");
    assert!(days.iter().all(|day| (day.machines, day.horizon) == (5, 1300.0) && day.unrelated()));
}

#[test]
fn the_preset_can_be_changed() {
    let day = generate("pmsp-unrelated-5:machines=2,size=0.5,time=60", Seed(3), 1).unwrap();
    let factors = day.factors.as_ref().unwrap();
    assert_eq!((day.machines, factors.machines, factors.flat.len()), (2, 2, 10));
    assert!(
        factors.flat.iter().all(|factor| factor.is_finite()),
        "two machines can do it at least"
    );
    let longest = day.jobs.iter().map(|job| job.processing.longest()).fold(0.0, f64::max);
    assert!((60.0..=3000.0).contains(&longest), "{longest}: half of 100, in seconds");
    let alone = generate("pmsp-unrelated-5:machines=1", Seed(3), 1).unwrap();
    assert!(alone.factors.as_ref().unwrap().flat.iter().all(|factor| factor.is_finite()));
}

/// What is public of the machines goes for jobs to come: nothing about them has to be sampled.
#[test]
fn sampled_jobs_take_the_times_of_the_day_s_machines() {
    let day = generate(PRESET, Seed(9), 0).unwrap();
    let problem = day.rules(Some(PRESET)).unwrap();
    let mut state = problem.initial();
    let mut tape = Tape::default();
    let mut rng = Seed(9).stream(Stream::Agent, 0);
    problem.sample_future(&state, Time::INFINITY, &mut rng, &mut tape);
    assert!(tape.events().len() > 40);
    for event in tape.events() {
        let Event::Job { ref processing, class, .. } = event.what;
        problem.happen(&mut state, &event.what);
        let job = *state.pending.last().unwrap();
        for (machine, factor) in (0..).zip(day.factors.as_ref().unwrap().row(class)) {
            let expected = processing.longest() * factor;
            assert_eq!(state.times.on(&job, machine), expected);
            assert_eq!(state.times.able(&job, machine), factor.is_finite());
        }
        let row = state.times.row(&job).unwrap_or(&[]);
        assert!(row.is_empty() || row.contains(&job.processing));
    }
}

#[test]
fn a_law_needs_to_know_how_long_jobs_to_come_take() {
    let mut day = generate("pmsp-online-3", Seed(1), 0).unwrap();
    day.jobs[2].processing = Processing::ByMachine([5.0, CANNOT, 7.0].into());
    let why = day.rules(Some("pmsp-online-3")).unwrap_err().to_string();
    assert!(
        why.contains("job 2 lists its times by machine") && why.contains("\"factors\""),
        "{why}"
    );
    assert!(day.rules(None).is_ok());
    let with = generate("pmsp-unrelated-5:machines=3", Seed(1), 0).unwrap();
    day.factors = with.factors;
    let problem = day.rules(Some("pmsp-online-3")).unwrap();
    assert!(matches!(problem.law, Law::Batches(_)) && problem.unrelated);
}
