//! What a reader should take away: a sentence for each column, one for all, and a chart.

use crate::figures::{Figure, percent};
use crate::groups::Group;
use crate::sheets::{FEWEST, Sheet, SheetLine, interval, signed};
use solo_plot::chart::{Plot, Scale};
use solo_plot::svg::{Anchor, text_width};

const INK: &str = "#333333";
const SOFT: &str = "#777777";
const FAINT: &str = "#ececec";
/// Rows that cost this many percent more than the reference do not stretch the axis.
const FAR: f64 = 30.0;
/// The height of a column's line, and how far the groups in it are apart.
const LINE: f64 = 34.0;
const APART: f64 = 4.4;
/// The width of the chart.
const WIDTH: f64 = 620.0;

/// The agents of a column that stand on as many days as any of them, the cheapest first.
fn agents(sheet: &Sheet) -> Vec<&SheetLine> {
    let known = |line: &&SheetLine| line.group.decides() && line.against.is_some();
    let most = sheet.lines.iter().filter(known).map(|line| line.count).max();
    let mut agents: Vec<&SheetLine> =
        sheet.lines.iter().filter(known).filter(|line| Some(line.count) == most).collect();
    agents.sort_by(|a, b| gap(a).total_cmp(&gap(b)));
    agents
}

/// By how many percent a row differs from the reference.
fn gap(line: &SheetLine) -> f64 {
    line.against.map_or(f64::INFINITY, |gap| gap.value)
}

/// `6.2 %` of a row that differs by that much in either direction.
fn size(line: &SheetLine) -> String {
    let size = line.against.map_or(String::new(), |gap| signed(gap, gap.value.abs()));
    format!("{} %", size.trim_start_matches('+'))
}

/// The sentence about a column; `None` if nobody decided its days.
pub(crate) fn of_column(sheet: &Sheet) -> Option<String> {
    let agents = agents(sheet);
    let (best, reference) = (*agents.first()?, &sheet.reference);
    let days = format!("{} day{}", best.count, if best.count == 1 { "" } else { "s" });
    if best.is_reference {
        return Some(match agents.get(1) {
            Some(next) => format!(
                "{reference} is the cheapest of {} agents; the next, {}, costs {} more ({days}).",
                agents.len(),
                next.label,
                size(next)
            ),
            None => format!("{reference} is the only agent ({days})."),
        });
    }
    let against = best.against?;
    let range = match against.low.is_finite() {
        true => format!("95 %: {}, {days}", interval(against, |percent| signed(against, percent))),
        false => days.clone(),
    };
    let said = match agents.len() {
        1 => format!("{} costs", best.label),
        number => format!("{}, the cheapest of {number} agents, costs", best.label),
    };
    if (against.value, against.low, against.high) == (0.0, 0.0, 0.0) {
        return Some(format!("{said} as much as {reference} ({days})."));
    }
    let more = if against.value < 0.0 { "less" } else { "more" };
    let mut text = format!("{said} {} {more} than {reference} ({range})", size(best));
    if best.sign.is_empty() {
        text += match best.count < FEWEST {
            true => ", on too few days to rely on",
            false => ", which may be chance",
        };
    } else if let Some((share, bound)) = possible(sheet, best) {
        text += &format!("; that is {share:.0} % of what {bound} shows to be possible");
    }
    Some(text + ".")
}

/// How much of what a bound saves a row saves, in percent, with the bound's name.
fn possible<'s>(sheet: &'s Sheet, best: &SheetLine) -> Option<(f64, &'s str)> {
    let bounds = sheet.lines.iter().filter(|line| line.group == Group::Bounds);
    let bound =
        bounds.filter(|line| line.count == best.count).min_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    let share = 100.0 * gap(best) / gap(bound);
    (gap(best) < 0.0 && gap(bound) < gap(best)).then_some((share, bound.label.as_str()))
}

/// The sentence about all columns; `None` if nobody decided any day.
pub(crate) fn of_all(sheets: &[Sheet]) -> Option<String> {
    let best: Vec<(&Sheet, &SheetLine)> =
        sheets.iter().filter_map(|sheet| Some((sheet, *agents(sheet).first()?))).collect();
    if best.len() < 2 {
        let (sheet, _) = best.first()?;
        return Some(sheet.takeaway.clone());
    }
    let mut winners: Vec<Winner<'_>> = Vec::new();
    for (sheet, line) in &best {
        let at = winners.iter().position(|winner| winner.label == line.label);
        let at = at.unwrap_or_else(|| {
            winners.push(Winner { label: &line.label, wins: 0, itself: true, saved: Vec::new() });
            winners.len() - 1
        });
        winners[at].wins += 1;
        winners[at].itself &= line.is_reference;
        winners[at].saved.extend((line.sign == "better").then(|| (*sheet, -gap(line))));
    }
    winners.sort_by_key(|winner| std::cmp::Reverse((winner.wins, winner.saved.len())));
    let all = best.len();
    let Winner { label, wins, itself, saved } = &winners[0];
    let columns = match (*wins == all, all) {
        (true, 2) => "both".to_string(),
        (true, _) => format!("all {all}"),
        (false, _) => format!("{wins} of {all}"),
    };
    let mut text = format!("{label} is the cheapest agent in {columns} columns");
    let others =
        winners[1..].iter().take(3).map(|other| format!("{} in {}", other.label, other.wins));
    let mut others: Vec<String> = others.collect();
    let rest: usize = winners.iter().skip(4).map(|winner| winner.wins).sum();
    others.extend((rest > 0).then(|| format!("others in {rest}")));
    if !others.is_empty() && *wins > 1 {
        text += &format!(" ({})", others.join(", "));
    }
    let reference = common_reference(saved.iter().map(|(sheet, _)| *sheet));
    let least = saved.iter().map(|(_, percent)| *percent).fold(f64::INFINITY, f64::min);
    let most = saved.iter().map(|(_, percent)| *percent).fold(0.0, f64::max);
    let by = match saved.len() {
        1 => format!("{} %", brief(most)),
        _ => format!("{} to {} %", brief(least), brief(most)),
    };
    text += &match saved.len() {
        0 if *itself => ", the reference itself".to_string(),
        0 => "; nowhere is it below the reference beyond chance".to_string(),
        number if number == *wins => format!(": {by} below {reference}, beyond chance"),
        number => format!("; in {number} of them {by} below {reference}, beyond chance"),
    };
    Some(text + ".")
}

/// An agent that is the cheapest somewhere.
struct Winner<'s> {
    label: &'s str,
    /// In how many columns.
    wins: usize,
    /// Whether it is their reference.
    itself: bool,
    /// Where it is cheaper than the reference beyond chance, and by how many percent.
    saved: Vec<(&'s Sheet, f64)>,
}

/// A number of percent in two digits or so.
fn brief(percent: f64) -> String {
    if percent < 1.0 { format!("{percent:.2}") } else { format!("{percent:.1}") }
}

/// What columns are compared with, in words.
fn common_reference<'s>(mut sheets: impl Iterator<Item = &'s Sheet>) -> String {
    let first = sheets.next().map(|sheet| sheet.reference.as_str());
    let same = sheets.all(|sheet| Some(sheet.reference.as_str()) == first);
    first.filter(|_| same).unwrap_or("the column's reference").to_string()
}

/// The cheapest row of a group in a column, of those with the most days.
fn cheapest(sheet: &Sheet, group: Group) -> Option<&SheetLine> {
    let of_group = || sheet.lines.iter().filter(|l| l.group == group && l.against.is_some());
    let most = of_group().map(|line| line.count).max()?;
    of_group().filter(|line| line.count == most).min_by(|a, b| gap(a).total_cmp(&gap(b)))
}

/// A line for each column with the cheapest row of each group; `None` if there is nothing to compare.
pub(crate) fn chart(sheets: &[Sheet]) -> Option<Figure> {
    let sheets: Vec<&Sheet> = sheets.iter().filter(|sheet| !agents(sheet).is_empty()).collect();
    let shown = |group: Group| sheets.iter().any(|sheet| cheapest(sheet, group).is_some());
    let groups: Vec<Group> = Group::ALL.into_iter().filter(|group| shown(*group)).collect();
    if sheets.is_empty() || groups.len() < 2 {
        return None;
    }
    let all = || sheets.iter().flat_map(|s| groups.iter().filter_map(|g| cheapest(s, *g)));
    let near = |line: &&SheetLine| gap(line) <= FAR;
    let ends = all().filter(near).filter_map(|line| line.against).flat_map(|gap| {
        [gap.low, gap.high].map(|end| if end.is_finite() { end } else { gap.value })
    });
    let x = Scale::holding(ends.map(|end| end.min(1.5 * FAR)).chain([0.0]));
    let widest = |texts: &mut dyn Iterator<Item = String>, size: f64| {
        texts.map(|text| text_width(&text, size)).fold(0.0, f64::max)
    };
    let left = 24.0 + widest(&mut sheets.iter().map(|sheet| sheet.name.clone()), 12.0).min(200.0);
    let mut winners = sheets.iter().map(|sheet| winner(sheet));
    let beside = widest(&mut winners, 12.0).clamp(110.0, 230.0);
    let height = 112.0 + LINE * sheets.len() as f64;
    let y = Scale::even(0.0, sheets.len() as f64);
    let reference = common_reference(sheets.iter().copied());
    let title = format!("The cheapest of each group against {reference}");
    let mut plot = Plot::new(&title, (WIDTH, height), left, x, y);
    let names: Vec<_> = groups.iter().map(|g| (g.name().to_string(), g.colour())).collect();
    plot.leave_right(beside + 12.0);
    plot.legend(&names);
    plot.x_axis("percent above the reference; left is cheaper", 7, percent);
    plot.upright(0.0, SOFT);
    let (end, top) = plot.at(f64::INFINITY, f64::INFINITY);
    plot.svg.text((end + 12.0, top - 6.0), 11.0, Anchor::Start, SOFT, "cheapest agent");
    for (i, sheet) in sheets.iter().enumerate() {
        let (start, middle) = plot.at(f64::NEG_INFINITY, (sheets.len() - i) as f64 - 0.5);
        if i > 0 {
            let (_, border) = plot.at(0.0, (sheets.len() - i) as f64);
            plot.svg.line((12.0, border), (end, border), FAINT, 1.0);
        }
        plot.svg.text((start - 10.0, middle + 4.0), 12.0, Anchor::End, INK, &sheet.name);
        plot.svg.text((end + 12.0, middle + 4.0), 12.0, Anchor::Start, INK, &winner(sheet));
        draw_column(&mut plot, sheet, &groups, x, middle);
    }
    Some(Figure {
        name: "takeaway".to_string(),
        caption: "For each column the cheapest row of each group, with the 95 % interval of its difference to the reference; a hollow point's interval includes zero. Arrows lead to those beyond the axis.".to_string(),
        svg: plot.finish(),
    })
}

/// The cheapest agent of a column in a few words.
fn winner(sheet: &Sheet) -> String {
    let agents = agents(sheet);
    let difference = |line: &SheetLine| match (line.is_reference, line.sign) {
        (true, _) => String::new(),
        (false, "") => format!(" {}", line.gap),
        (false, _) => format!(" {} *", line.gap),
    };
    agents.first().map_or(String::new(), |line| format!("{}{}", line.label, difference(line)))
}

/// The points of a column, one below the other.
fn draw_column(plot: &mut Plot, sheet: &Sheet, groups: &[Group], x: Scale, middle: f64) {
    for (i, group) in groups.iter().enumerate() {
        let Some(line) = cheapest(sheet, *group) else { continue };
        let Some(against) = line.against else { continue };
        let y = middle + APART * (i as f64 - 0.5 * (groups.len() - 1) as f64);
        let at = |value: f64| (plot.at(value, 0.0).0, y);
        let (low, point, high) = (at(against.low), at(against.value), at(against.high));
        let tip = format!("{}: {} on {} days", line.label, line.gap, line.count);
        if !x.holds(against.value) {
            let (tail, wing) = (point.0 - 12.0, point.0 - 5.0);
            plot.svg.line((tail, y), point, group.colour(), 1.6);
            plot.svg.path(&[(wing, y - 3.0), point, (wing, y + 3.0)], group.colour(), 1.6);
            continue;
        }
        if against.low.is_finite() && high.0 > low.0 {
            plot.svg.line(low, high, group.colour(), 1.6);
        }
        plot.svg.circle(point, 4.2, group.colour(), &tip);
        if line.sign.is_empty() && !line.is_reference {
            plot.svg.circle(point, 2.2, "white", &tip);
        }
    }
}
