//! NeuralRewriter (Chen and Tian, 2019): a network that improves a solution by swaps, one after the
//! other, learned from the costs along the way.
//!
//! [`train_rewriter`] follows a recipe. A [`Lessons`] rewrites solutions of drawn days, a batch at a
//! time, and moves the weights towards what was gained. [`Rewriter`] plans by a learned network.

mod hyper;
mod lessons;
mod solver;
mod trace;
mod train;

pub use hyper::{NO_START, RewriterChanges, RewriterHyper};
pub use lessons::{Lessons, SavedRewriter};
pub use solver::Rewriter;
pub use train::train_rewriter;
