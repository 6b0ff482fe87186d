//! One core for each day that is simulated, so that budgets by the clock are not shared.

#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    use rustix::time::{ClockId, clock_gettime};

    /// The cores that this program may use.
    pub(crate) fn allowed() -> Vec<usize> {
        let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
        (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect()
    }

    /// Keeps this thread, and what it starts, on one core. Says whether that worked.
    pub(crate) fn stay_on(core: usize) -> bool {
        let mut set = CpuSet::new();
        set.set(core);
        sched_setaffinity(None, &set).is_ok()
    }

    /// How many seconds this thread has been on a core so far.
    pub fn busy() -> Option<f64> {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(crate) fn allowed() -> Vec<usize> {
        Vec::new()
    }

    pub(crate) fn stay_on(_core: usize) -> bool {
        false
    }

    pub fn busy() -> Option<f64> {
        None
    }
}

pub use system::busy;

/// Which core each worker stays on.
pub struct Cores {
    /// As many as there are workers; empty where threads cannot be kept on cores.
    pinned: Vec<usize>,
    /// How many days are simulated at the same time.
    pub workers: usize,
}

impl Cores {
    /// A core each for `asked` workers, or for as many as there are cores; never more workers than cores.
    pub fn share(asked: Option<usize>) -> Result<Self, String> {
        let mut pinned = system::allowed();
        let there = match pinned.len() {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            cores => cores,
        };
        let workers = asked.unwrap_or(there);
        if workers > there {
            return Err(format!(
                "--threads {workers} is more than the {there} cores there are: days that share a core would get less time \
                 than their budgets say"
            ));
        }
        pinned.truncate(workers);
        Ok(Self { pinned, workers })
    }

    /// Called by worker `number` on its own thread.
    pub fn enter(&self, number: usize) {
        if let Some(&core) = self.pinned.get(number) {
            // Where it does not work the scheduler decides; the figures tell how much of a core each day had.
            let _ = system::stay_on(core);
        }
    }

    /// How days are spread, in words.
    pub fn describe(&self) -> String {
        if self.pinned.is_empty() {
            return format!("{} days at a time, not kept to cores (only Linux can)", self.workers);
        }
        let cores: Vec<String> = self.pinned.iter().map(usize::to_string).collect();
        format!(
            "one day per core at a time, its thread kept to its core ({}), solvers in other processes to the same one",
            cores.join(", ")
        )
    }
}
