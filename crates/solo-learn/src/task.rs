//! What a run is given, who follows it, and how it ends.

use crate::checkpoint::CheckpointError;
use crate::history::{CurvePoint, Marks};
use solo_core::atomic::FileError;
use solo_core::{Clock, Seed, SpecError};
use std::path::PathBuf;
use thiserror::Error;

/// Finds out what to compare with; `None` if it was asked to stop.
pub type Measure<'m> = &'m dyn Fn() -> Result<Option<Marks>, LearnError>;

/// What a run needs beside its recipe: where it writes, and with which seed, threads and clock.
pub struct Task<'j> {
    /// The random seed.
    pub seed: Seed,
    /// How many threads compute; the result does not depend on it.
    pub threads: usize,
    /// The folder for all files.
    pub out: PathBuf,
    /// Whether to go on from the checkpoint in the folder.
    pub resume: bool,
    /// Finds out what to compare with in the picture and on the card.
    pub marks: Measure<'j>,
    /// Seconds since 1970, for TensorBoard.
    pub wall_time: f64,
    /// Measures how long it takes.
    pub clock: &'j dyn Clock,
}

/// Follows a run, and can stop it.
pub trait Watch {
    /// Learning begins, or goes on, at this step; this is what it is compared with.
    fn begun(&mut self, step: u64, marks: &Marks);
    /// This step is reached.
    fn ticked(&mut self, step: u64);
    /// The model was validated; the least cost so far is `best`.
    fn validated(&mut self, point: &CurvePoint, best: f64);
    /// Whether to stop here; a checkpoint is written first.
    fn stop(&self) -> bool;
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Whether all steps of the recipe were made.
    pub finished: bool,
    /// All validations.
    pub points: Vec<CurvePoint>,
    /// The best of them.
    pub best: Option<CurvePoint>,
}

/// Why a run ended early.
#[derive(Debug, Error)]
pub enum LearnError {
    /// A preset is not known.
    #[error(transparent)]
    Preset(#[from] SpecError),
    /// The baseline is not known.
    #[error("'{name}' is no policy to use as a baseline; known are {known}")]
    Baseline {
        /// As typed.
        name: String,
        /// The names of all.
        known: String,
    },
    /// The weights to begin with are not known, or of another network.
    #[error("{0}")]
    Start(String),
    /// A file could not be written or read.
    #[error(transparent)]
    File(#[from] FileError),
    /// What to compare with could not be found out.
    #[error("{0}")]
    Marks(String),
    /// The checkpoint cannot be used.
    #[error("{path}: {what}; it was left as it is")]
    Checkpoint {
        /// Which.
        path: String,
        /// Why not.
        what: CheckpointError,
    },
    /// There is a checkpoint already.
    #[error(
        "{0} is there already: go on from it with --resume, or choose another folder with --out"
    )]
    Occupied(String),
    /// The problem has no features for a value at the horizon.
    #[error("{0} has no features for a value at the horizon: leave out [value]")]
    NoValue(&'static str),
    /// The recipe would take too much memory.
    #[error(
        "the recipe '{recipe}' would take up to about {all} GB of memory, {most} of them for \
         {field}; at most {limit} GB are allowed: lower {field}",
        limit = crate::MOST_MEMORY / 1e9
    )]
    Memory {
        /// Its name.
        recipe: String,
        /// The field that takes the most.
        field: &'static str,
        /// All of it, in gigabytes.
        all: f64,
        /// What that field takes, in gigabytes.
        most: f64,
    },
    /// The weights are no longer finite.
    #[error(
        "learning diverged before step {0}: the loss is not finite; a lower learning rate may help"
    )]
    Diverged(u64),
}
