//! Everything that a child can do wrong, done.

mod common;

use common::{ends, pool, python, routing, runs, solve};
use solo_core::{Budget, Failure};
use solo_cvrp::Routing;
use solo_rivals::{Child, External, Rival, SolverPool};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The shared loop with a solver of the test's own.
macro_rules! rival {
    ($name:literal, $solve:literal) => {
        Rival::custom(
            $name,
            concat!(
                include_str!("../adapters/serve.py"),
                "\nimport os, signal\ndef load():\n    def solve(instance, seconds, seed, options):\n        ",
                $solve,
                "\n    return 'test 1.0', solve\nserve(load)\n"
            ),
        )
    };
}

const GOOD: Rival =
    rival!("good", "return {'routes': [[k] for k in range(1, len(instance['demand']))]}");

fn ask(rival: Rival, patience: u64, pool: &SolverPool) -> Result<solo_cvrp::plan::Plan, Failure> {
    let (problem, state) = routing("cvrp-20", 0);
    let mut solver = External::<Routing>::new(rival, pool.clone());
    solver.patience = Duration::from_millis(patience);
    solve(&problem, &state, &mut solver, Budget::Wall(Duration::from_millis(50)))
}

#[test]
fn a_good_child_answers_and_is_used_again() {
    if !python() {
        return;
    }
    let pool = pool();
    let plan = ask(GOOD, 60_000, &pool).expect("a plan");
    assert_eq!(plan.routes.len(), 20);
    let first = pool.ids();
    ask(GOOD, 60_000, &pool).expect("a plan again");
    assert_eq!(pool.ids(), first, "the same process answered");
    drop(pool);
    assert!(ends(first[0]), "the pool takes its children with it");
}

/// Workers come and go; a child that one of them asked for first must serve the others.
#[test]
fn a_child_outlives_the_thread_that_asked_for_it() {
    if !python() {
        return;
    }
    let pool = pool();
    std::thread::scope(|scope| scope.spawn(|| ask(GOOD, 60_000, &pool).expect("a plan")).join())
        .expect("the worker ends well");
    std::thread::sleep(Duration::from_millis(200));
    let first = pool.ids();
    ask(GOOD, 60_000, &pool).expect("a plan from the same child");
    assert_eq!(pool.ids(), first);
}

#[test]
fn without_a_name_no_interpreter_is_looked_for() {
    let failure = ask(GOOD, 60_000, &SolverPool::new(None)).unwrap_err();
    assert!(matches!(failure, Failure::Missing(_)), "{failure}");
    assert!(failure.to_string().contains("SOLO_PYTHON is not set"), "{failure}");
    assert!(failure.to_string().contains("cargo xtask rivals"), "{failure}");
}

#[test]
fn a_missing_interpreter_is_named() {
    let Err(failure) = Child::start("nobody", Path::new("no/such/python"), "") else { panic!() };
    assert!(
        matches!(&failure, Failure::Missing(why) if why.contains("no/such/python")),
        "{failure}"
    );
}

#[test]
fn a_missing_library_is_named() {
    if !python() {
        return;
    }
    const LACKING: Rival = Rival::custom(
        "lacking",
        concat!(
            include_str!("../adapters/serve.py"),
            "\ndef load():\n    import a_solver_that_nobody_has\nserve(load)\n"
        ),
    );
    let failure = ask(LACKING, 60_000, &pool()).unwrap_err();
    assert!(
        matches!(&failure, Failure::Missing(why) if why.contains("a_solver_that_nobody_has")),
        "{failure}"
    );
}

#[test]
fn a_slow_child_is_ended() {
    if !python() {
        return;
    }
    let slow = rival!("slow", "time.sleep(60)");
    let started = Instant::now();
    let failure = ask(slow, 300, &pool()).unwrap_err();
    assert!(matches!(&failure, Failure::Late(why) if why.contains("slow")), "{failure}");
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_killed_child_is_reported_with_its_last_words() {
    if !python() {
        return;
    }
    let killed =
        rival!("killed", "print('I was here', flush=True); os.kill(os.getpid(), signal.SIGKILL)");
    let failure = ask(killed, 60_000, &pool()).unwrap_err();
    assert!(matches!(&failure, Failure::Died(why) if why.contains("signal: 9")), "{failure}");
}

#[test]
fn garbage_is_recognised() {
    if !python() {
        return;
    }
    const CHATTY: Rival =
        Rival::custom("chatty", "print('hello there')\nimport time\ntime.sleep(60)\n");
    let failure = ask(CHATTY, 60_000, &pool()).unwrap_err();
    assert!(matches!(&failure, Failure::Garbage(why) if why.contains("hello there")), "{failure}");
    let shapeless = rival!("shapeless", "return {'routes': 'all of them'}");
    let failure = ask(shapeless, 60_000, &pool()).unwrap_err();
    assert!(matches!(&failure, Failure::Garbage(why) if why.contains("routes")), "{failure}");
}

#[test]
fn an_infeasible_plan_is_refused() {
    if !python() {
        return;
    }
    let lazy = rival!("lazy", "return {'routes': [[1]]}");
    let failure = ask(lazy, 60_000, &pool()).unwrap_err();
    assert!(matches!(failure, Failure::Infeasible(_)), "{failure}");
    let greedy = rival!("greedy", "return {'routes': [list(range(1, len(instance['demand'])))]}");
    let failure = ask(greedy, 60_000, &pool()).unwrap_err();
    assert!(matches!(failure, Failure::Infeasible(_)), "{failure}");
}

#[test]
fn an_error_in_the_solver_is_passed_on_and_the_child_lives() {
    if !python() {
        return;
    }
    let failing = rival!("failing", "raise ValueError('not today')");
    let pool = pool();
    let failure = ask(failing, 60_000, &pool).unwrap_err();
    assert!(matches!(&failure, Failure::Refused(why) if why.contains("not today")), "{failure}");
    assert_eq!(pool.ids().len(), 1, "it can be asked again");
}

#[test]
fn rollouts_are_declined() {
    let (problem, state) = routing("cvrp-20", 0);
    let mut solver = External::<Routing>::new(GOOD, pool());
    let failure = solve(&problem, &state, &mut solver, Budget::Rollouts(9)).unwrap_err();
    assert!(
        matches!(&failure, Failure::Refused(why) if why.contains("--budget 100ms")),
        "{failure}"
    );
}

/// A parent that is killed cannot clean up; its child must go by itself, even in the middle of a solve.
#[test]
fn no_child_outlives_its_parent() {
    if !python() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("solo-orphan-{}", std::process::id()));
    let mut parent = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "victim", "--include-ignored", "--nocapture"])
        .env("SOLO_VICTIM", &folder)
        .spawn()
        .expect("starts");
    let started = Instant::now();
    let child = loop {
        let told = std::fs::read_to_string(&folder).unwrap_or_default();
        if let Ok(id) = told.trim().parse::<u32>() {
            break id;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "the child never said its number");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(runs(child), "it is in the middle of a solve");
    parent.kill().expect("killed");
    parent.wait().expect("gone");
    assert!(ends(child), "process {child} outlived its parent");
    let _ = std::fs::remove_file(folder);
}

/// Not a test by itself: the parent that [`no_child_outlives_its_parent`] kills.
#[test]
#[ignore = "no test: started and killed by no_child_outlives_its_parent"]
fn victim() {
    if std::env::var_os("SOLO_VICTIM").is_none() {
        return;
    }
    let busy = rival!(
        "busy",
        "open(os.environ['SOLO_VICTIM'], 'w').write(str(os.getpid())); time.sleep(100)"
    );
    let _ = ask(busy, 200_000, &pool());
}
