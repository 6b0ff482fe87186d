//! What a search does with a kept plan before it plays: plan well, and list what is worth playing.

use super::Keep;
use crate::dynamics::Routing;
use crate::ruin::Ruin;
use crate::state::{Action, State};
use solo_core::{Failure, Meter, Offline, Rng, Scout, Solver};

/// So many near customers are looked at for each free vehicle.
const NEAR: usize = 3;

impl Scout<Routing> for Keep {
    type Planner = Ruin;

    /// Plans by ruin and recreate, each plan starting from the last.
    fn prepare(
        &mut self,
        planner: &mut Ruin,
        problem: &Routing,
        state: &State,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<(), Failure> {
        let plan = planner.solve(problem, &problem.snapshot(state), meter, rng)?;
        self.adopt(problem, state, &plan);
        Ok(())
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
