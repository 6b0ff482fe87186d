//! What can be tuned.

/// The settings of [`super::Ruin`]. The defaults were tuned on generated days, never on the shared ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RuinParams {
    /// At most this many strings of adjacent jobs are removed in one iteration.
    pub strings: usize,
    /// A string has at most this many jobs.
    pub length: usize,
    /// The share of iterations that remove a whole run of one class instead.
    pub runs: f64,
    /// The chance, drawn per iteration, that adjacent jobs of one class are put back as one piece.
    pub glue: f64,
    /// The chance that the best position of a piece is overlooked.
    pub blink: f64,
    /// The first temperature, as a share of the starting cost per job.
    pub hot: f64,
    /// The last temperature, as a share of the starting cost per job.
    pub cold: f64,
}

impl Default for RuinParams {
    fn default() -> Self {
        Self { strings: 3, length: 12, runs: 0.05, glue: 0.8, blink: 0.005, hot: 0.12, cold: 0.006 }
    }
}
