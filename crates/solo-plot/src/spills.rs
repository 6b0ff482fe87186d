//! What of a picture lies outside of it: for tests of whatever draws.

use crate::svg::text_width;

/// The elements of a picture of [`crate::svg::Svg`] that reach beyond its edges, or stand at no place at all. Texts count
/// as wide as [`text_width`] says.
pub fn spills(svg: &str) -> Vec<String> {
    let mut lines = svg.lines();
    let head = lines.next().unwrap_or_default();
    let size = |name| number(head, name).unwrap_or(f64::NAN);
    let (width, height) = (size("width"), size("height"));
    let inside = |(x, y): (f64, f64)| {
        (-0.01..=width + 0.01).contains(&x) && (-0.01..=height + 0.01).contains(&y)
    };
    let spills = |line: &&str| !corners(line).into_iter().all(inside);
    lines.filter(spills).map(str::to_string).collect()
}

/// The value of an attribute.
fn attribute<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let (_, rest) = line.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

fn number(line: &str, name: &str) -> Option<f64> {
    attribute(line, name)?.parse().ok()
}

/// Points that enclose an element; one that is no number if a number is missing.
fn corners(line: &str) -> Vec<(f64, f64)> {
    let get = |name: &str| number(line, name).unwrap_or(f64::NAN);
    let element = line.trim_start_matches('<').split([' ', '>']).next().unwrap_or_default();
    match element {
        "line" => vec![(get("x1"), get("y1")), (get("x2"), get("y2"))],
        "rect" if line.contains("100%") => Vec::new(),
        "rect" => {
            let (x, y) = (get("x"), get("y"));
            vec![(x, y), (x + get("width"), y + get("height"))]
        }
        "circle" => {
            let (x, y, r) = (get("cx"), get("cy"), get("r"));
            vec![(x - r, y - r), (x + r, y + r)]
        }
        "polyline" => attribute(line, "points").map_or(Vec::new(), |list| {
            let pair = |text: &str| {
                let (x, y) = text.split_once(',')?;
                Some((x.parse().ok()?, y.parse().ok()?))
            };
            list.split(' ').map(|text| pair(text).unwrap_or((f64::NAN, f64::NAN))).collect()
        }),
        "text" if line.contains("transform=") => Vec::new(),
        "text" => {
            let text = line.split('>').nth(1).and_then(|rest| rest.split('<').next());
            let wide = text_width(text.unwrap_or_default(), get("font-size"));
            let before = match attribute(line, "text-anchor") {
                Some("end") => wide,
                Some("middle") => wide / 2.0,
                _ => 0.0,
            };
            let (x, y) = (get("x") - before, get("y"));
            vec![(x, y - 0.8 * get("font-size")), (x + wide, y + 0.2 * get("font-size"))]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::{Anchor, Svg};

    #[test]
    fn what_reaches_beyond_the_edges_is_found() {
        let mut svg = Svg::new(100.0, 50.0);
        svg.line((0.0, 0.0), (100.0, 50.0), "black", 1.0);
        svg.text((50.0, 40.0), 10.0, Anchor::Middle, "black", "inside");
        svg.circle((50.0, 25.0), 5.0, "black", "inside");
        assert_eq!(spills(&svg.clone().finish()), [""; 0]);
        svg.text((90.0, 40.0), 10.0, Anchor::Start, "black", "too far to the right");
        svg.rect((-3.0, 10.0), (5.0, 5.0), "black", "");
        svg.circle((50.0, 48.0), 5.0, "black", "");
        svg.path(&[(1.0, 1.0), (1.0, 60.0)], "black", 1.0);
        svg.line((0.0, 0.0), (f64::NAN, 1.0), "black", 1.0);
        assert_eq!(spills(&svg.finish()).len(), 5);
    }
}
