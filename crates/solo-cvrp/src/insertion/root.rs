//! What a search does with a kept plan before it plays: plan well, and list what is worth playing.

use super::InsertionPlan;
use crate::dynamics::Routing;
use crate::plan::Plan;
use crate::ruin::Ruin;
use crate::state::{Action, Open, State};
use solo_core::{Finder, Meter, RolloutPolicy};

/// So many near customers are looked at for each free vehicle.
const NEAR: usize = 3;

impl RolloutPolicy<Routing> for InsertionPlan {
    type Planner = Ruin;

    fn adopt(&mut self, problem: &Routing, state: &State, plan: &Plan, meter: &Meter<'_>) {
        self.take_over(problem, state, plan, meter);
    }

    /// Waiting; for each free vehicle the plan's next stop, the depot, and the nearest customers that fit.
    fn shortlist(
        &mut self,
        problem: &Routing,
        state: &State,
        _most: usize,
        meter: &Meter<'_>,
        out: &mut Vec<Action>,
    ) {
        out.push(Action::Wait);
        self.follow_within(problem, state, meter);
        let mut near: Vec<(f64, u32)> = Vec::new();
        for (v, vehicle) in (0u32..).zip(&state.vehicles).filter(|(_, vehicle)| !vehicle.driving) {
            if meter.cuts(4 * state.open.len()) {
                return;
            }
            let own = self.own[v as usize].first().map(|stop| stop.id);
            let planned = if vehicle.at_depot() { self.first_trip(problem) } else { own };
            out.extend(planned.map(|customer| Action::Visit { vehicle: v, customer }));
            out.push(Action::Depot { vehicle: v });
            near.clear();
            let fitting = state.open.iter().filter(|open| open.demand <= vehicle.load_left);
            near.extend(
                fitting.map(|open| (problem.distance(vehicle.place, open.place()), open.id)),
            );
            // Those who are open come by number, so that of several at one distance the first goes first.
            let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            if near.len() > NEAR {
                near.select_nth_unstable_by(NEAR, order);
                near.truncate(NEAR);
            }
            near.sort_unstable_by(order);
            out.extend(near.iter().map(|&(_, customer)| Action::Visit { vehicle: v, customer }));
        }
    }
}

impl InsertionPlan {
    /// Takes over a plan of the open customers; those that it lacks are inserted.
    pub(super) fn take_over(
        &mut self,
        problem: &Routing,
        state: &State,
        plan: &Plan,
        meter: &Meter<'_>,
    ) {
        let finder = Finder::new(state.open.iter().map(|customer| customer.id));
        self.clear(state);
        for route in &plan.routes {
            let away = route.vehicle.filter(|&v| !state.vehicles[v as usize].at_depot());
            let list = match away {
                Some(v) => &mut self.own[v as usize],
                None => self.new_trip(),
            };
            let open = route.stops.iter().filter_map(|&id| finder.find(id));
            list.extend(open.map(|at| state.open[at]));
        }
        self.drop_empty();
        self.planned = self.count();
        self.known = state.next_id;
        self.settled = true;
        if self.planned != state.open.len() {
            let mut planned: Vec<u32> = self.all().map(|stop| stop.id).collect();
            planned.sort_unstable();
            let lacks = |open: &&Open| planned.binary_search(&open.id).is_err();
            let lacking: Vec<Open> = state.open.iter().filter(lacks).copied().collect();
            self.planned += lacking.len();
            self.insert_again(problem, state, lacking, meter);
        }
    }
}
