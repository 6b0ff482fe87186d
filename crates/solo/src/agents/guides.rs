//! The agents with guides.

use super::{AgentEntry, GuideChoice, Making, Solo2, searching};
use crate::models::{self, AUTO};
use solo_core::params::Params;
use solo_core::{Advised, Agent, Beside, CostToGo, Features, RulesOf, Scenario, Value};
use solo_nn::{Scored, Scorer, Valued};
use solo_search::lookahead::by_value;
use solo_search::{Answer, Lookahead, Uct, UctParams};
use std::sync::Arc;

/// Typed for the guide after its first round of learning.
const FIRST_ROUND: &str = "first-round";
/// Typed where nothing is wanted.
const OFF: &str = "off";

/// A learned value as an estimate.
pub(crate) fn estimate<P: Value + 'static>(scorer: Arc<Scorer>) -> Box<dyn CostToGo<P>> {
    Box::new(Valued::<P>::new(scorer))
}

/// The agents with guides.
pub(crate) fn guides<S: Scenario>() -> [AgentEntry<S>; 3]
where
    RulesOf<S>: Features,
{
    let uct = UctParams { k: 10, widen: 1.0, answer: Answer::Sure, ..UctParams::default() };
    [
        AgentEntry::new(
            GuideChoice::NAME,
            GuideChoice::ABOUT,
            GuideChoice::default(),
            |making, choice: GuideChoice| {
                Ok(Box::new(Advised::new(Scored::new(required_guide(making, &choice.model)?))))
            },
        ),
        AgentEntry::new(
            "mcts+guide",
            "the paper's tree search (Algorithm 1) with a taught guide in place of the network",
            (GuideChoice::default(), uct),
            |making, (choice, uct)| {
                let guide = Scored::new(required_guide(making, &choice.model)?);
                Ok(Box::new(Uct::new(guide, uct)))
            },
        )
        .samples_futures(),
        AgentEntry::new(Solo2::NAME, Solo2::ABOUT, Solo2::default(), solo2::<S>).samples_futures(),
    ]
}

fn solo2<S: Scenario>(
    making: &Making<'_, S>,
    params: Solo2,
) -> Result<Box<dyn Agent<RulesOf<S>>>, String>
where
    RulesOf<S>: Features,
{
    let guide = guide(making, &params.model)?;
    let value = value(making, &params.value)?;
    let look = params.lookahead(guide.is_some() && value.is_some());
    let searching = searching(making)?;
    let Some(guide) = guide else {
        // The plan leads, as in the lookahead without a network.
        if making.law.is_some() {
            making.note(format!("no guide was taught for {}, so lookahead", making.days()));
        }
        return Ok((searching.lookahead)(look, None));
    };
    let open = Lookahead::new(Scored::new(Arc::clone(&guide)), look.clone())
        .with_shortlist(by_value())
        .with_value(value);
    let agent = (searching.phased)(look, Box::new(open));
    Ok(Box::new(Beside::new(agent, Scored::new(guide))))
}

fn required_guide<S: Scenario>(making: &Making<'_, S>, typed: &str) -> Result<Arc<Scorer>, String>
where
    RulesOf<S>: Features,
{
    guide(making, typed)?.ok_or_else(|| {
        format!(
            "no bundled guide was taught for {}; name one with model=, or teach one with 'solo teach'",
            making.days()
        )
    })
}

/// The guide as typed: a bundled one, a file, or the one for days of the law, if there is one. Where the days differ from
/// those that it was taught on, the nearest that is known to help serves, with a note.
fn guide<S: Scenario>(making: &Making<'_, S>, typed: &str) -> Result<Option<Arc<Scorer>>, String>
where
    RulesOf<S>: Features,
{
    let guides = making.entry.guides.as_ref().ok_or("the problem has no guides")?;
    let (bundled, typed) = match typed {
        FIRST_ROUND => (&guides.first_round, AUTO),
        typed => (&guides.bundled, typed),
    };
    let shape = (<RulesOf<S> as Features>::GLOBAL, <RulesOf<S> as Features>::OPTION);
    scorer(making, ("guide", bundled, shape), typed)
}

/// The value as typed.
fn value<S: Scenario>(
    making: &Making<'_, S>,
    typed: &str,
) -> Result<Option<Box<dyn CostToGo<RulesOf<S>>>>, String> {
    let values = making.entry.guides.as_ref().and_then(|guides| guides.values.as_ref());
    match (typed, values) {
        (OFF, _) | (AUTO, None) => Ok(None),
        (typed, None) => Err(format!(
            "value={typed}: '{}' has no value at the horizon; leave it out",
            S::PROBLEM
        )),
        (typed, Some(values)) => {
            let found = scorer(making, ("value", &values.bundled, (0, values.width)), typed)?;
            Ok(found.map(values.estimate))
        }
    }
}

/// A kind of scorer: its name, the bundled ones, and how many numbers about a state and an option it reads.
type Family<'f> = (&'static str, &'f [models::Loaded<Scorer>], (usize, usize));

fn scorer<S: Scenario>(
    making: &Making<'_, S>,
    (kind, bundled, (global, option)): Family<'_>,
    typed: &str,
) -> Result<Option<Arc<Scorer>>, String> {
    let found = if typed == AUTO {
        let preset = making.law.map(|law| making.entry.taught_preset(law));
        let found = preset.and_then(|preset| models::serving(bundled, preset));
        let law = making.plain_law();
        if let Some((model, law)) = found.zip(law).filter(|(_, law)| preset != Some(law)) {
            let name = model.model.name;
            making.note(format!("no {kind} was taught for {law}; uses that of {name}"));
        }
        if let Some(found) = found {
            making.uses(kind, &found.model, preset);
        }
        found.map(models::Loaded::get)
    } else {
        let own = bundled.iter().find(|loaded| loaded.model.name == typed);
        if let Some(own) = own {
            making.uses(kind, &own.model, making.law.map(|law| making.entry.taught_preset(law)));
        }
        Some(models::named(kind, bundled, typed)?.1)
    };
    let shape = found.as_ref().map(|scorer| scorer.shape());
    if let Some(shape) = shape.filter(|shape| (shape.global, shape.option) != (global, option)) {
        return Err(format!(
            "'{typed}' reads {} + {} numbers, but a {kind} of {} reads {global} + {option}: it was taught for another \
             problem, or by another version",
            shape.global,
            shape.option,
            S::PROBLEM
        ));
    }
    Ok(found)
}
