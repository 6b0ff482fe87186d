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
    /// Fills `q` with a value for every slot.
    fn look(&mut self, problem: &P, state: &P::State, legal: &[u32]) {
        let Self { net, infer, graph, q, sum, .. } = self;
        let feature_set = FeatureSet::with_shape(problem, net.config().shape).unwrap_or_default();
        problem.encode(state, feature_set, graph);
        infer.q_values(net, graph, legal, q);
        let views = self.views.min(problem.views());
        if views > 1 {
            sum.clone_from(q);
            for view in 1..views {
                problem.encode(state, feature_set, graph);
                problem.turn(graph, view);
                infer.q_values(net, graph, legal, q);
                sum.iter_mut().zip(&*q).for_each(|(sum, q)| *sum += q);
            }
            std::mem::swap(q, sum);
        }
    }
}

impl<P: Encode> Policy<P> for Greedy<P> {
    fn choose(&mut self, problem: &P, state: &P::State, _rng: &mut Rng) -> P::Action {
        let mut menu = std::mem::take(&mut self.menu);
        problem.menu(state, &mut menu);
        let slot = match menu.legal() {
            [only] => *only,
            legal => {
                self.look(problem, state, legal);
                best(&self.q, legal)
            }
        };
        let action = menu.actions()[slot as usize];
        self.menu = menu;
        action
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
        self.look(problem, state, menu.legal());
        let views = self.views.min(problem.views()) as f64;
        out.clear();
        out.extend(self.q.iter().map(|q| f64::from(*q) / views));
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
            let words =
                |shape: GraphShape| format!("{} / {} / {}", shape.node, shape.edge, shape.global);
            return Err(Failure::Refused(format!(
                "the model '{}' was trained for graphs with {} features of a node / an edge / the \
                 whole, and this one has {} (as with another number of classes); train one with \
                 'solo train'",
                self.model,
                words(wanted),
                words(found),
            )));
        }
        self.agent.decide(problem, state, meter, rng)
    }
}
