//! The best online decisions, and what policies cost, computed over the law rather than sampled.
//!
//! For problems whose law can be enumerated ([`Enumerable`]) and that are small enough. A state in which a decision is due
//! costs the least, over its actions, of what the action costs and what comes after; a moment at which something may come
//! costs the mean over everything that may. Both are kept by state in its canonical form, so that each is computed once.
//!
//! [`Exact::optimal`] is the optimum among all online policies. [`Exact::within`] believes that arrivals end after a
//! number of moments; with none it plans the open work as replanning does. [`Exact::led_by`] costs a policy that decides
//! by the values of another: led by `within(0)` it is replanning, done exactly; led by that it is one exact rollout step
//! (Bertsekas, Tsitsiklis & Wu 1997), led by that the second. [`Relaxation`] bounds what any online policy costs from below.

mod days;
mod relaxation;
mod table;

pub use days::{LikelyDay, days};
pub use relaxation::{CostAfter, Learned, Relaxation};

use solo_core::{
    Agent, Cost, Decision, Enumerable, Failure, Menu, Meter, Problem, Rng, Status, Tape, Time,
    settle_until,
};
use table::Table;
use thiserror::Error;

/// Why something cannot be computed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum NotExact {
    /// The law has no finite list of what may come.
    #[error("this law cannot be enumerated: {0}")]
    Law(String),
    /// It would take too much memory.
    #[error("more than {0} states: the problem is too large to be solved exactly")]
    States(usize),
}

/// Checks that the law can be enumerated.
fn check_law<P: Enumerable>(problem: &P) -> Result<(), NotExact> {
    problem.not_enumerable().map_or(Ok(()), |why| Err(NotExact::Law(why)))
}

/// What stops time.
enum Rest {
    Decision,
    /// Something may come now.
    Moment,
    Done,
}

/// Lets time run from `state` to the next decision, the next moment at which something may come, or the end, and returns
/// the cost of that. With `closing` nothing more comes at all.
fn run<P: Enumerable>(problem: &P, state: &mut P::State, closing: bool) -> (Cost, Rest) {
    let mut tape = Tape::default();
    let now = problem.now(state);
    let moment = if closing {
        tape.close_at(now);
        None
    } else {
        problem.next_moment(state, now)
    };
    let stop = moment.unwrap_or(Time::INFINITY);
    let cost = settle_until(problem, state, &mut tape, stop);
    let rest = match problem.status(state) {
        _ if problem.now(state) >= stop => Rest::Moment,
        Status::Done => Rest::Done,
        Status::Decide | Status::Running { .. } | Status::Idle => Rest::Decision,
    };
    (cost, rest)
}

/// What a decision costs from its state on, and which it is.
type Chosen<A> = (Cost, A);

/// What is known with a number of moments left.
struct Layer<P: Problem> {
    decisions: Table<P, Chosen<P::Action>>,
    moments: Table<P, Cost>,
}

/// A policy whose costs are computed over the law. Also an agent: it decides what its tables say, and computes what they
/// lack. Its problem is the one that it was made for.
pub struct Exact<'p, P: Enumerable> {
    problem: &'p P,
    /// Whose values decide; its own if there is none.
    leader: Option<Box<Exact<'p, P>>>,
    /// By how many moments are left; the whole law is the only layer where they are not counted.
    layers: Vec<Layer<P>>,
    counts: bool,
    most: usize,
}

impl<'p, P: Enumerable> Exact<'p, P> {
    fn new(problem: &'p P, moments: Option<usize>, most: usize) -> Result<Self, NotExact> {
        check_law(problem)?;
        let layer = || Layer { decisions: Table::new(), moments: Table::new() };
        let layers = (0..=moments.unwrap_or(0)).map(|_| layer()).collect();
        Ok(Self { problem, leader: None, layers, counts: moments.is_some(), most })
    }

    /// The best of all online policies. Computing ends with an error beyond `most` states.
    pub fn optimal(problem: &'p P, most: usize) -> Result<Self, NotExact> {
        Self::new(problem, None, most)
    }

    /// The best decisions if nothing came after the next `moments` moments of arrivals.
    pub fn within(problem: &'p P, moments: usize, most: usize) -> Result<Self, NotExact> {
        Self::new(problem, Some(moments), most)
    }

    /// The policy that always takes the action of the least value to `leader`, the lowest slot among equals.
    pub fn led_by(leader: Self) -> Self {
        let layers = vec![Layer { decisions: Table::new(), moments: Table::new() }];
        let (problem, most) = (leader.problem, leader.most);
        Self { problem, leader: Some(Box::new(leader)), layers, counts: false, most }
    }

    /// How many states are known in which decisions are due and at which something may come, those of the leaders
    /// included.
    pub fn states(&self) -> usize {
        let of = |layer: &Layer<P>| layer.decisions.len() + layer.moments.len();
        let own: usize = self.layers.iter().map(of).sum();
        own + self.leader.as_ref().map_or(0, |leader| leader.states())
    }

    /// The expected cost of a whole day.
    pub fn expected(&mut self) -> Result<Cost, NotExact> {
        let start = self.problem.initial();
        let left = self.layers.len() - 1;
        match self.problem.next_moment(&start, Time::NEG_INFINITY) {
            Some(first) if first <= self.problem.now(&start) => self.moment(start, left, true),
            _ => self.after(start, left),
        }
    }

    /// What is expected to be paid from `state` on, all that is due having come.
    pub fn cost(&mut self, state: &P::State) -> Result<Cost, NotExact> {
        let left = self.layers.len() - 1;
        self.after(state.clone(), left)
    }

    fn after(&mut self, mut state: P::State, left: usize) -> Result<Cost, NotExact> {
        // Once the law is closed it does not matter how many moments there might have been.
        let left = if self.problem.closing_time(&state).is_none() { 0 } else { left };
        let (cost, rest) = run(self.problem, &mut state, self.counts && left == 0);
        Ok(cost
            + match rest {
                Rest::Done => 0.0,
                Rest::Decision => self.decision(state, left)?.0,
                Rest::Moment => self.moment(state, left, false)?,
            })
    }

    /// The mean over what may come now. `start` is for the beginning of the day, which uses up no moment.
    fn moment(&mut self, mut state: P::State, left: usize, start: bool) -> Result<Cost, NotExact> {
        let settled = self.problem.canonical(&mut state);
        let key = self.problem.key(&state);
        if let Some(cost) = self.layers[left].moments.find(key, &state) {
            return Ok(settled + cost);
        }
        let now = self.problem.now(&state);
        let then = left - usize::from(self.counts && !start);
        let mut mean = 0.0;
        for branch in self.problem.branches(&state, now) {
            let mut next = state.clone();
            branch.events.iter().for_each(|event| self.problem.happen(&mut next, event));
            mean += branch.probability * self.after(next, then)?;
        }
        self.check_room()?;
        self.layers[left].moments.insert(key, state, mean);
        Ok(settled + mean)
    }

    /// What the rest of the day costs from a state in which a decision is due, and what is to be done in its canonical
    /// form.
    fn decision(
        &mut self,
        mut state: P::State,
        left: usize,
    ) -> Result<Chosen<P::Action>, NotExact> {
        let settled = self.problem.canonical(&mut state);
        let key = self.problem.key(&state);
        if let Some((cost, action)) = self.layers[left].decisions.find(key, &state) {
            return Ok((settled + cost, action));
        }
        let problem = self.problem;
        let chosen = match &mut self.leader {
            None => cheapest(problem, &state, |next| self.after(next, left))?,
            Some(leader) => {
                let (_, action) = cheapest(problem, &state, |next| leader.cost(&next))?;
                let mut next = state.clone();
                let cost = problem.apply(&mut next, action);
                (cost + self.after(next, left)?, action)
            }
        };
        self.check_room()?;
        self.layers[left].decisions.insert(key, state, chosen);
        Ok((settled + chosen.0, chosen.1))
    }

    fn check_room(&self) -> Result<(), NotExact> {
        if self.states() < self.most { Ok(()) } else { Err(NotExact::States(self.most)) }
    }

    /// The action in `state` that leads where the policy's action leads from the canonical form of `state`. Clocks stay
    /// where they are in this comparison: moved, times could differ by rounding.
    pub fn action(&mut self, state: &P::State) -> Result<P::Action, NotExact> {
        let left = self.layers.len() - 1;
        let problem = self.problem;
        let (_, action) = self.decision(state.clone(), left)?;
        let mut unnamed = state.clone();
        problem.unnamed(&mut unnamed);
        let wanted = next(problem, &unnamed, action);
        let mut menu = Menu::default();
        problem.menu(state, &mut menu);
        let legal = menu.legal().iter().map(|&slot| menu.actions()[slot as usize]);
        let mut found = legal.filter(|&action| next(problem, state, action) == wanted);
        Ok(found.next().expect("a state has the same ways to go on without its names"))
    }
}

/// The state after an action, without names.
fn next<P: Enumerable>(problem: &P, state: &P::State, action: P::Action) -> P::State {
    let mut next = state.clone();
    problem.apply(&mut next, action);
    problem.unnamed(&mut next);
    next
}

/// The legal action with the least cost, its own and that of what comes after; the lowest slot among equals.
fn cheapest<P: Problem>(
    problem: &P,
    state: &P::State,
    mut after: impl FnMut(P::State) -> Result<Cost, NotExact>,
) -> Result<Chosen<P::Action>, NotExact> {
    let mut menu = Menu::default();
    problem.menu(state, &mut menu);
    let mut best: Option<Chosen<P::Action>> = None;
    for &slot in menu.legal() {
        let action = menu.actions()[slot as usize];
        let mut next = state.clone();
        let cost = problem.apply(&mut next, action);
        let cost = cost + after(next)?;
        if best.is_none_or(|(least, _)| cost.total_cmp(&least).is_lt()) {
            best = Some((cost, action));
        }
    }
    Ok(best.expect("where a decision is due something is legal"))
}

impl<P: Enumerable> Agent<P> for Exact<'_, P> {
    fn decide(
        &mut self,
        _problem: &P,
        state: &P::State,
        _meter: &Meter<'_>,
        _rng: &mut Rng,
    ) -> Result<Decision<P::Action>, Failure> {
        let action = self.action(state).map_err(|why| Failure::Refused(why.to_string()))?;
        Ok(Decision::plain(action, 0))
    }
}
