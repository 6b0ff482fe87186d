//! Learning from the outside: killed at any moment, it goes on to the very same weights.

use crate::Room;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

const RECIPE: &str = r#"
presets = ["pmsp-20", "pmsp-online-3"]

[validation]
preset = "pmsp-20"
days = 4
every = 400
rule = "wspt"
reference = "ruin@50r"

[paper]
total_steps = 2_000
target_update = 100
initial_random_steps = 100
learning_starts = 100
train_frequency = 1
discount = 0.9
batch = 8
replay = 300
priority_alpha = 0.5
priority_beta = 0.4
priority_floor = 1e-6
exploration_fraction = 0.3
exploration_final = 0.1
learning_rate = 1e-3
learning_rate_final = 0.1
clip = 200.0
double = true
dueling = true
n_step = 2
hidden = 16
passes = 1
aggregate = "mean"
worlds = 4
reward_scale = 1000.0
baseline = "insertion"
reward_floor = 10.0
rule_fraction = 0.2
average = 0.9
features = "base"
symmetry = false

[default]
train_frequency = 2
"#;

fn room() -> Room {
    let room = Room::new();
    room.write("r.toml", RECIPE);
    room
}

#[test]
fn killed_at_random_moments_it_goes_on_to_the_same_weights() {
    let room = room();
    room.run(&["train", "r.toml", "--out", "whole", "--threads", "2"]).good();
    let curve = || {
        let curve = fs::read_to_string(room.path("parts").join("curve.csv"));
        curve.map_or(0, |text| text.lines().count())
    };
    let mut kills = 0;
    // Each time it gets at least one validation further, or is killed before it has written anything; then a moment
    // passes, so that it is killed anywhere in its work.
    for moment in [0, 3, 11, 1, 40, 7, 23, 90].into_iter().cycle() {
        let before = curve();
        let mut command = room.command();
        let command =
            command.args(["train", "r.toml", "--out", "parts", "--resume", "--threads", "1"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while kills > 0 && curve() <= before && child.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(2));
        }
        sleep(Duration::from_millis(moment));
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    assert!(kills > 3, "killed {kills} times");
    let weights = |folder: &str| fs::read(room.path(folder).join("best.safetensors")).unwrap();
    let net = |file: &[u8]| solo_nn::Qnet::from_safetensors(file).unwrap().0;
    assert_eq!(net(&weights("whole")).params(), net(&weights("parts")).params());
    let costs = |folder: &str| -> Vec<String> {
        let curve = fs::read_to_string(room.path(folder).join("curve.csv")).unwrap();
        // All but the seconds, which the clock decides.
        curve.lines().map(|line| line.rsplit_once(',').unwrap().0.to_string()).collect()
    };
    assert_eq!(costs("whole"), costs("parts"));
    let learnt = room.path("whole").join("best.safetensors");
    let agent = format!("qnet(model={})", learnt.display());
    room.run(&["simulate", "pmsp-20", "--agent", &agent, "--no-picture"]).good();
}

#[test]
fn a_checkpoint_that_cannot_be_used_is_left_as_it_is() {
    let room = room();
    room.run(&["train", "r.toml", "--out", "run"]).good();
    let path = room.path("run").join("checkpoint");
    let whole = fs::read(&path).unwrap();
    let train = ["train", "r.toml", "--out", "run", "--resume"];
    room.run(&train[..4]).bad(1, &["checkpoint is there already", "--resume", "--out"]);
    room.run(&[&train[..], &["--seed", "5"]].concat()).bad(1, &["made with seed 0"]);
    room.run(&[&train[..], &["--paper"]].concat()).bad(1, &["another recipe"]);
    for (contents, says) in [
        (&whole[..whole.len() / 2], "damaged"),
        (&b"something else"[..], "not a checkpoint"),
        (&b""[..], "not a checkpoint"),
    ] {
        fs::write(&path, contents).unwrap();
        room.run(&train).bad(1, &["checkpoint: ", says, "left as it is"]);
        assert_eq!(fs::read(&path).unwrap(), contents);
    }
    fs::write(&path, &whole).unwrap();
    room.run(&train).good();
}

#[test]
fn mistakes_are_named() {
    let room = room();
    let with = |from: &str, to: &str| {
        room.write("bad.toml", RECIPE.replacen(from, to, 1));
        room.run(&["train", "bad.toml"])
    };
    with("batch = 8", "batch = 0")
        .bad(1, &["bad.toml:18: paper.batch: 0 should be a whole number from 1"]);
    with("batch = 8", "batsh = 8").bad(1, &["bad.toml", "batsh", "batch"]);
    with("discount = 0.9", "discount = \"no\"").bad(1, &["bad.toml:17: paper.discount: "]);
    with("train_frequency = 2", "n_steps = 2").bad(1, &["bad.toml", "n_steps"]);
    with("\"pmsp-20\", ", "\"pmsp-21\", ").bad(2, &["unknown preset 'pmsp-21'", "pmsp-20"]);
    with("\"pmsp-20\", ", "\"cvrp-20\", ").bad(2, &["a preset of cvrp", "one of pmsp"]);
    with("rule = \"wspt\"", "rule = \"wsp\"").bad(2, &["wsp", "wspt"]);
    with("baseline = \"insertion\"", "baseline = \"savings\"")
        .bad(1, &["savings", "wspt", "insertion"]);
    room.run(&["train", "nowhere.toml"]).bad(1, &["nowhere.toml"]);
    room.write("file", "");
    room.run(&["train", "r.toml", "--out", "file/run"]).bad(1, &["file/run", "cannot make"]);
}

#[test]
fn a_recipe_of_the_other_kind_is_called_so() {
    let room = room();
    let recipe = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes");
        folder.join(name).to_str().unwrap().to_string()
    };
    room.run(&["teach", "r.toml"])
        .bad(1, &["r.toml: this is the recipe of a network", "'solo train'"]);
    let guide = recipe("guide-pmsp-online-3.toml");
    room.run(&["train", &guide]).bad(1, &["this is the recipe of a guide", "'solo teach'"]);
    assert_eq!(room.files(), ["r.toml"], "nothing is written");
}

#[test]
fn too_much_memory_is_refused_before_anything_is_measured() {
    let room = room();
    let large = RECIPE.replace("replay = 300", "replay = 900_000_000");
    room.write("large.toml", large.replace("ruin@50r", "ruin@1000000000r"));
    room.run(&["train", "large.toml"])
        .bad(1, &["'large' would take up to about", "at most 32 GB", "lower replay"]);
}

#[test]
fn lines_of_progress_fit_80_columns() {
    let room = room();
    let ran = room.run(&["train", "r.toml", "--out", "run"]).good();
    assert!(ran.out.contains("rule: wspt, validation cost ") && ran.out.contains("to reference"));
    assert_eq!(ran.out.lines().count(), 10, "{}", ran.out);
    for line in ran.out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_folder_has_one_learner_at_a_time_and_a_killed_one_frees_it() {
    let room = room();
    room.write("long.toml", RECIPE.replace("total_steps = 2_000", "total_steps = 200_000_000"));
    let train = ["train", "long.toml", "--out", "run", "--resume"];
    let mut command = room.command();
    let command = command.args(train).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    while !room.path("run").join("checkpoint").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended");
        sleep(Duration::from_millis(5));
    }
    let holder = format!("process {} is writing to this folder", child.id());
    room.run(&train).bad(1, &["run", &holder, "choose another"]);
    room.run(&["train", "r.toml", "--out", "run", "--resume"]).bad(1, &[&holder]);
    child.kill().unwrap();
    child.wait().unwrap();
    // The folder is free; its checkpoint is of the other recipe.
    room.run(&["train", "r.toml", "--out", "run", "--resume"]).bad(1, &["another recipe"]);
}

#[test]
fn a_finished_run_writes_missing_and_stale_files_anew() {
    let room = room();
    room.run(&["train", "r.toml", "--out", "run"]).good();
    let read = |name: &str| fs::read(room.path("run").join(name)).unwrap();
    let [curve, best] = ["curve.csv", "best.safetensors"].map(read);
    room.write("run/curve.csv", "step\n");
    fs::remove_file(room.path("run/best.safetensors")).unwrap();
    room.run(&["train", "r.toml", "--out", "run", "--resume"]).good();
    assert_eq!(["curve.csv", "best.safetensors"].map(read), [curve, best]);
}

#[test]
#[cfg(unix)]
fn an_unwritable_folder_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let room = room();
    fs::create_dir(room.path("run")).unwrap();
    let allow = |mode| {
        fs::set_permissions(room.path("run"), fs::Permissions::from_mode(mode)).unwrap();
    };
    allow(0o555);
    // Who may do everything, as in a container, may also write here.
    if fs::write(room.path("run").join("probe"), "").is_err() {
        room.run(&["train", "r.toml", "--out", "run"])
            .bad(1, &["run", "cannot write", "choose another place"]);
    }
    allow(0o755);
}
