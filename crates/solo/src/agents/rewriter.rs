//! The agent that rewrites solutions.

use super::{AgentEntry, Making, RewriterParams};
use crate::models::{self, AUTO};
use solo_core::params::Params;
use solo_core::{Replan, Rewrite, RulesOf, Scenario};
use solo_learn::Rewriter;
use solo_nn::RewriterNet;
use std::sync::Arc;

/// The agent.
pub(crate) fn rewriter<S: Scenario>() -> AgentEntry<S>
where
    RulesOf<S>: Rewrite,
{
    let (name, about) = (RewriterParams::NAME, RewriterParams::ABOUT);
    AgentEntry::new(name, about, RewriterParams::default(), |making, params: RewriterParams| {
        let (model, net) = chosen(making, &params.model)?;
        let rewriter = Rewriter::new(model, net, params.steps);
        Ok(Box::new(Replan::new(rewriter, params.replan)))
    })
}

/// The rewriter as typed, or the one for days of the law, with its name. Where none was trained for these days, the
/// first serves, with a note.
fn chosen<S: Scenario>(
    making: &Making<'_, S>,
    typed: &str,
) -> Result<(String, Arc<RewriterNet>), String> {
    let rewriters = making.entry.rewriters.as_ref().ok_or("the problem has no rewriters")?;
    let bundled = &rewriters.bundled;
    if typed != AUTO {
        return models::named("rewriter", bundled, typed);
    }
    let preset = making.law.map(|law| making.entry.taught_preset(law));
    let serving = preset.and_then(|preset| models::serving(bundled, preset));
    let chosen = serving.or(bundled.first());
    let chosen = chosen.ok_or("no rewriter is bundled; name one with model=")?;
    if serving.is_none() || preset != making.plain_law().as_deref() {
        let name = chosen.model.name;
        making.note(format!("no rewriter was trained for {}; uses {name}", making.days()));
    }
    making.uses("rewriter", &chosen.model, preset);
    Ok((chosen.model.name.to_string(), chosen.get()))
}
