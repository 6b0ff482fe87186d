//! Learning offline, in three ways that share one [`runner`].
//!
//! - [`train`] learns a graph network by deep Q-learning ([`dqn`]). Several worlds simulate days of
//!   the recipe's presets side by side; decisions are remembered, drawn again by priority, and the
//!   network's weights are moved towards what it should have expected.
//! - [`teach`](fn@teach) teaches a small guide by search ([`mod@teach`]). Decisions are labelled by
//!   rollouts of all options on common futures, a scorer is fitted to the labels, and at last its
//!   weights evolve by the cost of whole days.
//! - [`train_rewriter`] learns a network that improves plans by swaps ([`rewriter`]), as
//!   NeuralRewriter does.
//!
//! The runner does the rest for all: folder, checkpoint, resuming, validation, best model with its
//! card, curves. All are functions of recipe and seed: threads and interruptions change nothing.
//! [`greedy::Greedy`] decides by a learned network, alone or inside a search.

pub mod card;
pub mod checkpoint;
pub mod days;
pub mod dqn;
pub mod greedy;
pub mod history;
pub mod memory;
pub mod parameters;
mod recipe_file;
pub mod rewriter;
pub mod runner;
pub mod task;
pub mod teach;
pub mod tensorboard;
pub mod validate;

pub use card::ModelFile;
pub use checkpoint::CheckpointError;
pub use days::TrainingDays;
pub use dqn::{
    Hyper, MakePolicy, NO_BASELINE, Recipe, RecipeOf, RecipeVariant, RewriterRecipe, train,
};
pub use greedy::{Fitted, Greedy};
pub use history::{CurvePoint, Marks};
pub use memory::MOST_MEMORY;
pub use parameters::Parameters;
pub use recipe_file::makes_rewriter;
pub use rewriter::{NO_START, Rewriter, RewriterHyper, train_rewriter};
pub use runner::{BEST, CHECKPOINT};
pub use task::{LearnError, Measure, Summary, Task, Watch};
pub use teach::{GuideRecipe, NoValue, VALUE, ValueRecipe, ValueTeaching, WithValue, teach};
pub use validate::{VALIDATION, Validation};
