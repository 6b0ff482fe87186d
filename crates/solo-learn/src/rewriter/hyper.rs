//! Every parameter that learning to rewrite depends on.

use crate::parameters::{Place, parameters};
use crate::recipe_file::{Makes, PART, RATE, RecipeFile, SCALE, SHARE, STEPS};
use solo_core::file::Range;

/// The word for learning from random weights.
pub const NO_START: &str = "none";

parameters! {
    /// A complete set of parameters. Each states its published value; what has none is ours.
    RewriterHyper, RewriterChanges, Makes::Rewriter, RewriterHyper::check_others;

    /// How many days are learned from. Published: as many as 24 hours of a GPU allow.
    days: u64 => STEPS,
    /// How many days are rewritten side by side before the weights change. Published: 64.
    batch: u64 => Range::whole(1.0, 65_536.0),
    /// How often each solution is rewritten. Published: 50.
    rewrites: u64 => Range::whole(1.0, 1e6),
    /// Into how many steps of the weights the rewrites of a batch are cut, at random. Faithful: 1.
    updates: u64 => Range::whole(1.0, 1e6),
    /// How sharply nodes with a larger value are preferred while learning. Published: 10.
    sharpness: f64 => SCALE,
    /// How much less a gain counts with every rewrite that it takes. Published: 0.9.
    discount: f64 => SHARE,
    /// How much the rule picker's loss counts beside the region picker's. Published: 0.01.
    policy_weight: f64 => SCALE,
    /// The learning rate of Adam at first. Published: 5e-5.
    learning_rate: f64 => RATE,
    /// What stays of it each time. Published: 0.9.
    decay: f64 => SHARE,
    /// After how many steps of the weights each time. Published: 500.
    decay_every: u64 => STEPS,
    /// Longer gradients are shortened to this norm. Published: 5.
    clip: f64 => SCALE,
    /// The network that is judged and kept is a running mean of the weights: this much of it stays at
    /// each of their steps. Faithful: 0, the weights as they are.
    average: f64 => PART,
    /// Units of the LSTM in each direction. Published: 512.
    hidden: usize,
    /// Hidden numbers of the region picker. Published: 256.
    region: usize,
    /// Numbers of a query and a key of the rule picker. Published: 16.
    attention: usize,
    /// The bundled rewriter whose weights learning begins with; `none` for random ones. Faithful:
    /// none.
    start: String,
}

impl RewriterHyper {
    /// Notes what else is out of range.
    fn check_others(&self, file: &mut RecipeFile<'_>, place: &Place<'_>) {
        for (name, width) in
            [("hidden", self.hidden), ("region", self.region), ("attention", self.attention)]
        {
            let field = place.of(file, name);
            file.check_width(&field, width, 16, 4096);
        }
    }
}
