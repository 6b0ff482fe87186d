//! The table of `docs/guide/messages.md`, row by row.

use crate::Room;
use serde_json::{Value, json};

/// The days that the table speaks of.
fn files(room: &Room) {
    let customer =
        |x: f64, y: f64, arrival: f64| json!({"x": x, "y": y, "demand": 4, "arrival": arrival});
    let day = json!({
        "name": "monday", "problem": "cvrp", "depot": {"x": 0.5, "y": 0.5}, "capacity": 30, "pace": 1,
        "waiting_weight": 0.05, "horizon": 10,
        "customers": [customer(0.2, 0.7, 0.0), customer(0.8, 0.1, 3.5)],
    });
    room.write("monday.jsonl", day.to_string());
    let mut roads = day.clone();
    roads["distance"] = json!([[0, 1, 2], [1, 0, 1], [2, 1, 0]]);
    room.write("roads.jsonl", roads.to_string());
    let mut small = day.clone();
    small["capacity"] = json!(8);
    room.write("small.jsonl", small.to_string());
    let drawn = ["generate", "cvrp-dispatch-20:length=9.2,time=3", "--out", "drawn.jsonl"];
    room.run(&drawn).good();
    let mut km: Value = serde_json::from_str(room.read("drawn.jsonl").trim()).unwrap();
    km["name"] = json!("km");
    room.write("km.jsonl", km.to_string());
    let job = |class: u32| json!({"processing": 20, "weight": 1, "class": class, "arrival": 0});
    let shop = json!({
        "name": "shop", "problem": "pmsp", "machines": 3, "horizon": 2080, "setup": vec![vec![0; 6]; 6],
        "jobs": [job(0), job(5)],
    });
    room.write("shop.jsonl", shop.to_string());
    let mut lists = shop.clone();
    lists["setup"] = json!(vec![vec![0; 5]; 5]);
    lists["jobs"] = json!([job(0)]);
    lists["jobs"][0]["processing"] = json!([20, null, 30]);
    room.write("lists.jsonl", lists.to_string());
}

#[test]
fn every_message_of_the_guide_is_said() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/messages.md");
    let page = std::fs::read_to_string(page).unwrap();
    let room = Room::new();
    files(&room);
    let mut rows = 0;
    for line in page.lines().filter(|line| line.starts_with('|') && line.contains('`')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [situation, command, said] = cells[..] else { panic!("three cells: {line}") };
        let mut words: Vec<&str> = command.trim_matches('`').split(' ').collect();
        if !words.contains(&"--budget") {
            words.extend(["--budget", "6r"]);
        }
        words.push("--no-picture");
        let mut command = room.command();
        let output = command.args(&words).env("SOLO_PYTHON", "no-such-python").output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\n', " ");
        let heard = format!("{} {}", text(&output.stdout), text(&output.stderr));
        assert!(heard.contains(said), "{situation}: {words:?} said {heard}");
        // A note lets the program succeed, an error does not, and both are never silent.
        let is_note = words.iter().any(|word| said.starts_with(&format!("{word}: ")));
        assert!(!is_note || output.status.success(), "{situation}: {heard}");
        rows += 1;
    }
    assert!(rows > 15, "{rows} rows");
}
