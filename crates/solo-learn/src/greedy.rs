//! Deciding by a network.

use crate::replay::View;
use solo_core::{
    Agent, Decision, Encode, Failure, Graph, GraphShape, Guide, Menu, Meter, Policy, Problem, Rng,
};
use solo_nn::{Infer, Qnet};
use std::sync::Arc;

/// Takes the action with the largest Q-value; ties go to the lowest slot. Allocates nothing when warm.
pub struct Greedy<P: Problem> {
    net: Arc<Qnet>,
    infer: Infer,
    view: View<P>,
    graph: Graph,
    q: Vec<f32>,
}

impl<P: Problem> Greedy<P> {
    /// Decides by this network.
    pub fn new(net: Arc<Qnet>) -> Self {
        let (infer, view) = (Infer::default(), View::default());
        Self { net, infer, view, graph: Graph::default(), q: Vec::new() }
    }
}

impl<P: Encode> Policy<P> for Greedy<P> {
    fn choose(&mut self, problem: &P, state: &P::State, _rng: &mut Rng) -> P::Action {
        problem.menu(state, &mut self.view.menu);
        let menu = &self.view.menu;
        if let [only] = menu.legal() {
            return menu.actions()[*only as usize];
        }
        problem.encode(state, &mut self.view.graph);
        self.infer.q_values(&self.net, &self.view.graph, menu.legal(), &mut self.q);
        menu.actions()[best(&self.q, menu.legal()) as usize]
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
        problem.encode(state, &mut self.graph);
        self.infer.q_values(&self.net, &self.graph, menu.legal(), &mut self.q);
        out.clear();
        out.extend(self.q.iter().map(|q| f64::from(*q)));
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

/// An agent with a network, which declines problems whose graphs are not of the form that the network was trained for.
pub struct Fitted<A> {
    /// The network's name, for messages.
    pub model: String,
    /// The form of the graphs that it reads.
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
        let (wanted, found) = (self.shape, problem.shape());
        if wanted != found {
            let words =
                |shape: GraphShape| format!("{} / {} / {}", shape.node, shape.edge, shape.global);
            return Err(Failure::Refused(format!(
                "the model '{}' was trained for states with {} features of a node / an edge / the whole, and this one has {} \
                 (as with another number of classes); train one with 'solo train'",
                self.model,
                words(wanted),
                words(found),
            )));
        }
        self.agent.decide(problem, state, meter, rng)
    }
}
