//! Days to learn from.

use solo_core::{Cost, Domain, Menu, Policy, Problem, Rng, Seed, Status, Tape, rollout, settle};
use std::marker::PhantomData;
use std::sync::Arc;
use thiserror::Error;

/// A preset that the problem does not have.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{0}' is not a known preset")]
pub struct UnknownPreset(pub String);

/// What arrives on the days of a problem.
type Arrival<D> = <<D as Domain>::Problem as Problem>::Arrival;

/// An endless row of days: day i is of preset i modulo their number. The same seed gives the same days for ever.
pub struct Days<D: Domain> {
    presets: Vec<String>,
    seed: Seed,
    domain: PhantomData<fn() -> D>,
}

impl<D: Domain> Days<D> {
    /// Days of these presets.
    pub fn new(presets: &[String], seed: Seed) -> Result<Self, UnknownPreset> {
        for preset in presets {
            if D::generate(preset, seed, 0).is_none() {
                return Err(UnknownPreset(preset.clone()));
            }
        }
        if presets.is_empty() {
            return Err(UnknownPreset(String::new()));
        }
        Ok(Self { presets: presets.to_vec(), seed, domain: PhantomData })
    }

    /// Day `index`, at its first decision. Its agent believes in the law of its preset.
    pub fn open(&self, index: u64) -> Episode<D::Problem> {
        let (problem, tape) = self.start(index);
        Episode::open(problem, tape)
    }

    /// The rules of day `index`, and everything that arrives on it.
    pub fn start(&self, index: u64) -> (Arc<D::Problem>, Tape<Arrival<D>>) {
        let preset = &self.presets[(index % self.presets.len() as u64) as usize];
        let scenario = D::generate(preset, self.seed, index).expect("the preset was checked");
        let problem = D::problem(&scenario, Some(preset)).expect("the preset was checked");
        (Arc::new(problem), Tape::new(D::arrivals(&scenario)))
    }
}

/// A day under way, with its future. Unlike a [`solo_core::World`] it owns its rules, and can tell what a rule would
/// still cost on this very future: learning may know that, deciding may not.
pub struct Episode<P: Problem> {
    problem: Arc<P>,
    state: P::State,
    tape: Tape<P::Arrival>,
    cost: Cost,
}

impl<P: Problem> Episode<P> {
    /// Lets time run to the first decision.
    pub fn open(problem: Arc<P>, mut tape: Tape<P::Arrival>) -> Self {
        let mut state = problem.initial();
        let cost = settle(&*problem, &mut state, &mut tape);
        Self { problem, state, tape, cost }
    }

    /// The rules.
    pub fn problem(&self) -> &Arc<P> {
        &self.problem
    }

    /// Everything that has happened.
    pub fn state(&self) -> &P::State {
        &self.state
    }

    /// Whether the day is over.
    pub fn done(&self) -> bool {
        self.problem.status(&self.state) != Status::Decide
    }

    /// The cost so far.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Carries out a legal action and lets time run to the next decision; returns what that cost.
    pub fn act(&mut self, action: P::Action) -> Cost {
        let cost = self.problem.apply(&mut self.state, action)
            + settle(&*self.problem, &mut self.state, &mut self.tape);
        self.cost += cost;
        cost
    }

    /// Carries out the action of a slot of `menu`, which is filled here.
    pub fn act_slot(&mut self, slot: u32, menu: &mut Menu<P::Action>) -> Cost {
        self.problem.menu(&self.state, menu);
        self.act(menu.actions()[slot as usize])
    }

    /// What `rule` would still cost from here on this day's own future.
    pub fn cost_by(&self, rule: &mut impl Policy<P>, rng: &mut Rng) -> Cost {
        let (mut state, mut tape) = (self.state.clone(), self.tape.clone());
        rollout(&*self.problem, &mut state, &mut tape, rule, rng)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solo_core::{Stream, Uniform};
    use solo_pmsp::{Pmsp, Wspt};

    #[test]
    fn a_rule_costs_what_it_says_on_the_same_future() {
        let days = Days::<Pmsp>::new(&["pmsp-online-3".to_string()], Seed(5)).unwrap();
        let mut rng = Seed(5).stream(Stream::Agent, 0);
        let mut day = days.open(3);
        let mut rule = Wspt::default();
        let expected = day.cost() + day.cost_by(&mut rule, &mut rng);
        while !day.done() {
            let action = rule.choose(&**day.problem(), day.state(), &mut rng);
            day.act(action);
        }
        assert!((day.cost() - expected).abs() < 1e-6 * expected, "{} {expected}", day.cost());
        let mut again = days.open(3);
        let mut other = Uniform::default();
        assert_eq!(again.state(), days.open(3).state());
        let action = other.choose(&**again.problem(), again.state(), &mut rng);
        again.act(action);
        assert!(Days::<Pmsp>::new(&["cvrp-20".to_string()], Seed(5)).is_err());
    }
}
