//! Being cut short: Ctrl-C, and readers that go away.
#![cfg(unix)]

use crate::Room;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Runs until `begun`, sends an interrupt, and returns exit code, standard output and standard error.
fn interrupted(
    room: &Room,
    args: &[&str],
    begun: impl Fn() -> bool,
) -> (Option<i32>, String, String) {
    let mut command = room.command();
    let command = command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    while !begun() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it was interrupted");
        sleep(Duration::from_millis(5));
    }
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn an_interrupt_keeps_what_is_done() {
    let room = Room::new();
    // Days are in the record as soon as they end: once a few are there it is under way, however slow the machine.
    let args = ["simulate", "cvrp-100", "--episodes", "1000000", "--record"];
    let lines = |file: &str| {
        std::fs::read_to_string(room.path(file)).map_or(0, |text| text.lines().count())
    };
    let args_a = [&args[..], &["a.jsonl"]].concat();
    let (code, out, err) = interrupted(&room, &args_a, || lines("a.jsonl") > 50);
    assert_eq!(code, Some(130), "{err}");
    assert!(out.contains("mean cost") && out.contains("savings"), "{out}");
    let done = err.strip_prefix("note: interrupted after ").expect(&err);
    let (done, all) = done.split_once(" of ").expect(&err);
    assert!(done.parse::<u64>().unwrap() > 0 && all.trim() == "1000000 episodes", "{err}");

    let args_b = [&args[..], &["b.jsonl", "--json"]].concat();
    let (code, out, _) = interrupted(&room, &args_b, || lines("b.jsonl") > 50);
    assert_eq!(code, Some(130));
    assert!(out.lines().count() > 10 && out.ends_with("}\n"), "whole lines");
}

#[test]
fn learning_that_is_interrupted_while_it_measures_the_reference_says_so() {
    let room = Room::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes");
    for (verb, recipe) in [("teach", "guide-pmsp-online-3.toml"), ("train", "pmsp-online-3.toml")] {
        let text = std::fs::read_to_string(folder.join(recipe)).unwrap();
        assert!(text.contains("ruin@300r"), "{text}");
        room.write("slow.toml", text.replace("ruin@300r", "ruin@1000000000r"));
        let out = format!("{verb}-run");
        let lock = || room.path(&out).join("lock").exists();
        let (code, out, err) =
            interrupted(&room, &[verb, "slow.toml", "--out", &out, "--threads", "2"], lock);
        assert_eq!(code, Some(130), "{err}");
        assert!(err.contains("interrupted; --resume goes on"), "{err}");
        assert!(!out.contains("validation cost"), "{out}");
    }
}

#[test]
fn an_interrupted_file_is_not_left_half_written() {
    let room = Room::new();
    let args = ["generate", "cvrp-100", "--count", "10000000", "--out", "many.jsonl"];
    let (code, out, _) = interrupted(&room, &args, || !room.files().is_empty());
    assert_eq!((code, out.as_str()), (Some(130), ""));
    assert!(room.files().is_empty(), "{:?}", room.files());
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let room = Room::new();
    for args in [
        &["generate", "cvrp-20", "--count", "1000000"][..],
        &["simulate", "cvrp-20", "--episodes", "1000000", "--json"],
    ] {
        let mut command = room.command();
        let command = command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with('{'));
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    }
}
