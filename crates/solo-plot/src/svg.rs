//! A small SVG writer: enough for routes, charts and legends.

use std::fmt::Write;

/// Colours that stay apart on white, also for people who see few colours (Okabe and Ito's palette, darkened where pale).
pub const PALETTE: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#3aa0d8", "#5c4b8a", "#555555"];

/// Where text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins at the point.
    Start,
    /// The text is centred on the point.
    Middle,
    /// The text ends at the point.
    End,
}

/// A picture being drawn; units are pixels, y grows downwards.
#[derive(Clone, Debug)]
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    /// An empty white picture.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// Appends raw markup; the caller escapes.
    fn element(&mut self, markup: std::fmt::Arguments<'_>) {
        self.body.write_fmt(markup).expect("writing to a string");
        self.body.push('\n');
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        self.element(format_args!(
            r#"<line x1="{:.2}" y1="{:.2}" x2="{:.2}" y2="{:.2}" stroke="{colour}" stroke-width="{width}"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    /// A dashed line.
    pub fn dashed(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        self.element(format_args!(
            r#"<line x1="{:.2}" y1="{:.2}" x2="{:.2}" y2="{:.2}" stroke="{colour}" stroke-width="{width}" stroke-dasharray="4 3"/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    /// Straight lines through points.
    pub fn path(&mut self, points: &[(f64, f64)], colour: &str, width: f64) {
        let mut list = String::new();
        for (x, y) in points {
            write!(list, "{x:.2},{y:.2} ").expect("writing to a string");
        }
        self.element(format_args!(
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round" stroke-linecap="round"/>"#,
            list.trim_end()
        ));
    }

    /// A filled circle with a tooltip.
    pub fn circle(&mut self, at: (f64, f64), radius: f64, colour: &str, tip: &str) {
        self.element(format_args!(
            r#"<circle cx="{:.2}" cy="{:.2}" r="{radius:.2}" fill="{colour}" stroke="white" stroke-width="0.8"><title>{}</title></circle>"#,
            at.0, at.1, escape(tip)
        ));
    }

    /// A filled circle that lets others shine through, with a tooltip.
    pub fn dot(&mut self, at: (f64, f64), radius: f64, colour: &str, opacity: f64, tip: &str) {
        self.element(format_args!(
            r#"<circle cx="{:.2}" cy="{:.2}" r="{radius:.2}" fill="{colour}" fill-opacity="{opacity}"><title>{}</title></circle>"#,
            at.0, at.1, escape(tip)
        ));
    }

    /// Many filled circles in one element, which lets others shine through but not one of its own through another.
    pub fn dots(&mut self, at: &[(f64, f64)], radius: f64, colour: &str, opacity: f64) {
        let mut list = String::new();
        for (x, y) in at {
            write!(list, "M{x:.1} {y:.1}h0").expect("writing to a string");
        }
        self.element(format_args!(
            r#"<path d="{list}" stroke="{colour}" stroke-opacity="{opacity}" stroke-width="{:.2}" stroke-linecap="round"/>"#,
            2.0 * radius
        ));
    }

    /// A filled rectangle with a tooltip.
    pub fn rect(&mut self, at: (f64, f64), size: (f64, f64), colour: &str, tip: &str) {
        self.element(format_args!(
            r#"<rect x="{:.2}" y="{:.2}" width="{:.2}" height="{:.2}" fill="{colour}"><title>{}</title></rect>"#,
            at.0, at.1, size.0.max(0.0), size.1, escape(tip)
        ));
    }

    /// Text.
    pub fn text(&mut self, at: (f64, f64), size: f64, anchor: Anchor, colour: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.element(format_args!(
            r#"<text x="{:.2}" y="{:.2}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{}</text>"#,
            at.0, at.1, escape(text)
        ));
    }

    /// Text with a white seam, readable on top of lines.
    pub fn label(&mut self, at: (f64, f64), size: f64, colour: &str, text: &str) {
        self.element(format_args!(
            r#"<text x="{:.2}" y="{:.2}" font-size="{size}" text-anchor="middle" fill="{colour}" stroke="white" stroke-width="2.5" stroke-linejoin="round" paint-order="stroke">{}</text>"#,
            at.0, at.1, escape(text)
        ));
    }

    /// Text that is read upwards, centred on its point.
    pub fn upright(&mut self, at: (f64, f64), size: f64, colour: &str, text: &str) {
        self.element(format_args!(
            r#"<text transform="translate({:.2} {:.2}) rotate(-90)" font-size="{size}" text-anchor="middle" fill="{colour}">{}</text>"#,
            at.0, at.1, escape(text)
        ));
    }

    /// The finished file.
    pub fn finish(self) -> String {
        let (width, height) = (self.width, self.height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
            self.body
        )
    }
}

/// Steps for an axis from 0 to `top`: round numbers, about `wanted` of them.
pub fn ticks(top: f64, wanted: usize) -> Vec<f64> {
    if !(top > 0.0 && top.is_finite()) {
        return vec![0.0];
    }
    let rough = top / wanted.max(1) as f64;
    let magnitude = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * magnitude)
        .find(|step| *step >= rough)
        .unwrap_or(10.0 * magnitude);
    (0..).map(|i| f64::from(i) * step).take_while(|t| *t <= top * (1.0 + 1e-9)).collect()
}

/// A multiple of a step, as it is written at an axis: with the decimals that the step needs, and never very long.
pub fn tick_text(value: f64, step: f64) -> String {
    let decimals = -(step.abs() * (1.0 + 1e-9)).log10().floor();
    match step.abs() {
        step if step >= 1e9 || decimals > 6.0 => format!("{value:e}"),
        step if step >= 1e6 => format!("{}M", value / 1e6),
        _ => format!("{value:.*}", decimals.max(0.0) as usize),
    }
}

/// A generous guess of how wide a text is in one of the usual plain fonts.
pub fn text_width(text: &str, size: f64) -> f64 {
    let wide = |c: char| match c {
        'f' | 'i' | 'j' | 'l' | 'r' | 't' | ' ' | '.' | ',' | ':' | ';' | '(' | ')' | '/' | '-' => {
            0.36
        }
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '+' | '=' => 0.9,
        'A'..='Z' => 0.7,
        _ => 0.6,
    };
    size * text.chars().map(wide).sum::<f64>()
}

/// The size, at most `wanted`, at which a text is no wider than `room`; never so small that nobody could read it.
pub fn fitting_size(text: &str, room: f64, wanted: f64) -> f64 {
    let size = wanted.min(room / text_width(text, 1.0).max(1e-9));
    (10.0 * size).floor().max(70.0) / 10.0
}

/// Brings `#rrggbb` the given share of the way towards black (0) or white (255).
pub fn mix(colour: &str, towards: f64, share: f64) -> String {
    let channel = |i: usize| {
        let hex = colour.get(1 + 2 * i..3 + 2 * i).unwrap_or("00");
        let value = f64::from(u8::from_str_radix(hex, 16).unwrap_or(0));
        (value + share * (towards - value)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2))
}

fn escape(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control())
        .map(|c| match c {
            '&' => "&amp;".to_string(),
            '<' => "&lt;".to_string(),
            '>' => "&gt;".to_string(),
            '"' => "&quot;".to_string(),
            c => c.to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_ticks_are_round() {
        let mut svg = Svg::new(10.0, 10.0);
        svg.text((1.0, 1.0), 8.0, Anchor::Start, "black", "a<b & \"c\"");
        assert!(svg.finish().contains("a&lt;b &amp; &quot;c&quot;"));
        assert_eq!(ticks(2080.0, 8), [0.0, 500.0, 1000.0, 1500.0, 2000.0]);
        assert_eq!(ticks(0.0, 8), [0.0]);
        let text = |(value, step)| tick_text(value, step);
        let written =
            [(0.3, 0.1), (1.5, 0.05), (40.0, 20.0), (6e6, 2e6), (4e10, 2e10), (2e-9, 1e-9)];
        assert_eq!(written.map(text), ["0.3", "1.50", "40", "6M", "4e10", "2e-9"]);
    }

    #[test]
    fn long_texts_are_set_smaller_and_colours_are_mixed() {
        assert_eq!(fitting_size("short", 600.0, 16.0), 16.0);
        let long = "x".repeat(80);
        let size = fitting_size(&long, 600.0, 16.0);
        assert!(size < 16.0 && text_width(&long, size) <= 600.0, "{size}");
        assert_eq!(fitting_size(&"x".repeat(900), 600.0, 16.0), 7.0);
        assert_eq!(mix("#204060", 255.0, 0.0), "#204060");
        assert_eq!(
            (mix("#204060", 255.0, 1.0), mix("#204060", 0.0, 0.5)),
            ("#ffffff".into(), "#102030".into())
        );
    }
}
