//! The paper's graph Q-network, computed on the CPU by code of our own: a few kernels with everything around a
//! product fused into it, graphs of any size in one batch without padding, and explicit gradients.
//!
//! A network never learns which problem it is for: it reads a [`Graph`](solo_core::Graph) and writes a value for every
//! slot of the menu.

mod adam;
mod aligned;
mod backward;
mod batch;
mod checkpoint;
#[cfg(test)]
mod checks;
mod config;
mod dispatch;
mod forward;
mod infer;
mod layout;
mod norm;
mod product;
mod qnet;
mod rewriter;
mod rows;
mod scorer;
mod scorer_file;
mod scorer_guide;
mod scorer_value;
mod trainer;

pub use adam::{Adam, clip_by_norm};
pub use checkpoint::LoadError;
pub use config::{Aggregate, Config};
pub use dispatch::Instructions;
pub use infer::Infer;
pub use layout::Tensor;
pub use qnet::Qnet;
pub use rewriter::{
    Encoder, RewriteLosses, RewriteSample, RewriteTrainer, RewriterNet, RewriterShape,
};
pub use scorer::{Scorer, ScorerShape, Scratch};
pub use scorer_guide::Scored;
pub use scorer_value::Valued;
pub use trainer::{LANES, Loss, Sample, Trainer};
