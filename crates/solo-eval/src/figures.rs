//! Figures of results, as SVG.

use crate::bootstrap::{Estimate, of_difference};
use crate::groups::Group;
use crate::results::{Cell, Results};
use crate::stats::mean;
use crate::suite::{Column, Curve, Quality, Scatter, Who};
use solo_core::Budget;
use solo_plot::chart::{Plot, Scale, short};
use solo_plot::svg::{Anchor, PALETTE, text_width};

/// A drawn figure.
pub struct Figure {
    /// The name of its file, without ending.
    pub name: String,
    /// What it shows, for those who cannot see it.
    pub caption: String,
    /// The picture.
    pub svg: String,
}

const INK: &str = "#333333";
const ZERO: &str = "#888888";
/// Rows whose median is further than this many percent from the reference do not stretch the axis.
const FAR: f64 = 40.0;

/// Dots are drawn in this many layers: where days lie close together, those of one shine through those of another.
const LAYERS: usize = 4;

/// How the days of every row are spread around those of the reference, in percent; `None` if there is nothing to show.
pub fn spread(column: &Column, cells: &[Cell]) -> Option<Figure> {
    let reference = &cells[column.reference];
    let rows = day_gaps(cells, reference);
    if rows.is_empty() {
        return None;
    }
    let shown = rows.iter().filter(|row| is_near(&row.gaps)).flat_map(|row| &row.gaps);
    let scale = Scale::holding(shown.copied().chain([0.0]));
    let left = 24.0 + rows.iter().map(|row| text_width(row.label, 12.0)).fold(0.0, f64::max);
    let size = (760.0, 112.0 + 26.0 * rows.len() as f64);
    let lines = Scale::even(0.0, rows.len() as f64);
    let title = format!("{}: cost against {}, day by day", column.title, reference.label);
    let mut plot = Plot::new(&title, size, left, scale, lines);
    plot.x_axis(&format!("percent above {} on the same day", reference.label), 8, percent);
    plot.upright(0.0, ZERO);
    plot.subtitle(&format!("left of the dashed line: cheaper than {}", reference.label));
    for (i, SpreadRow { label, group, gaps }) in rows.iter().enumerate() {
        let y = rows.len() as f64 - i as f64 - 0.5;
        let colour = group.colour();
        let (x0, middle) = plot.at(f64::NEG_INFINITY, y);
        plot.svg.text((x0 - 8.0, middle + 4.0), 12.0, Anchor::End, INK, label);
        let mean = mean(gaps);
        if !is_near(gaps) && !scale.holds(mean) {
            let (end, _) = plot.at(f64::INFINITY, y);
            let text = format!("mean {} beyond the axis", percent(mean.round()));
            plot.svg.text((end - 6.0, middle + 4.0), 12.0, Anchor::End, colour, &text);
            continue;
        }
        let held: Vec<f64> = gaps.iter().copied().filter(|gap| scale.holds(*gap)).collect();
        draw_dots(&mut plot, &held, y, colour);
        draw_box(&mut plot, gaps, y, colour);
        let tip = format!("{label}: mean {} on {} days", percent(mean), gaps.len());
        plot.svg.circle(plot.at(mean, y), 3.6, colour, &tip);
    }
    Some(Figure {
        name: format!("spread-{}", column.name),
        caption: format!(
            "Each dot is a day. The box spans the middle half of the days, its bar is the median, the line spans the middle nine tenths, and the large dot is the mean. Left of zero is cheaper than {}.",
            reference.label
        ),
        svg: plot.finish(),
    })
}

/// A row's differences to the reference in percent, day by day, in ascending order.
struct SpreadRow<'c> {
    label: &'c str,
    group: Group,
    gaps: Vec<f64>,
}

/// The rows with several days, group by group, the lowest mean of a group first.
fn day_gaps<'c>(cells: &'c [Cell], reference: &Cell) -> Vec<SpreadRow<'c>> {
    let mut rows = Vec::new();
    for cell in cells.iter().filter(|cell| cell.label != reference.label) {
        let (ours, theirs) = cell.paired(reference);
        let percent = |(a, b): (&f64, &f64)| 100.0 * (a - b) / b.abs();
        let mut gaps: Vec<f64> = ours.iter().zip(&theirs).map(percent).collect();
        gaps.retain(|gap| gap.is_finite());
        gaps.sort_by(f64::total_cmp);
        if gaps.len() > 1 {
            rows.push(SpreadRow { label: &cell.label, group: cell.group, gaps });
        }
    }
    rows.sort_by(|a, b| a.group.cmp(&b.group).then(mean(&a.gaps).total_cmp(&mean(&b.gaps))));
    rows
}

/// Whether the median of these sorted differences is near enough to stretch the axis.
fn is_near(gaps: &[f64]) -> bool {
    quantile(gaps, 0.5).abs() <= FAR
}

/// A dot for every day.
fn draw_dots(plot: &mut Plot, gaps: &[f64], y: f64, colour: &str) {
    let dots: Vec<(f64, f64)> = gaps.iter().map(|gap| plot.at(*gap, y)).collect();
    for layer in 0..LAYERS.min(dots.len()) {
        let some: Vec<_> = dots[layer..].iter().step_by(LAYERS).copied().collect();
        plot.svg.dots(&some, 2.2, colour, 0.3);
    }
}

/// The box, its whiskers and the median of sorted differences.
fn draw_box(plot: &mut Plot, gaps: &[f64], y: f64, colour: &str) {
    let [low, q1, median, q3, high] = [0.05, 0.25, 0.5, 0.75, 0.95].map(|p| quantile(gaps, p));
    plot.path(&[(low, y), (high, y)], colour, 1.2);
    let ((x1, middle), (x3, _)) = (plot.at(q1, y), plot.at(q3, y));
    let (top, bottom) = (middle - 6.0, middle + 6.0);
    for edge in [top, bottom] {
        plot.svg.line((x1, edge), (x3, edge), colour, 1.4);
    }
    for x in [x1, x3] {
        plot.svg.line((x, top), (x, bottom), colour, 1.4);
    }
    let (x, _) = plot.at(median, y);
    plot.svg.line((x, top), (x, bottom), colour, 3.0);
}

/// A number of percent with its sign.
pub(crate) fn percent(number: f64) -> String {
    let number = if number.abs() < 1e-9 { 0.0 } else { number };
    format!("{}{} %", if number > 0.0 { "+" } else { "" }, short(number))
}

/// The value below which this share of sorted values lies, by straight lines between them.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + part * (sorted[above] - sorted[below])
}

/// Two cells against each other; `None` if they have no days in common.
pub fn scatter(results: &Results, wanted: &Scatter, number: usize) -> Option<Figure> {
    let cell = |name: &crate::suite::CellName| results.cell(&name.column, &name.row);
    let (right, up) = (cell(&wanted.x)?, cell(&wanted.y)?);
    let (xs, ys) = right.paired(up);
    if xs.is_empty() {
        return None;
    }
    let scale = Scale::holding(xs.iter().chain(&ys).copied());
    let mut plot = Plot::new(&wanted.title, (560.0, 540.0), 84.0, scale, scale);
    let name = |name: &crate::suite::CellName| {
        let other = wanted.x.column != wanted.y.column;
        if other { format!("{} on {}", name.row, name.column) } else { name.row.clone() }
    };
    let (x_name, y_name) = (name(&wanted.x), name(&wanted.y));
    plot.x_axis(&format!("cost of {x_name}"), 6, short);
    plot.y_axis(&format!("cost of {y_name}"), 6, short);
    let ends = scale.ticks(2);
    let (low, high) = (ends[0] - 1e9, ends[0] + 1e9);
    let (from, to) = (plot.at(low, low), plot.at(high, high));
    plot.svg.dashed(from, to, ZERO, 1.5);
    for (x, y) in xs.iter().zip(&ys) {
        let at = plot.at(*x, *y);
        plot.svg.dot(at, 3.6, PALETTE[0], 0.55, &format!("{} against {}", short(*y), short(*x)));
    }
    let below = xs.iter().zip(&ys).filter(|(x, y)| y < x).count();
    let said = format!("{y_name} is cheaper below the line: on {below} of {} days", xs.len());
    plot.subtitle(&said);
    let caption = match of_difference(&ys, &xs) {
        Some(gap) if xs.len() > 1 => format!(
            "A point for each of {} days. {y_name} costs {} against {x_name} on average (95 %: {} to {}).",
            xs.len(),
            percent(gap.value),
            percent(gap.low),
            percent(gap.high)
        ),
        _ => format!("A point for each of {} days.", xs.len()),
    };
    Some(Figure { name: format!("scatter-{}", number + 1), caption, svg: plot.finish() })
}

/// A point of a figure of quality against budget.
struct QualityPoint {
    seconds: f64,
    gap: Estimate,
    days: usize,
}

/// How costs fall with the budget, in percent of the column's reference; `None` if none of its days was simulated.
pub fn quality(results: &Results, wanted: &Quality, number: usize) -> Option<Figure> {
    let at = results.suite.columns.iter().position(|column| column.name == wanted.column)?;
    let (column, cells) = (&results.suite.columns[at], &results.columns[at]);
    let reference = &cells[column.reference];
    let lines: Vec<(&String, Vec<QualityPoint>)> = wanted
        .agents
        .iter()
        .map(|agent| (agent, quality_points(column, cells, agent)))
        .filter(|line| !line.1.is_empty())
        .collect();
    let levels: Vec<(&String, f64)> = wanted
        .levels
        .iter()
        .filter_map(|label| {
            let cell = cells.iter().find(|cell| cell.label == *label)?;
            Some((label, mean_gap(cell, reference)?.value))
        })
        .collect();
    let all = || lines.iter().flat_map(|line| &line.1);
    let (fewest, most) = (all().map(|p| p.days).min()?, all().map(|p| p.days).max()?);
    let first = all().map(|point| point.seconds).fold(f64::INFINITY, f64::min);
    let last = all().map(|point| point.seconds).fold(0.0, f64::max);
    let numbers = all().flat_map(|point| [point.gap.low, point.gap.high]);
    let y = Scale::holding(numbers.chain(levels.iter().map(|level| level.1)));
    let mut plot = Plot::new(&wanted.title, (720.0, 430.0), 84.0, Scale::powers(first, last), y);
    let colour = |i: usize| PALETTE[i % PALETTE.len()];
    let names: Vec<(String, &str)> =
        lines.iter().enumerate().map(|(i, line)| (line.0.clone(), colour(i))).collect();
    plot.legend(&names);
    plot.x_axis("time for a decision", 6, time);
    plot.y_axis(&format!("cost against {}", reference.label), 6, percent);
    for (i, (label, level)) in levels.iter().enumerate() {
        plot.level(*level, colour(lines.len() + i), &format!("{label} {}", percent(*level)));
    }
    for (i, (agent, points)) in lines.iter().enumerate() {
        // Side by side, so that intervals do not hide each other.
        let aside = 1.05f64.powf(i as f64 - 0.5 * (lines.len() - 1) as f64);
        draw_quality(&mut plot, agent, points, aside, colour(i));
    }
    let days =
        if fewest == most { format!("{most} days") } else { format!("{fewest} to {most} days") };
    let caption = format!(
        "Points are paired differences of mean costs to {} with 95 % intervals, each on {days}; lines join points of the same days.",
        reference.label
    );
    Some(Figure { name: format!("quality-{}", number + 1), caption, svg: plot.finish() })
}

/// The difference of a cell's mean to the reference's in percent, if they share several days.
fn mean_gap(cell: &Cell, reference: &Cell) -> Option<Estimate> {
    let (ours, theirs) = cell.paired(reference);
    of_difference(&ours, &theirs).filter(|_| ours.len() > 1)
}

/// The rows of an agent that have a budget in time, by budget.
fn quality_points(column: &Column, cells: &[Cell], agent: &str) -> Vec<QualityPoint> {
    let mut points = Vec::new();
    for (row, cell) in column.rows.iter().zip(cells) {
        if let Who::Agent { typed, budget: Budget::Wall(time), timed: true } = &row.who
            && typed == agent
            && let Some(gap) = mean_gap(cell, &cells[column.reference])
        {
            let days = cell.days.iter().flatten().count();
            points.push(QualityPoint { seconds: time.as_secs_f64(), gap, days });
        }
    }
    points.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    points
}

/// The line of an agent, moved a little aside.
fn draw_quality(plot: &mut Plot, agent: &str, points: &[QualityPoint], aside: f64, colour: &str) {
    // Only points on equally many days are joined: other days are cheaper or dearer by themselves.
    for points in points.chunk_by(|a, b| a.days == b.days) {
        let line: Vec<_> = points.iter().map(|p| (p.seconds * aside, p.gap.value)).collect();
        plot.path(&line, colour, 2.0);
    }
    for QualityPoint { seconds, gap, days } in points {
        let x = seconds * aside;
        plot.path(&[(x, gap.low), (x, gap.high)], colour, 1.2);
        let tip = format!("{agent}, {}: {}, {days} days", time(*seconds), percent(gap.value));
        plot.svg.circle(plot.at(x, gap.value), 4.0, colour, &tip);
    }
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 0.999e-3 => format!("{} us", short(s * 1e6)),
        s if s < 0.999 => format!("{} ms", short(s * 1e3)),
        s => format!("{} s", short(s)),
    }
}

/// The curve of a `curve.csv`: the validation cost by steps.
pub fn curve(wanted: &Curve, csv: &str, number: usize) -> Option<Figure> {
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next()?.split(',').collect();
    let at = |name: &str| names.iter().position(|known| *known == name);
    let (step, cost) = (at("step")?, at("validation_cost")?);
    let point = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        Some((fields.get(step)?.parse().ok()?, fields.get(cost)?.parse().ok()?))
    };
    let points: Vec<(f64, f64)> = lines.filter_map(point).collect();
    if points.len() < 2 {
        return None;
    }
    let levels: Vec<_> = wanted.levels.iter().map(|(name, cost)| (name.clone(), *cost)).collect();
    let svg = solo_plot::chart::learning(&wanted.title, &wanted.steps, &points, &levels);
    let caption =
        "The mean cost of the validation days, decided by the network alone, as it learns.";
    Some(Figure { name: format!("curve-{}", number + 1), caption: caption.to_string(), svg })
}
