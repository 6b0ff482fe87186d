//! `solo eval`: a suite of days, simulated in parallel, kept as they end, and continued after any interruption.

use crate::args::EvalArgs;
use crate::progress::{Bar, interrupt};
use crate::ui::{Align, Exit, Out, Print, Table, count, say, span};
use solo::cores::Cores;
use solo::suites::{Evaluation, SuitePlan};
use solo::{Error, bundled};
use solo_eval::folder::{Failed, Folder};
use solo_eval::results::Results;
use solo_eval::sheets::sheet;

/// Runs it.
pub(crate) fn run(args: &EvalArgs, out: &mut Out) -> Result<(), Exit> {
    let plan = SuitePlan::read(bundled(), &args.suite, &args.only, args.days)?;
    let Some(path) = args.out.as_deref().filter(|_| !args.dry_run) else {
        let cores = Cores::share(args.threads.asked()).map_err(Error::Usage)?;
        return print_plan(&plan, cores.workers, out);
    };
    let mut evaluation = Evaluation::open_on(&plan, path, args.mix, args.threads.asked())?;
    evaluation.left_out.iter().for_each(|what| say("warning", what));
    if !args.forget.is_empty() {
        say("note", &format!("{} days forgotten", evaluation.forget(&args.forget)?));
    }
    let all: u64 = plan.cells.iter().map(|cell| cell.days).sum();
    let there = count((all - evaluation.missing()) as f64);
    out.line(&format!("{}: {}", plan.suite.name, plan.suite.title))?;
    out.line(&evaluation.cores())?;
    out.line(&format!("{there} of {} days are there already", count(all as f64)))?;
    out.flush()?;

    let mut bar = Bar::new(evaluation.missing());
    let evaluated = evaluation.run(interrupt(), |progress| {
        let left = || format!("about {} left", span(progress.seconds_left));
        bar.tick_with(progress.done, &left);
    });
    bar.end();
    let evaluated = evaluated?;
    for Failed { column, row, days, why } in &evaluated.failed {
        say("warning", &format!("{column} / {row} failed on {days} days: {why}"));
    }
    for (column, row, note) in &evaluated.notes {
        say("note", &format!("{column} / {row}: {note}"));
    }
    let (done, left) = (count(evaluated.done as f64), count(evaluated.left as f64));
    out.line(&format!("{done} days simulated, {left} left"))?;
    tables(evaluation.folder(), &plan, out)?;
    out.line(&format!("the report: solo report {path}"))?;
    out.flush()?;
    if evaluated.stopped { Err(Exit::Interrupted) } else { Ok(()) }
}

/// Prints the columns that were asked for.
fn tables(folder: &Folder, plan: &SuitePlan<'_>, out: &mut Out) -> Result<(), Exit> {
    let results = Results::load(folder, &|agent| bundled().kind(agent))?;
    for at in (0..results.columns.len()).filter(|&at| plan.cells.iter().any(|c| c.column == at)) {
        let sheet = sheet(&results, at);
        out.line("")?;
        out.line(&format!("{} ({})", sheet.title, sheet.name))?;
        sheet.table().print(out)?;
    }
    out.line("")
}

/// Prints the cells with about how long they take.
fn print_plan(plan: &SuitePlan<'_>, workers: usize, out: &mut Out) -> Result<(), Exit> {
    let mut table = Table::new(&[
        ("column", Align::Left),
        ("row", Align::Left),
        ("days", Align::Right),
        ("about", Align::Right),
    ]);
    let (mut days, mut total) = (0, 0.0);
    for cell in &plan.cells {
        let column = plan.column(cell);
        let seconds = plan.guess(cell) * cell.days as f64 / workers as f64;
        (days, total) = (days + cell.days, total + seconds);
        let most = if seconds > 0.0 { span(seconds) } else { "-".to_string() };
        let row = column.rows[cell.row].label.clone();
        table.row(vec![column.name.clone(), row, count(cell.days as f64), most]);
    }
    table.row(vec![String::new(), "together".to_string(), count(days as f64), span(total)]);
    table.print(out)
}
