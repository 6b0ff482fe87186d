//! A day's routes drawn on the plane.

use crate::dynamics::Routing;
use crate::scenario::Point;
use crate::state::{Action, Event};
use solo_core::{LogOf, Time};
use solo_plot::svg::{Anchor, PALETTE, Svg, ticks};

/// The longer side of the plane, in pixels, and the shortest that the other may be.
const LONG_SIDE: f64 = 640.0;
const SHORT_SIDE: f64 = 320.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 40.0;
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

/// A customer of the day.
struct Caller {
    id: u32,
    at: Point,
    demand: u32,
    called: Time,
    /// When a vehicle was sent.
    ordered: Option<Time>,
    /// The route that visits it.
    route: Option<usize>,
}

fn callers(log: &LogOf<Routing>) -> Vec<Caller> {
    let caller = |event: solo_core::Timed<&Event>| match *event.what {
        Event::Customer { id, at, demand } => {
            Caller { id, at, demand, called: event.time, ordered: None, route: None }
        }
    };
    log.events().map(caller).collect()
}

/// Draws a day, possibly unfinished: every route in a colour of its own, its legs from and to the depot paler;
/// customers as dots whose area grows with the demand, hollow if nobody was sent to them. The last routes return home
/// only if everybody was served.
pub fn routes(problem: &Routing, log: &LogOf<Routing>, title: &str) -> String {
    let (depot, capacity, vehicles) = (problem.depot.at, problem.capacity, problem.fleet);
    let mut customers = callers(log);
    let mut routes = split(log, &mut customers);
    let unserved = customers.iter().filter(|customer| customer.ordered.is_none()).count();
    if unserved == 0 {
        routes.iter_mut().for_each(|route| route.home = true);
    }
    let lines: Vec<String> = routes
        .iter()
        .enumerate()
        .map(|(i, route)| describe(route, i, capacity, vehicles))
        .collect();
    let longest = lines.iter().map(String::len).max().unwrap_or(0).max(30);

    let plane = Plane::around(depot, customers.iter().map(|customer| customer.at));
    let width = LEFT + plane.width + 60.0 + 6.3 * longest as f64;
    let mut svg = Svg::new(
        width.max(2.0 * LEFT + 8.5 * title.chars().count() as f64),
        TOP + plane.height + BOTTOM,
    );
    plane.draw_axes(&mut svg);
    svg.text((LEFT, 28.0), 16.0, Anchor::Start, INK, title);
    let home = plane.pixel(depot);
    let legs = legs(&routes, &plane, &customers, home);
    legs.iter().for_each(|leg| leg.draw(&mut svg));
    let dots = draw_customers(&mut svg, &plane, &customers);
    let corner = (home.0 - 7.0, home.1 - 7.0);
    svg.rect((corner.0 - 1.5, corner.1 - 1.5), (17.0, 17.0), "white", "depot");
    svg.rect(corner, (14.0, 14.0), INK, "depot");
    if dots.len() <= MOST_NUMBERED {
        number(&mut svg, &dots, home, &legs);
    }
    legend(&mut svg, &plane, &lines, customers.len(), unserved);
    svg.finish()
}

/// The legs of all routes, the pale ones first, so that no route is crossed out by another's way to the depot.
fn legs(routes: &[Route], plane: &Plane, customers: &[Caller], home: (f64, f64)) -> Vec<Leg> {
    let at = |k: usize| plane.pixel(customers[k].at);
    let mut legs: Vec<Leg> = Vec::new();
    for (i, route) in routes.iter().enumerate() {
        let (first, last) = (route.customers[0], route.customers[route.customers.len() - 1]);
        let pale = mix(&colour(i), 255.0, 0.55);
        let back = route.home.then(|| (at(last), home));
        for (from, to) in [Some((home, at(first))), back].into_iter().flatten() {
            legs.push(Leg { from, to, colour: pale.clone(), width: 1.2 });
        }
    }
    for (i, route) in routes.iter().enumerate() {
        for pair in route.customers.windows(2) {
            let (from, to) = (at(pair[0]), at(pair[1]));
            legs.push(Leg { from, to, colour: colour(i), width: 1.8 });
        }
    }
    legs
}

fn draw_customers(svg: &mut Svg, plane: &Plane, customers: &[Caller]) -> Vec<Dot> {
    let largest = customers.iter().map(|customer| customer.demand).max().unwrap_or(1).max(1);
    let crowd = (100.0 / customers.len().max(1) as f64).sqrt().clamp(0.5, 1.0);
    let mut dots: Vec<Dot> = Vec::new();
    for Caller { id, at, demand, called, ordered, route } in customers {
        let at = plane.pixel(*at);
        let radius = crowd * (2.5 + 5.0 * (f64::from(*demand) / f64::from(largest)).sqrt());
        let tip = format!("customer {id}: demand {demand}, called at {}", short(*called));
        match (route, ordered) {
            (Some(route), Some(time)) => {
                let tip = format!("{tip}, ordered at {}", short(*time));
                svg.circle(at, radius, &colour(*route), &tip);
            }
            _ => hollow(svg, at, radius, &format!("{tip}, not served")),
        }
        dots.push((at, radius, *id));
    }
    dots
}

fn describe(route: &Route, index: usize, capacity: u32, vehicles: usize) -> String {
    let by = if vehicles > 1 { format!(", vehicle {}", route.vehicle) } else { String::new() };
    let count = route.customers.len();
    let plural = if count == 1 { "" } else { "s" };
    format!("route {}{by}: {count} customer{plural}, load {}/{capacity}", index + 1, route.load)
}

fn hollow(svg: &mut Svg, at: (f64, f64), radius: f64, tip: &str) {
    svg.circle(at, radius + 1.0, GREY, tip);
    svg.circle(at, (radius - 1.0).max(1.0), "white", tip);
}

/// Splits decisions into routes, in the order in which they began, and notes when each customer was ordered. Orders to
/// customers that do not exist are left out: what is wrong with a solution is for the audit to say.
fn split(log: &LogOf<Routing>, customers: &mut [Caller]) -> Vec<Route> {
    let mut routes: Vec<Route> = Vec::new();
    for decision in log.decisions() {
        match *decision.what {
            Action::Visit { vehicle, customer } => {
                let Some(k) = customers.iter().position(|known| known.id == customer) else {
                    continue;
                };
                let open = routes.iter().position(|r| r.vehicle == vehicle && !r.home);
                let current = open.unwrap_or_else(|| {
                    routes.push(Route { vehicle, customers: Vec::new(), load: 0, home: false });
                    routes.len() - 1
                });
                let customer = &mut customers[k];
                customer.ordered = customer.ordered.or(Some(decision.time));
                customer.route = Some(current);
                routes[current].customers.push(k);
                routes[current].load += u64::from(customer.demand);
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

/// A straight way from place to place, in pixels.
struct Leg {
    from: (f64, f64),
    to: (f64, f64),
    colour: String,
    width: f64,
}

impl Leg {
    /// A line with a mark that shows where it leads, if there is room for one. The mark stands behind the middle, so
    /// that those of there and back are apart.
    fn draw(&self, svg: &mut Svg) {
        svg.line(self.from, self.to, &self.colour, self.width);
        let (dx, dy) = (self.to.0 - self.from.0, self.to.1 - self.from.1);
        let length = dx.hypot(dy);
        if length < 24.0 {
            return;
        }
        let tip = (self.from.0 + 0.58 * dx, self.from.1 + 0.58 * dy);
        let (dx, dy) = (dx / length, dy / length);
        let wing =
            |side: f64| (tip.0 - 6.0 * dx - 3.5 * side * dy, tip.1 - 6.0 * dy + 3.5 * side * dx);
        svg.path(&[wing(1.0), tip, wing(-1.0)], &self.colour, self.width);
    }

    /// How far a point is from the line.
    fn distance(&self, point: (f64, f64)) -> f64 {
        let (dx, dy) = (self.to.0 - self.from.0, self.to.1 - self.from.1);
        let (px, py) = (point.0 - self.from.0, point.1 - self.from.1);
        let square = dx * dx + dy * dy;
        let along = if square > 0.0 { ((px * dx + py * dy) / square).clamp(0.0, 1.0) } else { 0.0 };
        (px - along * dx).hypot(py - along * dy)
    }
}

/// A customer as drawn: centre, radius and number.
type Dot = ((f64, f64), f64, u32);

/// Writes each customer's number on the side of its dot where most room is left by legs, dots and other numbers.
fn number(svg: &mut Svg, dots: &[Dot], depot: (f64, f64), legs: &[Leg]) {
    let apart = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).hypot(a.1 - b.1);
    let mut written: Vec<(f64, f64)> = vec![depot];
    for (k, &(at, radius, id)) in dots.iter().enumerate() {
        let room = |place: (f64, f64)| {
            let lines = legs.iter().map(|leg| leg.distance(place));
            let others = dots.iter().enumerate().filter(|(other, _)| *other != k);
            let others = others.map(|(_, dot)| apart(place, dot.0) - dot.1);
            let numbers = written.iter().map(|number| apart(place, *number) - 6.0);
            lines.chain(others).chain(numbers).fold(f64::INFINITY, f64::min)
        };
        let places = (0..12).map(|i| {
            let angle = f64::from(i) * std::f64::consts::TAU / 12.0;
            (at.0 + (radius + 8.0) * libm::cos(angle), at.1 - (radius + 7.0) * libm::sin(angle))
        });
        let best = places.reduce(|a, b| if room(b) > room(a) { b } else { a }).unwrap_or(at);
        svg.text((best.0, best.1 + 3.5), 10.0, Anchor::Middle, INK, &id.to_string());
        written.push(best);
    }
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

fn legend(svg: &mut Svg, plane: &Plane, routes: &[String], customers: usize, unserved: usize) {
    let x = LEFT + plane.width + 22.0;
    let mut y = TOP + 12.0;
    let mut line = |svg: &mut Svg, text: &str| {
        svg.text((x + 26.0, y), 12.0, Anchor::Start, INK, text);
        y += LEGEND_STEP;
        y - 4.0
    };
    svg.rect((x + 4.0, TOP + 3.0), (10.0, 10.0), INK, "depot");
    let mut next = line(svg, "depot");
    svg.circle((x + 9.0, next), 4.5, INK, "");
    next = line(svg, &format!("{} of {customers} customers served", customers - unserved));
    if unserved > 0 {
        hollow(svg, (x + 9.0, next), 4.5, "");
        next = line(svg, &format!("{unserved} not served"));
    }
    let room = ((TOP + plane.height - next) / LEGEND_STEP).floor().max(1.0) as usize;
    let shown = if routes.len() <= room { routes.len() } else { room - 1 };
    for (i, route) in routes.iter().take(shown).enumerate() {
        svg.line((x, next), (x + 18.0, next), &colour(i), 3.0);
        next = line(svg, route);
    }
    if shown < routes.len() {
        line(svg, &format!("... and {} more routes", routes.len() - shown));
    }
}
