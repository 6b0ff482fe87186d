//! Searching online: what to do now, found by playing dreamt futures to their end.
//!
//! Everything here is generic over the problem and the guide, and never names either.

mod closed;
mod common;
mod dreams;
mod explain;
mod halving;
pub mod lookahead;
pub mod phased;
mod trajectory;
pub mod tree;
pub mod uct;
mod verdict;

pub use dreams::Futures;
pub use lookahead::Lookahead;
pub use uct::{Answer, Settings, Uct};
