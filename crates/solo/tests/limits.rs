//! Presets keep to the limits of files, however they are changed.

use solo::{Simulation, bundled};
use solo_core::Seed;
use solo_core::file::MOST_ITEMS;
use solo_core::params::{Field, Kind};

/// The least and the most that a field may be, as typed.
fn ends(field: &Field) -> [String; 2] {
    match field.kind {
        Kind::Number { low, high } => [low.to_string(), high.to_string()],
        Kind::Whole { low, high } => [low.to_string(), high.to_string()],
        Kind::Choice(words) => [words[0], words[words.len() - 1]].map(str::to_string),
        Kind::Text => panic!("{} has no ends", field.name),
    }
}

#[test]
fn days_of_changed_presets_can_be_read_from_files() {
    let mut drawn = 0;
    for problem in bundled().problems() {
        for preset in problem.presets() {
            for field in problem.changes() {
                for value in ends(&field) {
                    let typed = format!("{}:{}={value}", preset.name, field.name);
                    let Ok(day) = problem.draw(&typed, Seed(3), 0) else { continue };
                    assert!((1..=MOST_ITEMS).contains(&day.events()), "{typed}: {}", day.events());
                    let line = day.write().to_string();
                    let read = solo::files::read_lines(bundled(), line.as_bytes(), "f");
                    assert!(read.is_ok(), "{typed}: {}", read.err().unwrap());
                    drawn += 1;
                }
            }
        }
    }
    assert!(drawn > 20, "only {drawn}");
}

#[test]
fn more_items_than_a_file_may_have_are_refused_with_the_limit() {
    for (typed, says) in [
        ("pmsp-online-3:rate=160", "rate is a number from 0.001 to 100"),
        ("pmsp-online-10:rate=1000", "at most 10,000"),
        ("cvrp-dispatch-50:customers=10001", "customers is a whole number from 1 to 10000"),
    ] {
        let error = bundled().draw(typed, 0, 0).err().unwrap().to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn a_rate_of_almost_nothing_is_refused_also_in_the_name_of_a_scenario() {
    let typed = "pmsp-online-3:rate=1e-9";
    let error = bundled().draw(typed, 0, 0).err().unwrap().to_string();
    assert!(error.contains("rate is a number from 0.001"), "{error}");
    let line = bundled().draw("pmsp-online-3:rate=0.1", 0, 0).unwrap().write().to_string();
    let line = line.replace("rate=0.1", "rate=1e-9");
    assert!(line.contains(typed));
    let days = solo::files::read_lines(bundled(), line.as_bytes(), "f").unwrap();
    assert_eq!(days[0].own_law(), None, "such a law is none");
    let wspt = Simulation::of(&*days[0]).agent("wspt").run().unwrap();
    assert!(wspt.cost > 0.0);
    assert!(Simulation::of(&*days[0]).agent("wspt").law(typed).run().is_err());
    // The least rate that is allowed gives days with something to do.
    let day = bundled().draw("pmsp-online-3:rate=0.001", 0, 0).unwrap();
    assert!(day.events() > 0);
}

#[test]
fn twice_the_rate_is_twice_the_jobs_up_to_the_limit() {
    let jobs = |rate: &str| {
        let typed = format!("pmsp-online-3:rate={rate}");
        let jobs = |i| bundled().draw(&typed, 1, i).unwrap().events() as f64;
        (0..4).map(jobs).sum::<f64>() / 4.0
    };
    let (half, whole) = (jobs("50"), jobs("100"));
    assert!((half - 4000.0).abs() < 200.0, "{half}");
    assert!((whole - 8000.0).abs() < 300.0, "{whole}");
}
