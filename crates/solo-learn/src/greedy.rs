//! Deciding by a network.

use solo_core::{
    Agent, Decision, Encode, Failure, FeatureSet, Graph, GraphShape, Guide, Menu, Meter, Policy,
    Problem, Rng,
};
use solo_nn::{Infer, Qnet};
use std::sync::Arc;

/// Takes the action with the largest Q-value; ties go to the lowest slot. Allocates nothing when
/// warm.
pub struct Greedy<P: Problem> {
    net: Arc<Qnet>,
    infer: Infer,
    menu: Menu<P::Action>,
    /// In how many equivalent views a state is evaluated; values are their mean.
    views: usize,
    graph: Graph,
    q: Vec<f32>,
    sum: Vec<f32>,
}

impl<P: Problem> Greedy<P> {
    /// Decides by this network.
    pub fn new(net: Arc<Qnet>) -> Self {
        let (infer, menu, graph) = (Infer::default(), Menu::default(), Graph::default());
        Self { net, infer, menu, views: 1, graph, q: Vec::new(), sum: Vec::new() }
    }

    /// Evaluates each state in this many of its equivalent views, if there are as many.
    pub fn with_views(mut self, views: usize) -> Self {
        self.views = views.max(1);
        self
    }
}

impl<P: Encode> Greedy<P> {
    /// Fills `q` with a value for every slot; false if the meter cut that off.
    fn look(&mut self, problem: &P, state: &P::State, legal: &[u32], meter: &Meter<'_>) -> bool {
        let Self { net, infer, graph, q, sum, .. } = self;
        let feature_set = FeatureSet::with_shape(problem, net.config().shape).unwrap_or_default();
        let mut view = |view: usize, q: &mut Vec<f32>| {
            let seen = problem.encode_within(state, feature_set, meter, graph);
            if seen && view > 0 {
                problem.turn(graph, view);
            }
            seen && infer.q_values_within(net, graph, legal, meter, q)
        };
        if !view(0, q) {
            return false;
        }
        let views = self.views.min(problem.views());
        if views > 1 {
            sum.clone_from(q);
            for number in 1..views {
                if !view(number, q) {
                    return false;
                }
                sum.iter_mut().zip(&*q).for_each(|(sum, q)| *sum += q);
            }
            std::mem::swap(q, sum);
        }
        true
    }
}

impl<P: Encode> Policy<P> for Greedy<P> {
    fn choose(&mut self, problem: &P, state: &P::State, rng: &mut Rng) -> P::Action {
        self.choose_within(problem, state, &Meter::unlimited(), rng)
    }

    /// Without time for the network, what is at hand.
    fn choose_within(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        _rng: &mut Rng,
    ) -> P::Action {
        let mut menu = std::mem::take(&mut self.menu);
        problem.menu(state, &mut menu);
        let slot = match menu.legal() {
            [only] => Some(*only),
            legal => {
                let seen = !meter.cuts(menu.len()) && self.look(problem, state, legal, meter);
                seen.then(|| best(&self.q, legal))
            }
        };
        let action = slot.map(|slot| menu.actions()[slot as usize]);
        self.menu = menu;
        action.unwrap_or_else(|| problem.at_hand(state))
    }
}

impl<P: Encode> Guide<P> for Greedy<P> {
    /// The Q-values.
    fn values(
        &mut self,
        problem: &P,
        state: &P::State,
        menu: &Menu<P::Action>,
        out: &mut Vec<f64>,
    ) {
        self.values_within(problem, state, menu, &Meter::unlimited(), out);
    }

    fn values_within(
        &mut self,
        problem: &P,
        state: &P::State,
        menu: &Menu<P::Action>,
        meter: &Meter<'_>,
        out: &mut Vec<f64>,
    ) -> bool {
        let seen = self.look(problem, state, menu.legal(), meter);
        if seen {
            let views = self.views.min(problem.views()) as f64;
            out.clear();
            out.extend(self.q.iter().map(|q| f64::from(*q) / views));
        }
        seen
    }
}

/// The legal slot with the largest value, the first of several.
pub fn best(q: &[f32], legal: &[u32]) -> u32 {
    let mut best = legal[0];
    for &slot in &legal[1..] {
        if q[slot as usize].total_cmp(&q[best as usize]).is_gt() {
            best = slot;
        }
    }
    best
}

/// An agent with a network, which declines problems whose graphs are not of the shape that the
/// network was trained for.
pub struct Fitted<A> {
    /// The network's name, for messages.
    pub model: String,
    /// The shape of the graphs that it reads.
    pub shape: GraphShape,
    /// The agent.
    pub agent: A,
}

impl<P: Encode, A: Agent<P>> Agent<P> for Fitted<A> {
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<P::Action>, Failure> {
        let (wanted, found) = (self.shape, problem.shape(FeatureSet::Base));
        if FeatureSet::with_shape(problem, wanted).is_none() {
            let (taught, here) = problem.shapes_in_words(wanted, found);
            return Err(Failure::Refused(format!(
                "the network {} was trained for {taught}; this day has {here}; train one with 'solo train'",
                self.model,
            )));
        }
        self.agent.decide(problem, state, meter, rng)
    }

    fn ponder(
        &mut self,
        problem: &P,
        state: &P::State,
        action: P::Action,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) {
        self.agent.ponder(problem, state, action, meter, rng);
    }

    fn explain(&mut self, problem: &P, state: &P::State, decision: &mut Decision<P::Action>) {
        self.agent.explain(problem, state, decision);
    }
}
