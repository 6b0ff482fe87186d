//! How much thinking a decision may cost.

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A limit on the work for one decision or one plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// A number of rollouts (or iterations of a solver); the answer does not depend on the machine.
    Rollouts(u64),
    /// Time on the wall.
    Wall(Duration),
}

impl Budget {
    /// This many times as much.
    pub fn times(self, factor: f64) -> Self {
        match self {
            Budget::Rollouts(count) => Budget::Rollouts((count as f64 * factor) as u64),
            Budget::Wall(time) => {
                let seconds = time.as_secs_f64() * factor;
                Budget::Wall(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
            }
        }
    }
}

impl FromStr for Budget {
    type Err = String;

    /// Reads `250ms`, `1.5s`, `800us`, `2m` or `200r`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "'{text}' is not a budget; write a time like 250ms, 1.5s or 2m, or rollouts like 200r"
            )
        };
        let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(wrong)?;
        let (number, unit) = text.split_at(unit_at);
        if unit == "r" {
            return number.parse().map(Budget::Rollouts).map_err(|_| wrong());
        }
        let scale = match unit {
            "ns" => 1e-9,
            "us" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            _ => return Err(wrong()),
        };
        let number: f64 = number.parse().map_err(|_| wrong())?;
        Duration::try_from_secs_f64(number * scale).map(Budget::Wall).map_err(|_| wrong())
    }
}

impl fmt::Display for Budget {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Budget::Rollouts(count) => write!(f, "{count}r"),
            Budget::Wall(time) => f.write_str(&format!("{time:?}").replace('µ', "u")),
        }
    }
}

/// Tells the time; an argument, so that tests can tell it themselves.
pub trait Clock: Sync {
    /// Time since some fixed moment.
    fn elapsed(&self) -> Duration;
}

/// The machine's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// A clock that starts at zero now.
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    #[inline]
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A budget being spent.
pub struct Meter<'a> {
    budget: Budget,
    clock: &'a dyn Clock,
    started: Duration,
    stop: &'a AtomicBool,
    spent: Cell<u64>,
}

impl<'a> Meter<'a> {
    /// Starts spending `budget`; it also counts as spent as soon as `stop` is set.
    pub fn start(budget: Budget, clock: &'a dyn Clock, stop: &'a AtomicBool) -> Self {
        Self { budget, clock, started: clock.elapsed(), stop, spent: Cell::new(0) }
    }

    /// A meter that never runs out.
    pub fn unlimited() -> Meter<'static> {
        struct Still;
        impl Clock for Still {
            fn elapsed(&self) -> Duration {
                Duration::ZERO
            }
        }
        static NEVER: AtomicBool = AtomicBool::new(false);
        Meter::start(Budget::Rollouts(u64::MAX), &Still, &NEVER)
    }

    /// A meter for part of the work, or for a thread of its own: it starts now, by the same clock and the same stop.
    #[inline]
    pub fn part(&self, budget: Budget) -> Meter<'a> {
        Meter::start(budget, self.clock, self.stop)
    }

    /// The limit.
    #[inline]
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// Time since the start.
    #[inline]
    pub fn elapsed(&self) -> Duration {
        self.clock.elapsed().saturating_sub(self.started)
    }

    /// Counts one rollout.
    #[inline]
    pub fn spend(&self) {
        self.spent.set(self.spent.get() + 1);
    }

    /// Rollouts counted so far.
    #[inline]
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Whether the work must end now.
    #[inline]
    pub fn exhausted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || match self.budget {
                Budget::Rollouts(limit) => self.spent.get() >= limit,
                Budget::Wall(limit) => self.elapsed() >= limit,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Frozen(Duration);
    impl Clock for Frozen {
        fn elapsed(&self) -> Duration {
            self.0
        }
    }

    #[test]
    fn budgets_are_read() {
        assert_eq!("200r".parse(), Ok(Budget::Rollouts(200)));
        assert_eq!("250ms".parse(), Ok(Budget::Wall(Duration::from_millis(250))));
        assert_eq!("1.5s".parse(), Ok(Budget::Wall(Duration::from_millis(1500))));
        for wrong in ["", "10", "ms", "-1s", "1h", "1.5r", "1e400s", "nans", "infs"] {
            assert!(wrong.parse::<Budget>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn budgets_are_read_as_they_are_written() {
        for typed in ["200r", "500ns", "100us", "2.5ms", "1.5s", "120s"] {
            assert_eq!(typed.parse::<Budget>().unwrap().to_string(), typed);
        }
    }

    #[test]
    fn a_meter_ends_by_count_by_time_and_by_stop() {
        let stop = AtomicBool::new(false);
        let meter = Meter::start(Budget::Rollouts(2), &Frozen(Duration::ZERO), &stop);
        meter.spend();
        assert!(!meter.exhausted());
        meter.spend();
        assert!(meter.exhausted());
        let meter = Meter::start(Budget::Wall(Duration::ZERO), &Frozen(Duration::ZERO), &stop);
        assert!(meter.exhausted());
        let meter = Meter::start(Budget::Rollouts(9), &Frozen(Duration::ZERO), &stop);
        stop.store(true, Ordering::Relaxed);
        assert!(meter.exhausted());
    }
}
