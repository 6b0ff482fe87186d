//! Gantt charts: everything drawn once, whatever the day. The pictures stay in the build's temporary folder, to be
//! looked at.

mod shared;

use shared::{PRESETS, play, scenario};
use solo_core::{Domain, Reflex, Seed, Timed, Uniform};
use solo_pmsp::{Action, Fifo, Pmsp, Scheduling, Wspt};

fn keep(name: &str, svg: &str) {
    std::fs::write(format!("{}/{name}.svg", env!("CARGO_TARGET_TMPDIR")), svg).unwrap();
}

#[test]
fn every_job_is_a_bar_with_a_tooltip() {
    for preset in PRESETS {
        let day = Pmsp::generate(preset, Seed(4), 0).unwrap();
        let problem = Pmsp::problem(&day, Some(preset)).unwrap();
        let played = play(&problem, &day, &mut Reflex(Wspt::default()));
        let title = format!("{}, wspt: weighted flow time {}", day.name, played.audited);
        let svg = Pmsp::picture(&problem, &played.arrivals, &played.decisions, &title);
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
    let day = Pmsp::generate("pmsp-online-10", Seed(4), 0).unwrap();
    let problem = Pmsp::problem(&day, None).unwrap();
    let played = play(&problem, &day, &mut Reflex(Uniform::<Scheduling>::default()));
    let draw = |arrivals, decisions| Pmsp::picture(&problem, arrivals, decisions, "a <day>");
    let half = draw(&played.arrivals[..40], &played.decisions[..30]);
    assert!(half.contains("a &lt;day&gt;"));
    keep("unfinished", &half);
    keep("empty", &draw(&[], &[]));
    let nonsense = [Timed { time: 3.0, what: Action::Assign { job: 9_999, machine: 77 } }];
    keep("nonsense", &draw(&played.arrivals, &nonsense));

    let jobs: Vec<_> =
        (0..300u32).map(|i| (f64::from(i % 37), 1.0, i % 20, f64::from(i) * 0.37)).collect();
    let rows = vec![vec![0.0; 20]; 20];
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let big = scenario(60, &rows, &jobs);
    let problem = Pmsp::problem(&big, None).unwrap();
    let played = play(&problem, &big, &mut Reflex(Fifo));
    let title = "a very long title ".repeat(12);
    let svg = Pmsp::picture(&problem, &played.arrivals, &played.decisions, &title);
    assert!(svg.contains("machine 59") || svg.contains("machine 58"));
    keep("big", &svg);
}
