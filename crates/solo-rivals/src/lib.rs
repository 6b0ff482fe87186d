//! Other people's solvers, for an honest comparison: each in a child process of its own that speaks JSON lines.
//!
//! [`External`] is a [`solo_core::Solver`]; [`SolverPool`] keeps children alive between days, so that a solver starts
//! once and not for every decision. Whatever a child does wrong becomes a [`solo_core::Failure`] that names it.

mod child;
mod external;
mod python;

pub use child::Child;
pub use external::{External, Rival, SolverPool};
pub use python::{REQUIREMENTS, VARIABLE, interpreter};
