//! Every agent of every problem keeps to the rules: none sees the future, and all answer.

use solo::{Entry, Settings, Solvers, problems};
use solo_core::params::AgentSpec;
use solo_core::testing::fork;
use solo_core::{AgentKind, Budget, RulesOf, Scenario, Seed};

/// Agents that are no agents, or other people's processes.
const LEFT_OUT: [&str; 8] = [
    "hindsight",
    "ortools",
    "ortools-gls",
    "ortools-waiting",
    "pyvrp",
    "cpsat",
    "cpsat-circuits",
    "cpoptimizer",
];

fn check<S: Scenario>(
    entry: &Entry<S>,
    draw: fn(&str, Seed, u64) -> Result<S, solo_core::SpecError>,
    preset: &str,
) where
    RulesOf<S>: Sized,
{
    let day = draw(preset, Seed(21), 0).unwrap();
    let (problem, events) = (day.rules(Some(preset)).unwrap(), day.events());
    for agent in entry.agents().iter().filter(|agent| !LEFT_OUT.contains(&agent.name)) {
        let spec = AgentSpec::parse(agent.name).unwrap();
        let mut make =
            |_: &[_]| entry.make(&spec, Some(preset), &Solvers::default()).unwrap().agent;
        let budget = Budget::Rollouts(if agent.name.starts_with("solo") { 2 } else { 10 });
        // Decisions spread over the day; the first and the last are the likeliest to differ.
        fork(&problem, &events, &mut make, budget, Seed(1), &|k| k % 9 == 0)
            .unwrap_or_else(|error| panic!("{preset}, {}: {error}", agent.name));
    }
}

#[test]
fn no_agent_sees_the_future() {
    check(&problems::pmsp(), solo_pmsp::presets::generate, "pmsp-online-3");
    check(&problems::cvrp(), solo_cvrp::presets::generate, "cvrp-dispatch-20");
}

/// On every preset it finishes its day, whatever it was trained for, and it does the same again.
#[test]
fn the_rewriter_decides_days_of_every_preset() {
    let settings = || Settings { budget: Budget::Rollouts(3), keep: true, ..Settings::default() };
    let spec = AgentSpec::parse("rewriter").unwrap();
    let always = AgentSpec::parse("rewriter(replan=always)").unwrap();
    for problem in solo::bundled().problems() {
        for preset in problem.presets() {
            let day = problem.draw(preset.name, Seed(31), 0).unwrap();
            let run = |spec| {
                let outcome = day.simulate(spec, &settings()).map_err(|error| error.to_string())?;
                Ok::<_, String>((outcome.cost, outcome.day.unwrap().decisions()))
            };
            assert_eq!(run(&spec), run(&spec), "{}", preset.name);
            match run(&always) {
                Ok((cost, _)) => assert!(cost > 0.0),
                Err(declined) => {
                    let why = match preset.name.contains("unrelated") {
                        true => "these machines are unrelated",
                        false => "was trained for 5 classes; this day has 2",
                    };
                    assert!(declined.contains(why), "{}: {declined}", preset.name);
                    let other = ["classes", "tiny", "unrelated"];
                    assert!(other.iter().any(|part| preset.name.contains(part)), "{}", preset.name);
                }
            }
        }
    }
}

#[test]
fn agents_are_of_the_kind_that_reports_group_them_by() {
    let kinds = [
        (AgentKind::Rule, "uniform wspt fifo distance nearest wait-all hold"),
        (AgentKind::Solver, "ruin savings sweep"),
        (AgentKind::Search, "lookahead mcts+uniform mcts+wspt mcts+nearest"),
        (
            AgentKind::Learned,
            "qnet solo solo+prune solo+sure lookahead+qnet guide mcts+guide solo2 rewriter",
        ),
        (AgentKind::Bound, "hindsight"),
    ];
    for (kind, agents) in kinds {
        for agent in agents.split(' ') {
            assert_eq!(solo::bundled().kind(agent), Some(kind), "{agent}");
        }
    }
    for rival in LEFT_OUT[1..].iter().filter(|_| cfg!(feature = "rivals")) {
        assert_eq!(solo::bundled().kind(rival), Some(AgentKind::Solver), "{rival}");
    }
}

#[test]
fn shown_agents_and_solvers_exist() {
    for problem in solo::bundled().problems() {
        let agents = problem.agents();
        let has = |name: &str| agents.iter().any(|agent| agent.name == name);
        for online in [false, true] {
            for agent in problem.shown(online) {
                assert!(has(&AgentSpec::parse(agent).unwrap().name), "{agent}");
            }
        }
        assert!(has(problem.solver()));
        let mut names: Vec<_> = agents.iter().map(|agent| agent.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), agents.len(), "names are unique");
    }
}

#[test]
fn bundled_models_are_whole_and_serve_known_presets() {
    for problem in solo::bundled().problems() {
        for preset in problem.presets() {
            let day = problem.draw(preset.name, Seed(5), 0).unwrap();
            assert_eq!(day.own_law(), Some(preset.name));
        }
    }
    let networks = solo_pmsp::models::NETWORKS.iter().chain(solo_cvrp::models::NETWORKS);
    for model in networks {
        solo_nn::Qnet::from_safetensors(model.bytes).unwrap();
        assert!(model.presets.iter().all(|preset| solo::bundled().owner(preset).is_some()));
    }
    let rewriters = solo_pmsp::models::REWRITERS.iter().chain(solo_cvrp::models::REWRITERS);
    for model in rewriters {
        solo_nn::RewriterNet::from_safetensors(model.bytes).unwrap();
        assert!(model.presets.iter().all(|preset| solo::bundled().owner(preset).is_some()));
    }
    let scorers = [
        solo_pmsp::models::GUIDES,
        solo_pmsp::models::FIRST_ROUND,
        solo_pmsp::models::VALUES,
        solo_cvrp::models::GUIDES,
        solo_cvrp::models::FIRST_ROUND,
    ];
    for model in scorers.concat() {
        solo_nn::Scorer::from_safetensors(model.bytes).unwrap();
        assert!(model.presets.iter().all(|preset| solo::bundled().owner(preset).is_some()));
    }
}

#[test]
fn what_cannot_be_made_is_explained() {
    let pmsp = problems::pmsp();
    let make = |typed: &str, law| {
        let made = pmsp.make(&AgentSpec::parse(typed).unwrap(), law, &Solvers::default());
        made.err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(make("guide", Some("pmsp-20")).contains("no bundled guide was taught for pmsp-20"));
    assert!(make("guide(model=pmsp-online-4)", None).contains("known are pmsp-online-3"));
    assert!(make("solo2(k=0)", None).contains("k=0 is not allowed"));
    assert!(make("rewriter(model=mine)", None).contains("there is no rewriter 'mine'; known are"));
    assert!(make("rewriter(model=no/such.file)", None).contains("there is no such file"));
    assert_eq!(make("rewriter", None), "", "the first serves, with a note");
    assert!(make("sol2", None).contains("did you mean"));
    assert_eq!(make("solo2", None), "", "without a guide it is a lookahead");
    for like in ["pmsp-online-3:rate=1.5", "pmsp-online-3-flipped"] {
        assert_eq!(make("guide", Some(like)), "");
    }
    let toy = Entry::<solo_core::testing::toy::ToyDay>::new();
    for (agent, needs) in [
        ("qnet", "networks"),
        ("solo2", "features"),
        ("rewriter", "rewritten"),
        ("hindsight", "plan"),
    ] {
        let error = toy.agent_error(agent).unwrap();
        assert!(error.contains(needs) && error.contains("'toy' does not have"), "{error}");
    }
}
