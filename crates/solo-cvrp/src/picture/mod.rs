//! A day's routes: a map, and under it a lane for each vehicle along the time.

mod lanes;
mod map;
mod trips;

use crate::dynamics::Routing;
use lanes::Lanes;
use map::Map;
use solo_core::LogOf;
use solo_plot::svg::{Anchor, PALETTE, Svg, fitting_size, mix, text_width};
use trips::{Route, Trips};

/// Where the map and the lanes begin.
const LEFT: f64 = 74.0;
const TOP: f64 = 52.0;
const RIGHT: f64 = 24.0;
/// From the map to the words right of it.
const BESIDE: f64 = 22.0;
/// No picture is narrower, so that lanes have room.
const NARROWEST: f64 = 860.0;
const INK: &str = "#333333";
const FAINT: &str = "#e4e4e4";
const GREY: &str = "#9a9a9a";

/// Draws a day, possibly unfinished: every route in a colour of its own, its legs from and to the depot paler;
/// customers as dots whose area grows with the demand, hollow if nobody was sent to them. The last routes return home
/// only if everybody was served. Under the map each vehicle has a lane along the time: when it drove and stood, whom it
/// served when, and when they had called.
pub fn routes(problem: &Routing, log: &LogOf<Routing>, title: &str) -> String {
    let trips = Trips::read(problem, log);
    let describe = |(i, route)| describe(route, i, problem);
    let names: Vec<String> = trips.routes.iter().enumerate().map(describe).collect();
    let beside = names.iter().map(|name| text_width(name, 12.0)).fold(190.0, f64::max);
    let map = Map::around(problem.depot.at, &trips);
    let width = (map.right() + BESIDE + 26.0 + beside + RIGHT).max(NARROWEST);
    let lanes = Lanes::below(map.bottom(), width, problem.fleet, &trips);
    let mut svg = Svg::new(width.ceil(), lanes.bottom().ceil());
    let size = fitting_size(title, width - LEFT - RIGHT, 16.0);
    svg.text((LEFT, 28.0), size, Anchor::Start, INK, title);
    map.draw(&mut svg, &trips);
    map.legend(&mut svg, &trips, &names);
    lanes.draw(&mut svg, &trips);
    svg.finish()
}

fn describe(route: &Route, index: usize, problem: &Routing) -> String {
    let by = match problem.fleet {
        0 | 1 => String::new(),
        _ => format!(", vehicle {}", route.vehicle),
    };
    let (count, load, capacity) = (route.customers.len(), route.load, problem.capacity);
    let plural = if count == 1 { "" } else { "s" };
    format!("route {}{by}: {count} customer{plural}, load {load}/{capacity}", index + 1)
}

/// The palette in turn; when it is used up, again in darker and then in paler shades.
fn colour(route: usize) -> String {
    let plain = PALETTE[route % PALETTE.len()];
    match route / PALETTE.len() % 3 {
        0 => plain.to_string(),
        1 => mix(plain, 0.0, 0.4),
        _ => mix(plain, 255.0, 0.35),
    }
}

/// The shade of a route's ways from and to the depot.
fn pale(route: usize) -> String {
    mix(&colour(route), 255.0, 0.55)
}

/// A number without needless digits.
fn short(x: f64) -> String {
    ((x * 1e3).round() / 1e3).to_string()
}
