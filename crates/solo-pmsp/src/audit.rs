//! The second opinion: cost and feasibility from arrivals and decisions alone.

use crate::dynamics::Scheduling;
use crate::state::{Action, Arrival};
use solo_core::{Audit, Cost, Time, Timed, Violation};

/// Times this close, relative to their size, count as equal: sums of the same times in another order.
const TOLERANCE: f64 = 1e-9;

fn before(a: Time, b: Time) -> bool {
    a < b - TOLERANCE * b.abs().max(1.0)
}

impl Audit for Scheduling {
    fn audit(
        &self,
        arrivals: &[Timed<Arrival>],
        decisions: &[Timed<Action>],
    ) -> Result<Cost, Violation> {
        let mut assigned = vec![false; arrivals.len()];
        let mut free_at = vec![0.0; self.machines];
        let mut last_class: Vec<Option<usize>> = vec![None; self.machines];
        let mut clock = 0.0;
        let mut cost = 0.0;
        for (decision, &Timed { time, what }) in decisions.iter().enumerate() {
            let fail = |what: String| Err(Violation { decision, time, what });
            if !time.is_finite() || time < clock {
                return fail(format!("its time is not a number from {clock} on"));
            }
            clock = time;
            let Action::Assign { job, machine } = what else { continue };
            let (job, machine) = (job as usize, machine as usize);
            if machine >= self.machines {
                return fail(format!("there is no machine {machine} among {}", self.machines));
            }
            let Some(Timed { time: arrival, what: Arrival::Job { processing, weight, class } }) =
                arrivals.get(job)
            else {
                return fail(format!("there is no job {job} among {}", arrivals.len()));
            };
            if before(time, *arrival) {
                return fail(format!("job {job} arrives only at {arrival}"));
            }
            if assigned[job] {
                return fail(format!("job {job} is started a second time"));
            }
            if before(time, free_at[machine]) {
                return fail(format!("machine {machine} is busy until {}", free_at[machine]));
            }
            let class = *class as usize;
            let setup = match last_class[machine] {
                Some(from) => self.setup.flat[from * self.setup.classes + class],
                None => 0.0,
            };
            let completion = time + setup + processing;
            assigned[job] = true;
            free_at[machine] = completion;
            last_class[machine] = Some(class);
            cost += weight * (completion - arrival);
        }
        match assigned.iter().position(|done| !done) {
            Some(job) => Err(Violation {
                decision: decisions.len(),
                time: clock,
                what: format!("job {job} is never started"),
            }),
            None => Ok(cost),
        }
    }
}
