//! Judging a network by days that it has not learnt from.

use crate::dqn::Rules;
use crate::episode::Days;
use crate::greedy::Greedy;
use solo_core::{Cost, Domain, Policy, Seed, Stream};
use solo_nn::Qnet;
use std::sync::Arc;
use std::thread;

/// Validation days are of this seed: other days than any that are learnt from or tested on.
pub const VALIDATION: Seed = Seed(2000);

/// The costs of days `0..count`, decided by `rule`, which is made anew for each thread.
pub fn costs<D: Domain, R: Policy<Rules<D>>>(
    days: &Days<D>,
    count: u64,
    threads: usize,
    rule: impl Fn() -> R + Sync,
) -> Vec<Cost> {
    let mut costs = vec![0.0; count as usize];
    let each = costs.len().div_ceil(threads.max(1)).max(1);
    let live = |from: usize, costs: &mut [Cost]| {
        let mut rule = rule();
        for (day, cost) in (from as u64..).zip(costs) {
            let episode = days.open(day);
            let mut dice = VALIDATION.stream(Stream::Agent, day);
            *cost = episode.cost() + episode.cost_by(&mut rule, &mut dice);
        }
    };
    thread::scope(|scope| {
        for (part, costs) in costs.chunks_mut(each).enumerate() {
            let live = &live;
            scope.spawn(move || live(part * each, costs));
        }
    });
    costs
}

/// The mean cost of days `0..count`, decided by the network alone.
pub fn mean_cost<D: Domain>(days: &Days<D>, count: u64, threads: usize, net: &Qnet) -> Cost {
    let net = Arc::new(net.clone());
    let costs = costs(days, count, threads, || Greedy::new(Arc::clone(&net)));
    costs.iter().sum::<Cost>() / count as f64
}
