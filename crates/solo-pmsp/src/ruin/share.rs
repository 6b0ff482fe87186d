//! How much of a budget has been used.

use solo_core::{Budget, Meter};
use std::time::Duration;

/// Follows a meter from here to its end, whatever was spent before.
pub(super) struct Share {
    spent: u64,
    elapsed: Duration,
}

impl Share {
    /// Nothing used so far.
    pub(super) fn start(meter: &Meter<'_>) -> Self {
        Self { spent: meter.spent(), elapsed: meter.elapsed() }
    }

    /// From 0 to 1.
    pub(super) fn used(&self, meter: &Meter<'_>) -> f64 {
        let (used, whole) = match meter.budget() {
            Budget::Rollouts(limit) => {
                ((meter.spent() - self.spent) as f64, limit.saturating_sub(self.spent) as f64)
            }
            Budget::Wall(limit) => (
                meter.elapsed().saturating_sub(self.elapsed).as_secs_f64(),
                limit.saturating_sub(self.elapsed).as_secs_f64(),
            ),
        };
        if used < whole { used / whole } else { 1.0 }
    }
}

/// How many iterations may still be made, as far as they are counted.
pub(super) fn left(meter: &Meter<'_>) -> u64 {
    match meter.budget() {
        Budget::Rollouts(limit) => limit.saturating_sub(meter.spent()),
        Budget::Wall(_) => u64::MAX,
    }
}
