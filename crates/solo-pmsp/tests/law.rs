//! Generated scenarios and drawn futures follow the paper's law.

mod shared;

use shared::PRESETS;
use solo_core::{Problem, Scenario, Seed, Stream, Tape, Time};
use solo_pmsp::presets::{self, generate};
use solo_pmsp::{Event, Law, SchedulingDay};
use std::collections::HashSet;

#[test]
fn online_days_have_80_jobs_in_batches_of_unequal_classes() {
    for (preset, machines, intervals, length) in
        [("pmsp-online-3", 3, 16.0, 130.0), ("pmsp-online-10", 10, 60.0, 10.0)]
    {
        let days: Vec<SchedulingDay> =
            (0..400).map(|index| generate(preset, Seed(8), index).unwrap()).collect();
        let jobs = || days.iter().flat_map(|day| &day.jobs);
        let count = jobs().count() as f64;
        assert!((count / 400.0 - 80.0).abs() < 2.0, "{preset}: {} jobs a day", count / 400.0);
        let harmonic: f64 = (1..=5).map(|i| 1.0 / f64::from(i)).sum();
        for class in 0..5 {
            let share = jobs().filter(|job| job.class == class).count() as f64 / count;
            let expected = 1.0 / f64::from(class + 1) / harmonic;
            assert!((share - expected).abs() < 0.01, "{preset}: class {class} has {share}");
        }
        let mean = |what: fn(&solo_pmsp::Job) -> f64| jobs().map(what).sum::<f64>() / count;
        assert!((mean(|job| job.processing.longest()) - 50.5).abs() < 0.8);
        assert!((mean(|job| job.weight) - 5.5).abs() < 0.1);
        for day in &days {
            assert_eq!((day.machines, day.horizon), (machines, intervals * length));
            assert!(day.jobs.iter().all(|job| job.arrival % length == 0.0));
            assert!(day.jobs.iter().all(|job| job.arrival < day.horizon));
            assert!(day.setup.next_only().is_none(), "a full matrix");
        }
        ranges(&days);
    }
}

#[test]
fn offline_days_are_all_there_at_once() {
    for (preset, count) in [("pmsp-20", 20), ("pmsp-80", 80)] {
        let days: Vec<SchedulingDay> =
            (0..200).map(|index| generate(preset, Seed(8), index).unwrap()).collect();
        for day in &days {
            assert_eq!((day.machines, day.horizon, day.jobs.len()), (3, 0.0, count));
            assert!(day.jobs.iter().all(|job| job.arrival == 0.0));
            assert!(day.setup.next_only().is_some(), "setups by next class");
        }
        ranges(&days);
    }
}

/// All numbers are whole and every value of the range occurs.
fn ranges(days: &[SchedulingDay]) {
    let full = |values: &mut dyn Iterator<Item = f64>, low: i64, high: i64| {
        let seen: HashSet<i64> = values.map(|x| x as i64).collect();
        assert_eq!(seen, (low..=high).collect());
    };
    full(&mut days.iter().flat_map(|day| &day.jobs).map(|job| job.processing.longest()), 1, 100);
    full(&mut days.iter().flat_map(|day| &day.jobs).map(|job| job.weight), 1, 10);
    full(&mut days.iter().flat_map(|day| day.setup.flat.iter().copied()), 0, 50);
    for day in days {
        let diagonal = (0..5).all(|class| day.setup.between(class, class) == 0.0);
        assert!(diagonal && day.setup.classes == 5);
        assert!(day.setup.flat.iter().filter(|&&time| time == 0.0).count() == 5);
    }
}

#[test]
fn the_same_seed_gives_the_same_scenario_for_ever() {
    let day = generate("pmsp-online-3", Seed(7), 2).unwrap();
    assert_eq!(day.name, "pmsp-online-3/seed7-2");
    let line = serde_json::to_string(&solo_pmsp::formats::write(&day)).unwrap();
    let same = line.starts_with(PINNED_START) && line.ends_with(PINNED_END) && day.jobs.len() == 72;
    assert!(same, "a change here changes every generated scenario: {line}");
    for preset in PRESETS {
        let draw = |index| generate(preset, Seed(7), index).unwrap();
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3).jobs, draw(4).jobs);
    }
    let unknown = generate("pmsp-21", Seed(7), 0).unwrap_err();
    assert_eq!(unknown.to_string(), "'pmsp-21' is not a preset of pmsp");
}

const PINNED_START: &str = r#"{"name":"pmsp-online-3/seed7-2","problem":"pmsp","machines":3,"horizon":2080.0,"setup":[[0,24,32,38,30],[32,0,12,22,22],[26,2,0,38,45],[49,5,9,0,14],[30,1,11,19,0]],"jobs":[{"processing":25,"weight":10,"class":3,"arrival":0.0},{"processing":58,"#;
const PINNED_END: &str = r#"{"processing":54,"weight":8,"class":1,"arrival":1950.0}]}"#;

#[test]
fn futures_continue_the_day_by_the_same_law() {
    let day = generate("pmsp-online-3", Seed(9), 0).unwrap();
    let problem = day.rules(Some("pmsp-online-3")).unwrap();
    let mut state = problem.initial();
    state.now = 7.0 * 130.0;
    let mut rng = Seed(9).stream(Stream::Agent, 0);
    let mut tape = Tape::default();
    let mut draw = |state: &_, until: Time| {
        tape.clear();
        problem.sample_future(state, until, &mut rng, &mut tape);
        tape.events().iter().map(|event| event.time).collect::<Vec<_>>()
    };
    let futures: Vec<Vec<Time>> = (0..1_000).map(|_| draw(&state, Time::INFINITY)).collect();
    let mean = futures.iter().map(Vec::len).sum::<usize>() as f64 / 1_000.0;
    assert!((mean - 8.0 * 5.0).abs() < 0.8, "8 of 16 intervals are left: {mean}");
    let starts: HashSet<i64> = futures.concat().iter().map(|&time| time as i64).collect();
    assert_eq!(starts, (8..16).map(|i| i * 130).collect());
    let next: HashSet<i64> =
        (0..100).flat_map(|_| draw(&state, 8.0 * 130.0)).map(|time| time as i64).collect();
    assert_eq!(next, HashSet::from([8 * 130]), "until is included");
    problem.close(&mut state);
    assert!(draw(&state, Time::INFINITY).is_empty(), "a closed state expects nothing");
    assert_eq!(problem.closing_time(&problem.initial()), Some(15.0 * 130.0));
}

#[test]
fn arrivals_are_the_jobs_in_order() {
    let day = generate("pmsp-online-10", Seed(9), 0).unwrap();
    let events = day.events();
    assert_eq!(events.len(), day.jobs.len());
    for ((number, job), event) in (0..).zip(&day.jobs).zip(events) {
        let Event::Job { id, processing, weight, class } = event.what;
        assert_eq!((event.time, &processing), (job.arrival, &job.processing));
        assert_eq!((id, weight, class), (number, job.weight, job.class));
    }
}

/// The flipped days are the same days with other names: a rule that does not look at names pays the same.
#[test]
fn flipped_days_are_the_same_but_for_names() {
    for (plain, flipped) in
        [("pmsp-online-3", "pmsp-online-3-flipped"), ("pmsp-online-10", "pmsp-online-10-flipped")]
    {
        let (a, b) = (generate(plain, Seed(5), 2).unwrap(), generate(flipped, Seed(5), 2).unwrap());
        assert_eq!(b.name, format!("{flipped}/seed5-2"));
        for (a_job, b_job) in a.jobs.iter().zip(&b.jobs) {
            assert_eq!((a_job.arrival, &a_job.processing), (b_job.arrival, &b_job.processing));
            assert_eq!(a_job.class, 4 - b_job.class);
        }
        for (from, to) in (0..5).flat_map(|from| (0..5).map(move |to| (from, to))) {
            assert_eq!(a.setup.between(from, to), b.setup.between(4 - from, 4 - to));
        }
        let (Ok(Law::Batches(law)), Ok(Law::Batches(other))) =
            (presets::law(plain), presets::law(flipped))
        else {
            panic!("both have laws");
        };
        assert!(law.shares.iter().eq(other.shares.iter().rev()));
        assert!(Law::Batches(law).for_day(&b).is_ok(), "agents may be told the law of the others");
    }
}

#[test]
fn presets_can_be_changed() {
    let plain = generate("pmsp-online-3", Seed(8), 0).unwrap();
    let changed = "pmsp-online-3:rate=2,size=0.5,machines=7";
    let days: Vec<SchedulingDay> =
        (0..200).map(|index| generate(changed, Seed(8), index).unwrap()).collect();
    assert_eq!(days[0].name, format!("{changed}/seed8-0"));
    assert!(days.iter().all(|day| (day.machines, day.horizon) == (7, plain.horizon)));
    let jobs = || days.iter().flat_map(|day| &day.jobs);
    // 160 jobs a day are expected; the mean of 200 days has a standard error of 0.9
    let mean = jobs().count() as f64 / 200.0;
    assert!((mean - 160.0).abs() < 3.0, "{mean}");
    let longest = jobs().map(|job| job.processing.longest()).fold(0.0, f64::max);
    assert_eq!(longest, 50.0, "half of 100");
    let Ok(Law::Batches(law)) = presets::law(changed) else { panic!("it has a law") };
    assert_eq!((law.mean_per_interval, law.most_processing), (10.0, 50));
    assert!(Law::Batches(law).for_day(&days[0]).is_ok(), "the law is changed with the days");

    let refused = |preset| generate(preset, Seed(8), 0).unwrap_err().to_string();
    assert!(refused("pmsp-20:machines=4").contains("'pmsp-20' cannot be changed"));
    assert!(refused("pmsp-online-3:machines=0").contains("whole number from 1 to 1000"));
    assert!(refused("pmsp-online-3:machine=4").contains("did you mean 'machines'?"));
    assert!(refused("pmsp-online-3:rate").contains("should look like"));
}
