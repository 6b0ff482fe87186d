//! VRPLIB files: CVRP instances (`.vrp`) and their solutions (`.sol`).
//!
//! Distances are `EUC_2D` (rounded to the nearest whole number), `EXACT_2D` (an extension of ours: not rounded) or
//! `EXPLICIT`. Nodes are numbered from 1 and the depot may be any of them; it is moved to the front, and the others
//! are our customers in the order of the file. Solutions number the customers from 1 in that same order.

mod lines;
mod read;
mod solution;
mod write;

pub use read::read;
pub use solution::{read_solution, write_solution};
pub use write::write;

use crate::scenario::{RoutingDay, Travel};
use solo_core::Faults;
use solo_core::file::Reader;

/// Reads a file with its coordinates taken as they are: distances that its convention would round are not rounded.
pub fn read_exact(file: &str, text: &str) -> Result<RoutingDay, Faults> {
    let mut day = read(file, text)?;
    if day.travel == Travel::Rounded {
        day.travel = Travel::Euclid;
    }
    Ok(day)
}

/// With this many faults a file is something else altogether, and reading stops.
fn hopeless(reader: &Reader) -> bool {
    reader.count() >= 1_000
}

/// The beginning of a text that may be long.
fn brief(text: &str) -> String {
    text.chars().take(40).collect()
}
