//! Who may still call: the arrival law.

use crate::scenario::Point;
use crate::sites::Sites;
use crate::state::{Event, State};
use solo_core::dist::TruncatedNormal;
use solo_core::{Meter, Rng, Tape, Time};

/// What is known in advance about who calls when.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // one a problem: a box would save nothing and cost a hop
pub enum Law {
    /// Nothing but the horizon: nobody is expected, and the day closes there. Offline the horizon is 0.
    Unknown,
    /// Exactly `count` customers, drawn independently; the day closes when the last of them has called.
    Mixture {
        /// How many call in all. Public: everyone knows when the last has called.
        count: u32,
        /// How each is drawn.
        mixture: Mixture,
    },
    /// Exactly `count` customers, drawn independently from finitely many places and times; closes as the mixture does.
    Sites {
        /// How many call in all.
        count: u32,
        /// How each is drawn.
        sites: Sites,
    },
}

/// The published mixture of truncated normals, for one customer.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    /// Places: a customer's x and y come from the same one of these, each equally likely.
    clusters: [TruncatedNormal; 2],
    /// Times of call, each equally likely.
    times: [TruncatedNormal; 3],
    /// Largest demand; demands are 1 to this, each equally likely.
    largest_demand: u32,
    /// For each cluster, how near its calls come to a coordinate, at even steps from 0 to 1.
    nearness: [[f64; STEPS + 1]; 2],
    /// What a length of 1, the side of the square, and a time of 1 are in the day's units. All numbers above are in the
    /// law's own.
    pub(crate) units: (f64, f64),
}

/// Steps of the tables of nearness.
const STEPS: usize = 32;
/// A call this far from a point counts exp(-1/2) of one there.
const REACH: f64 = 0.15;

/// How near draws come to every coordinate: the expected exp(-(distance / reach)^2 / 2), by 16 even quantiles.
fn nearness(cluster: &TruncatedNormal) -> [f64; STEPS + 1] {
    const PARTS: usize = 16;
    let draws: [f64; PARTS] =
        std::array::from_fn(|i| cluster.quantile((i as f64 + 0.5) / PARTS as f64));
    std::array::from_fn(|step| {
        let at = step as f64 / STEPS as f64;
        let near = |x: &f64| libm::exp(-0.5 * ((x - at) / REACH).powi(2));
        draws.iter().map(near).sum::<f64>() / PARTS as f64
    })
}

impl Mixture {
    /// The paper's mixture (its table of the online distribution), with times cut to [0, horizon].
    pub fn published(horizon: Time) -> Self {
        Self::shifted(horizon, 0.0)
    }

    /// The same with both clusters moved by `shift` in x and in y.
    pub fn shifted(horizon: Time, shift: f64) -> Self {
        let cluster = |mean: f64| TruncatedNormal::new(mean + shift, 0.1, 0.0, 1.0);
        let clusters = [0.25, 0.75].map(cluster);
        Self {
            clusters,
            nearness: clusters.each_ref().map(nearness),
            times: [5.0, 20.0, 40.0].map(|mean| TruncatedNormal::new(mean, 3.0, 0.0, horizon)),
            largest_demand: LARGEST_DEMAND,
            units: (1.0, 1.0),
        }
    }

    /// Where the appendix's two places lie, in both directions.
    pub const NEAR: f64 = 0.1;
    /// The other one.
    pub const FAR: f64 = 0.9;

    /// The law of the paper's appendix: each call comes from one of two points, at any time alike, and asks for 1.
    pub fn two_places(horizon: Time) -> Self {
        // A normal without width is a point; one that is a thousand days wide is even over a day.
        let evenly = TruncatedNormal::new(0.5 * horizon, 1e3 * horizon, 0.0, horizon);
        let clusters = [Self::NEAR, Self::FAR].map(|at| TruncatedNormal::new(at, 1e-12, 0.0, 1.0));
        Self {
            clusters,
            nearness: clusters.each_ref().map(nearness),
            times: [evenly; 3],
            largest_demand: 1,
            units: (1.0, 1.0),
        }
    }

    /// The same law where lengths are `length` and times `time` times as large.
    pub fn in_units(self, length: f64, time: f64) -> Self {
        Self { units: (length, time), ..self }
    }

    /// The largest demand that is drawn; the smallest is 1.
    pub fn largest_demand(&self) -> u32 {
        self.largest_demand
    }

    /// Where and how much: independent of the time.
    pub fn draw_customer(&self, rng: &mut Rng) -> (Point, u32) {
        let cluster = &self.clusters[rng.below(2)];
        let mut along = || cluster.sample(rng) * self.units.0;
        let at = Point { x: along(), y: along() };
        (at, rng.between(1, i64::from(self.largest_demand)) as u32)
    }

    /// How near a call is expected to come to a point: 1 if every call came from it, 0 if all came from far away.
    pub fn nearness(&self, at: Point) -> f64 {
        let along = |table: &[f64; STEPS + 1], x: f64| {
            let step = (x / self.units.0).clamp(0.0, 1.0) * STEPS as f64;
            let i = (step as usize).min(STEPS - 1);
            let part = step - i as f64;
            table[i] * (1.0 - part) + table[i + 1] * part
        };
        self.nearness.iter().map(|table| along(table, at.x) * along(table, at.y)).sum::<f64>() / 2.0
    }

    /// The share of all calls that come after `time`.
    pub fn share_after(&self, time: Time) -> f64 {
        let time = time / self.units.1;
        let share = |part: &TruncatedNormal| part.from(time).mass() / part.mass();
        self.times.iter().map(share).sum::<f64>() / self.times.len() as f64
    }

    /// When, given that it is after `now`; `None` for `now` draws from the whole day.
    pub fn times_after(&self, now: Option<Time>) -> TimesAfter {
        let unit = self.units.1;
        let Some(now) = now else {
            return TimesAfter {
                now: Time::NEG_INFINITY,
                parts: self.times,
                shares: [1.0 / 3.0; 3],
                unit,
            };
        };
        let parts = self.times.map(|part| part.from(now / unit));
        let mut shares = [0.0; 3];
        for (share, (whole, part)) in shares.iter_mut().zip(self.times.iter().zip(&parts)) {
            *share = part.mass() / whole.mass();
        }
        let total: f64 = shares.iter().sum();
        // Past every part's reach nothing can be told apart: the last part, at the horizon, takes all.
        shares = if total > 0.0 { shares.map(|share| share / total) } else { [0.0, 0.0, 1.0] };
        TimesAfter { now, parts, shares, unit }
    }
}

/// The largest demand that the presets draw; the smallest is 1.
pub const LARGEST_DEMAND: u32 = 9;

/// The law of one call's time, given that it has not come yet.
#[derive(Clone, Copy, Debug)]
pub struct TimesAfter {
    now: Time,
    parts: [TruncatedNormal; 3],
    shares: [f64; 3],
    unit: f64,
}

impl TimesAfter {
    /// A time after now.
    pub fn draw(&self, rng: &mut Rng) -> Time {
        let u = rng.unit();
        let which = if u < self.shares[0] {
            0
        } else if u < self.shares[0] + self.shares[1] {
            1
        } else {
            2
        };
        (self.parts[which].sample(rng) * self.unit).max(self.now.next_up())
    }
}

/// What drawing a customer counts as work.
const DRAW: usize = 64;

impl Law {
    /// How many customers call in all, if that is known: then the day closes when the last of them has called.
    #[inline]
    pub fn count(&self) -> Option<u32> {
        match self {
            Law::Mixture { count, .. } | Law::Sites { count, .. } => Some(*count),
            Law::Unknown => None,
        }
    }

    /// The share of all calls that come after `time`.
    pub fn share_after(&self, time: Time) -> f64 {
        match self {
            Law::Mixture { mixture, .. } => mixture.share_after(time),
            Law::Sites { sites, .. } => sites.share_after(time),
            Law::Unknown => 0.0,
        }
    }

    /// How near a call is expected to come to a point; see [`Mixture::nearness`].
    pub fn nearness(&self, at: Point) -> f64 {
        match self {
            Law::Mixture { mixture, .. } => mixture.nearness(at),
            Law::Sites { sites, .. } => sites.nearness(at, REACH),
            Law::Unknown => 0.0,
        }
    }

    /// Draws, given the state, who calls after now and not after `until`; false if there was no time for all of them. A
    /// demand that no vehicle could ever serve is cut to the capacity: it contradicts the day, and a rollout could not
    /// end with it.
    pub fn sample(
        &self,
        state: &State,
        capacity: u32,
        until: Time,
        meter: &Meter<'_>,
        rng: &mut Rng,
        out: &mut Tape<Event>,
    ) -> bool {
        let Some(count) = self.count() else { return true };
        if state.closed || state.arrived >= count {
            return true;
        }
        let now = state.now;
        let mut push = |time: Time, (at, demand): (Point, u32)| {
            if time <= until {
                let demand = demand.min(capacity);
                out.push(time, Event::Customer { id: 0, at, demand });
            }
        };
        match self {
            Law::Mixture { mixture, .. } => {
                let times = mixture.times_after(Some(now));
                for _ in state.arrived..count {
                    if meter.cuts(DRAW) {
                        return false;
                    }
                    let time = times.draw(rng);
                    push(time, mixture.draw_customer(rng));
                }
            }
            Law::Sites { sites, .. } => {
                for _ in state.arrived..count {
                    if meter.cuts(DRAW) {
                        return false;
                    }
                    let Some(time) = sites.draw_time(now, rng) else { break };
                    push(time, sites.draw_customer(rng));
                }
            }
            Law::Unknown => {}
        }
        out.sort();
        out.number_from(state.next_id, |event, number| match event {
            Event::Customer { id, .. } => *id = number,
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solo_core::{Seed, Stream};

    #[test]
    fn nearness_is_what_drawn_customers_say() {
        let places = [(0.25, 0.25), (0.5, 0.5), (0.75, 0.6), (0.1, 0.9), (1.0, 1.0)];
        for mixture in [Mixture::published(50.0), Mixture::shifted(50.0, 0.15)] {
            let mut rng = Seed(3).stream(Stream::Agent, 0);
            let drawn: Vec<Point> =
                (0..20_000).map(|_| mixture.draw_customer(&mut rng).0).collect();
            for (x, y) in places {
                let here = Point { x, y };
                let near = |at: &Point| libm::exp(-0.5 * (at.distance(here) / REACH).powi(2));
                let mean = drawn.iter().map(near).sum::<f64>() / drawn.len() as f64;
                let said = mixture.nearness(here);
                assert!((said - mean).abs() < 0.01, "at {x}, {y}: {said} said, {mean} drawn");
            }
        }
    }
}
