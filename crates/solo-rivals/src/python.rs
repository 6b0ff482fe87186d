//! Where Python is.

use std::env;
use std::path::PathBuf;

/// The environment that `cargo xtask rivals` makes, relative to the project's folder.
pub const ENVIRONMENT: &str = "target/rivals";
/// What goes into it.
pub const REQUIREMENTS: &str = include_str!("../adapters/requirements.txt");

/// The interpreter for adapters: the variable `SOLO_PYTHON` if set, else the environment that `cargo xtask rivals`
/// made in this folder or one above it, else `python3` from the path.
pub fn interpreter() -> PathBuf {
    if let Some(path) = env::var_os("SOLO_PYTHON") {
        return path.into();
    }
    let program = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let here = env::current_dir().unwrap_or_default();
    here.ancestors()
        .map(|folder| folder.join(ENVIRONMENT).join(program))
        .find(|path| path.exists())
        .unwrap_or_else(|| "python3".into())
}
