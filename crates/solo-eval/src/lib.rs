//! Evaluation over many days: suites, the record of simulated days, statistics, tables, figures and the report.
//! Nothing here simulates a day or knows a problem.

mod appended;
pub mod bootstrap;
pub mod figures;
pub mod folder;
pub mod grids;
pub mod groups;
pub mod published;
pub mod record;
pub mod report;
pub mod results;
pub mod seeds;
pub mod shares;
pub mod sheets;
pub mod stats;
pub mod steps;
pub mod suite;
mod suite_text;
pub mod table;
pub mod takeaway;
pub mod wilcoxon;

use thiserror::Error;

/// Why a suite, a record or a folder of results cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}: {what}")]
pub struct EvalError {
    /// Which file or folder.
    pub file: String,
    /// What is wrong with it, where, and what helps.
    pub what: String,
}

impl EvalError {
    /// What is wrong with a file.
    pub fn new(file: impl Into<String>, what: impl ToString) -> Self {
        Self { file: file.into(), what: what.to_string() }
    }
}
