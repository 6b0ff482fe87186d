//! Rules that the compiler does not know.

use std::fs;
use std::path::{Path, PathBuf};

/// No source file is longer; split by idea before.
const LONGEST: usize = 500;

/// No function is longer, the network's kernels included; others stay under about 60 lines.
const LONGEST_FUNCTION: usize = 90;

/// No line of a document is wider, tables aside.
const WIDEST: usize = 100;

/// Which of the project's crates a crate may depend on. What is missing here may depend on all.
const MAY_USE: [(&str, &[&str]); 11] = [
    ("solo-core", &[]),
    ("solo-plot", &[]),
    ("solo-cvrp", &["solo-core", "solo-plot"]),
    ("solo-pmsp", &["solo-core", "solo-plot"]),
    ("solo-nn", &["solo-core"]),
    ("solo-search", &["solo-core"]),
    ("solo-learn", &["solo-core", "solo-nn", "solo-plot", "solo-search"]),
    ("solo-eval", &["solo-core", "solo-plot"]),
    ("solo-rivals", &["solo-core"]),
    (
        "solo",
        &[
            "solo-core",
            "solo-cvrp",
            "solo-eval",
            "solo-learn",
            "solo-nn",
            "solo-plot",
            "solo-pmsp",
            "solo-rivals",
            "solo-search",
        ],
    ),
    ("solo-cli", &["solo", "solo-core", "solo-eval", "solo-learn"]),
];

/// Crates that only the program or the benches may link: dependency, and who may have it.
const ONLY_IN: [(&str, &[&str]); 6] = [
    ("clap", &["solo-cli", "solo-bench"]),
    ("indicatif", &["solo-cli"]),
    ("ctrlc", &["solo-cli"]),
    ("criterion", &["solo-bench"]),
    ("allocation-counter", &["solo-bench"]),
    ("resvg", &["solo-plot"]),
];

/// Words that the glossary replaces: not in sources, nor in documents.
const NOT_OUR_WORDS: [&str; 10] = [
    " dream",
    "dreamt",
    " dice",
    "in the box",
    "scout",
    "wide sight",
    "Sight",
    "surprise",
    "wrongly asked",
    "lived by",
];

/// Checks all house rules and names every breach.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let mut breaches = Vec::new();
    lengths(root, &mut breaches);
    functions(root, &mut breaches);
    dependencies(root, &mut breaches);
    decisions(root, &mut breaches);
    words(root, &mut breaches);
    widths(root, &mut breaches);
    links(root, &mut breaches);
    if breaches.is_empty() {
        Ok(())
    } else {
        Err(format!("house rules:\n  {}", breaches.join("\n  ")))
    }
}

/// The names of the Rust files in a folder, without their ending.
pub(crate) fn stems(folder: &Path) -> Vec<String> {
    let rust = files(folder).into_iter().filter(|file| file.extension().is_some_and(|e| e == "rs"));
    rust.filter_map(|file| Some(file.file_stem()?.to_str()?.to_string())).collect()
}

/// The sources of the project.
fn sources(root: &Path) -> Vec<PathBuf> {
    let all = ["crates", "xtask"].into_iter().flat_map(|folder| files(&root.join(folder)));
    all.filter(|file| file.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// The documents of the project, results aside: those are records.
fn documents(root: &Path) -> Vec<PathBuf> {
    let mut all = files(&root.join("docs"));
    all.extend(
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "models/README.md", "data/README.md"]
            .map(|name| root.join(name)),
    );
    all.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    all
}

/// A function begins at a line with `fn` and ends at the brace of the same indentation.
fn functions(root: &Path, breaches: &mut Vec<String>) {
    for file in
        sources(root).iter().filter(|file| file.components().all(|c| c.as_os_str() != "tests"))
    {
        let Ok(text) = fs::read_to_string(file) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        for (start, line) in lines.iter().enumerate() {
            let code = line.trim_start();
            let code = code.trim_start_matches("pub(crate) ").trim_start_matches("pub ");
            if !code.trim_start_matches("const ").starts_with("fn ") || line.ends_with(';') {
                continue;
            }
            let indent = &line[..line.len() - line.trim_start().len()];
            let brace = format!("{indent}}}");
            let semicolon =
                |line: &&str| line.ends_with(';') && line.starts_with(&format!("{indent})"));
            let end = lines[start..].iter().position(|line| *line == brace || semicolon(line));
            if let Some(length) = end.filter(|length| *length >= LONGEST_FUNCTION) {
                breaches.push(format!(
                    "{}:{} is a function of {} lines; {LONGEST_FUNCTION} are the most",
                    file.display(),
                    start + 1,
                    length + 1
                ));
            }
        }
    }
}

/// The vocabulary holds in sources and documents.
fn words(root: &Path, breaches: &mut Vec<String>) {
    let own = root.join("xtask/src/house.rs");
    for file in sources(root).into_iter().chain(documents(root)).filter(|file| *file != own) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for (number, line) in text.lines().enumerate() {
            for word in NOT_OUR_WORDS.iter().filter(|word| line.contains(**word)) {
                let at = format!("{}:{}", file.display(), number + 1);
                breaches.push(format!("{at} says '{}'; see docs/glossary.md", word.trim()));
            }
        }
    }
}

/// Documents are wrapped.
fn widths(root: &Path, breaches: &mut Vec<String>) {
    for file in documents(root) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let mut code = false;
        for (number, line) in text.lines().enumerate() {
            code ^= line.starts_with("```");
            let free = code || line.starts_with('|') || line.contains("](") || line.contains("<");
            if !free && line.chars().count() > WIDEST {
                let at = format!("{}:{}", file.display(), number + 1);
                breaches.push(format!("{at} is wider than {WIDEST} columns"));
            }
        }
    }
}

/// Every file that a document links to is there.
fn links(root: &Path, breaches: &mut Vec<String>) {
    for file in documents(root) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for (number, line) in text.lines().enumerate() {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            for target in targets.filter(|target| !target.contains("://")) {
                let path = target.split('#').next().unwrap_or_default();
                if !file.parent().is_some_and(|folder| folder.join(path).exists()) {
                    let at = format!("{}:{}", file.display(), number + 1);
                    breaches.push(format!("{at} links to {target}, which is not there"));
                }
            }
        }
    }
}

fn lengths(root: &Path, breaches: &mut Vec<String>) {
    for file in sources(root) {
        let lines = fs::read_to_string(&file).map_or(0, |text| text.lines().count());
        if lines > LONGEST {
            breaches.push(format!(
                "{} has {lines} lines; split it by idea, {LONGEST} are the most",
                file.display()
            ));
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
            let elsewhere = |(only, who): &&(&str, &[&str])| *only == used && !who.contains(&name);
            if let Some((only, who)) = ONLY_IN.iter().find(elsewhere).filter(|_| inside) {
                breaches.push(format!("{name} may not depend on {only}; only {who:?} may"));
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
