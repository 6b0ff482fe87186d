//! The project's chores. `cargo xtask test` is everything a change must pass.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod house;
mod pages;
mod rivals;

use pages::Mode;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

const USAGE: &str = "usage: cargo xtask test [--all] | house | pages [--check] [PAGE] | rivals | bench-nn [CASE]

  bench-nn     install PyTorch (Python 3) into target/pytorch and measure the network beside it
  house        the house rules alone: lengths, dependencies, words, widths, links
  pages        run every command of README.md and docs/guide, and write what they print into the pages
  pages --check  the same, but compare what they print with the pages
  rivals       install the solvers that we compare with (Python 3) into target/rivals, and say how to name them
  test         format, lints, documentation, house rules, every test, the examples, README and guide
  test --all   the same with the slow tests, which are otherwise reported as ignored";

/// The tests on CVRPLIB's instances.
const INSTANCE_TESTS: [&str; 2] =
    ["the_x_instances_are_read_with_their_solutions", "cvrplib_within_one_percent"];

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["bench-nn"] => bench_nn(""),
        ["bench-nn", case] => bench_nn(case),
        ["house"] => house::check(root()),
        ["pages"] => pages(Mode::Write, ""),
        ["pages", "--check"] => pages(Mode::Check, ""),
        ["pages", "--check", page] => pages(Mode::Check, page),
        ["pages", page] => pages(Mode::Write, page),
        ["rivals"] => rivals::install(root()).map(|python| {
            if let Some(python) = python {
                println!("xtask: to run them, name their interpreter:");
                println!("export SOLO_PYTHON='{}'", python.display());
            }
        }),
        ["test"] => test(false),
        ["test", "--all"] => test(true),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("xtask: {what}");
            ExitCode::FAILURE
        }
    }
}

/// The project's folder.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the workspace")
}

/// Cargo, in the project's folder.
fn cargo(words: &str) -> Command {
    let mut command = Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.args(words.split(' ')).current_dir(root());
    command
}

/// Runs the pages whose path contains `only`.
fn pages(mode: Mode, only: &str) -> Result<(), String> {
    pages::execute(root(), &mut cargo("build --release --locked"), mode, only)
}

/// `solo-bench nn` beside PyTorch, for the cases whose name holds `case`.
fn bench_nn(case: &str) -> Result<(), String> {
    let Some(python) = rivals::install_pytorch(root())? else { return Ok(()) };
    let mut command = cargo("run --release --locked -p solo-bench -- nn");
    command.arg(case).arg("--against").arg(python).arg("benches/pytorch/bench.py");
    run("measure", &mut command)
}

/// Everything, in order of how soon it fails.
fn test(slow: bool) -> Result<(), String> {
    let started = Instant::now();
    let root = root();
    components()?;
    run("format", &mut cargo("fmt --all --check"))?;
    step("house rules");
    house::check(root)?;
    run("lints", &mut cargo("clippy --quiet --workspace --all-targets --locked -- -D warnings"))?;
    let mut doc = cargo("doc --quiet --workspace --no-deps --locked");
    run("documentation", doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    deny(&mut cargo("deny --locked check"))?;
    let mut tests = cargo("test --workspace --locked");
    // Public instances that are not part of the project: beside it, or where SOLO_CVRPLIB says.
    let instances =
        env::var_os("SOLO_CVRPLIB").map_or(root.join("../shared/data/cvrplib"), PathBuf::from);
    let instances = instances.canonicalize().ok();
    if slow {
        tests.args(["--", "--include-ignored"]);
        tests.args(INSTANCE_TESTS.iter().flat_map(|test| ["--skip", *test]));
    }
    if let Some(python) = rivals::install(root)? {
        tests.env("SOLO_PYTHON", python);
    }
    run("tests", &mut tests)?;
    match instances {
        Some(folder) => {
            let mut tests =
                cargo("test --workspace --locked --test vrplib --test ruin -- --ignored");
            run("CVRPLIB", tests.args(INSTANCE_TESTS).env("SOLO_CVRPLIB", folder))?;
        }
        None => println!("xtask: CVRPLIB: skipped, because its instances are not here"),
    }
    // The tests have built them.
    let examples = target(root).join("debug/examples");
    for example in house::stems(&root.join("crates/solo/examples")) {
        let program = examples.join(format!("{example}{}", env::consts::EXE_SUFFIX));
        run(&format!("example {example}"), Command::new(program).stdout(Stdio::null()))?;
    }
    pages(Mode::Check, "")?;
    println!("xtask: all passed in {} s", started.elapsed().as_secs());
    Ok(())
}

/// Licences, advisories and duplicates, where the tool for it is installed.
fn deny(check: &mut Command) -> Result<(), String> {
    let tool = Command::new("cargo-deny").arg("--version").output();
    if tool.is_ok_and(|output| output.status.success()) {
        return run("dependencies", check);
    }
    println!("xtask: dependencies: skipped, because cargo-deny is not installed");
    Ok(())
}

/// The parts of the toolchain that a minimal installation lacks.
fn components() -> Result<(), String> {
    for (tool, component) in [("rustfmt", "rustfmt"), ("cargo-clippy", "clippy")] {
        let present =
            Command::new(tool).arg("--version").output().is_ok_and(|o| o.status.success());
        if !present {
            run("install", Command::new("rustup").args(["component", "add", component]))?;
        }
    }
    Ok(())
}

/// Where cargo builds.
fn target(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), |dir| root.join(dir))
}

fn step(name: &str) {
    println!("xtask: {name}");
}

fn run(name: &str, command: &mut Command) -> Result<(), String> {
    step(name);
    let status = command.status().map_err(|e| format!("{name}: cannot start {command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed ({status})")) }
}
