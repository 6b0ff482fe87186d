//! The report: one HTML file with everything in it, Markdown tables, and the figures as files.

use crate::EvalError;
use crate::figures::{self, Figure};
use crate::folder::{Folder, RunInfo};
use crate::grids::{Grid, overview};
use crate::groups::KindOf;
use crate::results::Results;
use crate::sheets::{Sheet, sheet};
use crate::suite::Deviation;
use crate::table::{count, span};
use crate::takeaway;
use minijinja::{AutoEscape, Environment, context};
use serde::Serialize;
use solo_plot::png;
use std::fmt::Write;

/// What [`write()`] has written.
pub struct Written {
    /// How many figures.
    pub figures: usize,
    /// Why there are no PNG files, if there are none.
    pub no_png: Option<String>,
}

#[derive(Serialize)]
struct Drawing {
    svg: String,
    caption: String,
}

#[derive(Serialize)]
struct Section {
    #[serde(flatten)]
    sheet: Sheet,
    figures: Vec<Drawing>,
    pictures: Vec<Drawing>,
}

#[derive(Serialize)]
struct RunLine {
    #[serde(flatten)]
    run: RunInfo,
    started: String,
    days: u64,
}

/// A report with everything that is in it.
#[derive(Default)]
struct Report {
    /// What to take away: a sentence, and a chart.
    takeaway: String,
    chart: Option<Drawing>,
    /// Tables over several columns.
    grids: Vec<Grid>,
    /// Column by column.
    sections: Vec<Section>,
    figures: Vec<Drawing>,
}

/// Writes `report.html`, `tables.md` and `figures/` into the folder. Links to decisions begin with `docs`; rows are
/// grouped by what `kind_of` says of their agents.
pub fn write(folder: &Folder, docs: &str, kind_of: KindOf<'_>) -> Result<Written, EvalError> {
    let results = Results::load(folder, kind_of)?;
    let sheets: Vec<Sheet> = (0..results.columns.len()).map(|at| sheet(&results, at)).collect();
    let suite = &results.suite;
    let mut grids: Vec<Grid> = suite.steps.iter().flat_map(|s| s.grids(&results)).collect();
    grids.extend(suite.shares.iter().enumerate().map(|(i, shares)| shares.grid(&results, i)));
    grids.extend(suite.seeds.iter().enumerate().map(|(i, seeds)| seeds.grid(&results, i)));
    grids.push(overview(&sheets));
    let takeaway = takeaway::of_all(&sheets).unwrap_or_default();
    folder.write("tables.md", markdown(&results, &takeaway, &grids, &sheets))?;

    let mut files = FigureFiles { folder, png: png::Painter::new(), figures: 0, no_png: None };
    let chart = takeaway::chart(&sheets).map(|chart| files.store(chart)).transpose()?;
    let mut report = Report { takeaway, chart, grids, ..Report::default() };
    for (at, sheet) in sheets.into_iter().enumerate() {
        let (column, cells) = (&results.suite.columns[at], &results.columns[at]);
        let mut figures = Vec::new();
        if let Some(figure) = figures::spread(column, cells) {
            figures.push(files.store(figure)?);
        }
        let mut pictures = Vec::new();
        for picture in &column.pictures {
            let name = Folder::picture(&column.name, &picture.row, picture.day);
            if let Ok(svg) = folder.read(&name) {
                let caption = format!("Day {} as simulated with {}.", picture.day, picture.row);
                pictures.push(Drawing { svg: inline(&svg, &name), caption });
            }
        }
        report.sections.push(Section { sheet, figures, pictures });
    }
    let suite = &results.suite;
    let mut drawn = Vec::new();
    for (number, wanted) in suite.scatter.iter().enumerate() {
        drawn.extend(figures::scatter(&results, wanted, number));
    }
    for (number, wanted) in suite.quality.iter().enumerate() {
        drawn.extend(figures::quality(&results, wanted, number));
    }
    for (number, curve) in suite.curves.iter().enumerate() {
        let Ok(csv) = folder.read(&format!("curves/{number}.csv")) else { continue };
        drawn.extend(figures::curve(curve, &csv, number));
    }
    report.figures = drawn.into_iter().map(|f| files.store(f)).collect::<Result<Vec<_>, _>>()?;
    let html = html(&results, &report, docs);
    let html = html.map_err(|error| EvalError::new(folder.name("report.html"), error))?;
    folder.write("report.html", html)?;
    Ok(Written { figures: files.figures, no_png: files.no_png })
}

/// Figures on their way to files.
struct FigureFiles<'f> {
    folder: &'f Folder,
    png: png::Painter,
    figures: usize,
    no_png: Option<String>,
}

impl FigureFiles<'_> {
    fn store(&mut self, figure: Figure) -> Result<Drawing, EvalError> {
        let name = format!("figures/{}", figure.name);
        self.folder.write(&format!("{name}.svg"), &figure.svg)?;
        match self.png.paint(&figure.svg) {
            Ok(bytes) => self.folder.write(&format!("{name}.png"), bytes)?,
            Err(why) => self.no_png = Some(why),
        }
        self.figures += 1;
        Ok(Drawing { svg: inline(&figure.svg, &figure.name), caption: figure.caption })
    }
}

/// An SVG for a page with others in it: its ids are made unique.
fn inline(svg: &str, name: &str) -> String {
    let safe: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    svg.replace("id=\"", &format!("id=\"{safe}-")).replace("url(#", &format!("url(#{safe}-"))
}

fn html(results: &Results, report: &Report, docs: &str) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_trim_blocks(false);
    environment.add_template("report", include_str!("report.html"))?;
    let simulated = || results.columns.iter().flatten().filter(|cell| !cell.method);
    let figures_of = || simulated().flat_map(|cell| cell.days.iter().flatten());
    let seconds: f64 = figures_of().map(|figures| figures.seconds).sum();
    let suite = &results.suite;
    let runs: Vec<RunLine> = results
        .runs
        .iter()
        .map(|run| RunLine {
            started: date(run.started),
            days: figures_of().filter(|figures| figures.run == Some(run.run)).count() as u64,
            run: run.clone(),
        })
        .filter(|line| line.days > 0)
        .collect();
    let places = places(results);
    let when = results.runs.first().map_or(String::new(), |run| date(run.started));
    let deviations: Vec<_> = suite.deviations.iter().map(ShownDeviation::of).collect();
    environment.get_template("report")?.render(context! {
        title => suite.title,
        about => suite.about,
        days => count(figures_of().count() as f64),
        hours => span(seconds),
        when,
        place => places.first(),
        elsewhere => places.len() > 1,
        takeaway => report.takeaway,
        chart => report.chart,
        grids => report.grids,
        sheets => report.sections,
        figures => report.figures,
        deviations,
        docs,
        runs,
        version => env!("CARGO_PKG_VERSION"),
    })
}

#[derive(Serialize)]
struct ShownDeviation<'d> {
    what: &'d str,
    decision: Option<&'d str>,
}

impl<'d> ShownDeviation<'d> {
    fn of(deviation: &'d Deviation) -> Self {
        Self { what: &deviation.what, decision: deviation.decision.as_deref() }
    }
}

/// The machines that the days were simulated on, and how days were spread over cores: each once, the latest first.
fn places(results: &Results) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for run in results.runs.iter().rev() {
        let place = format!("{}; {}", run.machine, run.cores);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

fn markdown(results: &Results, takeaway: &str, grids: &[Grid], sheets: &[Sheet]) -> String {
    let mut text = format!("# {}\n", results.suite.title);
    for words in [takeaway, results.suite.about.trim(), SORTED] {
        if !words.is_empty() {
            write!(text, "\n{words}\n").expect("writing to a string");
        }
    }
    let places = places(results);
    if !places.is_empty() {
        write!(text, "\n{}.\n", places.join(". In other runs: ")).expect("writing to a string");
    }
    let mut section = |title: &str, about: &str, lines: Vec<String>| {
        write!(text, "\n## {title}\n\n{about}\n\n{}\n", lines.join("\n"))
            .expect("writing to a string");
    };
    for grid in grids {
        section(&grid.title, &grid.about, grid.table().markdown());
    }
    for sheet in sheets {
        let mut about = format!("{} `{}`: {}.", sheet.takeaway, sheet.name, sheet.source);
        about = about.trim_start().to_string();
        if !sheet.note.is_empty() {
            write!(about, " {}", sheet.note).expect("writing to a string");
        }
        if !sheet.published.is_empty() {
            write!(about, " Published: {}.", sheet.published).expect("writing to a string");
        }
        section(&sheet.title, &about, sheet.table().markdown());
    }
    text
}

/// How tables are to be read.
const SORTED: &str = "Rows stand in groups, the cheapest of a group first, on the days shared with the reference. A star marks differences whose 95 % interval excludes zero, on at least six days.";

/// A date and time in UTC.
fn date(seconds: u64) -> String {
    let (days, minutes) = (seconds / 86_400, seconds % 86_400 / 60);
    // Hinnant's civil_from_days, for days after 1970.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = year + 400 * era + next;
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_735_689_599, "2024-12-31 23:59 UTC"),
            (1_794_807_582, "2026-11-16 05:39 UTC"),
        ] {
            assert_eq!(date(seconds), text);
        }
    }

    #[test]
    fn names_in_pictures_do_not_meet() {
        let svg = r#"<pattern id="hatch"/><rect fill="url(#hatch)"/>"#;
        assert_eq!(
            inline(svg, "a b"),
            r#"<pattern id="a-b-hatch"/><rect fill="url(#a-b-hatch)"/>"#
        );
    }
}
