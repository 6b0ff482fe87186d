//! What a user reads, word for word. After a change that is meant: `INSTA_UPDATE=always cargo test -p solo-cli snapshots`.

use crate::Room;

#[test]
fn help_of_every_verb() {
    let room = Room::new();
    insta::assert_snapshot!("help", room.run(&["--help"]).good().out);
    let verbs = [
        "list",
        "agents",
        "generate",
        "simulate",
        "solve",
        "train",
        "teach",
        "eval",
        "report",
        "check",
        "completions",
    ];
    for verb in verbs {
        insta::assert_snapshot!(format!("help-{verb}"), room.run(&[verb, "--help"]).good().out);
    }
}

#[test]
fn presets_and_agents() {
    insta::assert_snapshot!("list", Room::new().run(&["list"]).good().out);
    insta::assert_snapshot!("agents", Room::new().run(&["agents", "solo2"]).good().out);
}

/// Times differ from run to run; everything else does not.
fn without_times(text: &str) -> String {
    let time = |word: &str| ["us", "ms", "s"].contains(&word);
    let mut lines = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let timed = |i: usize| words.get(i + 1).is_some_and(|next| time(next));
        let word = |i: usize| if timed(i) || time(words[i]) { "_" } else { words[i] };
        lines.push((0..words.len()).map(word).collect::<Vec<_>>().join(" "));
    }
    lines.join("\n")
}

#[test]
fn tables_and_explanations() {
    let room = Room::new();
    let args = ["simulate", "pmsp-online-3", "--episodes", "3", "--budget", "20r"];
    insta::assert_snapshot!("simulate", without_times(&room.run(&args).good().out));
    let args = [
        "simulate",
        "cvrp-dispatch-20",
        "--budget",
        "100r",
        "--agent",
        "solo2",
        "--explain",
        "--no-picture",
    ];
    let explained = without_times(&room.run(&args).good().out);
    let first: Vec<&str> = explained.lines().take(24).collect();
    insta::assert_snapshot!("explain", first.join("\n"));
}
