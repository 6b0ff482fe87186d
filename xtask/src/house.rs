//! Rules that the compiler does not know.

use std::fs;
use std::path::{Path, PathBuf};

/// No source file is longer; split by idea before.
const LONGEST: usize = 500;

/// Which of the project's crates a crate may depend on. What is missing here may depend on all.
const MAY_USE: [(&str, &[&str]); 8] = [
    ("solo-core", &[]),
    ("solo-cvrp", &["solo-core"]),
    ("solo-pmsp", &["solo-core"]),
    ("solo-nn", &["solo-core"]),
    ("solo-eval", &["solo-core"]),
    ("solo-learn", &["solo-core", "solo-nn"]),
    ("solo-rivals", &["solo-core"]),
    ("solo-search", &["solo-core"]),
];

/// Checks all house rules and names every breach.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let mut breaches = Vec::new();
    lengths(root, &mut breaches);
    dependencies(root, &mut breaches);
    decisions(root, &mut breaches);
    if breaches.is_empty() {
        Ok(())
    } else {
        Err(format!("house rules:\n  {}", breaches.join("\n  ")))
    }
}

fn lengths(root: &Path, breaches: &mut Vec<String>) {
    for folder in ["crates", "xtask"] {
        for file in files(&root.join(folder)) {
            if file.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let lines = fs::read_to_string(&file).map_or(0, |text| text.lines().count());
            if lines > LONGEST {
                breaches.push(format!(
                    "{} has {lines} lines; split it by idea, {LONGEST} are the most",
                    file.display()
                ));
            }
        }
    }
}

/// Dependencies point one way: problems, search and learning know the core, never each other.
fn dependencies(root: &Path, breaches: &mut Vec<String>) {
    for (name, allowed) in MAY_USE {
        let manifest = root.join("crates").join(name).join("Cargo.toml");
        let Ok(text) = fs::read_to_string(&manifest) else { continue };
        let mut inside = false;
        for line in text.lines() {
            if line.starts_with('[') {
                inside = line == "[dependencies]";
            }
            let used = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if inside && used.starts_with("solo") && !allowed.contains(&used) {
                breaches.push(format!("{name} may not depend on {used}"));
            }
        }
    }
}

/// Every decision that the sources or documents point to exists.
fn decisions(root: &Path, breaches: &mut Vec<String>) {
    let written: Vec<String> = files(&root.join("docs/decisions"))
        .iter()
        .filter_map(|file| Some(file.file_name()?.to_str()?.to_string()))
        .collect();
    let mut readers = files(&root.join("crates"));
    readers.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    for file in readers {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for part in text.split("docs/decisions/").skip(1) {
            let name: String = part
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || "-.".contains(*c))
                .collect();
            let name = name.trim_end_matches('.');
            if name.ends_with(".md") && !written.iter().any(|written| written == name) {
                breaches.push(format!(
                    "{} points to docs/decisions/{name}, which is not there",
                    file.display()
                ));
            }
        }
    }
}

/// All files below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}
