//! One child process and the conversation with it.

use serde_json::{Value, json};
use solo_core::Failure;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What helps where there is no interpreter.
pub(crate) const REMEDY: &str =
    "install Python 3, run `cargo xtask rivals`, and set SOLO_PYTHON as it says";
/// How long a solver may take to start; importing the larger ones takes seconds on a cold disk.
const START: Duration = Duration::from_secs(60);
/// The longest answer, in bytes.
const LONGEST: u64 = 64 << 20;
/// How much of what a child said on its standard error is kept for the message when it dies.
const LAST_WORDS: usize = 600;

/// A running adapter. Dropping it ends the process; and the process ends by itself when its standard input closes or
/// its parent is gone.
pub struct Child {
    name: &'static str,
    process: std::process::Child,
    input: ChildStdin,
    output: Receiver<Result<String, String>>,
    last_words: Arc<Mutex<String>>,
    version: String,
    asked: u64,
}

impl Child {
    /// Starts `script` under the interpreter and waits until it says that it is ready.
    pub fn start(name: &'static str, python: &Path, script: &str) -> Result<Self, Failure> {
        let mut process = Command::new(python)
            .args(["-u", "-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                let python = python.display();
                Failure::Missing(format!("{name}: cannot start {python}: {error}; {REMEDY}"))
            })?;
        let input = process.stdin.take().expect("piped");
        let (send, output) = channel();
        let lines = BufReader::new(process.stdout.take().expect("piped"));
        thread::spawn(move || read_lines(lines, &send));
        let last_words = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&last_words);
        let errors = BufReader::new(process.stderr.take().expect("piped"));
        thread::spawn(move || listen(errors, &heard));

        let version = String::new();
        let mut child = Self { name, process, input, output, last_words, version, asked: 0 };
        let ready = child.hear(START)?;
        match (ready["ready"].as_str(), ready["error"].as_str()) {
            (Some(version), _) => child.version = version.to_string(),
            (None, Some(error)) => return Err(Failure::Missing(format!("{name}: {error}"))),
            (None, None) => return Err(child.garbage(&ready.to_string())),
        }
        Ok(child)
    }

    /// What the solver calls itself.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The process's number.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Keeps the process to the cores of the calling thread, so that a solver gets the core of the day that it plans
    /// for. Where that cannot be done the system decides.
    pub fn follow(&self) {
        #[cfg(target_os = "linux")]
        if let (Ok(cores), Ok(id)) =
            (rustix::thread::sched_getaffinity(None), i32::try_from(self.process.id()))
        {
            let _ = rustix::thread::sched_setaffinity(rustix::thread::Pid::from_raw(id), &cores);
        }
    }

    /// Asks for an answer within `limit`. After a failure the child is of no further use.
    pub fn ask(&mut self, mut request: Value, limit: Duration) -> Result<Value, Failure> {
        self.asked += 1;
        request["id"] = json!(self.asked);
        let sent = writeln!(self.input, "{request}").and_then(|()| self.input.flush());
        if sent.is_err() {
            return Err(self.died());
        }
        let answer = self.hear(limit)?;
        if answer["id"] != request["id"] {
            return Err(self.garbage(&answer.to_string()));
        }
        match answer["error"].as_str() {
            Some(error) => Err(Failure::Refused(format!("{}: {error}", self.name))),
            None => Ok(answer),
        }
    }

    /// The next line, as an object.
    fn hear(&mut self, limit: Duration) -> Result<Value, Failure> {
        match self.output.recv_timeout(limit) {
            Ok(Ok(line)) => match serde_json::from_str(&line) {
                Ok(Value::Object(map)) => Ok(Value::Object(map)),
                _ => Err(self.garbage(&line)),
            },
            Ok(Err(error)) => Err(self.garbage(&error)),
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.process.kill();
                Err(Failure::Late(format!(
                    "{}: no answer within {limit:?}; it was ended",
                    self.name
                )))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.died()),
        }
    }

    fn died(&mut self) -> Failure {
        // Its output has closed: it is ending by itself, and the status that it ends with is worth telling.
        for _ in 0..100 {
            if !matches!(self.process.try_wait(), Ok(None)) {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.process.kill();
        let status =
            self.process.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
        let words =
            self.last_words.lock().map(|words| words.trim().to_string()).unwrap_or_default();
        let words = if words.is_empty() { String::new() } else { format!("; it said: {words}") };
        Failure::Died(format!("{} ended with {status}{words}", self.name))
    }

    fn garbage(&self, line: &str) -> Failure {
        let shown: String = line.chars().take(120).collect();
        Failure::Garbage(format!("{}: '{shown}'", self.name))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn read_lines(mut from: impl BufRead, to: &Sender<Result<String, String>>) {
    loop {
        let mut line = String::new();
        let message = match from.by_ref().take(LONGEST).read_line(&mut line) {
            Ok(0) => return,
            Ok(length) if length as u64 == LONGEST => Err("an endless line".to_string()),
            Ok(_) => Ok(line),
            Err(error) => Err(error.to_string()),
        };
        let broken = message.is_err();
        if to.send(message).is_err() || broken {
            return;
        }
    }
}

/// Keeps the end of what is said.
fn listen(mut from: impl BufRead, heard: &Mutex<String>) {
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        if let Ok(mut heard) = heard.lock() {
            heard.push_str(&String::from_utf8_lossy(&line));
            if let Some(cut) = heard.len().checked_sub(LAST_WORDS) {
                let cut = (cut..heard.len()).find(|&i| heard.is_char_boundary(i)).unwrap_or(0);
                heard.drain(..cut);
            }
        }
        line.clear();
    }
}
