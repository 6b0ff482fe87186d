//! What every problem and every agent must keep to, and a toy problem to try things on.

mod conformance;
mod rewriting;
pub mod toy;

pub use conformance::{
    MakeAgent, PlayedDay, check, check_encoding, check_features, fork, simulate,
};
pub use rewriting::check_rewriting;
