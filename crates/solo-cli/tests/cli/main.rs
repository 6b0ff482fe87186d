//! The `solo` command from the outside: what a user types, and what comes back.

mod errors;
mod eval;
mod messages;
mod networks;
mod snapshots;
mod stop;
mod train;
mod verbs;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// What a run left behind.
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ran {
    /// The run, which ended well and said nothing on standard error.
    #[track_caller]
    fn good(self) -> Self {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{}", self.out);
        self
    }

    /// The run, which ended with this code and said all of these on standard error, without panicking.
    #[track_caller]
    fn bad(self, code: i32, says: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.err);
        assert!(self.err.starts_with("error: ") && !self.err.contains("panicked"), "{}", self.err);
        for text in says {
            assert!(self.err.contains(text), "should say '{text}':\n{}", self.err);
        }
        self
    }

    /// Standard output as JSON lines.
    fn json(&self) -> Vec<serde_json::Value> {
        self.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }
}

/// An empty folder to run in.
struct Room(TempDir);

impl Room {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).expect("a file in a temporary folder");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect(name)
    }

    /// The names of the files in it, in order.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).expect("the folder");
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry.expect("an entry").file_name().into_string().expect("a plain name")
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_solo"));
        command.current_dir(self.0.path());
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    /// Runs with this on standard input.
    fn run_with(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut child = self
            .command()
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("solo starts");
        let mut stdin = child.stdin.take().expect("piped");
        let _ = stdin.write_all(input); // it may end without reading
        drop(stdin);
        let output = child.wait_with_output().expect("solo ends");
        let text = |bytes| String::from_utf8(bytes).expect("output is text");
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A file of the project's own scenarios.
fn shared(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/scenarios");
    folder.join(name).to_str().expect("a plain path").to_string()
}
