//! Routes as a row of nodes, to be rewritten by swaps.
//!
//! Node 0 is the depot, node k + 1 the k-th open customer, and node n + 1 + v vehicle v where it is under way. A row
//! begins with the vehicles under way, each followed by its stops and its way home, or with the depot; every visit to
//! the depot ends a trip. Seven numbers of a node: x, y, demand / capacity, x and y of the node before, demand /
//! capacity left, distance from the node before.
//!
//! The cost is the distance alone: waiting and the order of trips are left to [`order_by_urgency`].

use crate::dynamics::Routing;
use crate::plan::{Instance, Plan, Route, order_by_urgency};
use crate::scenario::Place;
use crate::sweep::Sweep;
use solo_core::{Cost, Draft, Failure, Meter, Rewrite, Role};

/// Numbers of a node.
const WIDTH: usize = 7;
/// The node of the depot.
const DEPOT: u32 = 0;

/// A row under construction.
struct Row<'r> {
    problem: &'r Routing,
    instance: &'r Instance,
    draft: &'r mut Draft,
    here: Place,
    left: u32,
}

impl<'r> Row<'r> {
    fn begin(problem: &'r Routing, instance: &'r Instance, draft: &'r mut Draft) -> Self {
        draft.nodes.clear();
        draft.roles.clear();
        draft.features.clear();
        draft.cost = 0.0;
        Self { problem, instance, draft, here: problem.depot, left: problem.capacity }
    }

    fn at_depot(&self) -> bool {
        self.here.node == 0
    }

    /// Appends a node. Depot visits come in where a load is too large, and never twice in a row.
    fn push(&mut self, node: u32) {
        let customers = self.instance.open.len() as u32;
        if node == DEPOT {
            self.depot();
        } else if node > customers {
            let vehicle = &self.instance.vehicles[(node - customers - 1) as usize];
            if !self.draft.nodes.is_empty() {
                self.depot();
            }
            self.here = vehicle.place;
            self.add(node, Role::Fixed, vehicle.place, 0);
            self.left = vehicle.load_left;
        } else {
            let customer = &self.instance.open[(node - 1) as usize];
            // Who fits into no vehicle has no place in any plan, and must not be looked for one for ever.
            if self.draft.nodes.is_empty() || customer.demand > self.left {
                self.depot();
            }
            self.add(node, Role::Item, customer.place(), customer.demand);
            self.left = self.left.saturating_sub(customer.demand);
        }
    }

    fn depot(&mut self) {
        let first = self.draft.nodes.is_empty();
        if first || !self.at_depot() {
            let role = if first { Role::Fixed } else { Role::Mark };
            self.add(DEPOT, role, self.problem.depot, 0);
            self.left = self.problem.capacity;
        }
    }

    fn add(&mut self, node: u32, role: Role, place: Place, demand: u32) {
        let (problem, here) = (self.problem, self.here);
        let (corner, side) = problem.square;
        let leg = problem.distance(here, place);
        let along = |x: f64, corner: f64| ((x - corner) / side) as f32;
        self.draft.nodes.push(node);
        self.draft.roles.push(role);
        self.draft.features.extend([
            along(place.at.x, corner.x),
            along(place.at.y, corner.y),
            demand as f32 / problem.capacity.max(1) as f32,
            along(here.at.x, corner.x),
            along(here.at.y, corner.y),
            demand as f32 / self.left.max(1) as f32,
            (leg / side) as f32,
        ]);
        self.draft.cost += leg;
        self.here = place;
    }

    /// Goes home.
    fn end(mut self) {
        self.depot();
    }

    /// Drives to the nearest customer that fits until none does or the depot is nearer.
    fn nearest(&mut self, waiting: &mut Vec<u32>) {
        loop {
            let to = |node: u32| {
                let place = self.instance.open[(node - 1) as usize].place();
                self.problem.distance(self.here, place)
            };
            let fits = |node: u32| self.instance.open[(node - 1) as usize].demand <= self.left;
            let feasible = (0..waiting.len()).filter(|&at| fits(waiting[at]));
            let first = feasible.min_by(|&a, &b| to(waiting[a]).total_cmp(&to(waiting[b])));
            let home = self.problem.distance(self.here, self.problem.depot);
            match first {
                Some(at) if self.at_depot() || to(waiting[at]) <= home => {
                    let node = waiting.remove(at);
                    self.push(node);
                }
                _ => return self.depot(),
            }
        }
    }
}

/// The vehicles under way, as nodes.
fn under_way(instance: &Instance) -> impl Iterator<Item = u32> {
    let first = instance.open.len() as u32 + 1;
    let away = instance.vehicles.iter().enumerate().filter(|(_, vehicle)| !vehicle.at_depot());
    away.map(move |(v, _)| first + v as u32)
}

/// The row of a plan.
fn row_of(problem: &Routing, instance: &Instance, plan: &Plan, draft: &mut Draft) {
    let first = instance.open.len() as u32 + 1;
    let finder = solo_core::Finder::new(instance.open.iter().map(|customer| customer.id));
    let mut row = Row::begin(problem, instance, draft);
    let stops = |row: &mut Row<'_>, route: &Route| {
        let nodes = route.stops.iter().filter_map(|&id| finder.find(id));
        nodes.for_each(|at| row.push(at as u32 + 1));
        row.depot();
    };
    for node in under_way(instance) {
        row.push(node);
        let vehicle = Some(node - first);
        plan.routes
            .iter()
            .filter(|route| route.vehicle == vehicle)
            .for_each(|r| stops(&mut row, r));
    }
    plan.routes.iter().filter(|route| route.vehicle.is_none()).for_each(|r| stops(&mut row, r));
    row.end();
}

impl Rewrite for Routing {
    fn rewrite_features(&self) -> usize {
        WIDTH
    }

    /// The nearest customer that fits, or the depot if that is nearer. Without time for it, a sweep.
    fn first_draft(
        &self,
        instance: &Instance,
        meter: &Meter<'_>,
        draft: &mut Draft,
    ) -> Result<(), Failure> {
        let customers = instance.open.len();
        if !meter.affords(2 * customers * customers) {
            meter.cut();
            let plan = Sweep.plan(self, instance, meter);
            row_of(self, instance, &plan, draft);
            return Ok(());
        }
        let mut waiting: Vec<u32> = (1..=customers as u32).collect();
        let mut row = Row::begin(self, instance, draft);
        for node in under_way(instance) {
            row.push(node);
            row.nearest(&mut waiting);
        }
        while !waiting.is_empty() {
            let before = waiting.len();
            row.depot();
            row.nearest(&mut waiting);
            if waiting.len() == before {
                let never_fits = waiting.remove(0);
                row.push(never_fits);
            }
        }
        row.end();
        Ok(())
    }

    fn swap(&self, instance: &Instance, draft: &Draft, [a, b]: [usize; 2], out: &mut Draft) {
        let mut row = Row::begin(self, instance, out);
        for (at, &node) in draft.nodes.iter().enumerate() {
            row.push(match at {
                _ if at == a => draft.nodes[b],
                _ if at == b => draft.nodes[a],
                _ => node,
            });
        }
        row.end();
    }

    fn drafted(&self, instance: &Instance, draft: &Draft) -> Plan {
        let customers = instance.open.len() as u32;
        let mut plan = Plan::default();
        for &node in &draft.nodes {
            if node == DEPOT {
                plan.routes.push(Route::default());
            } else if node > customers {
                plan.routes.push(Route { vehicle: Some(node - customers - 1), stops: Vec::new() });
            } else if let Some(route) = plan.routes.last_mut() {
                route.stops.push(instance.open[(node - 1) as usize].id);
            }
        }
        plan.routes.retain(|route| !route.stops.is_empty());
        order_by_urgency(self, instance, &mut plan);
        plan
    }

    /// The side of the square.
    fn rewrite_unit(&self, _instance: &Instance, _first: &Draft) -> Cost {
        self.square.1
    }
}
