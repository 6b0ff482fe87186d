//! `solo generate`.

use crate::args::GenerateArgs;
use crate::days::interrupt;
use crate::ui::{Exit, Out};
use solo::Error;
use solo::any::{AnyDomain, AnyScenario};
use solo::files::{Draft, extension_of};
use solo::registry;
use solo_core::Seed;
use std::sync::atomic::Ordering;

pub(crate) fn run(args: &GenerateArgs, out: &mut Out) -> Result<(), Exit> {
    let unknown = || registry::unknown_preset(&args.preset);
    let domain = registry::preset_owner(&args.preset).ok_or_else(unknown)?;
    let draw = |index| domain.generate(&args.preset, Seed(args.seed), index).ok_or_else(unknown);
    let Some(file) = &args.out else {
        for index in 0..args.count {
            out.line(&line(draw(index)?.as_ref()))?;
        }
        return Ok(());
    };
    let extension = extension_of(file);
    if domain.scenario_extensions().iter().any(|(known, _)| *known == extension) {
        return foreign(args, domain, file, &extension);
    }
    let stop = interrupt();
    let mut draft = Draft::new(file)?;
    for index in 0..args.count {
        if stop.load(Ordering::Relaxed) {
            return Err(Exit::Interrupted); // a half-written file is of no use: the draft vanishes
        }
        draft.write(&line(draw(index)?.as_ref()))?;
        draft.write("\n")?;
    }
    draft.keep()?;
    Ok(())
}

fn line(scenario: &dyn AnyScenario) -> String {
    serde_json::Value::Object(scenario.write()).to_string()
}

fn foreign(
    args: &GenerateArgs,
    domain: &dyn AnyDomain,
    file: &str,
    extension: &str,
) -> Result<(), Exit> {
    let fail = |message: String| Exit::Error(Error::Failed(message));
    if args.count != 1 {
        return Err(fail(format!("{file}: a .{extension} file holds one scenario; write .jsonl")));
    }
    let scenario = domain.generate(&args.preset, Seed(args.seed), 0);
    match scenario.and_then(|scenario| scenario.write_foreign(extension)) {
        Some(Ok(text)) => Ok(solo::files::write_text(file, &text)?),
        Some(Err(reason)) => Err(fail(format!("{file}: {reason}"))),
        None => Err(fail(format!("{file}: nothing could be drawn"))),
    }
}
