//! What can be set, with the values of the paper or of our own measurements.

use solo_core::{Rng, Time};

/// The settings of [`super::Ruin`]. Sections are those of Christiaens and Vanden Berghe (2020).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RuinParams {
    /// Customers removed on average, if trips are long enough (5.1).
    pub removed: f64,
    /// The longest string of customers removed from one trip (5.1).
    pub longest: f64,
    /// How often a string is split, some customers in its middle staying where they are (5.1).
    pub split: f64,
    /// How often one more customer stays in the middle of a split string (5.1).
    pub deeper: f64,
    /// How often a place for insertion is overlooked (5.2).
    pub blink: f64,
    /// So many nearest neighbours of a customer are looked at for places beside them; the paper looks everywhere.
    pub near: usize,
    /// The first temperature, in mean legs of the first solution.
    pub hot: f64,
    /// The last temperature, in mean legs of the first solution.
    pub cold: f64,
    /// Where waiting costs: how often whole trips are turned, moved, cut or joined instead.
    pub trips: f64,
}

impl Default for RuinParams {
    fn default() -> Self {
        Self {
            removed: 10.0,
            longest: 10.0,
            split: 0.5,
            deeper: 0.01,
            blink: 0.01,
            near: 30,
            hot: 1.0,
            cold: 0.02,
            trips: 0.2,
        }
    }
}

/// The temperature of annealing: falls exponentially with the share of the budget that is used (section 6).
#[derive(Clone, Copy, Debug)]
pub(super) struct Cooling {
    hot: f64,
    ratio: f64,
}

impl Cooling {
    pub(super) fn new(params: &RuinParams, mean_leg: f64) -> Self {
        let (hot, cold) = (params.hot.max(1e-12), params.cold.max(1e-12));
        Self { hot: hot * mean_leg, ratio: libm::log(cold / hot) }
    }

    pub(super) fn temperature(&self, used: f64) -> f64 {
        self.hot * libm::exp(self.ratio * used)
    }
}

/// Decides which places are overlooked. One draw gives the number of places until the next: much cheaper than a draw
/// for each, and the same law.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blinks {
    /// 1 / ln(1 - rate); 0 without blinks.
    scale: f64,
    until: u32,
}

impl Blinks {
    pub(super) fn new(rate: f64, rng: &mut Rng) -> Self {
        let scale = if rate > 0.0 { 1.0 / libm::log(1.0 - rate.min(0.99)) } else { 0.0 };
        let mut blinks = Self { scale, until: 0 };
        blinks.draw(rng);
        blinks
    }

    fn draw(&mut self, rng: &mut Rng) {
        let places =
            if self.scale == 0.0 { f64::MAX } else { self.scale * libm::log(1.0 - rng.unit()) };
        self.until = places as u32; // saturates
    }

    /// Whether the next place is overlooked.
    #[inline]
    pub(super) fn blink(&mut self, rng: &mut Rng) -> bool {
        if self.until > 0 {
            self.until -= 1;
            return false;
        }
        self.draw(rng);
        true
    }
}

/// A vehicle at the start of planning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// When it can leave.
    pub(super) time: Time,
    /// Whether it stands away from the depot, and so has a trip of its own to finish.
    pub(super) away: bool,
}
