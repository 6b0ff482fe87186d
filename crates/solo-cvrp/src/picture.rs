//! A day's routes drawn on the plane.

use crate::scenario::Point;
use crate::state::{Action, Arrival};
use solo_core::svg::{Anchor, PALETTE, Svg, ticks};
use solo_core::{Time, Timed};

/// The longer side of the plane, in pixels, and the shortest that the other may be.
const LONG_SIDE: f64 = 640.0;
const SHORT_SIDE: f64 = 320.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 40.0;
const LEGEND_WIDTH: f64 = 250.0;
const LEGEND_STEP: f64 = 17.0;
/// With more customers than this their numbers would hide the routes.
const MOST_NUMBERED: usize = 60;
const INK: &str = "#333333";
const FAINT: &str = "#e4e4e4";
const GREY: &str = "#9a9a9a";

/// From leaving the depot to being back, or to where the record ends.
struct Route {
    vehicle: u32,
    customers: Vec<usize>,
    load: u64,
    home: bool,
}

/// Draws a day, possibly unfinished: every route in a colour of its own, its legs from and to the depot paler;
/// customers as dots whose area grows with the demand, hollow if nobody was sent to them. The n-th arrival is customer n.
/// The last routes return home only if everybody was served.
pub fn routes(
    depot: Point,
    capacity: u32,
    vehicles: usize,
    arrivals: &[Timed<Arrival>],
    decisions: &[Timed<Action>],
    title: &str,
) -> String {
    let customers: Vec<(Point, u32, Time)> = arrivals
        .iter()
        .map(|arrival| match arrival.what {
            Arrival::Customer { at, demand } => (at, demand, arrival.time),
        })
        .collect();
    let mut ordered: Vec<Option<Time>> = vec![None; customers.len()];
    let mut routes = split(decisions, &customers, &mut ordered);
    if ordered.iter().all(Option::is_some) {
        routes.iter_mut().for_each(|route| route.home = true);
    }

    let plane = Plane::around(depot, customers.iter().map(|customer| customer.0));
    let mut svg = Svg::new(LEFT + plane.width + LEGEND_WIDTH, TOP + plane.height + BOTTOM);
    plane.draw_axes(&mut svg);
    svg.text((LEFT, 28.0), 16.0, Anchor::Start, INK, title);

    // pale legs first, so that no route is crossed out by another's way to the depot
    let at = |k: usize| plane.pixel(customers[k].0);
    let home = plane.pixel(depot);
    for (i, route) in routes.iter().enumerate() {
        let (first, last) = (route.customers[0], route.customers[route.customers.len() - 1]);
        let pale = mix(&colour(i), 255.0, 0.6);
        leg(&mut svg, home, at(first), &pale, 1.2);
        if route.home {
            leg(&mut svg, at(last), home, &pale, 1.2);
        }
    }
    for (i, route) in routes.iter().enumerate() {
        for pair in route.customers.windows(2) {
            leg(&mut svg, at(pair[0]), at(pair[1]), &colour(i), 1.8);
        }
    }

    let mut colours: Vec<Option<String>> = vec![None; customers.len()];
    for (i, route) in routes.iter().enumerate() {
        for &k in &route.customers {
            colours[k] = Some(colour(i));
        }
    }
    let largest = customers.iter().map(|customer| customer.1).max().unwrap_or(1).max(1);
    let crowd = (100.0 / customers.len().max(1) as f64).sqrt().clamp(0.5, 1.0);
    for (k, (_, demand, called)) in customers.iter().enumerate() {
        let radius = crowd * (2.5 + 5.0 * (f64::from(*demand) / f64::from(largest)).sqrt());
        let tip = format!("customer {k}: demand {demand}, called at {}", short(*called));
        match (&colours[k], ordered[k]) {
            (Some(colour), Some(time)) => {
                let tip = format!("{tip}, ordered at {}", short(time));
                svg.circle(at(k), radius, colour, &tip);
            }
            _ => {
                let tip = format!("{tip}, not served");
                svg.circle(at(k), radius + 1.0, GREY, &tip);
                svg.circle(at(k), (radius - 0.8).max(1.0), "white", &tip);
            }
        }
        if customers.len() <= MOST_NUMBERED {
            let (x, y) = at(k);
            let beside = (x + radius + 1.5, y - radius * 0.4);
            svg.text(beside, 10.0, Anchor::Start, INK, &k.to_string());
        }
    }
    let corner = (home.0 - 7.0, home.1 - 7.0);
    svg.rect((corner.0 - 1.5, corner.1 - 1.5), (17.0, 17.0), "white", "depot");
    svg.rect(corner, (14.0, 14.0), INK, "depot");

    let unserved = ordered.iter().filter(|time| time.is_none()).count();
    let facts = Facts { capacity, vehicles, customers: customers.len(), unserved };
    legend(&mut svg, &plane, &routes, &facts);
    svg.finish()
}

/// Splits decisions into routes, in the order in which they began, and notes when each customer was ordered. Orders to
/// customers that do not exist are left out: what is wrong with a solution is for the audit to say.
fn split(
    decisions: &[Timed<Action>],
    customers: &[(Point, u32, Time)],
    ordered: &mut [Option<Time>],
) -> Vec<Route> {
    let mut routes: Vec<Route> = Vec::new();
    for decision in decisions {
        match decision.what {
            Action::Visit { vehicle, customer } => {
                let k = customer as usize;
                let Some((_, demand, _)) = customers.get(k) else { continue };
                ordered[k] = ordered[k].or(Some(decision.time));
                let open = routes.iter().position(|r| r.vehicle == vehicle && !r.home);
                let current = open.unwrap_or_else(|| {
                    routes.push(Route { vehicle, customers: Vec::new(), load: 0, home: false });
                    routes.len() - 1
                });
                routes[current].customers.push(k);
                routes[current].load += u64::from(*demand);
            }
            Action::Depot { vehicle } => {
                for route in routes.iter_mut().filter(|route| route.vehicle == vehicle) {
                    route.home = true;
                }
            }
            Action::Wait => {}
        }
    }
    routes
}

/// A straight leg with a mark in its middle that shows where it leads, if there is room for one.
fn leg(svg: &mut Svg, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
    svg.line(from, to, colour, width);
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length < 24.0 {
        return;
    }
    let (dx, dy) = (dx / length, dy / length);
    let tip = ((from.0 + to.0) / 2.0 + 3.0 * dx, (from.1 + to.1) / 2.0 + 3.0 * dy);
    let wing = |side: f64| (tip.0 - 6.0 * dx - 3.5 * side * dy, tip.1 - 6.0 * dy + 3.5 * side * dx);
    svg.path(&[wing(1.0), tip, wing(-1.0)], colour, width);
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

/// Brings `#rrggbb` the given share of the way towards black (0) or white (255).
fn mix(colour: &str, towards: f64, share: f64) -> String {
    let channel = |i: usize| {
        let hex = colour.get(1 + 2 * i..3 + 2 * i).unwrap_or("00");
        let value = f64::from(u8::from_str_radix(hex, 16).unwrap_or(0));
        (value + share * (towards - value)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2))
}

/// A number without needless digits.
fn short(x: f64) -> String {
    ((x * 1e3).round() / 1e3).to_string()
}

/// Where points of the plane are drawn: the same scale on both axes, y upwards.
struct Plane {
    low: Point,
    high: Point,
    scale: f64,
    width: f64,
    height: f64,
}

impl Plane {
    /// The smallest that holds all points, with a margin.
    fn around(depot: Point, points: impl Iterator<Item = Point>) -> Self {
        let (mut low, mut high) = (depot, depot);
        for point in points {
            low = Point { x: low.x.min(point.x), y: low.y.min(point.y) };
            high = Point { x: high.x.max(point.x), y: high.y.max(point.y) };
        }
        let span = (high.x - low.x).max(high.y - low.y);
        let span = if span > 0.0 { span } else { 1.0 };
        let scale = LONG_SIDE / (1.08 * span);
        let fit = |extent: f64| (extent + 0.08 * span).max(SHORT_SIDE / scale);
        let (wide, tall) = (fit(high.x - low.x), fit(high.y - low.y));
        let middle = Point { x: (low.x + high.x) / 2.0, y: (low.y + high.y) / 2.0 };
        Self {
            low: Point { x: middle.x - wide / 2.0, y: middle.y - tall / 2.0 },
            high: Point { x: middle.x + wide / 2.0, y: middle.y + tall / 2.0 },
            scale,
            width: wide * scale,
            height: tall * scale,
        }
    }

    fn pixel(&self, at: Point) -> (f64, f64) {
        (LEFT + (at.x - self.low.x) * self.scale, TOP + (self.high.y - at.y) * self.scale)
    }

    fn draw_axes(&self, svg: &mut Svg) {
        let (right, bottom) = (LEFT + self.width, TOP + self.height);
        let span = (self.high.x - self.low.x).max(self.high.y - self.low.y);
        let step = ticks(span, 6).get(1).copied().unwrap_or(span);
        let digits = (-step.log10()).ceil().clamp(0.0, 12.0) as usize;
        let marks = |low: f64, high: f64| {
            let (first, last) = ((low / step).ceil(), (high / step).floor());
            let count = (last - first).clamp(-1.0, 50.0) as i64;
            (0..=count).map(move |i| (first + i as f64) * step + 0.0)
        };
        for x in marks(self.low.x, self.high.x) {
            let (px, _) = self.pixel(Point { x, y: self.low.y });
            svg.line((px, TOP), (px, bottom), FAINT, 1.0);
            svg.text((px, bottom + 18.0), 11.0, Anchor::Middle, INK, &format!("{x:.digits$}"));
        }
        for y in marks(self.low.y, self.high.y) {
            let (_, py) = self.pixel(Point { x: self.low.x, y });
            svg.line((LEFT, py), (right, py), FAINT, 1.0);
            svg.text((LEFT - 8.0, py + 4.0), 11.0, Anchor::End, INK, &format!("{y:.digits$}"));
        }
        let frame = [(LEFT, TOP), (right, TOP), (right, bottom), (LEFT, bottom), (LEFT, TOP)];
        svg.path(&frame, GREY, 1.0);
    }
}

/// What the legend says beside the routes.
struct Facts {
    capacity: u32,
    vehicles: usize,
    customers: usize,
    unserved: usize,
}

fn legend(svg: &mut Svg, plane: &Plane, routes: &[Route], facts: &Facts) {
    let x = LEFT + plane.width + 22.0;
    let mut y = TOP + 12.0;
    let served = facts.customers - facts.unserved;
    svg.rect((x + 4.0, y - 9.0), (10.0, 10.0), INK, "depot");
    svg.text((x + 26.0, y), 12.0, Anchor::Start, INK, "depot");
    y += LEGEND_STEP;
    svg.circle((x + 9.0, y - 4.0), 4.5, INK, "");
    let who = format!("{served} of {} customers served", facts.customers);
    svg.text((x + 26.0, y), 12.0, Anchor::Start, INK, &who);
    y += LEGEND_STEP;
    if facts.unserved > 0 {
        svg.circle((x + 9.0, y - 4.0), 5.5, GREY, "");
        svg.circle((x + 9.0, y - 4.0), 3.7, "white", "");
        let who = format!("{} not served", facts.unserved);
        svg.text((x + 26.0, y), 12.0, Anchor::Start, INK, &who);
        y += LEGEND_STEP;
    }
    y += 6.0;
    let room = ((TOP + plane.height - y) / LEGEND_STEP).floor().max(1.0) as usize;
    let shown = if routes.len() <= room { routes.len() } else { room - 1 };
    for (i, route) in routes.iter().take(shown).enumerate() {
        svg.line((x, y - 4.0), (x + 18.0, y - 4.0), &colour(i), 3.0);
        let by = match facts.vehicles {
            0 | 1 => String::new(),
            _ => format!(" (vehicle {})", route.vehicle),
        };
        let plural = if route.customers.len() == 1 { "" } else { "s" };
        let line = format!(
            "{}{by}: {} customer{plural}, load {}/{}",
            i + 1,
            route.customers.len(),
            route.load,
            facts.capacity
        );
        svg.text((x + 26.0, y), 12.0, Anchor::Start, INK, &line);
        y += LEGEND_STEP;
    }
    if shown < routes.len() {
        let more = format!("... and {} more routes", routes.len() - shown);
        svg.text((x + 26.0, y), 12.0, Anchor::Start, INK, &more);
    }
}
