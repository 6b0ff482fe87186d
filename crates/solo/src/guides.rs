//! The agents that decide by a guide taught by search: alone, or in a lookahead.

use crate::any::AgentInfo;
use crate::models::AUTO;
use crate::searches::{LOOKAHEAD_PARAMS, look, uct_params, uct_settings};
use solo_core::spec::{Args, Kind, Param, Spec, SpecError};
use solo_core::{Agent, Domain, Features, Outlook, Reflex, Variant};
use solo_nn::{Scored, Scorer, Valued};
use solo_search::lookahead::{Lookahead, Params, by_value};
use solo_search::phased::Phased;
use solo_search::{Answer, Settings, Uct};
use std::fs;
use std::sync::{Arc, OnceLock};

/// A scorer that comes with the program.
pub struct Boxed {
    /// The preset that it was taught for, which is also how it is typed.
    pub preset: &'static str,
    file: &'static [u8],
    scorer: OnceLock<Arc<Scorer>>,
}

macro_rules! boxed {
    ($kind:literal: $($preset:literal)*) => {
        [$(Boxed {
            preset: $preset,
            file: include_bytes!(concat!("../../../models/", $kind, "-", $preset, ".safetensors")),
            scorer: OnceLock::new(),
        },)*]
    };
}

/// Every guide.
pub static GUIDES: [Boxed; 5] = boxed!["guide":
    "pmsp-online-3" "pmsp-online-10"
    "cvrp-dispatch-20" "cvrp-dispatch-50" "cvrp-dispatch-100"
];

/// The same after the first round of learning, taught by a lookahead without a network: what the other rounds add.
static FIRST_ROUND: [Boxed; 5] = boxed!["first-round/guide":
    "pmsp-online-3" "pmsp-online-10"
    "cvrp-dispatch-20" "cvrp-dispatch-50" "cvrp-dispatch-100"
];

/// Typed for one of these.
const FIRST: &str = "first-round";

/// Every value at the horizon.
pub static VALUES: [Boxed; 2] = boxed!["value": "pmsp-online-3" "pmsp-online-10"];

impl Boxed {
    /// The scorer.
    pub fn scorer(&self) -> Arc<Scorer> {
        let load = || {
            let (scorer, _) =
                Scorer::from_safetensors(self.file).expect("models in the box are whole");
            Arc::new(scorer)
        };
        Arc::clone(self.scorer.get_or_init(load))
    }
}

const MODEL: Param = Param {
    name: "model",
    about: "a guide in the box, or a .safetensors file; auto for the one taught for the day's law, first-round for its beginning",
    kind: Kind::Text { default: AUTO },
};

const VALUE: Param = Param {
    name: "value",
    about: "what a shortened future's end costs: auto for what was taught with the guide, off, or a .safetensors file",
    kind: Kind::Text { default: AUTO },
};

/// Futures are cut after so many arrivals where a value tells what is left: measured on generated days with 3 machines and with
/// 10, where 1 to 5 were about the same and 10 was worse.
const ARRIVALS_WITH_VALUE: usize = 3;

const ARRIVALS: Param = Param {
    name: "arrivals",
    about: "futures are cut after so many arrivals; 0 for 3 where a value tells what is left, else 10",
    kind: Kind::Whole { low: 0, high: u32::MAX, default: 0 },
};

/// Whether this is the name of [`ARRIVALS`], for constants.
const fn is_arrivals(name: &str) -> bool {
    let (name, own) = (name.as_bytes(), ARRIVALS.name.as_bytes());
    let mut i = 0;
    while i < name.len() && i < own.len() && name[i] == own[i] {
        i += 1;
    }
    i == name.len() && i == own.len()
}

/// Typed where nothing is wanted.
const OFF: &str = "off";

const SOLO2_PARAMS: [Param; LOOKAHEAD_PARAMS.len() + 2] = {
    let mut params = [MODEL; LOOKAHEAD_PARAMS.len() + 2];
    params[1] = VALUE;
    let mut i = 0;
    while i < LOOKAHEAD_PARAMS.len() {
        let same = LOOKAHEAD_PARAMS[i];
        // The lookahead's own has a kind of its own here: 0 for what suits.
        params[i + 2] = if is_arrivals(same.name) { ARRIVALS } else { same };
        i += 1;
    }
    params
};

const GUIDE: AgentInfo = AgentInfo {
    name: "guide",
    about: "the option with the best score of a small network taught by search; answers at once",
    params: &[MODEL],
};
const PLAIN: Settings = Settings::DEFAULT;

const TREE_PARAMS: [Param; 8] = {
    let [beta, gamma, k, lookahead, futures, widen, answer] =
        uct_params(PLAIN.k as u32, PLAIN.lookahead, 1.0, Answer::CAREFUL);
    [MODEL, k, beta, gamma, lookahead, futures, widen, answer]
};
const TREE: AgentInfo = AgentInfo {
    name: "mcts+guide",
    about: "the paper's tree search (Algorithm 1) with a taught guide in place of the network",
    params: &TREE_PARAMS,
};
const SOLO2: AgentInfo = AgentInfo {
    name: "solo2",
    about: "lookahead with a taught guide in its rollouts; plans once nothing more can come",
    params: &SOLO2_PARAMS,
};

/// The agents with guides, for every problem.
pub fn infos() -> [AgentInfo; 3] {
    [GUIDE, TREE, SOLO2]
}

/// An agent, or what is wrong with it as it was typed.
type Made<P> = Result<Box<dyn Agent<P>>, SpecError>;

/// Makes the agent, if it is one of these, for days of the law `law`.
pub fn make<D: Domain>(spec: &Spec, law: Option<&str>) -> Option<Made<D::Problem>> {
    let info = infos().into_iter().find(|info| info.name == spec.name)?;
    Some(spec.resolve(info.params).and_then(|args| fitted::<D>(info.name, &args, law)))
}

fn fitted<D: Domain>(name: &str, args: &Args, law: Option<&str>) -> Made<D::Problem> {
    let said = |error: String| SpecError(format!("agent '{name}': {error}"));
    let shape = (<D::Problem as Features>::GLOBAL, <D::Problem as Features>::OPTION);
    let (guides, model) = match args.text(MODEL.name) {
        FIRST => (&FIRST_ROUND, AUTO),
        typed => (&GUIDES, typed),
    };
    let found = find::<D>(("guide", guides, shape), model, law).map_err(said)?;
    if name != SOLO2.name {
        return match found {
            Some(scorer) if name == TREE.name => {
                Ok(Box::new(Uct::new(Scored::new(scorer), uct_settings(args))))
            }
            Some(scorer) => Ok(Box::new(Reflex(Scored::new(scorer)))),
            None => Err(said(format!(
                "no guide in the box was taught for {}; name one with model=, or teach one with 'solo teach'",
                law.unwrap_or("a day without a known law")
            ))),
        };
    }
    let value = match args.text(VALUE.name) {
        OFF => None,
        typed => {
            let shape = (0, <D::Problem as Features>::OUTLOOK);
            find::<D>(("value", &VALUES, shape), typed, law).map_err(said)?
        }
    };
    let outlook = |value| Box::new(Valued::<D::Problem>::new(value)) as Box<dyn Outlook<_>>;
    let mut params = look(args);
    if params.arrivals == 0 {
        let told = found.is_some() && value.is_some();
        params.arrivals = if told { ARRIVALS_WITH_VALUE } else { Params::DEFAULT.arrivals };
    }
    let closed = Lookahead::<D::Problem, D::Scout>::scouting(params);
    Ok(match found {
        Some(scorer) => Box::new(Phased {
            open: Lookahead::new(Scored::new(scorer), params)
                .with_shortlist(by_value())
                .with_outlook(value.map(outlook)),
            closed,
        }),
        // Nobody was taught what to expect on such days: the plan leads, as in the lookahead without a network.
        None => Box::new(closed),
    })
}

/// The preset that a law is a changed form of.
fn unchanged(law: &str) -> &str {
    let name = Variant::name_of(law);
    name.strip_suffix("-flipped").unwrap_or(name)
}

/// A kind of scorer: its name, those in the box, and how many numbers about a state and an option it reads.
type Family<'f> = (&'f str, &'f [Boxed], (usize, usize));

/// The scorer as typed: one in the box, a file, or the one for days of the law `law`, if there is one. Changes of a preset do
/// not matter: where the world differs from what was taught, the nearest that there is serves.
fn find<D: Domain>(
    (kind, all, (global, option)): Family<'_>,
    typed: &str,
    law: Option<&str>,
) -> Result<Option<Arc<Scorer>>, String> {
    let boxed = |preset: &str| all.iter().find(|boxed| boxed.preset == preset);
    let scorer = if typed == AUTO {
        law.and_then(|law| boxed(unchanged(law))).map(Boxed::scorer)
    } else if let Some(boxed) = boxed(typed) {
        Some(boxed.scorer())
    } else if typed.contains(['/', '\\', '.']) {
        let file = fs::read(typed).map_err(|error| format!("{typed}: {error}"))?;
        let read = Scorer::from_safetensors(&file).map_err(|error| format!("{typed}: {error}"))?;
        Some(Arc::new(read.0))
    } else {
        let names: Vec<&str> = all.iter().map(|boxed| boxed.preset).collect();
        return Err(format!(
            "there is no {kind} '{typed}'; known are {}, or give a .safetensors file",
            names.join(", ")
        ));
    };
    let shape = scorer.as_ref().map(|scorer| scorer.shape());
    if let Some(shape) = shape.filter(|shape| (shape.global, shape.option) != (global, option)) {
        return Err(format!(
            "'{typed}' reads {} + {} numbers, but a {kind} of {} reads {global} + {option}: it was taught for another \
             problem, or by another version",
            shape.global,
            shape.option,
            D::NAME
        ));
    }
    Ok(scorer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;
    use solo_core::{Budget, Meter, Seed, Stream, SystemClock, World};
    use solo_cvrp::{Cvrp, Routing};
    use solo_pmsp::{Pmsp, Scheduling};
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    /// Lives some days by `solo2`, and hands over how each answer was reached.
    fn told<D: Domain>(preset: &str, budget: Budget) -> Vec<&'static str> {
        (0..4).flat_map(|day| told_on::<D>(preset, day, budget)).collect()
    }

    fn told_on<D: Domain>(preset: &str, day: u64, budget: Budget) -> Vec<&'static str> {
        let scenario = D::generate(preset, Seed(5), day).unwrap();
        let problem = D::problem(&scenario, Some(preset)).unwrap();
        let spec = Spec::parse("solo2").unwrap();
        let mut agent = make::<D>(&spec, Some(preset)).unwrap().unwrap();
        let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
        let mut rng = Seed(5).stream(Stream::Agent, 0);
        let mut world = World::open(&problem, D::arrivals(&scenario));
        let mut told = Vec::new();
        while !world.done() {
            let meter = Meter::start(budget, &clock, &stop);
            let decision = agent.decide(&problem, world.state(), &meter, &mut rng).unwrap();
            world.act(decision.action).unwrap();
            told.push(decision.evidence.unwrap().how);
        }
        told
    }

    #[test]
    fn answers_say_how_they_were_reached() {
        fn check<D: Domain>(preset: &str) {
            let heard = |budget, words: &str| {
                told::<D>(preset, budget).iter().any(|how| how.contains(words))
            };
            for tiny in [Budget::Rollouts(1), Budget::Wall(Duration::from_micros(10))] {
                assert!(heard(tiny, "no time for a rollout"), "{preset} {tiny:?}");
                assert!(!heard(tiny, "nothing else was worth trying"), "{preset} {tiny:?}");
            }
            assert!(heard(Budget::Rollouts(30), "fewer candidates"), "{preset}");
            assert!(heard(Budget::Rollouts(50), "few common futures"), "{preset}");
            let enough = told::<D>(preset, Budget::Rollouts(1_000));
            assert!(enough.contains(&"searched on common futures"), "{preset}");
            assert!(enough.iter().any(|how| how.contains("nothing more can come")), "{preset}");
            assert!(!enough.iter().any(|how| how.contains("no time")), "{preset}");
        }
        check::<Pmsp>("pmsp-online-3");
        check::<Cvrp>("cvrp-dispatch-20");
    }

    #[test]
    fn models_are_whole_and_fit_their_problems() {
        fn shapes<P: Features>() -> [(usize, usize); 2] {
            [(P::GLOBAL, P::OPTION), (0, P::OUTLOOK)]
        }
        let kinds = [("guide", &GUIDES[..]), ("guide", &FIRST_ROUND[..]), ("value", &VALUES[..])];
        for (kind, all) in kinds {
            let which = usize::from(kind == "value");
            for boxed in all {
                let domain = registry::preset_owner(boxed.preset).unwrap();
                let law = Some(boxed.preset);
                let found = match domain.name() {
                    "pmsp" => find::<Pmsp>((kind, all, shapes::<Scheduling>()[which]), AUTO, law),
                    _ => find::<Cvrp>((kind, all, shapes::<Routing>()[which]), AUTO, law),
                };
                assert!(found.unwrap().is_some());
            }
        }
        let guide = |typed: &str, law| {
            find::<Pmsp>(("guide", &GUIDES, shapes::<Scheduling>()[0]), typed, law)
        };
        assert!(guide("cvrp-dispatch-20", None).unwrap_err().contains("another problem"));
        assert!(guide("pmsp-online-4", None).unwrap_err().contains("known are"));
        assert_eq!(guide(AUTO, Some("pmsp-20")), Ok(None));
        for changed in ["pmsp-online-3:rate=1.5", "pmsp-online-3-flipped"] {
            let near = guide(AUTO, Some(changed)).unwrap();
            assert_eq!(near, guide(AUTO, Some("pmsp-online-3")).unwrap());
        }
    }
}
