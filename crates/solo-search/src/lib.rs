//! Searching online: what to do now, found by playing sampled futures to their end.
//!
//! Everything here is generic over the problem and the guide, and never names either.

mod closed;
mod common;
pub mod exact;
mod explain;
mod futures;
mod halving;
pub mod lookahead;
pub mod phased;
mod trajectory;
pub mod tree;
pub mod uct;
mod verdict;

pub use common::{Comparator, Cut, Root};
pub use futures::Futures;
pub use lookahead::{Lookahead, LookaheadParams};
pub use phased::Phased;
pub use uct::{Answer, Uct, UctParams, Waiting};
