//! Days in other units than those of their law.

use crate::arrivals::Law;
use crate::dynamics::Scheduling;
use crate::state::State;
use solo_core::{Cost, Units};
use std::sync::Arc;

impl Units for Scheduling {
    fn in_law_units(&self) -> Option<Self> {
        let Law::Batches(batches) = &self.law else { return None };
        if batches.unit == 1.0 {
            return None;
        }
        let mut rules = self.clone();
        let setups = &mut Arc::make_mut(&mut rules.setup).flat;
        setups.iter_mut().for_each(|time| *time = batches.in_law_units(*time));
        rules.horizon = batches.in_law_units(self.horizon);
        if let Law::Batches(law) = &mut rules.law {
            (law.unit, law.rounding) = (1.0, 0.0);
        }
        Some(rules)
    }

    fn convert(&self, state: &State, out: &mut State) {
        out.clone_from(state);
        let Law::Batches(law) = &self.law else { return };
        out.now = law.in_law_units(state.now);
        out.times.convert(|time| law.in_law_units(time));
        for job in &mut out.pending {
            job.arrival = law.in_law_units(job.arrival);
            job.processing = law.in_law_units(job.processing);
        }
        for run in out.machines.iter_mut().filter_map(|machine| machine.run.as_mut()) {
            run.until = law.in_law_units(run.until);
        }
    }

    fn cost_unit(&self) -> Cost {
        match &self.law {
            Law::Batches(law) => law.unit,
            Law::Unknown => 1.0,
        }
    }

    fn kind(&self) -> &'static str {
        if self.unrelated { "unrelated machines" } else { "identical machines" }
    }

    fn sizes(&self) -> Vec<(&'static str, f64)> {
        vec![("machines", self.machines as f64), ("classes", self.setup.classes as f64)]
    }
}
