//! Progress on standard error, and Ctrl-C.

use crate::ui::{say, span};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A flag that Ctrl-C sets; a second Ctrl-C ends the program at once.
pub(crate) fn interrupt() -> &'static AtomicBool {
    static STOP: AtomicBool = AtomicBool::new(false);
    // If no handler can be set Ctrl-C ends the program at once, which is no reason not to begin.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    &STOP
}

/// A progress bar on standard error, if that is a terminal, once something takes longer than a second; else, now and
/// then, a line.
pub(crate) struct Bar {
    started: Instant,
    said: Instant,
    count: u64,
    bar: Option<ProgressBar>,
}

/// The progress of days with their decisions.
const DECIDING: &str = "{bar:15} {pos}/{len} days, {msg} decisions, {elapsed} gone, {eta} left";
/// The progress of an evaluation.
const EVALUATING: &str = "{bar:15} {pos}/{len} days, {elapsed} gone, {wide_msg}";

/// How often a line is said where there is no terminal.
const SAID: Duration = Duration::from_secs(60);

impl Bar {
    pub(crate) fn new(count: u64) -> Self {
        let now = Instant::now();
        Self { started: now, said: now, count, bar: None }
    }

    pub(crate) fn tick(&mut self, finished: u64, decided: u64) {
        self.show(finished, DECIDING, || decided.to_string());
    }

    /// Shows how far things are, in words of the caller's about what is left. The words are asked for only when shown.
    pub(crate) fn tick_with(&mut self, finished: u64, left: &dyn Fn() -> String) {
        if io::stderr().is_terminal() {
            self.show(finished, EVALUATING, left);
        } else if self.said.elapsed() >= SAID {
            self.said = Instant::now();
            let gone = span(self.started.elapsed().as_secs_f64());
            say("note", &format!("{finished} of {} days, {gone} gone, {}", self.count, left()));
        }
    }

    fn show(&mut self, finished: u64, template: &str, message: impl Fn() -> String) {
        if self.started.elapsed() < Duration::from_secs(1) {
            return;
        }
        let started = self.started;
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template(template);
            let bar = ProgressBar::new(self.count).with_elapsed(started.elapsed());
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        bar.set_message(message());
        bar.set_position(finished);
    }

    /// Does something that may print, with the bar out of the way.
    pub(crate) fn aside<T>(&self, task: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(task),
            None => task(),
        }
    }

    pub(crate) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How wide a progress line can become with a million of everything, what fills the rest left aside.
#[cfg(test)]
pub(crate) fn widest(template: &str) -> usize {
    let mut line = template.to_string();
    for (key, text) in [
        ("{bar:15}", "---------------"),
        ("{pos}", "1000000"),
        ("{len}", "1000000"),
        ("{elapsed}", "59m"),
        ("{eta}", "59m"),
        ("{msg}", "100000000"),
        ("{wide_msg}", ""),
    ] {
        line = line.replace(key, text);
    }
    assert!(!line.contains('{'), "{line}");
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_fits_80_columns() {
        assert!(widest(DECIDING) <= 80);
        assert!(widest(EVALUATING) + "about 3 h 05 min left".len() <= 80);
    }
}
