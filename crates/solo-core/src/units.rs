//! Days in other units than those of their law.

use crate::{Agent, Cost, Decision, Failure, Meter, Problem, Rng};

/// Rules that may be stated in other units than their law: kilometres and minutes where the law is on the unit square.
///
/// What is learned has one unit of length and one of time, those of the law. Agents therefore decide in the law's
/// units; their actions name things by number and need no conversion.
pub trait Units: Problem + Sized {
    /// The same rules in the law's own units; `None` if these are the law's.
    fn in_law_units(&self) -> Option<Self>;

    /// Writes `state` in the law's own units into `out`. Allocates nothing when warm.
    fn convert(&self, state: &Self::State, out: &mut Self::State);

    /// What a cost of 1 in the law's units is in these.
    fn cost_unit(&self) -> Cost;

    /// What sets these rules apart from others of the problem that models are taught on, in a word or two; nothing if
    /// there is but one kind: `"identical machines"`.
    fn kind(&self) -> &'static str {
        ""
    }

    /// The sizes that models depend on, in the law's units, with their names: `("vehicles", 3.0)`.
    fn sizes(&self) -> Vec<(&'static str, f64)>;
}

/// An agent that decides in the law's units.
pub struct InLawUnits<P: Problem> {
    agent: Box<dyn Agent<P>>,
    state: Option<P::State>,
}

impl<P: Units> InLawUnits<P> {
    /// This agent, whatever the units of the day.
    pub fn new(agent: Box<dyn Agent<P>>) -> Self {
        Self { agent, state: None }
    }
}

/// The state in the units of `law`.
fn converted<'s, P: Units>(
    problem: &P,
    law: &P,
    state: &P::State,
    buffer: &'s mut Option<P::State>,
) -> &'s P::State {
    let buffer = buffer.get_or_insert_with(|| law.initial());
    problem.convert(state, buffer);
    buffer
}

impl<P: Units> Agent<P> for InLawUnits<P> {
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<P::Action>, Failure> {
        let Some(law) = problem.in_law_units() else {
            return self.agent.decide(problem, state, meter, rng);
        };
        let state = converted(problem, &law, state, &mut self.state);
        let mut decision = self.agent.decide(&law, state, meter, rng)?;
        in_units(problem.cost_unit(), &mut decision);
        Ok(decision)
    }

    fn ponder(
        &mut self,
        problem: &P,
        state: &P::State,
        action: P::Action,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) {
        match problem.in_law_units() {
            None => self.agent.ponder(problem, state, action, meter, rng),
            Some(law) => {
                let state = converted(problem, &law, state, &mut self.state);
                self.agent.ponder(&law, state, action, meter, rng);
            }
        }
    }

    fn explain(&mut self, problem: &P, state: &P::State, decision: &mut Decision<P::Action>) {
        let Some(law) = problem.in_law_units() else {
            return self.agent.explain(problem, state, decision);
        };
        let state = converted(problem, &law, state, &mut self.state);
        in_units(1.0 / problem.cost_unit(), decision);
        self.agent.explain(&law, state, decision);
        in_units(problem.cost_unit(), decision);
    }
}

/// Brings the costs of the evidence into other units.
fn in_units<A>(unit: Cost, decision: &mut Decision<A>) {
    for candidate in decision.evidence.iter_mut().flat_map(|evidence| &mut evidence.candidates) {
        candidate.mean *= unit;
        candidate.error = candidate.error.map(|error| error * unit);
    }
}
