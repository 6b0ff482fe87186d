//! Every parameter that learning depends on.

use serde::Deserialize;
use solo_core::FeatureSet;

/// Declares the parameters once: as a complete set, and as changes to one.
macro_rules! hyper {
    ($($(#[$doc:meta])* $name:ident: $kind:ty,)*) => {
        /// A complete set of parameters. Those of the paper's tables state their published values,
        /// for scheduling offline / online / routing where they differ. The rest is ours, and
        /// states the value that follows the paper.
        #[derive(Clone, Debug, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Hyper {
            $($(#[$doc])* pub $name: $kind,)*
        }

        /// Some parameters, to replace those of a complete set.
        #[derive(Clone, Debug, Default, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct HyperChanges {
            $($(#[$doc])* pub $name: Option<$kind>,)*
        }

        impl Hyper {
            /// This set with some parameters replaced.
            pub fn with(mut self, changes: &HyperChanges) -> Self {
                $(if let Some(value) = &changes.$name { self.$name = value.clone(); })*
                self
            }

            /// Every parameter by name, as text.
            pub fn list(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($name), format!("{:?}", self.$name)),)*]
            }
        }
    };
}

hyper! {
    /// How many decisions are made in all worlds together. Published: 1e6.
    total_steps: u64,
    /// After this many decisions each time, the target network becomes the learned one. Published:
    /// 5e3.
    target_update: u64,
    /// How many decisions are purely random at first. Published: 5e3.
    initial_random_steps: u64,
    /// How many decisions are made before the weights change. Published: 5e3.
    learning_starts: u64,
    /// How many decisions there are for each step of the weights. Published: 1.
    train_frequency: u64,
    /// How much less the reward of the next decision counts than that of this one (gamma).
    /// Published: 1 / 0.9 / 1.
    discount: f64,
    /// How many remembered decisions a step of the weights looks at. Published: 32 / 32 / 128.
    batch: usize,
    /// How many decisions are remembered. Published: 5e3.
    replay: usize,
    /// How much decisions with a large TD error are preferred in a batch (alpha); 0 for not at all.
    /// Published: 0 / 0 / 0.025.
    priority_alpha: f64,
    /// How much that preference is made up for by smaller steps at first (beta_0), rising to 1.
    /// Published: 0.4.
    priority_beta: f64,
    /// Added to every TD error, so that every decision can be drawn (e). Published: 1e-6.
    priority_floor: f64,
    /// The part of all decisions over which exploration falls from 1 to its final value. Published:
    /// 0.3 / 0.3 / 0.1.
    exploration_fraction: f64,
    /// How often a decision is random in the end. Published: 0.1 / 1e-4 / 1e-4.
    exploration_final: f64,
    /// The learning rate of Adam at first. Published: 1e-3.
    learning_rate: f64,
    /// The part of it that is left in the end, reached in a straight line (the table's "learning
    /// rate e", as we understand it). Published: 0 / 0 / 0.1.
    learning_rate_final: f64,
    /// Longer gradients are shortened to this norm. Published: 200.
    clip: f64,
    /// Whether the next action is picked by the learned network and valued by the target one.
    /// Published: false.
    double: bool,
    /// Whether values are split into the state's and the action's advantage. Published: false /
    /// false / true.
    dueling: bool,
    /// After how many decisions a return is completed by the target network; 0 for never, which is
    /// Monte Carlo. Published: 1.
    n_step: usize,
    /// The width of the layers. Published: 32 / 32 / 256.
    hidden: usize,
    /// The passes of messages. Published: 4 / 4 / 2.
    passes: usize,

    /// How the features around a node are gathered: `sum` or `mean`. The paper does not say; the
    /// authors' earlier network adds.
    aggregate: Gather,
    /// How many worlds take their turns side by side; part of the result, unlike the number of
    /// threads. Faithful: 1.
    worlds: usize,
    /// Rewards are divided by this. Faithful: 1.
    reward_scale: f64,
    /// The policy whose cost on the same future is the zero of rewards: the reward of a decision is
    /// what it saves against it. `none` for plain costs. Faithful: none.
    baseline: String,
    /// Rewards less than minus this (after scaling) count as this; 0 for no bound. Faithful: 0.
    reward_floor: f64,
    /// The part of all decisions over which the baseline decides in place of the network, ever less
    /// often: a warm start by imitation. Faithful: 0.
    rule_fraction: f64,
    /// The network that is judged and kept is a running mean of the weights: this much of it stays
    /// at each of their steps. 0 for the weights as they are. Faithful: 0.
    average: f64,
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
    /// What is out of range, if anything.
    pub fn fault(&self) -> Option<String> {
        let positive = [
            ("total_steps", self.total_steps),
            ("target_update", self.target_update),
            ("train_frequency", self.train_frequency),
            ("batch", self.batch as u64),
            ("replay", self.replay as u64),
            ("hidden", self.hidden as u64),
            ("passes", self.passes as u64),
            ("worlds", self.worlds as u64),
        ];
        if let Some((name, _)) = positive.iter().find(|(_, value)| *value == 0) {
            return Some(format!("{name} must be at least 1"));
        }
        let shares = [
            ("discount", self.discount),
            ("priority_alpha", self.priority_alpha),
            ("priority_beta", self.priority_beta),
            ("exploration_fraction", self.exploration_fraction),
            ("exploration_final", self.exploration_final),
            ("learning_rate_final", self.learning_rate_final),
            ("rule_fraction", self.rule_fraction),
            ("average", self.average),
        ];
        if let Some((name, _)) = shares.iter().find(|(_, value)| !(0.0..=1.0).contains(value)) {
            return Some(format!("{name} must be from 0 to 1"));
        }
        let above = [
            ("learning_rate", self.learning_rate),
            ("clip", self.clip),
            ("reward_scale", self.reward_scale),
            ("priority_floor", self.priority_floor),
        ];
        if let Some((name, _)) =
            above.iter().find(|(_, value)| !(*value > 0.0 && value.is_finite()))
        {
            return Some(format!("{name} must be above 0"));
        }
        if !(self.reward_floor >= 0.0 && self.reward_floor.is_finite()) {
            return Some("reward_floor must be at least 0".to_string());
        }
        if self.rule_fraction > 0.0 && self.baseline == NO_BASELINE {
            return Some("rule_fraction needs a policy: set baseline".to_string());
        }
        None
    }
}

/// The word for rewards that are plain costs.
pub const NO_BASELINE: &str = "none";
