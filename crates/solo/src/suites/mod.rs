//! Suites: comparisons of many agents on many days, continued after any interruption.
//!
//! ```no_run
//! use solo::bundled;
//! use solo::suites::{Evaluation, SuitePlan};
//!
//! # fn main() -> Result<(), solo::Error> {
//! let plan = SuitePlan::read(bundled(), "suites/smoke.toml", &[], None)?;
//! let evaluation = Evaluation::open(&plan, "smoke", false)?;
//! evaluation.run(&std::sync::atomic::AtomicBool::new(false), |_| {})?;
//! let kind_of = |agent: &str| bundled().kind(agent);
//! let report = solo_eval::report::write(evaluation.folder(), "docs/decisions", &kind_of)?;
//! # Ok(())
//! # }
//! ```

mod evaluation;
mod plan;

pub use evaluation::{Evaluated, Evaluation, EvaluationProgress};
pub use plan::{PlannedCell, SuiteCopies, SuitePlan};
