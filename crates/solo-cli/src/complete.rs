//! What shells complete: presets and agents beside verbs, options and files.

use crate::args::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::{CompleteEnv, Shells};
use solo::{AnyProblem, bundled};
use std::ffi::OsStr;

/// Answers a shell that asks for completions, and ends the program then; otherwise does nothing.
pub(crate) fn answer() {
    CompleteEnv::with_factory(Cli::command).bin("solo").completer("solo").complete();
}

/// The script by which a shell asks.
pub(crate) fn script(shell: Shell) -> std::io::Result<Vec<u8>> {
    let mut script = Vec::new();
    match Shells::builtins().completer(&shell.to_string()) {
        Some(known) => known.write_registration("COMPLETE", "solo", "solo", "solo", &mut script)?,
        None => clap_complete::generate(shell, &mut Cli::command(), "solo", &mut script),
    }
    Ok(script)
}

fn beginning_with<'n>(
    typed: &OsStr,
    all: impl Iterator<Item = (&'n str, String)>,
) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    all.filter(|(name, _)| name.starts_with(&*typed))
        .map(|(name, about)| CompletionCandidate::new(name).help(Some(about.into())))
        .collect()
}

fn all_presets(typed: &OsStr) -> Vec<CompletionCandidate> {
    let all = bundled().problems().flat_map(AnyProblem::presets);
    beginning_with(typed, all.map(|preset| (preset.name, preset.about.to_string())))
}

/// Presets.
pub(crate) fn presets() -> ArgValueCompleter {
    ArgValueCompleter::new(all_presets)
}

/// Presets, then files.
pub(crate) fn presets_and_files() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let mut all = all_presets(typed);
        all.extend(PathCompleter::any().complete(typed));
        all
    })
}

/// Agents of all problems, each once.
pub(crate) fn agents() -> ArgValueCompleter {
    ArgValueCompleter::new(|typed: &OsStr| {
        let mut all = bundled().problems().flat_map(AnyProblem::agents).collect::<Vec<_>>();
        all.sort_by_key(|agent| agent.name);
        all.dedup_by_key(|agent| agent.name);
        beginning_with(typed, all.into_iter().map(|agent| (agent.name, agent.about)))
    })
}
