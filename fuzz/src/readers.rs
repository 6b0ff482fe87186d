//! Every reader of the project, fed with any bytes. None may panic, hang or allocate much more than it is given.

use solo::bundled;
use solo_core::{AgentSpec, Budget, LogOf, PresetSpec, Seed};
use solo_cvrp::{Routing, formats as routing, vrplib};
use solo_eval::published::Published;
use solo_eval::suite::Suite;
use solo_learn::{GuideRecipe, Recipe, RecipeVariant};
use solo_nn::{Qnet, Scorer};
use solo_pmsp::{Scheduling, formats as scheduling};

/// A reader by its name.
pub type Reader = (&'static str, fn(&[u8]));

/// All of them.
pub const READERS: &[Reader] = &[
    ("scenarios", scenarios),
    ("solutions", solutions),
    ("vrplib", vrplib),
    ("liao", liao),
    ("log", log),
    ("suite", suite),
    ("recipe", recipe),
    ("model", model),
    ("typed", typed),
];

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Scenarios as JSON lines.
pub fn scenarios(bytes: &[u8]) {
    let _ = solo::files::read_lines(bundled(), bytes, "f");
}

/// Solutions of a small day as JSON lines.
pub fn solutions(bytes: &[u8]) {
    let day = bundled().draw("cvrp-20", 0, 0).expect("a preset");
    let mut reader = solo_core::file::Reader::new("f");
    if let Some(map) = reader.json(&text(bytes)) {
        let mut object = solo_core::file::Object::top(&map);
        if let Some(verdict) = day.audit(&mut reader, &mut object) {
            let _ = verdict.good();
        }
    }
}

/// VRPLIB instances, and solutions of a small one.
pub fn vrplib(bytes: &[u8]) {
    let text = text(bytes);
    if let Ok(day) = vrplib::read("f.vrp", &text) {
        let _ = vrplib::write(&day);
        let _ = serde_json::to_string(&routing::write(&day));
    }
    let _ = vrplib::read_exact("f.vrp", &text);
    let day = solo_cvrp::presets::generate("cvrp-20", Seed(0), 0).expect("a preset");
    let _ = vrplib::read_solution(&day, "f.sol", &text);
}

/// The offline benchmark's text format.
pub fn liao(bytes: &[u8]) {
    if let Ok(day) = scheduling::read_liao("f.txt", &text(bytes)) {
        let _ = scheduling::write_liao(&day);
    }
}

/// Logs of both problems, replayed if they can be read.
pub fn log(bytes: &[u8]) {
    let text = text(bytes);
    if let Ok(log) = LogOf::<Routing>::from_lines("f", &text) {
        let day = solo_cvrp::presets::generate("cvrp-20", Seed(0), 0).expect("a preset");
        let problem = solo_core::Scenario::rules(&day, None).expect("rules");
        let _ = solo_core::Audit::audit(&problem, &log);
    }
    if let Ok(log) = LogOf::<Scheduling>::from_lines("f", &text) {
        let _ = log.to_lines();
    }
}

/// Suites and published values.
pub fn suite(bytes: &[u8]) {
    let text = text(bytes);
    let _ = Suite::parse("f.toml", &text);
    let _ = Published::parse("f.toml", &text);
}

/// Recipes.
pub fn recipe(bytes: &[u8]) {
    let text = text(bytes);
    for variant in [RecipeVariant::Paper, RecipeVariant::Default] {
        let _ = Recipe::parse("f.toml", &text, variant);
    }
    let _ = GuideRecipe::parse("f.toml", &text);
}

/// Weights.
pub fn model(bytes: &[u8]) {
    let _ = Qnet::from_safetensors(bytes);
    let _ = Scorer::from_safetensors(bytes);
}

/// What is typed: agents, presets, budgets.
pub fn typed(bytes: &[u8]) {
    let text = text(bytes);
    let _ = text.parse::<Budget>();
    let _ = PresetSpec::parse(&text);
    if let Ok(spec) = AgentSpec::parse(&text) {
        for problem in bundled().problems() {
            let _ = problem.check_agent(&spec);
        }
    }
}
