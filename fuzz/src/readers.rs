//! Every reader of the project, fed with any bytes. None may panic, hang or allocate much more than it is given.

use solo::{AnyScenario, bundled};
use solo_core::{
    AgentSpec, Audit, Budget, Exchange, LogOf, Offline, Problem, Scenario, Seed, Tape, replay,
    settle,
};
use solo_cvrp::{Routing, RoutingDay, formats as routing, vrplib};
use solo_eval::folder::parse_runs;
use solo_eval::published::Published;
use solo_eval::record::{Record, parse_references};
use solo_eval::suite::Suite;
use solo_learn::checkpoint::decode;
use solo_learn::dqn::SavedDqn;
use solo_learn::{GuideRecipe, Recipe, RecipeVariant};
use solo_nn::{Qnet, Scorer};
use solo_pmsp::{Scheduling, SchedulingDay, formats as scheduling};
use std::sync::{Arc, LazyLock};

/// A reader by its name. It says whether it took its input for good.
pub type Reader = (&'static str, fn(&[u8]) -> bool);

/// All of them.
pub const READERS: &[Reader] = &[
    ("scenarios", scenarios),
    ("solutions", solutions),
    ("vrplib", vrplib),
    ("routes", routes),
    ("liao", liao),
    ("log", log),
    ("suite", suite),
    ("recipe", recipe),
    ("model", model),
    ("checkpoint", checkpoint),
    ("record", record),
    ("answer", answer),
    ("typed", typed),
];

/// The days that solutions, logs and answers are of.
static ROUTING: LazyLock<RoutingDay> =
    LazyLock::new(|| solo_cvrp::presets::generate("cvrp-20", Seed(0), 0).expect("a preset"));
static SCHEDULING: LazyLock<SchedulingDay> =
    LazyLock::new(|| solo_pmsp::presets::generate("pmsp-20", Seed(0), 0).expect("a preset"));

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Scenarios as JSON lines.
pub fn scenarios(bytes: &[u8]) -> bool {
    let Ok(days) = solo::files::read_lines(bundled(), bytes, "f") else { return false };
    for day in &days {
        let _ = (day.own_law(), day.summary(), day.write());
        for extension in ["vrp", "txt"] {
            let _ = day.write_foreign(extension);
        }
    }
    true
}

/// Solutions of a small day of each problem as JSON lines.
pub fn solutions(bytes: &[u8]) -> bool {
    static DAYS: LazyLock<[Box<dyn AnyScenario>; 2]> = LazyLock::new(|| {
        ["cvrp-20", "pmsp-20"].map(|preset| bundled().draw(preset, 0, 0).expect("a preset"))
    });
    let text = text(bytes);
    DAYS.iter().fold(false, |good, day| {
        let mut reader = solo_core::file::Reader::new("f");
        let Some(map) = reader.json(&text) else { return good };
        let mut object = solo_core::file::Object::top(&map);
        let verdict = day.audit(&mut reader, &mut object);
        verdict.is_some_and(|verdict| verdict.good()) || good
    })
}

/// VRPLIB instances.
pub fn vrplib(bytes: &[u8]) -> bool {
    let text = text(bytes);
    let _ = vrplib::read_exact("f.vrp", &text);
    let Ok(day) = vrplib::read("f.vrp", &text) else { return false };
    let _ = vrplib::write(&day);
    let _ = serde_json::to_string(&routing::write(&day));
    true
}

/// VRPLIB solutions of a small day.
pub fn routes(bytes: &[u8]) -> bool {
    vrplib::read_solution(&ROUTING, "f.sol", &text(bytes)).is_ok()
}

/// The offline benchmark's text format.
pub fn liao(bytes: &[u8]) -> bool {
    let Ok(day) = scheduling::read_liao("f.txt", &text(bytes)) else { return false };
    let _ = scheduling::write_liao(&day);
    true
}

/// Logs of both problems, audited and replayed if they can be read.
pub fn log(bytes: &[u8]) -> bool {
    let text = text(bytes);
    let mut good = false;
    if let Ok(log) = LogOf::<Routing>::from_lines("f", &text) {
        let problem = ROUTING.rules(None).expect("rules");
        let _ = problem.audit(&log);
        good |= replay(Arc::new(problem), &log).is_ok();
    }
    if let Ok(log) = LogOf::<Scheduling>::from_lines("f", &text) {
        let problem = SCHEDULING.rules(None).expect("rules");
        let _ = problem.audit(&log);
        good |= replay(Arc::new(problem), &log).is_ok();
    }
    good
}

/// Suites and published values.
pub fn suite(bytes: &[u8]) -> bool {
    let text = text(bytes);
    Suite::parse("f.toml", &text).is_ok() | Published::parse("f.toml", &text).is_ok()
}

/// Recipes of both kinds.
pub fn recipe(bytes: &[u8]) -> bool {
    let text = text(bytes);
    let variants = [RecipeVariant::Paper, RecipeVariant::Default];
    let good = variants.map(|variant| Recipe::parse("f.toml", &text, variant).is_ok());
    good.contains(&true) | GuideRecipe::parse("f.toml", &text).is_ok()
}

/// Weights of networks and of scorers.
pub fn model(bytes: &[u8]) -> bool {
    Qnet::from_safetensors(bytes).is_ok() | Scorer::from_safetensors(bytes).is_ok()
}

/// What is inside a checkpoint; its seal lets only whole ones through.
pub fn checkpoint(bytes: &[u8]) -> bool {
    let sealed = solo_learn::checkpoint::open::<SavedDqn>(bytes, &[0; 32], 0).is_ok();
    decode::<SavedDqn>(bytes).is_some() | sealed
}

/// Recorded days, starts of the program, and reference costs.
pub fn record(bytes: &[u8]) -> bool {
    let known = parse_references("f.csv", &text(bytes), "ruin").is_ok();
    Record::parse("f", bytes).is_ok() | parse_runs("f", bytes).is_ok() | known
}

/// Plans that other people's solvers answer with.
pub fn answer(bytes: &[u8]) -> bool {
    let Ok(answer) = serde_json::from_slice(bytes) else { return false };
    plan(&*ROUTING, &answer) | plan(&*SCHEDULING, &answer)
}

fn plan<S: Scenario<Problem: Exchange>>(day: &S, answer: &serde_json::Value) -> bool {
    let problem = day.rules(None).expect("rules");
    let mut state = problem.initial();
    settle(&problem, &mut state, &mut Tape::new(day.events()));
    let instance = problem.snapshot(&state);
    let plan = problem.plan_from_json(&instance, answer);
    plan.is_ok_and(|plan| problem.plan_cost(&instance, &plan).is_ok())
}

/// What is typed: agents, presets, budgets. A preset's day is drawn.
pub fn typed(bytes: &[u8]) -> bool {
    let text = text(bytes);
    let budget = text.parse::<Budget>().is_ok();
    let preset = bundled().draw(&text, 0, 0).is_ok();
    let Ok(spec) = AgentSpec::parse(&text) else { return budget | preset };
    let agent = bundled().problems().any(|problem| problem.check_agent(&spec).is_ok());
    agent | budget | preset
}
