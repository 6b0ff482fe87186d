//! A law of finite support: calls from a handful of places at a handful of times.

use crate::scenario::Point;
use solo_core::{Rng, Time};

/// Where and when one customer calls: each place and each time equally likely, one independent of the other. Small
/// enough for expectations to be computed rather than sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct Sites {
    /// The places, each with what a customer there demands.
    places: Vec<(Point, u32)>,
    /// The times, ascending.
    times: Vec<Time>,
}

impl Sites {
    /// Calls from these places with their demands, at these times, which ascend.
    pub fn new(places: Vec<(Point, u32)>, times: Vec<Time>) -> Self {
        debug_assert!(times.is_sorted() && !places.is_empty() && !times.is_empty());
        Self { places, times }
    }

    /// The places with their demands.
    pub fn places(&self) -> &[(Point, u32)] {
        &self.places
    }

    /// The times of call.
    pub fn times(&self) -> &[Time] {
        &self.times
    }

    /// The times that are still to come.
    pub fn times_after(&self, after: Time) -> &[Time] {
        &self.times[self.times.partition_point(|&time| time <= after)..]
    }

    /// Where and how much.
    pub fn draw_customer(&self, rng: &mut Rng) -> (Point, u32) {
        self.places[rng.below(self.places.len())]
    }

    /// When, given that it is after `after`; `None` if it cannot be.
    pub fn draw_time(&self, after: Time, rng: &mut Rng) -> Option<Time> {
        let times = self.times_after(after);
        (!times.is_empty()).then(|| times[rng.below(times.len())])
    }

    /// The largest demand.
    pub fn largest_demand(&self) -> u32 {
        self.places.iter().map(|place| place.1).max().unwrap_or(0)
    }

    /// The share of all calls that come after `time`.
    pub fn share_after(&self, time: Time) -> f64 {
        self.times_after(time).len() as f64 / self.times.len() as f64
    }

    /// How near a call is expected to come to a point: the mean of exp(-(distance / reach)^2 / 2).
    pub fn nearness(&self, at: Point, reach: f64) -> f64 {
        let near = |place: &(Point, u32)| libm::exp(-0.5 * (place.0.distance(at) / reach).powi(2));
        self.places.iter().map(near).sum::<f64>() / self.places.len() as f64
    }
}
