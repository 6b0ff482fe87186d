//! Documents that run. The commands of a page are executed in order in an empty folder, with the program on the path, and
//! what they print is compared with the page, or written into it.

mod page;
mod steady;

use crate::{run, step, target};
use page::{Compare, Page, Step};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Pictures on pages: the page, the file that its commands draw, and where the page shows it.
const PICTURES: [(&str, &str, &str); 2] = [
    ("README.md", "pmsp-online-3-seed0-0.svg", "docs/pictures/pmsp-online-3.svg"),
    ("docs/guide/your-own-day.md", "monday.svg", "docs/pictures/monday.svg"),
];

/// What to do with what commands print.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Mode {
    /// Compare it with the page.
    Check,
    /// Write it into the page.
    Write,
}

/// Runs the README and the guide, or only the pages whose path contains `only`.
pub(crate) fn execute(
    root: &Path,
    build: &mut Command,
    mode: Mode,
    only: &str,
) -> Result<(), String> {
    run("release build", build)?;
    if !Command::new("sh").args(["-c", ":"]).status().is_ok_and(|status| status.success()) {
        println!("xtask: pages: skipped, because there is no 'sh' here");
        return Ok(());
    }
    let mut wrong = Vec::new();
    let pages: Vec<String> = names(root)?.into_iter().filter(|name| name.contains(only)).collect();
    if pages.is_empty() {
        return Err(format!("no page's path contains '{only}'"));
    }
    for name in &pages {
        wrong.extend(one(root, name, mode)?);
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let mut text = wrong.join("\n");
    if mode == Mode::Check {
        text += "\nif the new output is right, 'cargo xtask pages' writes it into the pages";
    }
    Err(format!("pages:\n{text}"))
}

/// The README, then the pages of the guide.
fn names(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("docs/guide");
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("docs/guide/{name}"))
        .collect();
    names.sort();
    names.insert(0, "README.md".to_string());
    Ok(names)
}

/// Runs a page and returns what is wrong with it.
fn one(root: &Path, name: &str, mode: Mode) -> Result<Vec<String>, String> {
    let path = root.join(name);
    let text = fs::read_to_string(&path).map_err(|e| format!("{name}: {e}"))?;
    let page = Page::parse(&text).map_err(|what| format!("{name}:{what}"))?;
    if page.steps.is_empty() && page.skipped.is_empty() {
        return Ok(Vec::new());
    }
    step(name);
    for line in &page.skipped {
        println!("xtask: {name}:{line}: skipped, because the block says no-run");
    }
    let started = Instant::now();
    let folder = env::temp_dir().join(format!("solo-page-{}", std::process::id()));
    fs::create_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let ran = commands(root, name, &page, &folder, mode);
    let ran = ran.and_then(|(mut wrong, outputs)| {
        wrong.extend(pictures(root, name, &folder, mode)?);
        Ok((wrong, outputs))
    });
    fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let (wrong, outputs) = ran?;
    let (done, all) = (outputs.len(), page.steps.len());
    let seconds = started.elapsed().as_secs();
    println!("xtask: {name}: {done} of {all} blocks of commands, {seconds} s");
    if mode == Mode::Write && wrong.is_empty() {
        let new = page.with_outputs(&outputs);
        if new != text {
            fs::write(&path, new).map_err(|e| format!("{name}: {e}"))?;
            println!("xtask: {name}: written anew");
        }
    }
    Ok(wrong)
}

/// What is wrong with a page's commands, and what they print. It ends at the first block that ends otherwise than it should:
/// those after it would fail for its sake.
fn commands(
    root: &Path,
    name: &str,
    page: &Page,
    folder: &Path,
    mode: Mode,
) -> Result<(Vec<String>, Vec<String>), String> {
    let (mut wrong, mut outputs) = (Vec::new(), Vec::new());
    for step in &page.steps {
        let (mut printed, code) = shell(root, &step.script, folder)?;
        if (code == Some(0)) == step.fails {
            let code = code.map_or("by a signal".to_string(), |code| format!("with code {code}"));
            let should = if step.fails { ", but should fail" } else { "" };
            let at = format!("{name}:{}", step.line);
            wrong.push(format!("{at}: the commands ended {code}{should}:\n{printed}"));
            return Ok((wrong, outputs));
        }
        if let Some(code) = code.filter(|_| step.fails) {
            printed += &format!("exit code {code}\n");
        }
        if mode == Mode::Check {
            wrong.extend(difference(step, &printed).map(|text| format!("{name}:{text}")));
        }
        outputs.push(printed);
    }
    Ok((wrong, outputs))
}

/// How what was printed differs from the page.
fn difference(step: &Step, printed: &str) -> Option<String> {
    let output = step.output.as_ref()?;
    match output.compare {
        Compare::Exactly => {
            let printed = steady::steady(printed);
            if printed == output.text {
                return None;
            }
            let shown: Vec<&str> = output.text.lines().collect();
            let lines: Vec<&str> = printed.lines().collect();
            let at = (0..).find(|&i| shown.get(i) != lines.get(i))?;
            let line = |lines: &[&str]| lines.get(at).map_or("(nothing)", |line| *line).to_string();
            Some(format!(
                "{}: the page says\n  {}\nand the commands print\n  {}",
                output.line + 1 + at,
                line(&shown),
                line(&lines)
            ))
        }
        Compare::Words => steady::missing(&output.text, printed).map(|(at, line)| {
            let line = format!("the page says\n  {line}\nand the commands print no such line");
            format!("{}: {line}", output.line + 1 + at)
        }),
    }
}

/// Runs a script in a folder and returns what it prints, and its exit code.
fn shell(root: &Path, script: &str, folder: &Path) -> Result<(String, Option<i32>), String> {
    let old = env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(target(root).join("release")).chain(env::split_paths(&old));
    let path = env::join_paths(paths).map_err(|e| format!("PATH: {e}"))?;
    // The release build has just been made.
    let script = script.replace("cargo run --release -- ", "solo ");
    let output = Command::new("sh")
        .args(["-eu", "-c", &format!("exec 2>&1\n{script}")])
        .env("PATH", path)
        .env("NO_COLOR", "1")
        .env_remove("SOLO_PYTHON")
        .stdin(Stdio::null())
        .current_dir(folder)
        .output()
        .map_err(|e| format!("sh: {e}"))?;
    Ok((String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code()))
}

/// Writes a page's pictures, or says which of them its commands did not draw.
fn pictures(root: &Path, name: &str, folder: &Path, mode: Mode) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    for (_, file, shown) in PICTURES.iter().filter(|(page, ..)| *page == name) {
        let drawn: PathBuf = folder.join(file);
        if !drawn.exists() {
            wrong.push(format!("{name}: its commands do not draw {file}"));
        } else if mode == Mode::Write {
            fs::copy(&drawn, root.join(shown)).map_err(|e| format!("{shown}: {e}"))?;
        } else if !root.join(shown).exists() {
            wrong.push(format!("{name}: {shown} is not there"));
        }
    }
    Ok(wrong)
}
