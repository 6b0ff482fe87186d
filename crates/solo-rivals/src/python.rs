//! Where Python is.

use std::env;
use std::path::PathBuf;

/// The variable that names the interpreter for adapters. It must be set: nothing is looked for in folders, so that no
/// program is run only because it lies where `solo` was started.
pub const VARIABLE: &str = "SOLO_PYTHON";

/// What `cargo xtask rivals` installs.
pub const REQUIREMENTS: &str = include_str!("../adapters/requirements.txt");

/// The interpreter that [`VARIABLE`] names, if it is set.
pub fn interpreter() -> Option<PathBuf> {
    env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}
