//! What a search does with a kept plan before it plays: plan well, and list what is worth playing.

use super::InsertionPlan;
use crate::dynamics::{Routing, position};
use crate::plan::Plan;
use crate::ruin::Ruin;
use crate::state::{Action, State};
use solo_core::RolloutPolicy;

/// So many near customers are looked at for each free vehicle.
const NEAR: usize = 3;

impl RolloutPolicy<Routing> for InsertionPlan {
    type Planner = Ruin;

    /// Takes over a plan of the open customers; those that it lacks are inserted.
    fn adopt(&mut self, problem: &Routing, state: &State, plan: &Plan) {
        self.clear(state);
        for route in &plan.routes {
            let away = route.vehicle.filter(|&v| !state.vehicles[v as usize].at_depot());
            let list = match away {
                Some(v) => &mut self.own[v as usize],
                None => self.new_trip(),
            };
            for &id in &route.stops {
                let at = position(&state.open, id);
                list.extend(at.map(|at| state.open[at]));
            }
        }
        self.drop_empty();
        self.planned = self.count();
        self.known = state.next_id;
        self.settled = true;
        if self.planned != state.open.len() {
            for &customer in &state.open {
                let all = self.own.iter().chain(&self.trips[..self.live]).flatten();
                if !all.into_iter().any(|stop| stop.id == customer.id) {
                    self.insert(problem, state, customer);
                }
            }
        }
    }

    /// Waiting; for each free vehicle the plan's next stop, the depot, and the nearest customers that fit.
    fn shortlist(&mut self, problem: &Routing, state: &State, out: &mut Vec<Action>) {
        out.push(Action::Wait);
        self.follow(problem, state);
        let mut near: Vec<(f64, u32)> = Vec::new();
        for (v, vehicle) in (0u32..).zip(&state.vehicles).filter(|(_, vehicle)| !vehicle.driving) {
            let own = self.own[v as usize].first().map(|stop| stop.id);
            let planned = if vehicle.at_depot() { self.first_trip(problem) } else { own };
            out.extend(planned.map(|customer| Action::Visit { vehicle: v, customer }));
            out.push(Action::Depot { vehicle: v });
            near.clear();
            let fitting = state.open.iter().filter(|open| open.demand <= vehicle.load_left);
            near.extend(
                fitting.map(|open| (problem.distance(vehicle.place, open.place()), open.id)),
            );
            near.sort_by(|a, b| a.0.total_cmp(&b.0));
            let nearest = near.iter().take(NEAR);
            out.extend(nearest.map(|&(_, customer)| Action::Visit { vehicle: v, customer }));
        }
    }
}
