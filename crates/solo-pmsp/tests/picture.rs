//! Gantt charts: everything drawn once, whatever the day. The pictures stay in the build's temporary folder, to be
//! looked at.

mod shared;

use shared::{PRESETS, decisions, play, scenario};
use solo_core::{Log, Reflex, Scenario, Seed, Timed, Uniform};
use solo_plot::spills::spills;
use solo_pmsp::picture::gantt;
use solo_pmsp::presets::generate;
use solo_pmsp::{Action, Fifo, Scheduling, Wspt};

/// Keeps a picture, all of which has to lie within its edges.
fn keep(name: &str, svg: &str) {
    assert_eq!(spills(svg), [""; 0], "{name}");
    std::fs::write(format!("{}/{name}.svg", env!("CARGO_TARGET_TMPDIR")), svg).unwrap();
}

#[test]
fn every_job_is_a_bar_with_a_tooltip() {
    for preset in PRESETS {
        let day = generate(preset, Seed(4), 0).unwrap();
        let problem = day.rules(Some(preset)).unwrap();
        let played = play(&problem, &day, &mut Reflex(Wspt::default()));
        let title = format!("{}, wspt: weighted flow time {}", day.name, played.audited);
        let svg = gantt(&problem, &played.log, &title);
        for job in 0..day.jobs.len() {
            let tips = svg.matches(&format!("<title>job {job} (class")).count();
            assert_eq!(tips, 1, "{preset}: job {job}");
        }
        assert!(svg.contains(&title) && svg.contains("machine 2") && svg.contains("class 4"));
        keep(preset, &svg);
    }
}

#[test]
fn odd_days_are_drawn_too() {
    let day = generate("pmsp-online-10", Seed(4), 0).unwrap();
    let problem = day.rules(None).unwrap();
    let played = play(&problem, &day, &mut Reflex(Uniform::<Scheduling>::default()));
    let draw = |events: &[_], decisions: &[_]| {
        gantt(&problem, &Log::of(events.to_vec(), decisions.to_vec()), "a <day>")
    };
    let (events, decisions) = (day.events(), decisions(&played.log));
    let half = draw(&events[..40], &decisions[..30]);
    assert!(half.contains("a &lt;day&gt;"));
    keep("unfinished", &half);
    keep("empty", &draw(&[], &[]));
    let nonsense = [Timed { time: 3.0, what: Action::Assign { job: 9_999, machine: 77 } }];
    keep("nonsense", &draw(&events, &nonsense));

    let jobs: Vec<_> =
        (0..300u32).map(|i| (f64::from(i % 37), 1.0, i % 20, f64::from(i) * 0.37)).collect();
    let rows = vec![vec![0.0; 20]; 20];
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let big = scenario(60, &rows, &jobs);
    let problem = big.rules(None).unwrap();
    let played = play(&problem, &big, &mut Reflex(Fifo));
    let title = "a very long title ".repeat(12);
    let svg = gantt(&problem, &played.log, &title);
    assert!(svg.contains("machine 59") || svg.contains("machine 58"));
    keep("big", &svg);
}
