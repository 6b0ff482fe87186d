//! Days in other units than those of their law.

use crate::arrivals::Law;
use crate::dynamics::Routing;
use crate::scenario::{Place, Point};
use crate::state::{Open, State, Vehicle};
use solo_core::{Cost, Units};

impl Routing {
    /// What a length and a time of 1 in the law's units are in these.
    fn units(&self) -> (f64, f64) {
        match &self.law {
            Law::Mixture { mixture, .. } => mixture.units,
            Law::Sites { .. } | Law::Unknown => (1.0, 1.0),
        }
    }
}

impl Units for Routing {
    fn in_law_units(&self) -> Option<Self> {
        let (length, time) = self.units();
        if (length, time) == (1.0, 1.0) {
            return None;
        }
        let mut rules = self.clone();
        rules.depot = place(self.depot, length);
        rules.pace *= length / time;
        rules.waiting_weight *= time / length;
        rules.horizon /= time;
        if let Law::Mixture { mixture, .. } = &mut rules.law {
            mixture.units = (1.0, 1.0);
        }
        Some(rules)
    }

    fn convert(&self, state: &State, out: &mut State) {
        let (length, time) = self.units();
        out.clone_from(state);
        out.now /= time;
        for Open { at, arrival, .. } in &mut out.open {
            *at = point(*at, length);
            *arrival /= time;
        }
        for Vehicle { place: at, ready, .. } in &mut out.vehicles {
            *at = place(*at, length);
            *ready /= time;
        }
    }

    fn cost_unit(&self) -> Cost {
        self.units().0
    }

    fn sizes(&self) -> Vec<(&'static str, f64)> {
        let (length, time) = self.units();
        let mut sizes = vec![
            ("vehicles", self.fleet as f64),
            ("capacity", f64::from(self.capacity)),
            ("pace", self.pace * length / time),
            ("waiting weight", self.waiting_weight * time / length),
        ];
        if let Some(count) = self.law.count() {
            sizes.insert(0, ("customers", f64::from(count)));
        }
        sizes
    }
}

fn point(at: Point, length: f64) -> Point {
    Point { x: at.x / length, y: at.y / length }
}

fn place(at: Place, length: f64) -> Place {
    Place { at: point(at.at, length), ..at }
}
