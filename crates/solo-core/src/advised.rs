//! Guides as agents, and what guides say of decisions.

use crate::agent::reflex;
use crate::{
    Agent, Candidate, Cost, Decision, Evidence, Failure, Guide, Menu, Meter, Problem, Rng,
};
use std::fmt::{self, Debug};

/// A guide as an agent: answers at once, and can tell the value of every action.
pub struct Advised<P: Problem, G> {
    guide: G,
    menu: Menu<P::Action>,
    values: Vec<f64>,
}

impl<P: Problem, G> Advised<P, G> {
    /// Decides as this guide.
    pub fn new(guide: G) -> Self {
        Self { guide, menu: Menu::default(), values: Vec::new() }
    }
}

impl<P: Problem, G: Debug> Debug for Advised<P, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Advised").field(&self.guide).finish()
    }
}

impl<P: Problem, G: Guide<P>> Agent<P> for Advised<P, G> {
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<P::Action>, Failure> {
        Ok(reflex(&mut self.guide, problem, state, meter, rng))
    }

    /// What was not looked at by rollouts is listed by value. Where there are rollouts, their evidence stays, with the
    /// values beside it.
    fn explain(&mut self, problem: &P, state: &P::State, decision: &mut Decision<P::Action>) {
        problem.menu(state, &mut self.menu);
        self.guide.values(problem, state, &self.menu, &mut self.values);
        let (menu, values) = (&self.menu, &self.values);
        let value = |slot: usize| menu.reason(slot).is_none().then(|| values[slot]);
        // A guide gives no finite value to what it does not choose among, as one of two machines that are alike.
        let value = |slot: usize| value(slot).filter(|value| value.is_finite());
        if let Some(evidence) = &mut decision.evidence {
            for candidate in &mut evidence.candidates {
                let slot = problem.slot(state, menu, candidate.action);
                candidate.value = slot.and_then(value);
            }
            return;
        }
        let candidate = |(slot, &action): (usize, &P::Action)| Candidate {
            action,
            visits: 0,
            mean: Cost::INFINITY,
            error: None,
            value: value(slot),
            masked: menu.reason(slot).or(value(slot).is_none().then_some(NO_OPTION)),
        };
        let mut candidates: Vec<_> = menu.actions().iter().enumerate().map(candidate).collect();
        candidates.sort_by(|a, b| {
            let rank = |c: &Candidate<P::Action>| (c.action != decision.action, c.value.is_none());
            let value = |c: &Candidate<P::Action>| c.value.unwrap_or(f64::NEG_INFINITY);
            rank(a).cmp(&rank(b)).then(value(b).total_cmp(&value(a)))
        });
        let tied = match &candidates[..] {
            [best, second, ..] => best.value.is_some() && best.value == second.value,
            _ => false,
        };
        let how = "by its values";
        decision.evidence = Some(Box::new(Evidence { how, candidates, tied }));
    }
}

const NO_OPTION: &str = "not among the guide's options";

/// An agent whose decisions are explained with the values of a guide beside its own evidence.
pub struct Beside<P: Problem, G> {
    agent: Box<dyn Agent<P>>,
    guide: Advised<P, G>,
}

impl<P: Problem, G> Beside<P, G> {
    /// This agent with this guide's values.
    pub fn new(agent: Box<dyn Agent<P>>, guide: G) -> Self {
        Self { agent, guide: Advised::new(guide) }
    }
}

impl<P: Problem, G: Guide<P>> Agent<P> for Beside<P, G> {
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<P::Action>, Failure> {
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
        if decision.evidence.is_some() {
            self.guide.explain(problem, state, decision);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;
    use crate::testing::toy::{Toy, ToyDay, ToyState};
    use crate::{Budget, Scenario, Seed, Stream, SystemClock, World};
    use std::sync::atomic::AtomicBool;

    type Action = <Toy as Problem>::Action;

    /// Likes what is last on the menu.
    struct Last;

    impl Policy<Toy> for Last {
        fn choose(&mut self, toy: &Toy, state: &ToyState, _: &mut Rng) -> Action {
            let mut menu = Menu::default();
            toy.menu(state, &mut menu);
            menu.actions()[*menu.legal().last().unwrap() as usize]
        }
    }

    impl Guide<Toy> for Last {
        fn values(&mut self, _: &Toy, _: &ToyState, menu: &Menu<Action>, out: &mut Vec<f64>) {
            out.clear();
            out.extend((0..menu.len()).map(|slot| slot as f64));
        }
    }

    #[test]
    fn a_guide_lists_what_it_thinks_of_every_action() {
        let day = ToyDay::draw(Seed(3), 0);
        let problem = day.rules(None).unwrap();
        let mut world = World::open(&problem, day.events());
        let mut agent = Advised::new(Last);
        let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
        let meter = Meter::start(Budget::Rollouts(1), &clock, &stop);
        let mut rng = Seed(0).stream(Stream::Agent, 0);
        let mut seen = 0;
        while !world.done() {
            let mut decision = agent.decide(&problem, world.state(), &meter, &mut rng).unwrap();
            assert!(decision.evidence.is_none(), "reasons are told only when they are asked for");
            agent.explain(&problem, world.state(), &mut decision);
            let evidence = decision.evidence.unwrap();
            assert_eq!(evidence.candidates[0].action, decision.action);
            let values: Vec<f64> = evidence.candidates.iter().filter_map(|c| c.value).collect();
            assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
            seen = seen.max(values.len());
            world.act(decision.action).unwrap();
        }
        assert!(seen > 1, "some decision had a choice");
    }
}
