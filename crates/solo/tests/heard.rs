//! What a session hears may be anything: what the rules have no place for is refused, and nothing has changed.

use solo_core::{Problem, Refused, Scenario, Seed, Session};
use solo_cvrp::{Point, Travel};
use std::fmt::Debug;
use std::sync::Arc;

fn refuses<P: Problem<State: Debug + PartialEq>>(
    problem: P,
    good: P::Event,
    bad: impl IntoIterator<Item = (P::Event, &'static str)>,
) {
    let mut session = Session::open(Arc::new(problem));
    session.hear(0.0, good.clone()).unwrap();
    let (state, log) = (session.state().clone(), session.log().clone());
    for (event, says) in bad {
        let error = session.hear(0.0, event.clone()).unwrap_err();
        assert!(matches!(error, Refused::Event { .. }), "{event}: {error}");
        assert!(error.to_string().contains(says), "{event}: {error}");
        assert_eq!((session.state(), session.log()), (&state, &log), "{event}");
    }
    let error = session.hear(0.0, good).unwrap_err().to_string();
    assert!(error.contains("already"), "{error}");
}

#[test]
fn jobs_without_a_place_are_refused() {
    let day = solo_pmsp::presets::generate("pmsp-online-3", Seed(1), 0).unwrap();
    let job = |id, time: f64, weight, class| {
        let processing = time.into();
        solo_pmsp::Event::Job { id, processing, weight, class }
    };
    refuses(
        day.rules(None).unwrap(),
        job(0, 3.0, 2.0, 4),
        [
            (job(1, 3.0, 2.0, 5), "class 5 among 5"),
            (job(1, 3.0, 2.0, u32::MAX), "among 5"),
            (job(1, f64::NAN, 2.0, 0), "not from 0 to"),
            (job(1, -1.0, 2.0, 0), "not from 0 to"),
            (job(1, 3.0, f64::INFINITY, 0), "not from 0 to"),
            (job(u32::MAX, 3.0, 2.0, 0), "no number of a job"),
        ],
    );
}

#[test]
fn customers_without_a_place_are_refused() {
    let mut day = solo_cvrp::presets::generate("cvrp-dispatch-20", Seed(1), 0).unwrap();
    let call = |id, x, demand| solo_cvrp::Event::Customer { id, at: Point { x, y: 0.5 }, demand };
    let bad = || {
        [
            (call(1, f64::NAN, 1), "not within"),
            (call(1, 1e300, 1), "not within"),
            (call(1, 0.5, 31), "more than the 30"),
            (call(u32::MAX, 0.5, 1), "no number of a customer"),
        ]
    };
    refuses(day.rules(None).unwrap(), call(0, 0.5, 1), bad());
    let matrix = solo_cvrp::Matrix { side: 2, flat: vec![0.0, 1.0, 1.0, 0.0] };
    day.travel = Travel::Matrix(Arc::new(matrix));
    let unmapped = (call(1, 0.5, 1), "not among the 2 places");
    refuses(day.rules(None).unwrap(), call(0, 0.5, 1), [unmapped]);
}
