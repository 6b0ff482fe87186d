//! `solo report`.

use crate::args::ReportArgs;
use crate::ui::{Exit, Out, say};
use solo::bundled;
use solo_eval::folder::Folder;
use solo_eval::report;

/// Runs it.
pub(crate) fn run(args: &ReportArgs, out: &mut Out) -> Result<(), Exit> {
    let folder = Folder::open(&args.folder)?;
    let written = report::write(&folder, &args.docs, &|agent| bundled().kind(agent))?;
    if let Some(why) = &written.no_png {
        say("warning", &format!("figures are not there as PNG: {why}"));
    }
    out.line(&format!("the report: {}", folder.name("report.html")))?;
    out.line(&format!("the tables: {}", folder.name("tables.md")))?;
    out.line(&format!("the figures: {}, {} in all", folder.name("figures"), written.figures))
}
