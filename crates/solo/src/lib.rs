//! SOLO as a library: every problem behind one door, scenario and solution files, and days lived by agents.
//!
//! Inside a problem's room everything is generic; here types are erased once, in [`any`], so that what follows need
//! not know which problem it is about. [`registry::PROBLEMS`] lists the problems.

pub mod agents;
pub mod any;
pub mod episode;
pub mod files;
pub mod guides;
pub mod lines;
pub mod models;
pub mod networks;
pub mod parallel;
pub mod registry;
pub mod searches;
pub mod solution;

use solo_core::Faults;
use thiserror::Error;

/// Why something asked for could not be done.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Error {
    /// What was typed means nothing here.
    #[error("{0}")]
    Usage(String),
    /// It was tried and failed.
    #[error("{0}")]
    Failed(String),
    /// A suite or a folder of results is wrong.
    #[error(transparent)]
    Trouble(#[from] solo_eval::Trouble),
    /// A file is wrong.
    #[error(transparent)]
    Faults(#[from] Faults),
}
