//! Every parameter that learning depends on.

use crate::parameters::{Place, parameters};
use crate::recipe_file::{Makes, RATE, RecipeFile, SCALE, SHARE, STEPS, STEPS_OR_NONE};
use serde::Deserialize;
use solo_core::FeatureSet;
use solo_core::file::Range;

parameters! {
    /// A complete set of parameters. Those of the paper's tables state their published values, for
    /// scheduling offline / online / routing where they differ. The rest is ours, and states the
    /// value that follows the paper.
    Hyper, HyperChanges, Makes::Network, Hyper::check_others;

    /// How many decisions are made in all worlds together. Published: 1e6.
    total_steps: u64 => STEPS,
    /// After this many decisions each time, the target network becomes the learned one. Published:
    /// 5e3.
    target_update: u64 => STEPS,
    /// How many decisions are purely random at first. Published: 5e3.
    initial_random_steps: u64 => STEPS_OR_NONE,
    /// How many decisions are made before the weights change. Published: 5e3.
    learning_starts: u64 => STEPS_OR_NONE,
    /// How many decisions there are for each step of the weights. Published: 1.
    train_frequency: u64 => STEPS,
    /// How much less the reward of the next decision counts than that of this one (gamma).
    /// Published: 1 / 0.9 / 1.
    discount: f64 => SHARE,
    /// How many remembered decisions a step of the weights looks at. Published: 32 / 32 / 128.
    batch: usize => Range::whole(1.0, 65_536.0),
    /// How many decisions are remembered. Published: 5e3.
    replay: usize => Range::whole(1.0, 1e9),
    /// How much decisions with a large TD error are preferred in a batch (alpha); 0 for not at all.
    /// Published: 0 / 0 / 0.025.
    priority_alpha: f64 => SHARE,
    /// How much that preference is made up for by smaller steps at first (beta_0), rising to 1.
    /// Published: 0.4.
    priority_beta: f64 => SHARE,
    /// Added to every TD error, so that every decision can be drawn (e). Published: 1e-6.
    priority_floor: f64 => SCALE,
    /// The part of all decisions over which exploration falls from 1 to its final value. Published:
    /// 0.3 / 0.3 / 0.1.
    exploration_fraction: f64 => SHARE,
    /// How often a decision is random in the end. Published: 0.1 / 1e-4 / 1e-4.
    exploration_final: f64 => SHARE,
    /// The learning rate of Adam at first. Published: 1e-3.
    learning_rate: f64 => RATE,
    /// The part of it that is left in the end, reached in a straight line (the table's "learning
    /// rate e", as we understand it). Published: 0 / 0 / 0.1.
    learning_rate_final: f64 => SHARE,
    /// Longer gradients are shortened to this norm. Published: 200.
    clip: f64 => SCALE,
    /// Whether the next action is picked by the learned network and valued by the target one.
    /// Published: false.
    double: bool,
    /// Whether values are split into the state's and the action's advantage. Published: false /
    /// false / true.
    dueling: bool,
    /// After how many decisions a return is completed by the target network; 0 for never, which is
    /// Monte Carlo. Published: 1.
    n_step: usize => Range::whole(0.0, 1e6),
    /// The width of the layers. Published: 32 / 32 / 256.
    hidden: usize,
    /// The passes of messages. Published: 4 / 4 / 2.
    passes: usize => Range::whole(1.0, 64.0),

    /// How the features around a node are gathered: `sum` or `mean`. The paper does not say; the
    /// authors' earlier network adds.
    aggregate: Gather,
    /// How many worlds take their turns side by side; part of the result, unlike the number of
    /// threads. Faithful: 1.
    worlds: usize => Range::whole(1.0, 65_536.0),
    /// Rewards are divided by this. Faithful: 1.
    reward_scale: f64 => SCALE,
    /// The policy whose cost on the same future is the zero of rewards: the reward of a decision is
    /// what it saves against it. `none` for plain costs. Faithful: none.
    baseline: String,
    /// Rewards less than minus this (after scaling) count as this; 0 for no bound. Faithful: 0.
    reward_floor: f64 => Range { low: 0.0, high: 1e12, whole: false },
    /// The part of all decisions over which the baseline decides in place of the network, ever less
    /// often: a warm start by imitation. Faithful: 0.
    rule_fraction: f64 => SHARE,
    /// The network that is judged and kept is a running mean of the weights: this much of it stays
    /// at each of their steps. 0 for the weights as they are. Faithful: 0.
    average: f64 => SHARE,
    /// The features that the network sees: `base`, or `extended` where the problem has more
    /// (routing: what is near). Faithful: base.
    features: FeatureSet,
    /// Whether a remembered state is shown in any of the ways that mean the same (routing: eight,
    /// by mirroring and turning the map), drawn at random each time. Faithful: false.
    symmetry: bool,
}

/// How features are gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gather {
    /// By adding.
    Sum,
    /// By averaging.
    Mean,
}

impl Hyper {
    /// Notes what else is out of range.
    fn check_others(&self, file: &mut RecipeFile<'_>, place: &Place<'_>) {
        let field = place.of(file, "hidden");
        file.check_width(&field, self.hidden, 16, 4096);
        if self.rule_fraction > 0.0 && self.baseline == NO_BASELINE {
            let field = place.of(file, "rule_fraction");
            file.fault(&field, "needs a policy: set baseline");
        }
        if self.replay < self.batch {
            let field = place.of(file, "replay");
            file.fault(
                &field,
                format!("{} should be at least the batch of {}", self.replay, self.batch),
            );
        }
    }
}

/// The word for rewards that are plain costs.
pub const NO_BASELINE: &str = "none";
