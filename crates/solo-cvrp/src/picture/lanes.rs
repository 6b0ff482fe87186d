//! The lanes: each vehicle along the time, with the calls of those whom it served.

use super::trips::{Drive, Trips};
use super::{FAINT, GREY, INK, LEFT, RIGHT, colour, pale, short};
use solo_core::Time;
use solo_plot::svg::{Anchor, PALETTE, Svg, fitting_size, mix, text_width, tick_text, ticks};
use std::collections::BTreeSet;

/// No more lanes are drawn.
const MOST_LANES: usize = 40;
/// Where vehicles are said to stand away from the depot.
const STANDING: &str = "#777777";
/// The size of names and numbers.
const SMALL: f64 = 11.0;

/// Where everything is drawn along the time.
pub(super) struct Lanes {
    /// The vehicles that have a lane, by number.
    vehicles: Vec<u32>,
    /// How many vehicles have none.
    left_out: usize,
    /// Whether customers called during the day.
    online: bool,
    /// Whether some were never served.
    unserved: bool,
    /// When nobody could call any more, if that is shown.
    closed: Option<Time>,
    end: Time,
    /// Where the words above the lanes begin.
    above: f64,
    /// Where the first lane begins.
    top: f64,
    right: f64,
    /// The height of a lane, and of the bars in it.
    lane: f64,
    bar: f64,
    /// The radius of those who are served; `None` if there are too many for dots.
    dot: Option<f64>,
    /// How wide the gap is that stands for one then.
    gap: f64,
    /// Half the width of the depot's marks, narrow where there are many returns.
    depot: f64,
    /// Whether there is room for the routes' numbers.
    numbered: bool,
}

impl Lanes {
    /// The lanes of a fleet in a picture of this width, below `above`.
    pub(super) fn below(above: f64, width: f64, fleet: usize, trips: &Trips) -> Self {
        let driving = trips.drives.iter().map(|drive| drive.vehicle);
        let all: BTreeSet<u32> = (0..fleet.min(MOST_LANES) as u32).chain(driving).collect();
        let vehicles: Vec<u32> = all.iter().copied().take(MOST_LANES).collect();
        let (online, end) = (trips.online(), trips.end());
        let (together, least, most) =
            if online { (300.0, 18.0, 76.0) } else { (220.0, 14.0, 34.0) };
        let lane = (together / vehicles.len().max(1) as f64).clamp(least, most);
        let numbered = lane >= if online { 44.0 } else { 28.0 };
        let closed = trips.closed.filter(|closed| online && (0.0..=end).contains(closed));
        // How many pixels a lane has for each of so many things.
        let room =
            |things: usize| (width - LEFT - RIGHT) * vehicles.len() as f64 / things.max(1) as f64;
        let (each, depot) = (room(trips.drives.len()), 0.2 * room(trips.routes.len()));
        Self {
            left_out: all.len().max(fleet) - vehicles.len(),
            vehicles,
            online,
            unserved: online && trips.unserved > 0,
            closed,
            end: if end.is_finite() { end } else { 0.0 },
            above: above + 14.0,
            top: above + 44.0 + if closed.is_some() { 14.0 } else { 0.0 },
            right: width - RIGHT,
            lane,
            bar: (0.4 * lane).clamp(6.0, 13.0),
            dot: (each > 9.0).then(|| (0.3 * each).min(3.6)),
            gap: (0.25 * each).min(1.0),
            depot: depot.clamp(0.5, 3.5),
            numbered,
        }
    }

    /// Whether there is anything to draw.
    fn any(&self) -> bool {
        self.end > 0.0 && !self.vehicles.is_empty()
    }

    /// Where the lanes end and the axis begins.
    fn floor(&self) -> f64 {
        self.y(self.vehicles.len()) + if self.unserved { 18.0 } else { 0.0 }
    }

    /// The lower edge of everything that is drawn here.
    pub(super) fn bottom(&self) -> f64 {
        match (self.any(), self.left_out) {
            (false, _) => self.above,
            (true, 0) => self.floor() + 48.0,
            (true, _) => self.floor() + 64.0,
        }
    }

    fn x(&self, time: Time) -> f64 {
        LEFT + (self.right - LEFT) * (time / self.end).clamp(0.0, 1.0)
    }

    fn y(&self, lane: usize) -> f64 {
        self.top + lane as f64 * self.lane
    }

    /// The upper edge of a lane's bars.
    fn bar_top(&self, lane: usize) -> f64 {
        let below = if self.numbered { 14.0 } else { 4.0 };
        self.y(lane + 1) - below - self.bar
    }

    /// How high the marks of calls are.
    fn tick(&self) -> f64 {
        (0.14 * self.lane).clamp(4.0, 8.0)
    }

    /// Whether there is room for lines from calls to service.
    fn shows_waiting(&self) -> bool {
        self.online && self.bar_top(0) - self.y(0) - self.tick() > 8.0
    }

    pub(super) fn draw(&self, svg: &mut Svg, trips: &Trips) {
        if !self.any() {
            return;
        }
        self.legend(svg);
        self.draw_axis(svg);
        for (lane, vehicle) in self.vehicles.iter().enumerate() {
            let drives: Vec<&Drive> =
                trips.drives.iter().filter(|drive| drive.vehicle == *vehicle).collect();
            self.draw_standing(svg, lane, &drives);
            if self.online {
                self.draw_calls(svg, lane, &drives, trips);
            }
            self.draw_driving(svg, lane, &drives, trips);
            if self.numbered {
                self.number_routes(svg, lane, &drives);
            }
        }
        if self.unserved {
            let y = self.y(self.vehicles.len()) + 4.0;
            svg.text((LEFT - 8.0, y + 8.0), SMALL, Anchor::End, INK, "not served");
            for customer in trips.customers.iter().filter(|customer| customer.ordered.is_none()) {
                let tip = format!("call of customer {} at {}", customer.id, short(customer.called));
                svg.rect((self.x(customer.called) - 0.6, y), (1.2, 9.0), GREY, &tip);
            }
        }
    }

    /// A faint line at the depot, a strong one where it stands elsewhere.
    fn draw_standing(&self, svg: &mut Svg, lane: usize, drives: &[&Drive]) {
        let middle = self.bar_top(lane) + self.bar / 2.0;
        svg.line((LEFT, middle), (self.right, middle), FAINT, 1.5);
        for (i, drive) in drives.iter().enumerate().filter(|(_, drive)| drive.to.is_some()) {
            let until = drives.get(i + 1).map_or(self.end, |next| next.start);
            let (from, to) = (self.x(drive.end), self.x(until));
            if to - from > 0.5 {
                svg.line((from, middle), (to, middle), STANDING, 3.0);
            }
        }
    }

    /// A mark for each call of those whom the vehicle served, with a line to the moment when it was there.
    fn draw_calls(&self, svg: &mut Svg, lane: usize, drives: &[&Drive], trips: &Trips) {
        let (y, tick, bar) = (self.y(lane), self.tick(), self.bar_top(lane));
        for drive in drives {
            let Some(customer) = drive.to.map(|customer| &trips.customers[customer]) else {
                continue;
            };
            let from = (self.x(customer.called), y + tick);
            if self.shows_waiting() {
                let shade = mix(&colour(drive.route), 255.0, 0.35);
                svg.line(from, (self.x(drive.end), bar), &shade, 0.7);
            }
            let tip = format!("call of customer {} at {}", customer.id, short(customer.called));
            svg.rect((from.0 - 0.7, y), (1.4, tick), &colour(drive.route), &tip);
        }
    }

    /// A bar for each drive, a dot where somebody is served and a square where the depot is reached.
    fn draw_driving(&self, svg: &mut Svg, lane: usize, drives: &[&Drive], trips: &Trips) {
        let (y, half) = (self.bar_top(lane), (0.3 * self.bar).min(3.5));
        let middle = y + self.bar / 2.0;
        for drive in drives {
            let (from, to) = (self.x(drive.start), self.x(drive.end));
            let whereto = match drive.to {
                Some(customer) => format!("customer {}", trips.customers[customer].id),
                None => "the depot".to_string(),
            };
            let (start, end) = (short(drive.start), short(drive.end));
            let tip = format!("vehicle {} to {whereto}, {start} to {end}", drive.vehicle);
            let plain = !drive.from_depot && drive.to.is_some();
            let shade = if plain { colour(drive.route) } else { pale(drive.route) };
            svg.rect((from, y), (to - from, self.bar), &shade, &tip);
        }
        let square = |svg: &mut Svg, time: Time| {
            let wide = self.depot.min(half);
            let corner = (self.x(time) - wide, middle - half);
            svg.rect(corner, (2.0 * wide, 2.0 * half), INK, &format!("depot at {}", short(time)));
        };
        square(svg, 0.0);
        for drive in drives {
            let Some(customer) = drive.to.map(|customer| &trips.customers[customer]) else {
                square(svg, drive.end);
                continue;
            };
            let (id, served) = (customer.id, short(drive.end));
            let waited = short(drive.end - customer.called);
            let tip = format!("service of customer {id} at {served}, {waited} after the call");
            let x = self.x(drive.end);
            match self.dot {
                Some(radius) => svg.circle((x, middle), radius, &colour(drive.route), &tip),
                None => svg.rect((x - self.gap / 2.0, y), (self.gap, self.bar), "white", &tip),
            }
        }
    }

    /// Each route's number below its bars, where it does not touch another.
    fn number_routes(&self, svg: &mut Svg, lane: usize, drives: &[&Drive]) {
        let y = self.bar_top(lane) + self.bar + 10.0;
        let mut free_from = 0.0;
        for route in drives.chunk_by(|a, b| a.route == b.route) {
            let number = (route[0].route + 1).to_string();
            let middle = (self.x(route[0].start) + self.x(route[route.len() - 1].end)) / 2.0;
            let half = text_width(&number, 10.0) / 2.0;
            if middle - half >= free_from {
                let shade = mix(&colour(route[0].route), 0.0, 0.25);
                svg.label((middle, y), 10.0, &shade, &number);
                free_from = middle + half + 3.0;
            }
        }
    }

    /// The time, the vehicles' names, and when nobody could call any more.
    fn draw_axis(&self, svg: &mut Svg) {
        let floor = self.floor() + 4.0;
        let times = ticks(self.end, ((self.right - LEFT) / 60.0) as usize);
        let step = times.get(1).copied().unwrap_or(1.0);
        for time in times {
            let x = self.x(time);
            svg.line((x, self.top - 4.0), (x, floor), FAINT, 1.0);
            svg.line((x, floor), (x, floor + 4.0), INK, 1.0);
            svg.text((x, floor + 16.0), SMALL, Anchor::Middle, INK, &tick_text(time, step));
        }
        svg.line((LEFT, floor), (self.right, floor), INK, 1.0);
        svg.text(((LEFT + self.right) / 2.0, floor + 34.0), SMALL, Anchor::Middle, INK, "time");
        if self.left_out > 0 {
            let said = format!("... and {} more vehicles", self.left_out);
            svg.text((LEFT, floor + 50.0), SMALL, Anchor::Start, INK, &said);
        }
        for (lane, vehicle) in self.vehicles.iter().enumerate() {
            let alone = self.vehicles.len() == 1 && self.left_out == 0;
            let name = if alone { "vehicle".to_string() } else { format!("vehicle {vehicle}") };
            let size = fitting_size(&name, LEFT - 12.0, SMALL);
            let y = self.bar_top(lane) + self.bar / 2.0 + 4.0;
            svg.text((LEFT - 8.0, y), size, Anchor::End, INK, &name);
        }
        if let Some(closed) = self.closed {
            let x = self.x(closed);
            svg.dashed((x, self.top - 6.0), (x, floor), GREY, 1.2);
            let (said, room) = ("no more calls", text_width("no more calls", SMALL));
            let (at, anchor) = match self.right - x < room {
                true => (x + 2.0, Anchor::End),
                false => (x - 2.0, Anchor::Start),
            };
            svg.text((at, self.top - 9.0), SMALL, anchor, STANDING, said);
        }
    }

    /// What the marks mean.
    fn legend(&self, svg: &mut Svg) {
        let (mut x, y) = (LEFT, self.above + 8.0);
        let mut entry = |svg: &mut Svg, text: &str, mark: &dyn Fn(&mut Svg, f64)| {
            mark(svg, x);
            svg.text((x + 25.0, y + 4.0), SMALL, Anchor::Start, INK, text);
            x += 25.0 + text_width(text, SMALL) + 12.0;
        };
        let shade = PALETTE[0];
        if self.online {
            entry(svg, "call", &|svg, x| svg.rect((x + 15.0, y - 4.0), (1.4, 8.0), shade, "call"));
        }
        if self.shows_waiting() {
            entry(svg, "customer waits", &|svg, x| {
                svg.line((x + 2.0, y - 5.0), (x + 19.0, y + 5.0), &mix(shade, 255.0, 0.35), 1.0);
            });
        }
        entry(svg, "drives (pale: from or to the depot)", &|svg, x| {
            svg.rect((x, y - 5.0), (8.0, 10.0), &pale(0), "from or to the depot");
            svg.rect((x + 8.0, y - 5.0), (12.0, 10.0), shade, "driving");
        });
        entry(svg, "serves", &|svg, x| match self.dot {
            Some(radius) => svg.circle((x + 14.0, y), radius, shade, "service"),
            None => {
                svg.rect((x + 4.0, y - 5.0), (16.0, 10.0), shade, "driving");
                svg.rect((x + 11.5, y - 5.0), (1.0, 10.0), "white", "service");
            }
        });
        entry(svg, "depot", &|svg, x| svg.rect((x + 11.0, y - 3.5), (7.0, 7.0), INK, "depot"));
        if self.online {
            entry(svg, "stands elsewhere", &|svg, x| {
                svg.line((x + 2.0, y), (x + 20.0, y), STANDING, 3.0);
            });
        }
    }
}
