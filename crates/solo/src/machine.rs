//! What a result was made with: the program and the machine.

use std::env;
use std::fs;
use std::process::Command;

/// A fingerprint of the program that is running.
pub fn program() -> String {
    let bytes = env::current_exe().and_then(fs::read);
    bytes.map_or_else(|_| "unknown".to_string(), |b| blake3::hash(&b).to_hex()[..16].to_string())
}

/// The sources that the program was built from.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The commit of the program's sources, if they are still there, with a `+` if something was changed since. Git is not
/// asked about the current folder: that may be anybody's, and a folder's settings can make git run programs.
pub fn commit() -> Option<String> {
    let git = |words: &[&str]| {
        let output = Command::new("git").args(["-C", SOURCES]).args(words).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(if changed { format!("{commit}+") } else { commit })
}

/// What was typed, without the folder that the program is in.
pub fn command() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+@:,".contains(c);
        if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{word}'") }
    };
    let words = env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("solo".to_string()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The processor, its cores, the memory and the system, as far as they are known.
pub fn describe() -> String {
    let field = |file: &str, key: &str| {
        let text = fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut parts = vec![
        field("/proc/cpuinfo", "model name").unwrap_or_else(|| env::consts::ARCH.to_string()),
        format!("{cores} cores"),
    ];
    let memory = field("/proc/meminfo", "MemTotal");
    let kilobytes = memory.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    parts.extend(kilobytes.map(|kilobytes| format!("{:.0} GB", kilobytes / (1 << 20) as f64)));
    parts.push(env::consts::OS.to_string());
    parts.join(", ")
}
