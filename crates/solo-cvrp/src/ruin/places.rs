//! Who is where: distances and neighbours, computed once per instance.

use super::params::Start;
use crate::dynamics::Routing;
use crate::plan::Instance;
use crate::scenario::{Place, Travel};
use solo_core::{Meter, Time};
use std::cell::OnceCell;

/// Up to this many places distances are held in a matrix, if there is time to fill it; beyond, computed when asked for.
const MATRIX: usize = 2_100;
/// The work for each pair that a matrix is worth.
const WORK_A_PAIR: usize = 8;
/// So many neighbours of each customer are known.
const NEAR: usize = 80;

/// The instance in the numbering of the search: customers 0 to n - 1 as in `Instance::open`, n the depot, n + 1 + v the
/// place where vehicle v starts.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// The number of customers, and so the depot's number.
    pub(super) customers: usize,
    pub(super) demand: Vec<u32>,
    pub(super) arrival: Vec<Time>,
    pub(super) starts: Vec<Start>,
    pub(super) capacity: u32,
    pub(super) pace: f64,
    pub(super) weight: f64,
    /// Whether a detour is never shorter, so that an insertion never lowers the cost. Rounding breaks this by so little
    /// that it does not matter.
    pub(super) detours_cost: bool,
    /// The drive from the depot to each customer and back.
    pub(super) remote: Vec<f64>,
    side: usize,
    /// From row to column; empty without a matrix.
    flat: Vec<f64>,
    /// From column to row, where ways there and back differ; otherwise empty.
    turned: Vec<f64>,
    places: Vec<Place>,
    travel: Travel,
    /// The nearest customers of each, nearest first, as they are asked for.
    near: Vec<OnceCell<Box<[u32]>>>,
    width: usize,
}

impl Places {
    pub(super) fn new(problem: &Routing, instance: &Instance, meter: &Meter<'_>) -> Self {
        let customers = instance.open.len();
        let mut places: Vec<Place> = instance.open.iter().map(crate::state::Open::place).collect();
        places.push(problem.depot);
        places.extend(instance.vehicles.iter().map(|vehicle| vehicle.place));
        let side = places.len();
        let mut flat = Vec::new();
        if side <= MATRIX && meter.affords(WORK_A_PAIR * side * side) {
            fill(&mut flat, &places, &problem.travel, meter);
        }
        let mut turned = Vec::new();
        if !flat.is_empty() && !problem.travel.symmetric() {
            turned.reserve_exact(side * side);
            for to in 0..side {
                turned.extend((0..side).map(|from| flat[from * side + to]));
            }
        }
        let mut all = Self {
            customers,
            demand: instance.open.iter().map(|c| c.demand).collect(),
            arrival: instance.open.iter().map(|c| c.arrival).collect(),
            starts: instance
                .vehicles
                .iter()
                .map(|v| Start { time: v.ready.max(instance.now), away: !v.at_depot() })
                .collect(),
            capacity: problem.capacity,
            pace: problem.pace,
            weight: problem.waiting_weight,
            detours_cost: !matches!(problem.travel, Travel::Matrix(_)),
            remote: Vec::new(),
            side,
            flat,
            turned,
            places,
            travel: problem.travel.clone(),
            near: vec![OnceCell::new(); customers],
            width: NEAR.min(customers.saturating_sub(1)),
        };
        let depot = all.depot();
        let there_and_back = |c| all.distance(depot, c) + all.distance(c, depot);
        all.remote = (0..customers as u32).map(there_and_back).collect();
        all
    }

    fn find_near(&self, c: u32) -> Box<[u32]> {
        let both = |other| self.distance(c, other) + self.distance(other, c);
        let others = (0..self.customers as u32).filter(|&other| other != c);
        let mut row: Vec<(f64, u32)> = others.map(|other| (both(other), other)).collect();
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if row.len() > self.width {
            row.select_nth_unstable_by(self.width, order);
            row.truncate(self.width);
        }
        row.sort_unstable_by(order);
        row.into_iter().map(|(_, other)| other).collect()
    }

    #[inline]
    pub(super) fn depot(&self) -> u32 {
        self.customers as u32
    }

    /// The place where a vehicle starts.
    pub(super) fn start(&self, vehicle: usize) -> u32 {
        if self.starts[vehicle].away { (self.customers + 1 + vehicle) as u32 } else { self.depot() }
    }

    #[inline]
    pub(super) fn distance(&self, from: u32, to: u32) -> f64 {
        let (from, to) = (from as usize, to as usize);
        if self.flat.is_empty() {
            self.travel.distance(self.places[from], self.places[to])
        } else {
            self.flat[from * self.side + to]
        }
    }

    /// All distances to a place and from it, if they are held.
    #[inline]
    pub(super) fn rows(&self, place: u32) -> Option<(&[f64], &[f64])> {
        let row = place as usize * self.side..(place as usize + 1) * self.side;
        let from = self.flat.get(row.clone())?;
        let to = if self.turned.is_empty() { from } else { &self.turned[row] };
        Some((to, from))
    }

    /// What it is as work to find the nearest customers; nothing once they are known.
    #[inline]
    pub(super) fn near_work(&self, customer: u32) -> usize {
        let known = self.near[customer as usize].get().is_some();
        if known { 0 } else { 8 * self.customers }
    }

    /// The nearest customers, nearest first.
    #[inline]
    pub(super) fn near(&self, customer: u32) -> &[u32] {
        self.near[customer as usize].get_or_init(|| self.find_near(customer))
    }
}

/// Fills a matrix of distances; leaves it empty if the meter cuts that off.
fn fill(flat: &mut Vec<f64>, places: &[Place], travel: &Travel, meter: &Meter<'_>) {
    flat.reserve_exact(places.len() * places.len());
    for (i, &from) in places.iter().enumerate() {
        if meter.cuts(2 * places.len()) {
            return flat.clear();
        }
        let to = |(j, &to): (usize, &Place)| if i == j { 0.0 } else { travel.distance(from, to) };
        flat.extend(places.iter().enumerate().map(to));
    }
}
