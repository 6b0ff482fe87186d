//! The agents that decide by a guide taught by search: alone, or in a lookahead.

use crate::any::AgentInfo;
use crate::models::AUTO;
use crate::searches::{LOOKAHEAD_PARAMS, look};
use solo_core::spec::{Args, Kind, Param, Spec, SpecError};
use solo_core::{Agent, Domain, Features, Reflex};
use solo_nn::{Scored, Scorer};
use solo_search::lookahead::{Lookahead, by_value};
use solo_search::phased::Phased;
use std::fs;
use std::sync::{Arc, OnceLock};

/// A guide that comes with the program.
pub struct GuideModel {
    /// The preset that it was taught for, which is also how it is typed.
    pub preset: &'static str,
    file: &'static [u8],
    scorer: OnceLock<Arc<Scorer>>,
}

macro_rules! guides {
    ($($preset:literal)*) => {
        [$(GuideModel {
            preset: $preset,
            file: include_bytes!(concat!("../../../models/guide-", $preset, ".safetensors")),
            scorer: OnceLock::new(),
        },)*]
    };
}

/// Every guide.
pub static GUIDES: [GuideModel; 5] = guides![
    "pmsp-online-3" "pmsp-online-10"
    "cvrp-dispatch-20" "cvrp-dispatch-50" "cvrp-dispatch-100"
];

impl GuideModel {
    /// The scorer.
    pub fn scorer(&self) -> Arc<Scorer> {
        let load = || {
            let (scorer, _) =
                Scorer::from_safetensors(self.file).expect("guides in the box are whole");
            Arc::new(scorer)
        };
        Arc::clone(self.scorer.get_or_init(load))
    }
}

const MODEL: Param = Param {
    name: "model",
    about: "a guide in the box, or a .safetensors file; auto for the one taught for the day's law",
    kind: Kind::Text { default: AUTO },
};

const SOLO2_PARAMS: [Param; LOOKAHEAD_PARAMS.len() + 1] = {
    let mut params = [MODEL; LOOKAHEAD_PARAMS.len() + 1];
    let mut i = 0;
    while i < LOOKAHEAD_PARAMS.len() {
        params[i + 1] = LOOKAHEAD_PARAMS[i];
        i += 1;
    }
    params
};

const GUIDE: AgentInfo = AgentInfo {
    name: "guide",
    about: "the option with the best score of a small network taught by search; answers at once",
    params: &[MODEL],
};
const SOLO2: AgentInfo = AgentInfo {
    name: "solo2",
    about: "lookahead with a taught guide in its rollouts; plans once nothing more can come",
    params: &SOLO2_PARAMS,
};

/// The agents with guides, for every problem.
pub fn infos() -> [AgentInfo; 2] {
    [GUIDE, SOLO2]
}

/// An agent, or what is wrong with it as it was typed.
type Made<P> = Result<Box<dyn Agent<P>>, SpecError>;

/// Makes the agent, if it is one of these, for days of the law `law`.
pub fn make<D: Domain>(spec: &Spec, law: Option<&str>) -> Option<Made<D::Problem>> {
    let info = infos().into_iter().find(|info| info.name == spec.name)?;
    Some(spec.resolve(info.params).and_then(|args| fitted::<D>(info.name, &args, law)))
}

fn fitted<D: Domain>(name: &str, args: &Args, law: Option<&str>) -> Made<D::Problem> {
    let found = find::<D>(args.text(MODEL.name), law);
    let found = found.map_err(|error| SpecError(format!("agent '{name}': {error}")))?;
    if name == GUIDE.name {
        return match found {
            Some(scorer) => Ok(Box::new(Reflex(Scored::new(scorer)))),
            None => Err(SpecError(format!(
                "agent '{name}': no guide in the box was taught for {}; name one with model=, or teach one with 'solo teach'",
                law.unwrap_or("a day without a known law")
            ))),
        };
    }
    let params = look(args);
    let closed = Lookahead::<D::Problem, D::Scout>::scouting(params);
    Ok(match found {
        Some(scorer) => Box::new(Phased {
            open: Lookahead::new(Scored::new(scorer), params).with_shortlist(by_value()),
            closed,
        }),
        // Nobody was taught what to expect on such days: the plan leads, as in the lookahead without a network.
        None => Box::new(closed),
    })
}

/// The guide as typed: one in the box, a file, or the one for days of the law `law`, if there is one.
fn find<D: Domain>(typed: &str, law: Option<&str>) -> Result<Option<Arc<Scorer>>, String> {
    let boxed = |preset: &str| GUIDES.iter().find(|guide| guide.preset == preset);
    let scorer = if typed == AUTO {
        law.and_then(boxed).map(GuideModel::scorer)
    } else if let Some(guide) = boxed(typed) {
        Some(guide.scorer())
    } else if typed.contains(['/', '\\', '.']) {
        let file = fs::read(typed).map_err(|error| format!("{typed}: {error}"))?;
        let read = Scorer::from_safetensors(&file).map_err(|error| format!("{typed}: {error}"))?;
        Some(Arc::new(read.0))
    } else {
        let names: Vec<&str> = GUIDES.iter().map(|guide| guide.preset).collect();
        return Err(format!(
            "there is no guide '{typed}'; known are {}, or give a .safetensors file",
            names.join(", ")
        ));
    };
    let (global, option) = (<D::Problem as Features>::GLOBAL, <D::Problem as Features>::OPTION);
    let shape = scorer.as_ref().map(|scorer| scorer.shape());
    if let Some(shape) = shape.filter(|shape| (shape.global, shape.option) != (global, option)) {
        return Err(format!(
            "'{typed}' reads {} + {} numbers, but states of {} have {global} + {option}: it was taught for another \
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
    use solo_cvrp::Cvrp;
    use solo_pmsp::Pmsp;

    #[test]
    fn guides_are_whole_and_fit_their_problems() {
        for guide in &GUIDES {
            let domain = registry::preset_owner(guide.preset).unwrap();
            let found = match domain.name() {
                "pmsp" => find::<Pmsp>(AUTO, Some(guide.preset)),
                _ => find::<Cvrp>(AUTO, Some(guide.preset)),
            };
            assert!(found.unwrap().is_some());
        }
        assert!(find::<Cvrp>("pmsp-online-3", None).unwrap_err().contains("another problem"));
        assert!(find::<Pmsp>("pmsp-online-4", None).unwrap_err().contains("known are"));
        assert_eq!(find::<Pmsp>(AUTO, Some("pmsp-20")), Ok(None));
    }
}
