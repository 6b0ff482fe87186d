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
    }
}
