//! A picture with two axes: scales, ticks, lines and legends over the small SVG writer.

use crate::svg::{Anchor, PALETTE, Svg, ticks};

const INK: &str = "#333333";
const RULE: &str = "#555555";
const GRID: &str = "#e5e5e5";
/// The height of the title, the words under the axis and what lies between.
const ABOVE: f64 = 56.0;
const BELOW: f64 = 50.0;
const RIGHT: f64 = 20.0;

/// How numbers become places along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    log: bool,
}

impl Scale {
    /// Even steps from `low` to `high`, widened if there is nothing between them.
    pub fn even(low: f64, high: f64) -> Self {
        let (low, high) =
            if low.is_finite() && high.is_finite() { (low, high) } else { (0.0, 1.0) };
        if high - low > 1e-9 * high.abs().max(low.abs()) {
            Self { low, high, log: false }
        } else {
            let half = (0.05 * low.abs()).max(0.5);
            Self { low: low - half, high: high + half, log: false }
        }
    }

    /// Even steps that hold all the numbers, with a little room on both sides.
    pub fn holding(numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
        for number in numbers.into_iter().filter(|number| number.is_finite()) {
            ends = (ends.0.min(number), ends.1.max(number));
        }
        let Scale { low, high, .. } = Self::even(ends.0, ends.1);
        let room = 0.05 * (high - low);
        Self { low: low - room, high: high + room, log: false }
    }

    /// Powers of ten from `low` to `high`, both above 0.
    pub fn powers(low: f64, high: f64) -> Self {
        let low = if low > 0.0 && low.is_finite() { low } else { 1.0 };
        Self { low: low / 1.5, high: high.max(low) * 1.5, log: true }
    }

    /// Where a number lies: 0 at the beginning of the axis, 1 at its end; beyond them it is at the end.
    fn share(&self, number: f64) -> f64 {
        let place = |number: f64| if self.log { number.max(1e-300).log10() } else { number };
        let share = (place(number) - place(self.low)) / (place(self.high) - place(self.low));
        share.clamp(0.0, 1.0)
    }

    /// Whether a number lies on the axis.
    pub fn holds(&self, number: f64) -> bool {
        (self.low..=self.high).contains(&number)
    }

    /// The numbers that are written at the axis.
    pub fn ticks(&self, wanted: usize) -> Vec<f64> {
        if self.log {
            let powers = self.low.log10().floor() as i32..=self.high.log10().floor() as i32;
            let few = powers.clone().count() <= 3;
            let steps: &[f64] = if few { &[1.0, 2.0, 5.0] } else { &[1.0] };
            let all = powers.flat_map(|power| steps.iter().map(move |s| s * 10f64.powi(power)));
            return all.filter(|tick| self.holds(*tick)).collect();
        }
        let span = self.high - self.low;
        let step = ticks(span, wanted).get(1).copied().unwrap_or(span);
        let first = (self.low / step).ceil();
        // The product of whole numbers and a round step is round, a sum of steps is not.
        let all = (0..100).map(|i| (first + f64::from(i)) * step);
        all.take_while(|tick| *tick <= self.high + 1e-9 * span).map(|tick| tick + 0.0).collect()
    }
}

/// A picture with two axes being drawn.
pub struct Plot {
    /// The picture, for what has no place on the axes.
    pub svg: Svg,
    x: Scale,
    y: Scale,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Plot {
    /// A frame of this size with the first `left` pixels for words at the upward axis.
    pub fn new(title: &str, size: (f64, f64), left: f64, x: Scale, y: Scale) -> Self {
        let mut svg = Svg::new(size.0, size.1);
        svg.text((12.0, 22.0), 15.0, Anchor::Start, "black", title);
        let (right, bottom) = (size.0 - RIGHT, size.1 - BELOW);
        Self { svg, x, y, left, right, top: ABOVE, bottom }
    }

    /// Leaves so many pixels right of the axes for words.
    pub fn leave_right(&mut self, room: f64) {
        self.right -= room;
    }

    /// The place of a pair of numbers.
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let (x, y) = (self.x.share(x), self.y.share(y));
        (self.left + (self.right - self.left) * x, self.bottom - (self.bottom - self.top) * y)
    }

    /// The scale to the right.
    pub fn x(&self) -> Scale {
        self.x
    }

    /// The axis to the right, its numbers in the words of `write`.
    pub fn x_axis(&mut self, name: &str, wanted: usize, write: impl Fn(f64) -> String) {
        for tick in self.x.ticks(wanted) {
            let (x, _) = self.at(tick, 0.0);
            self.svg.line((x, self.top), (x, self.bottom), GRID, 1.0);
            self.svg.line((x, self.bottom), (x, self.bottom + 5.0), RULE, 1.0);
            self.svg.text((x, self.bottom + 19.0), 12.0, Anchor::Middle, INK, &write(tick));
        }
        self.svg.line((self.left, self.bottom), (self.right, self.bottom), RULE, 1.0);
        let middle = (self.left + self.right) / 2.0;
        self.svg.text((middle, self.bottom + 39.0), 12.0, Anchor::Middle, INK, name);
    }

    /// The upward axis.
    pub fn y_axis(&mut self, name: &str, wanted: usize, write: impl Fn(f64) -> String) {
        for tick in self.y.ticks(wanted) {
            let (_, y) = self.at(0.0, tick);
            self.svg.line((self.left, y), (self.right, y), GRID, 1.0);
            self.svg.text((self.left - 7.0, y + 4.0), 12.0, Anchor::End, INK, &write(tick));
        }
        self.svg.line((self.left, self.top), (self.left, self.bottom), RULE, 1.0);
        self.svg.upright((14.0, (self.top + self.bottom) / 2.0), 12.0, INK, name);
    }

    /// Straight lines through pairs of numbers.
    pub fn path(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        let places: Vec<(f64, f64)> = points.iter().map(|&(x, y)| self.at(x, y)).collect();
        self.svg.path(&places, colour, width);
    }

    /// A dashed line from one end of the axis to the right to the other.
    pub fn level(&mut self, y: f64, colour: &str, label: &str) {
        let (_, place) = self.at(0.0, y);
        self.svg.dashed((self.left, place), (self.right, place), colour, 1.5);
        self.svg.text((self.left + 6.0, place - 4.0), 11.0, Anchor::Start, colour, label);
    }

    /// A dashed line from the lower to the upper end of the upward axis.
    pub fn upright(&mut self, x: f64, colour: &str) {
        let (place, _) = self.at(x, 0.0);
        self.svg.dashed((place, self.top), (place, self.bottom), colour, 1.5);
    }

    /// A line of words under the title.
    pub fn subtitle(&mut self, words: &str) {
        self.svg.text((12.0, 43.0), 12.0, Anchor::Start, INK, words);
    }

    /// Names with their colours, under the title, in as many lines as they need. To be called before the axes are drawn, which
    /// begin below them.
    pub fn legend(&mut self, names: &[(String, &str)]) {
        const LINE: f64 = 17.0;
        let (mut x, mut y) = (12.0, 39.0);
        for (name, colour) in names {
            let width = 25.0 + 6.6 * name.chars().count() as f64;
            if x > 12.0 && x + width > self.right {
                (x, y) = (12.0, y + LINE);
                self.top += LINE;
            }
            self.svg.line((x, y), (x + 20.0, y), colour, 3.0);
            self.svg.text((x + 25.0, y + 4.0), 12.0, Anchor::Start, INK, name);
            x += width + 20.0;
        }
    }

    /// The finished file.
    pub fn finish(self) -> String {
        self.svg.finish()
    }
}

/// How a network learns: costs of its validation days by decisions so far, with named costs as dashed lines.
pub fn learning(title: &str, steps: &str, curve: &[(f64, f64)], marks: &[(String, f64)]) -> String {
    let last = curve.last().map_or(1.0, |point| point.0.max(1.0));
    let marked = marks.iter().map(|(_, cost)| *cost);
    let costs = || curve.iter().map(|point| point.1);
    let low = costs().chain(marked.clone()).fold(f64::INFINITY, f64::min);
    let low = if low.is_finite() { low } else { 0.0 };
    // Before anything is learnt costs are beyond all measure: the picture is of what follows.
    let worst = marked.fold(low, f64::max);
    let high = costs().fold(worst, f64::max).min(low + 2.0 * (worst - low).max(0.1 * low.abs()));
    // Room below for the name of the best point.
    let (x, y) = (Scale::even(0.0, last), Scale::holding([low - 0.08 * (high - low), high]));
    let mut plot = Plot::new(title, (720.0, 400.0), 76.0, x, y);
    plot.x_axis(steps, 6, short);
    plot.y_axis("mean cost of the validation days, the network alone", 5, short);
    for ((name, cost), colour) in marks.iter().zip(PALETTE.iter().skip(1).cycle()) {
        plot.level(*cost, colour, &format!("{name} {}", short(*cost)));
    }
    plot.path(curve, PALETTE[0], 2.0);
    if let Some(&(step, cost)) = curve.iter().min_by(|a, b| a.1.total_cmp(&b.1)) {
        let (at, label) = (plot.at(step, cost), format!("best {}", short(cost)));
        let side = if step > 0.8 * last { Anchor::End } else { Anchor::Start };
        plot.svg.circle(at, 3.5, PALETTE[0], &label);
        plot.svg.text((at.0, at.1 + 17.0), 11.0, side, PALETTE[0], &label);
    }
    plot.finish()
}

/// A number in at most four digits or so.
pub fn short(number: f64) -> String {
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
    fn scales_are_round_and_never_empty() {
        assert_eq!(Scale::even(-3.0, 7.0).ticks(5), [-2.0, 0.0, 2.0, 4.0, 6.0]);
        assert_eq!(Scale::powers(1e-3, 10.0).ticks(5), [1e-3, 1e-2, 1e-1, 1.0, 10.0]);
        for (low, high) in
            [(5.0, 5.0), (0.0, 0.0), (f64::NAN, 1.0), (f64::INFINITY, f64::NEG_INFINITY)]
        {
            let scale = Scale::even(low, high);
            assert!(
                scale.ticks(4).len() > 1 && scale.share(low).is_finite() || low.is_nan(),
                "{scale:?}"
            );
        }
        assert!(Scale::holding([]).ticks(4).len() > 1);
        assert_eq!(Scale::powers(0.01, 1.0).share(0.1), 0.5);
    }

    #[test]
    fn a_plot_holds_what_is_drawn() {
        let mut plot =
            Plot::new("t & u", (400.0, 300.0), 60.0, Scale::even(0.0, 10.0), Scale::even(0.0, 1.0));
        plot.x_axis("days", 5, short);
        plot.y_axis("cost", 5, short);
        assert_eq!(plot.at(0.0, 0.0), (60.0, 250.0));
        assert_eq!(plot.at(99.0, 2.0), (380.0, 56.0));
        let svg = plot.finish();
        assert!(svg.contains("t &amp; u") && svg.contains(">days<") && svg.contains("rotate(-90)"));
    }

    #[test]
    fn a_long_legend_pushes_the_axes_down() {
        let top = |names: usize| {
            let (x, y) = (Scale::even(0.0, 1.0), Scale::even(0.0, 1.0));
            let mut plot = Plot::new("t", (400.0, 300.0), 60.0, x, y);
            let names: Vec<_> = (0..names).map(|i| (format!("a long name {i}"), INK)).collect();
            plot.legend(&names);
            plot.at(0.0, 1.0).1
        };
        assert_eq!(top(1), top(2));
        assert!(top(3) > top(2) && top(5) > top(3));
    }
}
