//! The map: where everybody is, and which route leads there.

use super::trips::{Caller, Trips};
use super::{BESIDE, FAINT, GREY, INK, LEFT, TOP, colour, pale, short};
use crate::scenario::Point;
use solo_plot::svg::{Anchor, Svg, mix, tick_text, ticks};

/// The longer side, in pixels, and the shortest that the other may be.
const LONG_SIDE: f64 = 640.0;
const SHORT_SIDE: f64 = 320.0;
const LEGEND_STEP: f64 = 17.0;
/// With more customers than this marks are smaller and lines thinner, and routes are numbered instead of customers.
pub(super) const MANY: usize = 60;
/// With more routes than this their numbers would hide them.
const MOST_NUMBERED: usize = 40;

/// Where points of the plane are drawn: the same scale on both axes, y upwards.
pub(super) struct Map {
    depot: Point,
    low: Point,
    high: Point,
    scale: f64,
    width: f64,
    height: f64,
    /// From 1 for few customers down to 0.4 for very many: how large marks and lines are.
    size: f64,
}

impl Map {
    /// The smallest that holds the depot and all customers, with a margin.
    pub(super) fn around(depot: Point, trips: &Trips) -> Self {
        let (mut low, mut high) = (depot, depot);
        for Caller { at, .. } in &trips.customers {
            low = Point { x: low.x.min(at.x), y: low.y.min(at.y) };
            high = Point { x: high.x.max(at.x), y: high.y.max(at.y) };
        }
        let span = (high.x - low.x).max(high.y - low.y);
        let span = if span > 0.0 { span } else { 1.0 };
        let scale = LONG_SIDE / (1.08 * span);
        let fit = |extent: f64| (extent + 0.08 * span).max(SHORT_SIDE / scale);
        let (wide, tall) = (fit(high.x - low.x), fit(high.y - low.y));
        let middle = Point { x: (low.x + high.x) / 2.0, y: (low.y + high.y) / 2.0 };
        Self {
            depot,
            low: Point { x: middle.x - wide / 2.0, y: middle.y - tall / 2.0 },
            high: Point { x: middle.x + wide / 2.0, y: middle.y + tall / 2.0 },
            scale,
            width: wide * scale,
            height: tall * scale,
            size: (MANY as f64 / trips.customers.len().max(1) as f64).sqrt().clamp(0.4, 1.0),
        }
    }

    /// The right edge of the frame.
    pub(super) fn right(&self) -> f64 {
        LEFT + self.width
    }

    /// The lower edge of the frame.
    fn floor(&self) -> f64 {
        TOP + self.height
    }

    /// The lower edge of everything that is drawn here.
    pub(super) fn bottom(&self) -> f64 {
        self.floor() + 28.0
    }

    fn pixel(&self, at: Point) -> (f64, f64) {
        (LEFT + (at.x - self.low.x) * self.scale, TOP + (self.high.y - at.y) * self.scale)
    }

    /// Draws everything but the words beside it.
    pub(super) fn draw(&self, svg: &mut Svg, trips: &Trips) {
        self.draw_axes(svg);
        let legs = self.legs(trips);
        legs.iter().for_each(|leg| leg.draw(svg));
        let dots = self.draw_customers(svg, trips);
        let home = self.pixel(self.depot);
        let half = 4.0 + 3.0 * self.size;
        let square = |svg: &mut Svg, half: f64, colour: &str| {
            let corner = (home.0 - half, home.1 - half);
            svg.rect(corner, (2.0 * half, 2.0 * half), colour, "depot");
        };
        square(svg, half + 1.5, "white");
        square(svg, half, INK);
        if trips.customers.len() <= MANY {
            number_customers(svg, &dots, home, &legs);
        } else if trips.routes.len() <= MOST_NUMBERED {
            number_routes(svg, trips, &dots, home, &legs);
        }
    }

    /// The legs of all routes, the pale ones first, so that no route is crossed out by another's way to the depot.
    fn legs(&self, trips: &Trips) -> Vec<Leg> {
        let (home, at) = (self.pixel(self.depot), |k: usize| self.pixel(trips.customers[k].at));
        // Among many routes only the longer legs between customers say where they lead.
        let crowded = trips.customers.len() > MANY;
        let (marked, marked_pale) = if crowded { (36.0, f64::INFINITY) } else { (24.0, 24.0) };
        let mut legs: Vec<Leg> = Vec::new();
        for (i, route) in trips.routes.iter().enumerate() {
            let (first, last) = (route.customers[0], route.customers[route.customers.len() - 1]);
            let back = route.home.then(|| (at(last), home));
            for (from, to) in [Some((home, at(first))), back].into_iter().flatten() {
                let width = 1.2 * self.size;
                legs.push(Leg { from, to, colour: pale(i), width, marked: marked_pale });
            }
        }
        for (i, route) in trips.routes.iter().enumerate() {
            for pair in route.customers.windows(2) {
                let (from, to) = (at(pair[0]), at(pair[1]));
                let width = 1.8 * self.size.max(0.6);
                legs.push(Leg { from, to, colour: colour(i), width, marked });
            }
        }
        legs
    }

    fn draw_customers(&self, svg: &mut Svg, trips: &Trips) -> Vec<Dot> {
        let largest = trips.customers.iter().map(|customer| customer.demand).max().unwrap_or(1);
        let mut dots: Vec<Dot> = Vec::new();
        for Caller { id, at, demand, called, ordered, served, route } in &trips.customers {
            let at = self.pixel(*at);
            let share = f64::from(*demand) / f64::from(largest.max(1));
            let radius = self.size * (2.5 + 5.0 * share.sqrt());
            let tip = format!("customer {id}: demand {demand}, called at {}", short(*called));
            match (route, ordered.zip(*served)) {
                (Some(route), Some((ordered, served))) => {
                    let (ordered, served) = (short(ordered), short(served));
                    let tip = format!("{tip}, ordered at {ordered}, served at {served}");
                    svg.circle(at, radius, &colour(*route), &tip);
                }
                _ => hollow(svg, at, radius, &format!("{tip}, not served")),
            }
            dots.push((at, radius, *id));
        }
        dots
    }

    fn draw_axes(&self, svg: &mut Svg) {
        let (right, floor) = (self.right(), self.floor());
        let span = (self.high.x - self.low.x).max(self.high.y - self.low.y);
        let step = ticks(span, 6).get(1).copied().unwrap_or(span);
        let marks = |low: f64, high: f64| {
            let (first, last) = ((low / step).ceil(), (high / step).floor());
            let count = (last - first).clamp(-1.0, 50.0) as i64;
            (0..=count).map(move |i| (first + i as f64) * step + 0.0)
        };
        for x in marks(self.low.x, self.high.x) {
            let (px, _) = self.pixel(Point { x, y: self.low.y });
            svg.line((px, TOP), (px, floor), FAINT, 1.0);
            svg.text((px, floor + 18.0), 11.0, Anchor::Middle, INK, &tick_text(x, step));
        }
        for y in marks(self.low.y, self.high.y) {
            let (_, py) = self.pixel(Point { x: self.low.x, y });
            svg.line((LEFT, py), (right, py), FAINT, 1.0);
            svg.text((LEFT - 8.0, py + 4.0), 11.0, Anchor::End, INK, &tick_text(y, step));
        }
        let frame = [(LEFT, TOP), (right, TOP), (right, floor), (LEFT, floor), (LEFT, TOP)];
        svg.path(&frame, GREY, 1.0);
    }

    /// The words beside the map: what is drawn, and a line for each route as far as there is room.
    pub(super) fn legend(&self, svg: &mut Svg, trips: &Trips, routes: &[String]) {
        let (customers, unserved) = (trips.customers.len(), trips.unserved);
        let x = self.right() + BESIDE;
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
        let room = ((self.floor() - next) / LEGEND_STEP).floor().max(1.0) as usize;
        let shown = if routes.len() <= room { routes.len() } else { room - 1 };
        for (i, route) in routes.iter().take(shown).enumerate() {
            svg.line((x, next), (x + 18.0, next), &colour(i), 3.0);
            next = line(svg, route);
        }
        if shown < routes.len() {
            line(svg, &format!("... and {} more routes", routes.len() - shown));
        }
    }
}

fn hollow(svg: &mut Svg, at: (f64, f64), radius: f64, tip: &str) {
    svg.circle(at, radius + 1.0, GREY, tip);
    svg.circle(at, (radius - 1.0).max(1.0), "white", tip);
}

/// A straight way from place to place, in pixels.
struct Leg {
    from: (f64, f64),
    to: (f64, f64),
    colour: String,
    width: f64,
    /// How long it has to be for a mark that shows where it leads.
    marked: f64,
}

impl Leg {
    /// A line with a mark that shows where it leads, if there is room for one. The mark stands behind the middle, so
    /// that those of there and back are apart.
    fn draw(&self, svg: &mut Svg) {
        svg.line(self.from, self.to, &self.colour, self.width);
        let (dx, dy) = (self.to.0 - self.from.0, self.to.1 - self.from.1);
        let length = dx.hypot(dy);
        if length < self.marked {
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

fn apart(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// Twelve places around a dot.
fn around((at, radius, _): Dot, gap: f64) -> impl Iterator<Item = (f64, f64)> {
    (0..12).map(move |i| {
        let angle = f64::from(i) * std::f64::consts::TAU / 12.0;
        let (dx, dy) = (libm::cos(angle), libm::sin(angle));
        (at.0 + (radius + gap + 1.0) * dx, at.1 - (radius + gap) * dy)
    })
}

/// Writes each customer's number on the side of its dot where most room is left by legs, dots and other numbers.
fn number_customers(svg: &mut Svg, dots: &[Dot], depot: (f64, f64), legs: &[Leg]) {
    let mut written: Vec<(f64, f64)> = vec![depot];
    for (k, dot) in dots.iter().enumerate() {
        let room = |place: (f64, f64)| {
            let lines = legs.iter().map(|leg| leg.distance(place));
            let others = dots.iter().enumerate().filter(|(other, _)| *other != k);
            let others = others.map(|(_, dot)| apart(place, dot.0) - dot.1);
            let numbers = written.iter().map(|number| apart(place, *number) - 6.0);
            lines.chain(others).chain(numbers).fold(f64::INFINITY, f64::min)
        };
        let better = |a, b| if room(b) > room(a) { b } else { a };
        let best = around(*dot, 7.0).reduce(better).unwrap_or(dot.0);
        svg.text((best.0, best.1 + 3.5), 10.0, Anchor::Middle, INK, &dot.2.to_string());
        written.push(best);
    }
}

/// Writes each route's number beside the customer that is farthest from the depot, away from legs, and only where it fits
/// between dots and other numbers.
fn number_routes(svg: &mut Svg, trips: &Trips, dots: &[Dot], depot: (f64, f64), legs: &[Leg]) {
    const ROOM: f64 = 5.0;
    let mut written: Vec<(f64, f64)> = vec![depot];
    for (i, route) in trips.routes.iter().enumerate() {
        let far = |k: &usize| apart(dots[*k].0, depot);
        let farthest = route.customers.iter().max_by(|a, b| far(a).total_cmp(&far(b)));
        let Some(&farthest) = farthest else { continue };
        let fits = |place: &(f64, f64)| {
            dots.iter().all(|dot| apart(*place, dot.0) - dot.1 >= ROOM)
                && written.iter().all(|number| apart(*place, *number) - 8.0 >= ROOM)
        };
        let free = |place: &(f64, f64)| {
            legs.iter().map(|leg| leg.distance(*place)).fold(f64::INFINITY, f64::min)
        };
        let best = around(dots[farthest], 8.0).filter(fits);
        let best = best.reduce(|a, b| if free(&b) > free(&a) { b } else { a });
        if let Some(place) = best {
            let shade = mix(&colour(i), 0.0, 0.25);
            svg.label((place.0, place.1 + 4.0), 11.0, &shade, &(i + 1).to_string());
            written.push(place);
        }
    }
}
