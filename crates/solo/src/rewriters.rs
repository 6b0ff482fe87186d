//! What rewriters need, as it is registered.

use crate::agents;
use crate::entry::{Entry, no_presets};
use crate::models::{self, Loaded};
use solo_core::{BundledModel, Rewrite, RulesOf, Scenario};
use solo_learn::{LearnError, NO_START, RewriterRecipe, Summary, Task, Watch};
use solo_nn::RewriterNet;

type TrainRewriter<S> =
    fn(&Entry<S>, &RewriterRecipe, &Task<'_>, &mut dyn Watch) -> Result<Summary, LearnError>;

/// What rewriters need.
pub(crate) struct Rewriters<S: Scenario> {
    pub(crate) bundled: Vec<Loaded<RewriterNet>>,
    pub(crate) train: TrainRewriter<S>,
}

impl<S: Scenario> Entry<S> {
    /// Solutions that are rewritten step by step: the agent `rewriter`, and training. Where nothing is known of a day's
    /// law, the first bundled model is used.
    pub fn rewriters(mut self, bundled: &[BundledModel]) -> Self
    where
        RulesOf<S>: Rewrite,
    {
        let bundled = bundled.iter().map(|model| Loaded::new(*model)).collect();
        self.rewriters = Some(Rewriters { bundled, train: train::<S> });
        self.learned(agents::rewriter())
    }
}

fn train<S: Scenario>(
    entry: &Entry<S>,
    recipe: &RewriterRecipe,
    task: &Task<'_>,
    watch: &mut dyn Watch,
) -> Result<Summary, LearnError>
where
    RulesOf<S>: Rewrite,
{
    let presets = entry.presets.as_ref().ok_or_else(|| no_presets::<S>())?;
    let bundled = entry.rewriters.as_ref().map_or(&[][..], |rewriters| &rewriters.bundled);
    let start = match recipe.hyper.start.as_str() {
        NO_START => None,
        typed => Some(models::named("rewriter", bundled, typed).map_err(LearnError::Start)?.1),
    };
    solo_learn::train_rewriter::<S>(recipe, presets, start.as_deref(), task, watch)
}
