//! How learning went: figures at every validation, as CSV, for TensorBoard, and as a picture.

use crate::tensorboard;
use solo_core::svg::{Anchor, PALETTE, Svg, ticks};
use std::fmt::Write;

/// How matters stood at a validation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Decisions so far.
    pub step: u64,
    /// Steps of the weights so far.
    pub updates: u64,
    /// The mean cost of the validation days, decided by the network alone.
    pub cost: f64,
    /// The mean loss since the last point.
    pub loss: f64,
    /// The mean absolute surprise since the last point.
    pub surprise: f64,
    /// The mean value of the chosen actions since the last point.
    pub value: f64,
    /// How often decisions are random.
    pub exploration: f64,
    /// How far Adam steps.
    pub learning_rate: f64,
    /// Seconds of learning so far, all runs together.
    pub seconds: f64,
}

impl Point {
    const NAMES: [&'static str; 9] = [
        "step",
        "updates",
        "validation_cost",
        "loss",
        "surprise",
        "value",
        "exploration",
        "learning_rate",
        "seconds",
    ];

    fn figures(&self) -> [f64; 9] {
        let Point {
            step,
            updates,
            cost,
            loss,
            surprise,
            value,
            exploration,
            learning_rate,
            seconds,
        } = *self;
        let (step, updates) = (step as f64, updates as f64);
        [step, updates, cost, loss, surprise, value, exploration, learning_rate, seconds]
    }
}

/// What the network is compared with on the validation days.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// Agents with their mean costs.
    pub costs: Vec<(String, f64)>,
}

/// All points so far as CSV.
pub fn csv(points: &[Point]) -> String {
    let mut text = Point::NAMES.join(",");
    for point in points {
        let figures: Vec<String> = point.figures().iter().map(f64::to_string).collect();
        write!(text, "\n{}", figures.join(",")).expect("writing to a string");
    }
    text + "\n"
}

/// All points so far as a TensorBoard event file; learning began `began` seconds after 1970.
pub fn events(points: &[Point], began: f64) -> Vec<u8> {
    let mut file = tensorboard::begin(began);
    for point in points {
        let figures = point.figures();
        let scalars: Vec<(&str, f32)> =
            Point::NAMES.into_iter().zip(figures.map(|figure| figure as f32)).skip(1).collect();
        tensorboard::scalars(&mut file, began + point.seconds, point.step, &scalars);
    }
    file
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 700.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 350.0;

/// The curve of the validation cost, with the marks as dashed lines.
pub fn picture(title: &str, points: &[Point], marks: &Marks) -> String {
    let mut svg = Svg::new(WIDTH, HEIGHT);
    svg.text((LEFT, 18.0), 15.0, Anchor::Start, "black", title);
    let caption = "mean cost of the validation days, the network alone";
    svg.text((LEFT, 34.0), 11.0, Anchor::Start, "#333333", caption);
    let steps = points.last().map_or(1.0, |point| point.step.max(1) as f64);
    let marked = marks.costs.iter().map(|(_, cost)| *cost);
    let costs = || points.iter().map(|point| point.cost);
    let low = costs().chain(marked.clone()).fold(f64::INFINITY, f64::min);
    let low = if low.is_finite() { low } else { 0.0 };
    // Before anything is learnt costs are beyond all measure: the picture is of what follows.
    let worst = marked.fold(low, f64::max);
    let high = costs().fold(worst, f64::max).min(low + 2.0 * (worst - low).max(0.1 * low.abs()));
    let span = if high > low { high - low } else { 1.0 };
    let (low, span) = (low - 0.05 * span, 1.1 * span);
    let x = |step: f64| LEFT + (RIGHT - LEFT) * step / steps;
    let y = |cost: f64| BOTTOM - (BOTTOM - TOP) * ((cost - low) / span).clamp(0.0, 1.0);
    for step in ticks(steps, 6) {
        svg.line((x(step), BOTTOM), (x(step), BOTTOM + 5.0), "#555555", 1.0);
        svg.text((x(step), BOTTOM + 20.0), 11.0, Anchor::Middle, "#333333", &short(step));
    }
    svg.text((RIGHT, BOTTOM + 38.0), 11.0, Anchor::End, "#333333", "decisions");
    let step = ticks(span, 5).get(1).copied().unwrap_or(span);
    for tick in (0..20).map(|i| ((low / step).ceil() + f64::from(i)) * step) {
        if tick > low + span {
            break;
        }
        svg.line((LEFT, y(tick)), (RIGHT, y(tick)), "#e5e5e5", 1.0);
        svg.text((LEFT - 6.0, y(tick) + 4.0), 11.0, Anchor::End, "#333333", &short(tick));
    }
    svg.line((LEFT, BOTTOM), (RIGHT, BOTTOM), "#555555", 1.0);
    svg.line((LEFT, TOP), (LEFT, BOTTOM), "#555555", 1.0);
    for ((name, cost), colour) in marks.costs.iter().zip(PALETTE.iter().skip(1).cycle()) {
        svg.dashed((LEFT, y(*cost)), (RIGHT, y(*cost)), colour, 1.5);
        let label = format!("{name} {}", short(*cost));
        svg.text((RIGHT - 4.0, y(*cost) - 4.0), 11.0, Anchor::End, colour, &label);
    }
    let line: Vec<_> = points.iter().map(|point| (x(point.step as f64), y(point.cost))).collect();
    svg.path(&line, PALETTE[0], 2.0);
    if let Some(best) = points.iter().min_by(|a, b| a.cost.total_cmp(&b.cost)) {
        let at = (x(best.step as f64), y(best.cost));
        let side = if best.step as f64 > 0.8 * steps { Anchor::End } else { Anchor::Start };
        let label = format!("best {}", short(best.cost));
        svg.circle(at, 3.5, PALETTE[0], &label);
        svg.text((at.0, at.1 - 8.0), 11.0, side, PALETTE[0], &label);
    }
    svg.finish()
}

/// A number in at most four digits or so.
fn short(number: f64) -> String {
    match number.abs() {
        n if n >= 1e6 => format!("{}M", (number / 1e4).round() / 100.0),
        n if n >= 1e4 => format!("{}k", (number / 10.0).round() / 100.0),
        _ => format!("{}", (number * 100.0).round() / 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_in_full() {
        let points = [
            Point { step: 10, cost: 7.25, ..Point::default() },
            Point { step: 20, cost: 6.5, loss: 0.125, ..Point::default() },
        ];
        assert_eq!(
            csv(&points),
            "step,updates,validation_cost,loss,surprise,value,exploration,learning_rate,seconds\n\
             10,0,7.25,0,0,0,0,0,0\n20,0,6.5,0.125,0,0,0,0,0\n"
        );
        let marks = Marks { costs: vec![("rule".to_string(), 7.0)] };
        let svg = picture("a <title>", &points, &marks);
        assert!(
            svg.contains("rule 7") && svg.contains("polyline") && svg.contains("a &lt;title&gt;")
        );
        assert!(picture("nothing yet", &[], &Marks::default()).ends_with("</svg>\n"));
        assert!(events(&points, 1.0).len() > 2 * 8 * 20);
    }
}
