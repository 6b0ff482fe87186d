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
        let none = || format!("'{text}' is nothing; give at least 1r, or a time above 0");
        if unit == "r" {
            return match number.parse() {
                Ok(0) => Err(none()),
                Ok(number) => Ok(Budget::Rollouts(number)),
                Err(_) => Err(wrong()),
            };
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
        match Duration::try_from_secs_f64(number * scale) {
            Ok(Duration::ZERO) => Err(none()),
            Ok(time) => Ok(Budget::Wall(time)),
            Err(_) => Err(wrong()),
        }
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
///
/// There are two questions to it. Between rollouts, or iterations of a solver: is it [`Meter::exhausted`]? Inside them,
/// where work grows with the state: does it [`Meter::cuts`] the work off? Only time and the stop do that, never a count
/// of rollouts, so that with a budget in rollouts nothing is left half done.
pub struct Meter<'a> {
    budget: Budget,
    clock: &'a dyn Clock,
    started: Duration,
    stop: &'a AtomicBool,
    spent: Cell<u64>,
    /// Work since the last look at the clock.
    work: Cell<usize>,
    /// Whether something was left undone for want of time.
    cut: Cell<bool>,
    /// Whether what does not fit is cut off before it begins.
    strict: bool,
}

/// The time of a unit of work: a distance, a setup, a comparison in a loop. Some machines are faster, some slower.
const UNIT: Duration = Duration::from_nanos(3);

impl<'a> Meter<'a> {
    /// Starts spending `budget`; it also counts as spent as soon as `stop` is set.
    pub fn start(budget: Budget, clock: &'a dyn Clock, stop: &'a AtomicBool) -> Self {
        Self {
            budget,
            clock,
            started: clock.elapsed(),
            stop,
            spent: Cell::new(0),
            work: Cell::new(0),
            cut: Cell::new(false),
            strict: false,
        }
    }

    /// So much work is done between two looks at the clock: some ten microseconds.
    pub const WORK_PER_LOOK: usize = 4_096;

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

    /// A meter for part of the work, or for a thread of its own: it starts now, by the same clock and the same stop. A
    /// part in time ends with the whole at the latest.
    pub fn part(&self, budget: Budget) -> Meter<'a> {
        let mut part = Meter::start(budget, self.clock, self.stop);
        if let (Budget::Wall(time), Budget::Wall(limit)) = (budget, self.budget) {
            let left = limit.saturating_sub(part.started.saturating_sub(self.started));
            part.budget = Budget::Wall(time.min(left));
        }
        part
    }

    /// A meter for what goes on inside rollouts: as much time as is left, and no count.
    pub fn inside(&self) -> Meter<'a> {
        let part = self.part(match self.budget {
            Budget::Rollouts(_) => Budget::Rollouts(u64::MAX),
            Budget::Wall(limit) => Budget::Wall(limit),
        });
        part.strictly()
    }

    /// A meter for work that may go on the next time: it has half of the time that is left. Inside rollouts it has all.
    pub fn half(&self) -> Meter<'a> {
        let part = match self.budget {
            Budget::Wall(limit) if !self.strict => limit.saturating_sub(self.elapsed()) / 2,
            Budget::Wall(limit) => limit,
            Budget::Rollouts(_) => return self.inside(),
        };
        Self { strict: self.strict, ..self.part(Budget::Wall(part)) }
    }

    /// The same meter, but what it does not afford it cuts off: rollouts are to be played in full, or not at all.
    pub fn strictly(self) -> Self {
        Self { strict: true, ..self }
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

    /// The part of the budget that is left, from 0 to 1.
    pub fn left(&self) -> f64 {
        let used = match self.budget {
            Budget::Rollouts(limit) => self.spent() as f64 / limit.max(1) as f64,
            Budget::Wall(limit) => self.elapsed().as_secs_f64() / limit.as_secs_f64(),
        };
        if used < 1.0 { 1.0 - used } else { 0.0 }
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
                Budget::Wall(_) => self.late(),
            }
    }

    /// Counts work inside a rollout, a plan or a set of features, and says whether it has to be left there: because time
    /// is up or the stop is set. The clock is looked at only once in [`Meter::WORK_PER_LOOK`] units, so that inner loops
    /// can ask. Once the answer is yes it stays so.
    ///
    /// ```
    /// use solo_core::Meter;
    ///
    /// let (customers, meter) = ([(0.3, 0.4), (0.0, 1.0)], Meter::unlimited());
    /// let mut nearest = f64::INFINITY;
    /// for (x, y) in customers {
    ///     if meter.cuts(1) {
    ///         break; // the nearest so far has to do
    ///     }
    ///     nearest = nearest.min(f64::hypot(x, y));
    /// }
    /// assert_eq!(nearest, 0.5);
    /// ```
    #[inline]
    pub fn cuts(&self, work: usize) -> bool {
        self.count(work);
        self.work.get() >= Self::WORK_PER_LOOK && self.look()
    }

    /// Counts work that is done in any case, and does not look at the clock.
    #[inline]
    pub fn count(&self, work: usize) {
        self.work.set(self.work.get().saturating_add(work));
    }

    #[cold]
    fn look(&self) -> bool {
        if !self.cut.get() {
            let late = matches!(self.budget, Budget::Wall(_)) && self.late();
            self.work.set(0);
            if late || self.stop.load(Ordering::Relaxed) {
                self.cut();
            }
        }
        self.cut.get()
    }

    /// Looks at the clock.
    fn late(&self) -> bool {
        if !self.cut.get() {
            self.work.set(0);
        }
        matches!(self.budget, Budget::Wall(limit) if self.elapsed() >= limit)
    }

    /// Notes that something was left undone for want of time.
    pub fn cut(&self) {
        self.cut.set(true);
        self.work.set(Self::WORK_PER_LOOK);
    }

    /// Whether something was left undone for want of time. Does not look at the clock.
    #[inline]
    pub fn has_cut(&self) -> bool {
        self.cut.get()
    }

    /// Whether about so many units of work fit into the time that is left: what cannot end in time need not begin, and
    /// something that takes less may do. With a budget in rollouts everything fits.
    pub fn affords(&self, work: usize) -> bool {
        match self.budget {
            Budget::Rollouts(_) => true,
            Budget::Wall(limit) => {
                let needed = UNIT.saturating_mul(u32::try_from(work).unwrap_or(u32::MAX));
                let fits = !self.cut.get() && self.elapsed().saturating_add(needed) <= limit;
                if self.strict && !fits {
                    self.cut();
                }
                fits
            }
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

    /// A clock on which a microsecond passes at each look.
    #[derive(Default)]
    struct Looks(std::sync::atomic::AtomicU64);
    impl Clock for Looks {
        fn elapsed(&self) -> Duration {
            Duration::from_micros(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    #[test]
    fn work_is_cut_off_by_time_and_by_stop_but_never_by_count() {
        let (clock, stop) = (Looks::default(), AtomicBool::new(false));
        let meter = Meter::start(Budget::Wall(Duration::from_micros(3)), &clock, &stop);
        let works = |meter: &Meter<'_>| (0..).take(1 << 20).take_while(|_| !meter.cuts(1)).count();
        assert_eq!(works(&meter), 3 * Meter::WORK_PER_LOOK - 1, "at the third look");
        assert!(meter.has_cut() && meter.cuts(0) && !meter.affords(0), "it stays so");
        let counted = Meter::start(Budget::Rollouts(0), &clock, &stop);
        assert!(counted.exhausted() && counted.affords(usize::MAX));
        assert_eq!(works(&counted), 1 << 20);
        stop.store(true, Ordering::Relaxed);
        assert!(works(&counted) < Meter::WORK_PER_LOOK && counted.has_cut());
    }

    #[test]
    fn a_part_ends_with_the_whole() {
        let (clock, stop) = (Looks::default(), AtomicBool::new(false));
        let whole = Meter::start(Budget::Wall(Duration::from_micros(10)), &clock, &stop);
        let part = |micros| whole.part(Budget::Wall(Duration::from_micros(micros))).budget();
        assert_eq!(part(4), Budget::Wall(Duration::from_micros(4)));
        assert_eq!(part(100), Budget::Wall(Duration::from_micros(8)), "2 looks are over");
        assert_eq!(whole.inside().budget(), Budget::Wall(Duration::from_micros(7)));
        let units = 3_000 / UNIT.as_nanos() as usize;
        assert!(whole.affords(units) && !whole.affords(10 * units) && !whole.has_cut());
        let counted = Meter::start(Budget::Rollouts(5), &clock, &stop);
        let strict = whole.inside();
        assert!(!strict.affords(10 * units) && strict.has_cut(), "all or nothing");
        let left = |meter: &Meter<'_>| match meter.half().budget() {
            Budget::Wall(time) => time,
            Budget::Rollouts(_) => Duration::MAX,
        };
        assert!(left(&whole) < Duration::from_micros(3) && left(&counted) == Duration::MAX);
        assert_eq!(counted.inside().budget(), Budget::Rollouts(u64::MAX));
    }
}
