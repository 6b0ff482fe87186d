//! Deep Q-learning of a graph network, for any problem whose states can be encoded as graphs.
//!
//! [`train`] follows a [`Recipe`]. A [`Dqn`] simulates days in several worlds ([`lane`]), remembers
//! their decisions ([`replay`]) and moves the weights of a network.

pub mod hyper;
pub mod lane;
mod learner;
pub mod priority;
mod recipe;
pub mod replay;
mod saved;
pub mod schedule;
mod train;
pub mod values;

pub use hyper::{Gather, Hyper, HyperChanges, NO_BASELINE};
pub use lane::MakePolicy;
pub use learner::{Dqn, Tally};
pub(crate) use recipe::name_of as recipe_name;
pub use recipe::{Recipe, RecipeOf, RecipeVariant, RewriterRecipe};
pub use saved::SavedDqn;
pub use train::train;
