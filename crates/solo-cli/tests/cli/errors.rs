//! Everything that can be typed or handed over wrongly: an answer that helps, never a panic.

use crate::{Room, shared};
use std::time::{Duration, Instant};

const CVRP: &str = r#"{"name":"a","problem":"cvrp","depot":{"x":0,"y":0},"capacity":10,"pace":1,"waiting_weight":0,"horizon":0,"customers":[{"x":1,"y":0,"demand":3,"arrival":0}]}"#;
const PMSP: &str = r#"{"name":"b","problem":"pmsp","machines":2,"horizon":0,"setup":[[0,5],[5,0]],"jobs":[{"processing":4,"weight":1,"class":0,"arrival":0}]}"#;

#[test]
fn broken_scenarios_are_explained() {
    let cases: &[(&str, String, &[&str])] = &[
        ("not JSON", "hello".to_string(), &["f.jsonl:1: not JSON at column 1"]),
        ("a list", "[1]".to_string(), &["f.jsonl:1: should be a JSON object"]),
        (
            "unknown field",
            CVRP.replace("\"pace\"", "\"color\":1,\"pace\""),
            &["f.jsonl:1: color: unknown field"],
        ),
        (
            "misspelt field",
            CVRP.replace("\"demand\"", "\"demnd\""),
            &[
                "customers[0].demand: missing",
                "customers[0].demnd: unknown field; did you mean 'demand'?",
            ],
        ),
        ("missing field", CVRP.replace("\"capacity\":10,", ""), &["f.jsonl:1: capacity: missing"]),
        (
            "missing problem",
            CVRP.replace("\"problem\":\"cvrp\",", ""),
            &["f.jsonl:1: problem: missing"],
        ),
        (
            "unknown problem",
            CVRP.replace("\"cvrp\"", "\"cvpr\""),
            &["problem: 'cvpr' is not a known problem; did you mean 'cvrp'?"],
        ),
        ("empty name", CVRP.replace("\"a\"", "\"\""), &["f.jsonl:1: name: "]),
        (
            "negative number",
            PMSP.replace("\"processing\":4", "\"processing\":-4"),
            &["f.jsonl:1: jobs[0].processing: -4 should be"],
        ),
        (
            "NaN",
            PMSP.replace("\"processing\":4", "\"processing\":NaN"),
            &["f.jsonl:1: not JSON", "NaN"],
        ),
        (
            "NaN as text",
            PMSP.replace("\"processing\":4", "\"processing\":\"NaN\""),
            &["jobs[0].processing: \"NaN\" should be"],
        ),
        ("infinite", PMSP.replace("\"processing\":4", "\"processing\":1e999"), &["f.jsonl:1"]),
        (
            "demand above capacity",
            CVRP.replace("\"demand\":3", "\"demand\":30"),
            &["f.jsonl:1: customers[0].demand: 30", "10"],
        ),
        (
            "non-square setup",
            PMSP.replace("[[0,5],[5,0]]", "[[0,5],[5]]"),
            &["f.jsonl:1: setup[1]: has 1 numbers; should have 2"],
        ),
        (
            "nonzero diagonal",
            PMSP.replace("[[0,5],[5,0]]", "[[0,5],[5,7]]"),
            &["f.jsonl:1: setup[1][1]: 7"],
        ),
        (
            "class out of range",
            PMSP.replace("\"class\":0", "\"class\":2"),
            &["f.jsonl:1: jobs[0].class: 2"],
        ),
        (
            "no customers",
            CVRP.replace(r#"[{"x":1,"y":0,"demand":3,"arrival":0}]"#, "[]"),
            &["f.jsonl:1: customers"],
        ),
        ("truncated", CVRP[..100].to_string(), &["f.jsonl:1: ends in the middle of an object"]),
        ("empty", String::new(), &["f.jsonl: holds no scenario"]),
        ("blank", "\n \r\n".to_string(), &["f.jsonl: holds no scenario"]),
        (
            "duplicate names",
            format!("{CVRP}\n{PMSP}\n{CVRP}\n"),
            &["f.jsonl:3: name: 'a' is the name of two scenarios, on lines 1 and 3"],
        ),
        (
            "two problems",
            format!("{CVRP}\n{PMSP}\n"),
            &["f.jsonl holds scenarios of cvrp and of pmsp"],
        ),
    ];
    for (what, text, says) in cases {
        let room = Room::new();
        room.write("f.jsonl", text);
        let ran = room.run(&["simulate", "f.jsonl"]);
        assert!(!ran.err.is_empty(), "{what} is accepted:\n{}", ran.out);
        assert!(ran.bad(1, says).out.is_empty(), "{what}");
        let says: Vec<String> =
            says.iter().map(|text| text.replace("f.jsonl", "standard input")).collect();
        let says: Vec<&str> = says.iter().map(String::as_str).collect();
        room.run_with(&["solve", "-"], text.as_bytes()).bad(1, &says);
        assert_eq!(room.files(), ["f.jsonl"], "{what}");
    }
}

#[test]
fn all_faults_are_told_at_once() {
    let room = Room::new();
    let first = CVRP.replace("\"demand\":3", "\"demand\":-3").replace("\"pace\":1", "\"pace\":-1");
    let text = format!("{first}\nnonsense\n{}\n", PMSP.replace("\"machines\":2", "\"machines\":0"));
    room.write("f.jsonl", text.as_bytes());
    let says =
        ["f.jsonl:1: pace", "f.jsonl:1: customers[0].demand", "f.jsonl:2: ", "f.jsonl:3: machines"];
    let ran = room.run(&["simulate", "f.jsonl"]).bad(1, &says);
    assert_eq!(ran.err.lines().count(), 4, "{}", ran.err);
}

#[test]
fn line_endings_and_marks_are_accepted() {
    let room = Room::new();
    let second = CVRP.replace("\"a\"", "\"c\"");
    room.write("f.jsonl", format!("\u{feff}{CVRP}\r\n\r\n{second}\r\n"));
    assert_eq!(room.run(&["solve", "f.jsonl", "--budget", "9r", "--json"]).good().json().len(), 2);
    room.write("bytes.jsonl", b"{\"name\":\"a\xff\"}\n");
    room.run(&["solve", "bytes.jsonl"]).bad(1, &["bytes.jsonl:1: byte 11 is not UTF-8"]);
}

#[test]
fn what_cannot_be_read_is_said() {
    let room = Room::new();
    room.run(&["simulate", "gone.jsonl"]).bad(1, &["gone.jsonl: there is no such file"]);
    room.run(&["solve", "gone.vrp"]).bad(1, &["gone.vrp: there is no such file"]);
    room.run(&["check", "gone.vrp", "x.sol"]).bad(1, &["gone.vrp: there is no such file"]);
    std::fs::create_dir(room.path("folder")).unwrap();
    room.run(&["simulate", "folder"]).bad(1, &["folder: is a folder"]);
    room.run(&["solve", "."]).bad(1, &[".: is a folder"]);
    room.write("latin.vrp", b"NAME : caf\xe9\n");
    room.run(&["solve", "latin.vrp"]).bad(1, &["latin.vrp:1: is not UTF-8 text"]);
    room.write("empty.vrp", "");
    room.run(&["solve", "empty.vrp"]).bad(1, &["empty.vrp"]);
    if cfg!(target_os = "linux") {
        room.run(&["simulate", "/proc/self/mem"]).bad(1, &["/proc/self/mem:1: cannot be read"]);
    }
}

#[test]
fn a_million_customers_are_refused_quickly_and_in_little_memory() {
    let room = Room::new();
    let short = r#"{"x":1,"y":0,"demand":3}"#;
    let long = r#"{"x":1.00000000,"y":0.00000000,"demand":3,"arrival":0}"#;
    let with = |customer: &str| {
        let start = CVRP.split_once('[').unwrap().0;
        format!("{start}[{}]}}\n", vec![customer; 1_000_000].join(","))
    };
    room.write("short.jsonl", with(short));
    room.write("long.jsonl", with(long));
    let nodes = |tail: &str| (1..=1_000_000).map(|i| format!("{i}{tail}\n")).collect::<String>();
    let (places, demands) = (nodes(" 1 1"), nodes(" 1"));
    room.write(
        "m.vrp",
        format!(
            "NAME : m\nTYPE : CVRP\nDIMENSION : 1000000\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 9\n\
             NODE_COORD_SECTION\n{places}DEMAND_SECTION\n{demands}DEPOT_SECTION\n1\n-1\nEOF\n"
        ),
    );
    let cases = [
        ("short.jsonl", "at most 10000 are accepted"),
        ("long.jsonl", "is longer than 32 MB"),
        ("m.vrp", "10000"),
    ];
    for (file, says) in cases {
        let began = Instant::now();
        let command = "ulimit -v 600000; exec \"$0\" simulate \"$1\"";
        let output = std::process::Command::new("sh")
            .args(["-c", command, env!("CARGO_BIN_EXE_solo"), file])
            .current_dir(room.path("."))
            .output()
            .unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{file}: {err}");
        assert!(err.contains(file) && err.contains(says), "{file}: {err}");
        assert!(began.elapsed() < Duration::from_secs(10), "{file}: {:?}", began.elapsed());
    }
}

#[test]
fn unknown_names_are_met_with_the_nearest() {
    let room = Room::new();
    let cases: &[(&[&str], &[&str])] = &[
        (&["simulate", "pmsp-onlin-3"], &["did you mean 'pmsp-online-3'?", "solo list"]),
        (&["generate", "cvrp20"], &["did you mean 'cvrp-20'?", "solo list"]),
        (&["generate", "xyz"], &["unknown preset 'xyz'", "solo list"]),
        (
            &["generate", "pmsp-20", "--out", "x.vrp"],
            &["x.vrp: .vrp is an ending of cvrp files", "'pmsp-20' is a preset of pmsp", ".jsonl"],
        ),
        (&["generate", "cvrp-20", "--out", "x.txt"], &["is an ending of pmsp files", ".jsonl"]),
        (&["solve", "cvrp-20"], &["'cvrp-20' is a preset", "solo generate cvrp-20 --out"]),
        (&["simulate", "pmsp-20", "--agent", "wstp"], &["did you mean 'wspt'?", "solo list"]),
        (&["simulate", "pmsp-20", "--agent", "savings"], &["'savings' is one of cvrp"]),
        (&["simulate", "cvrp-20", "--agent", "hold(theta=-1)"], &["theta=-1 is not allowed"]),
        (&["simulate", "cvrp-20", "--agent", "hold(beta=1)"], &["has no parameter 'beta'"]),
        (&["simulate", "cvrp-20", "--agent", "hold("], &["should look like"]),
        (&["simulate", "cvrp-20", "--agent", ""], &["should look like"]),
        (&["simulate", "cvrp-20", "--law", "cvrp-onlin-20"], &["did you mean 'cvrp-online-20'?"]),
        (&["simulate", "cvrp-20", "--law", "pmsp-20"], &["is one of pmsp"]),
        (&["simulate", "cvrp-20", "--budget", "5"], &["is not a budget"]),
        (&["simulate", "cvrp-20", "--budget", "-5s"], &["error"]),
        (&["simulate", "cvrp-20", "--episodes", "0"], &["--episodes"]),
        (&["simulate", "cvrp-20", "--threads", "0"], &["--threads"]),
        (&["simulate", "cvrp-20", "--seed", "x"], &["--seed"]),
        (&["generate", "cvrp-20", "--count", "99999999999999999999"], &["--count"]),
        (&["simulate", "cvrp-20", "--solution", "x.sol", "--episodes", "2"], &["one solution"]),
        (&["simulate", "pmsp-20", "--solution", "x.sol"], &["hold solutions of cvrp"]),
        (&["simulat"], &["similar", "simulate"]),
    ];
    for (args, says) in cases {
        room.run(args).bad(2, says);
    }
    assert!(room.files().is_empty());
}

/// What lies in the folder in which `solo` is started, or above it, may be anybody's.
#[test]
#[cfg(unix)]
fn nothing_of_a_foreign_working_tree_is_run() {
    use std::os::unix::fs::PermissionsExt;
    let room = Room::new();
    let trap = format!("#!/bin/sh\ntouch '{}'\n", room.path("trapped").display());
    std::fs::create_dir_all(room.path("target/rivals/bin")).unwrap();
    std::fs::create_dir_all(room.path("below")).unwrap();
    for name in ["target/rivals/bin/python", "python3", "python"] {
        room.write(name, &trap);
        std::fs::set_permissions(room.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let marker = format!("open({:?}, 'w')", room.path("trapped").to_str().unwrap());
    for module in ["json", "threading", "ortools", "sitecustomize", "ctypes"] {
        room.write(&format!("{module}.py"), &marker);
    }
    let simulate = ["simulate", "cvrp-20", "--agent", "ortools@1ms", "--no-picture"];
    for folder in ["", "below"] {
        let mut command = room.command();
        let command = command.args(simulate).current_dir(room.path(folder));
        let output = command.env_remove("SOLO_PYTHON").output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert!(err.contains("SOLO_PYTHON is not set") && err.contains("cargo xtask"), "{err}");
    }
    // An interpreter that was named imports nothing from here either, whether it has the solver or not.
    let named = std::env::var_os("SOLO_PYTHON").unwrap_or_else(|| "python3".into());
    let mut command = room.command();
    command.args(simulate).env("SOLO_PYTHON", named).output().unwrap();
    // Nor is git asked about the folder: its settings may name programs.
    let git = |words: &[&str]| {
        std::process::Command::new("git").args(words).current_dir(room.path("")).output()
    };
    if git(&["init", "--quiet"]).is_ok_and(|output| output.status.success()) {
        git(&["config", "core.fsmonitor", room.path("python3").to_str().unwrap()]).unwrap();
        let author =
            ["-c", "user.name=a", "-c", "user.email=a", "commit", "--allow-empty", "-m", "a"];
        git(&author).unwrap();
        let _ = std::fs::remove_file(room.path("trapped")); // git itself has asked it by now
        let smoke = "title = \"t\"\n[rows.r]\nagents = [\"wspt\"]\n[[column]]\nname = \"c\"\n\
             preset = \"pmsp-20\"\nfirst = 1\nrows = [\"r\"]\nreference = \"wspt\"\n";
        room.write("s.toml", smoke);
        room.run(&["eval", "s.toml", "--out", "out"]).good();
    }
    assert!(!room.files().contains(&"trapped".to_string()), "something of the folder was run");
}

#[test]
fn control_characters_never_reach_the_terminal() {
    let room = Room::new();
    room.run(&["generate", "cvrp-20", "--out", "a.vrp"]).good();
    let vrp = room.read("a.vrp");
    let named = |name: &str| {
        let line = |line: &str| match line.starts_with("NAME") {
            true => format!("NAME : {name}\n"),
            false => format!("{line}\n"),
        };
        vrp.lines().map(line).collect::<String>()
    };
    let day = room.run(&["generate", "cvrp-20"]).good().out;
    let plain = |args: &[&str], says: &str| {
        let ran = room.run(args);
        let odd = |c: char| c.is_control() && !"\n\t".contains(c) || c == '\u{202e}';
        assert!(!ran.out.contains(odd) && !ran.err.contains(odd), "{:?} {:?}", ran.out, ran.err);
        let said = ran.out.contains(says) || ran.err.contains(says);
        assert!(said, "should say {says}: {} {}", ran.out, ran.err);
        ran
    };
    for (name, shown) in [
        ("a\u{1b}[31mb", "a\\u001b[31mb"),
        ("a\u{9b}31mb", "a\\u009b31mb"),
        ("a\u{7}b", "a\\u0007b"),
        ("a\u{202e}b", "a\\u202eb"),
    ] {
        let json = serde_json::Value::from(name).to_string();
        room.write("b.vrp", named(name));
        room.write("b.jsonl", day.replace("\"cvrp-20/seed0-0\"", &json));
        for file in ["b.vrp", "b.jsonl"] {
            // What only turns the direction of a text is no fault of a name.
            let refused = name.chars().any(char::is_control);
            let says = if refused { "name: should be a text of printable letters" } else { shown };
            let ran = plain(&["simulate", file, "--agent", "savings", "--no-picture"], says);
            assert_eq!(ran.code, Some(i32::from(refused)), "{}", ran.err);
        }
        // Whatever is quoted of a file or of what was typed.
        for file in [day.replace("\"depot\"", &json), day.replace("\"capacity\":30", &json)] {
            room.write("c.jsonl", file);
            plain(&["simulate", "c.jsonl"], "c.jsonl:1");
        }
        plain(&["simulate", "cvrp-20", "--agent", name], &format!("has no agent '{shown}'"));
        plain(&["simulate", name], shown);
    }
    // A file whose name is the scenario's.
    let stem = "x\u{1b}[31m.vrp";
    room.write(stem, named(""));
    plain(&["simulate", stem, "--agent", "savings"], "x\\u001b[31m.vrp: name: should be");
}

#[test]
fn wrong_solutions_are_found() {
    let room = Room::new();
    room.write("f.jsonl", CVRP);
    room.run(&["solve", "f.jsonl", "--budget", "9r", "--out", "s.jsonl"]).good();
    let solution = room.read("s.jsonl");
    let cases: &[(&str, String, &[&str])] = &[
        ("cost", solution.replace("\"cost\":2.0", "\"cost\":3.0"), &["a: the cost is 2, not 3"]),
        ("scenario", solution.replace("\"a\"", "\"z\""), &["scenario: 'z' is not in"]),
        ("problem", solution.replace("\"cvrp\"", "\"pmsp\""), &["'a' is a scenario of cvrp"]),
        ("twice", format!("{solution}{solution}"), &["solved twice, on lines 1 and 2"]),
        ("empty", String::new(), &["holds no solution"]),
        ("customer", solution.replace("\"customer\":0", "\"customer\":7"), &["customer 7"]),
        ("action", solution.replace("\"customer\"", "\"custmer\""), &["s.jsonl:1: decisions[0]"]),
        (
            "time",
            solution.replace("\"time\":0.0", "\"time\":-1"),
            &["decisions[0].time: should be a number of at least 0"],
        ),
        (
            "no decisions",
            r#"{"scenario":"a","problem":"cvrp","decisions":[]}"#.to_string(),
            &["a: "],
        ),
        ("truncated", solution[..40].to_string(), &["s.jsonl:1: ends in the middle"]),
    ];
    for (what, text, says) in cases {
        assert_ne!(text, &solution, "{what}");
        room.write("s.jsonl", text);
        room.run(&["check", "f.jsonl", "s.jsonl"]).bad(1, says);
    }
    room.run(&["check", "f.jsonl", "gone.sol"]).bad(1, &["gone.sol: there is no such file"]);
    room.write("x.sol", "Route #1: 1 x\nCost 2\n");
    room.run(&["check", "f.jsonl", "x.sol"]).bad(1, &["x.sol:1"]);
    let many = shared("cvrp-20.jsonl");
    room.run(&["check", &many, "x.sol"]).bad(1, &["solution of one scenario, here are 100"]);
}

#[test]
fn failed_writes_leave_nothing() {
    let room = Room::new();
    room.run(&["generate", "cvrp-20", "--out", "no/such.jsonl"])
        .bad(1, &["no/such.jsonl: the folder no is not there; make it first"]);
    room.run(&["generate", "cvrp-20", "--out", "."]).bad(1, &["is a folder"]);
    let picture = ["simulate", "cvrp-20", "--picture", "no/such.svg"];
    let ran =
        room.run(&picture).bad(1, &["no/such.svg: the folder no is not there; make it first"]);
    assert_eq!(ran.out, "", "it is tried before the run begins");
    if cfg!(target_os = "linux") {
        room.run(&["generate", "cvrp-20", "--out", "/dev/full"]).bad(1, &["/dev/full"]);
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = room.command().args(["list"]).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: standard output"));
    }
    assert!(room.files().is_empty());
}
