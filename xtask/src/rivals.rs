//! Python environments: of the rivals, and of PyTorch.

use crate::{run, step};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The solvers that we compare with.
pub(crate) fn install(root: &Path) -> Result<Option<PathBuf>, String> {
    environment(root, "rivals", &root.join("crates/solo-rivals/adapters/requirements.txt"))
}

/// PyTorch, which the network is compared with.
pub(crate) fn install_pytorch(root: &Path) -> Result<Option<PathBuf>, String> {
    environment(root, "pytorch", &root.join("benches/pytorch/requirements.txt"))
}

/// Makes the environment `target/name` if its requirements have changed, and returns its interpreter; `None`, having said
/// why, on a machine that has no Python 3 with `venv`.
fn environment(root: &Path, name: &str, requirements: &Path) -> Result<Option<PathBuf>, String> {
    step(name);
    let wanted =
        fs::read_to_string(requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
    let folder = root.join("target").join(name);
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let stamp = folder.join("installed.txt");
    if python.exists() && fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(Some(python));
    }
    let venv = Command::new("python3").args(["-c", "import ensurepip, venv"]).output();
    if !venv.is_ok_and(|output| output.status.success()) {
        println!("xtask: no Python 3 with venv on this machine: going on without {name}");
        return Ok(None);
    }
    run(
        "make the environment",
        Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder),
    )?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"])
        .arg(requirements);
    run(&format!("install {name}"), &mut pip)?;
    fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(Some(python))
}
