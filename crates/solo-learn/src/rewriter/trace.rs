//! One day's solution as it is rewritten while learning.

use crate::days::DayEvents;
use solo_core::{Cost, Draft, Meter, Rewrite, Rng, Role};
use solo_nn::{Encoder, RewriterNet};
use std::sync::Arc;

/// A rewrite that was made.
pub(super) struct Step {
    /// The solution before it.
    pub(super) features: Vec<f32>,
    pub(super) roles: Vec<Role>,
    pub(super) picked: u32,
    pub(super) partner: u32,
    /// What it gained, in the network's unit of cost.
    pub(super) gain: f32,
}

/// A day's solution, and how it came to be.
pub(super) struct Trace<P: Rewrite> {
    problem: Arc<P>,
    instance: P::Instance,
    draft: Draft,
    next: Draft,
    /// The cost of 1 to the network.
    unit: Cost,
    /// The cost of every solution so far, in order.
    costs: Vec<Cost>,
    pub(super) steps: Vec<Step>,
    rng: Rng,
    weights: Vec<f64>,
}

impl<P: Rewrite> Trace<P> {
    /// The first solution of a day whose events have all happened at its start. `None` if there is
    /// nothing to rewrite.
    pub(super) fn begin(problem: Arc<P>, events: &DayEvents<P>, rng: Rng) -> Option<Self> {
        let mut state = problem.initial();
        events.iter().for_each(|event| problem.happen(&mut state, &event.what));
        let instance = problem.snapshot(&state);
        let mut draft = Draft::default();
        problem.first_draft(&instance, &Meter::unlimited(), &mut draft).ok()?;
        let (unit, costs) = (problem.rewrite_unit(&instance, &draft), vec![draft.cost]);
        let (next, steps, weights) = (Draft::default(), Vec::new(), Vec::new());
        let trace = Self { problem, instance, draft, next, unit, costs, steps, rng, weights };
        trace.draft.has_moves().then_some(trace)
    }

    /// Rewrites once: a node by softmax(sharpness x gain), a partner as likely as the network says.
    /// A solution whose cost was there before is rejected, and nothing is learned from it.
    pub(super) fn rewrite(
        &mut self,
        net: &RewriterNet,
        encoder: &mut Encoder,
        number: usize,
        sharpness: f64,
        numbers: &mut Vec<f32>,
    ) {
        let roles = &self.draft.roles;
        encoder.gains(number, numbers);
        let item = |node: usize| roles[node] == Role::Item;
        let picked = draw(numbers, sharpness, item, &mut self.weights, &mut self.rng);
        encoder.partners(net, number, picked, numbers);
        let other = |node: usize| roles[node] != Role::Fixed && node != picked;
        let partner = draw(numbers, 1.0, other, &mut self.weights, &mut self.rng);
        self.problem.swap(&self.instance, &self.draft, [picked, partner], &mut self.next);
        if self.costs.contains(&self.next.cost) {
            return;
        }
        self.steps.push(Step {
            features: self.draft.features.clone(),
            roles: self.draft.roles.clone(),
            picked: picked as u32,
            partner: partner as u32,
            gain: 0.0,
        });
        self.costs.push(self.next.cost);
        std::mem::swap(&mut self.draft, &mut self.next);
    }

    /// The numbers of the solution's nodes.
    pub(super) fn features(&self) -> &[f32] {
        &self.draft.features
    }

    /// Fills in what the rewrites have gained: the most that the solution became cheaper by
    /// afterwards, a gain that took longer counting less. Negative where it never became cheaper.
    pub(super) fn reckon(&mut self, discount: f64) {
        for (at, step) in self.steps.iter_mut().enumerate() {
            let mut weight = 1.0;
            let mut most = f64::NEG_INFINITY;
            for cost in &self.costs[at + 1..] {
                most = most.max(weight * (self.costs[at] - cost) / self.unit);
                weight *= discount;
            }
            step.gain = most as f32;
        }
    }
}

/// Draws one of the positions that `may` be drawn, as likely as softmax(sharpness x numbers) says.
fn draw(
    numbers: &[f32],
    sharpness: f64,
    may: impl Fn(usize) -> bool,
    weights: &mut Vec<f64>,
    rng: &mut Rng,
) -> usize {
    let most = (0..numbers.len())
        .filter(|&at| may(at))
        .map(|at| numbers[at])
        .fold(f32::NEG_INFINITY, f32::max);
    weights.clear();
    weights.extend(numbers.iter().enumerate().map(|(at, number)| {
        if may(at) { libm::exp(sharpness * f64::from(number - most)) } else { 0.0 }
    }));
    let mut left = rng.unit() * weights.iter().sum::<f64>();
    let mut last = 0;
    for (at, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        last = at;
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use solo_core::{Seed, Stream};

    #[test]
    fn what_is_likelier_is_drawn_more_often() {
        let mut rng = Seed(1).stream(Stream::Explore, 0);
        let (numbers, mut weights) = ([0.0, 0.1, 0.3, 0.2, 9.0], Vec::new());
        let mut counts = [0.0; 5];
        for _ in 0..20_000 {
            counts[draw(&numbers, 10.0, |at| at > 0 && at < 4, &mut weights, &mut rng)] += 1.0;
        }
        assert_eq!((counts[0], counts[4]), (0.0, 0.0), "what may not be drawn");
        let sum: f64 = [1.0f64, 3.0, 2.0].iter().map(|x| x.exp()).sum();
        for (at, x) in [(1, 1.0f64), (2, 3.0), (3, 2.0)] {
            let (found, wanted) = (counts[at] / 20_000.0, x.exp() / sum);
            assert!((found - wanted).abs() < 0.015, "{at}: {found} {wanted}");
        }
    }
}
