//! The simple rules.

use crate::dynamics::Routing;
use crate::state::{Action, Open, State, Vehicle};
use solo_core::{Guide, Menu, Policy, Rng};

/// The free vehicles with their numbers.
fn free(state: &State) -> impl Iterator<Item = (u32, &Vehicle)> {
    (0u32..).zip(&state.vehicles).filter(|(_, vehicle)| !vehicle.driving)
}

/// The open customers that fit into a vehicle.
fn fitting<'s>(state: &'s State, vehicle: &Vehicle) -> impl Iterator<Item = &'s Open> {
    let left = vehicle.load_left;
    state.open.iter().filter(move |customer| customer.demand <= left)
}

/// When no free vehicle can take anybody: the first free one that is away goes home and refills.
fn refill(state: &State) -> Action {
    free(state)
        .find(|(_, vehicle)| !vehicle.at_depot())
        .map_or(Action::Wait, |(vehicle, _)| Action::Depot { vehicle })
}

/// Drives to a random customer, nearer ones more likely: the weight of a customer is the largest distance among those
/// that fit, less its own. Goes to the depot only when nobody fits; never waits.
#[derive(Clone, Debug, Default)]
pub struct Distance {
    distances: Vec<f64>,
}

impl Policy<Routing> for Distance {
    fn choose(&mut self, problem: &Routing, state: &State, rng: &mut Rng) -> Action {
        let Some((v, vehicle)) = free(state).find(|(_, v)| fitting(state, v).next().is_some())
        else {
            return refill(state);
        };
        self.distances.clear();
        let distances = fitting(state, vehicle)
            .map(|customer| problem.distance(vehicle.place, customer.place()));
        self.distances.extend(distances);
        let largest = self.distances.iter().copied().fold(0.0, f64::max);
        let total: f64 = self.distances.iter().map(|distance| largest - distance).sum();
        let chosen = if total > 0.0 {
            let mut rest = rng.unit() * total;
            let passed = self.distances.iter().position(|distance| {
                rest -= largest - distance;
                rest < 0.0
            });
            passed.unwrap_or(0) // rounding may leave a rest: then anybody will do
        } else {
            rng.below(self.distances.len())
        };
        let customer = fitting(state, vehicle).nth(chosen).expect("as many as were counted");
        Action::Visit { vehicle: v, customer: customer.id }
    }
}

impl Guide<Routing> for Distance {
    /// The weights of the draw; the depot below every visit, waiting below the depot.
    fn values(
        &mut self,
        problem: &Routing,
        state: &State,
        menu: &Menu<Action>,
        out: &mut Vec<f64>,
    ) {
        nearness(problem, state, menu, out);
    }
}

/// Fills `out`, in the menu's order, with the largest distance of a legal visit less the visit's own; the depot counts
/// -1, waiting -2.
fn nearness(problem: &Routing, state: &State, menu: &Menu<Action>, out: &mut Vec<f64>) {
    out.clear();
    for vehicle in &state.vehicles {
        let distance = |c: &Open| problem.distance(vehicle.place, c.place());
        out.extend(state.open.iter().map(distance));
        out.push(0.0);
    }
    out.push(0.0);
    debug_assert_eq!(out.len(), menu.len());
    let largest = menu.legal().iter().map(|&slot| out[slot as usize]).fold(0.0, f64::max);
    for (value, action) in out.iter_mut().zip(menu.actions()) {
        *value = match action {
            Action::Visit { .. } => largest - *value,
            Action::Depot { .. } => -1.0,
            Action::Wait => -2.0,
        };
    }
}

/// Drives to the nearest customer that fits; to the depot only when nobody does; never waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nearest;

impl Nearest {
    /// What it does in a state.
    pub(crate) fn step(problem: &Routing, state: &State) -> Action {
        let mut best = None;
        let mut shortest = f64::INFINITY;
        for (v, vehicle) in free(state) {
            for customer in fitting(state, vehicle) {
                let distance = problem.distance(vehicle.place, customer.place());
                if distance < shortest {
                    shortest = distance;
                    best = Some(Action::Visit { vehicle: v, customer: customer.id });
                }
            }
        }
        best.unwrap_or_else(|| refill(state))
    }
}

impl Policy<Routing> for Nearest {
    fn choose(&mut self, problem: &Routing, state: &State, _rng: &mut Rng) -> Action {
        Self::step(problem, state)
    }
}

impl Guide<Routing> for Nearest {
    /// Nearer is better; the depot below every visit, waiting below the depot.
    fn values(
        &mut self,
        problem: &Routing,
        state: &State,
        menu: &Menu<Action>,
        out: &mut Vec<f64>,
    ) {
        nearness(problem, state, menu, out);
    }
}
