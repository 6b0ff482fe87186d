//! Lower bounds on the cost of every online policy: the day known, and paid for.

use super::table::Table;
use super::{Chosen, Exact, NotExact, Rest, cheapest, check_law, run};
use solo_core::{Cost, CostToGo, Enumerable, Time, Timed};

/// What a state, all that is due having come, will still cost: exactly or roughly. Any function of the state alone makes
/// a valid bound; the nearer it is to the truth the tighter.
pub trait CostAfter<P: Enumerable> {
    /// The cost.
    fn cost_after(&mut self, problem: &P, state: &P::State) -> Result<Cost, NotExact>;
}

impl<P: Enumerable> CostAfter<P> for Exact<'_, P> {
    fn cost_after(&mut self, _problem: &P, state: &P::State) -> Result<Cost, NotExact> {
        self.cost(state)
    }
}

/// A learned value at the horizon as a rough cost. That it leaves out what an empty system would cost does not matter
/// where that is the same whatever comes.
pub struct Learned<P>(pub Box<dyn CostToGo<P>>);

impl<P: Enumerable> CostAfter<P> for Learned<P> {
    fn cost_after(&mut self, problem: &P, state: &P::State) -> Result<Cost, NotExact> {
        Ok(self.0.cost(problem, state))
    }
}

/// States in their canonical form have smaller ids than this.
const FRESH: u32 = 1 << 24;

/// The penalised information relaxation of Brown, Smith & Sun (2010): the best decisions of someone who knows the day,
/// but pays, at every moment at which something may come, what he expected the state to cost beforehand less what it
/// costs (by [`CostAfter`]) now that he knows. Whoever decides without knowing the future expects to pay nothing for
/// that, so the mean over days of [`Relaxation::bound`] is a lower bound for every online policy. Without a value it is
/// the mean of hindsight; with the exact one every single day costs the optimum.
pub struct Relaxation<'p, P: Enumerable> {
    problem: &'p P,
    value: Option<Box<dyn CostAfter<P> + 'p>>,
    /// The mean of the value over what may come, by the state before.
    means: Table<P, Cost>,
    values: Table<P, Cost>,
    decisions: Table<P, Chosen<P::Action>>,
    moments: Table<P, Cost>,
    day: Vec<Timed<P::Event>>,
    most: usize,
}

impl<'p, P: Enumerable> Relaxation<'p, P> {
    /// Hindsight: the day known, and nothing paid for that.
    pub fn hindsight(problem: &'p P, most: usize) -> Result<Self, NotExact> {
        check_law(problem)?;
        Ok(Self {
            problem,
            value: None,
            means: Table::new(),
            values: Table::new(),
            decisions: Table::new(),
            moments: Table::new(),
            day: Vec::new(),
            most,
        })
    }

    /// The day known, and paid for by this value.
    pub fn penalised(
        problem: &'p P,
        value: Box<dyn CostAfter<P> + 'p>,
        most: usize,
    ) -> Result<Self, NotExact> {
        Ok(Self { value: Some(value), ..Self::hindsight(problem, most)? })
    }

    /// How many states of the last day were looked at.
    pub fn states(&self) -> usize {
        self.decisions.len() + self.moments.len()
    }

    /// The least cost, payments included, of a day that is known; the mean over days drawn from the law is the bound.
    pub fn bound(&mut self, day: &[Timed<P::Event>]) -> Result<Cost, NotExact> {
        let events = (FRESH..).zip(day);
        self.day.clear();
        self.day.extend(events.map(|(id, event)| Timed {
            time: event.time,
            what: self.problem.numbered(&event.what, id),
        }));
        self.decisions.clear();
        self.moments.clear();
        let start = self.problem.initial();
        match self.problem.next_moment(&start, Time::NEG_INFINITY) {
            Some(first) if first <= self.problem.now(&start) => self.moment(start),
            _ => self.after(start),
        }
    }

    /// What a policy that does not know the day would have paid on it. That is nothing on average, whatever the policy:
    /// so it can be taken from bounds and costs of the same day, whose mean stays and whose noise shrinks.
    pub fn paid(
        &mut self,
        day: &[Timed<P::Event>],
        policy: &mut Exact<'_, P>,
    ) -> Result<Cost, NotExact> {
        if self.value.is_none() {
            return Ok(0.0);
        }
        let problem = self.problem;
        let mut state = problem.initial();
        let (mut paid, mut begun) = (0.0, false);
        loop {
            let first = problem.next_moment(&state, Time::NEG_INFINITY);
            let at_start = !begun && first.is_some_and(|first| first <= problem.now(&state));
            begun = true;
            let rest = if at_start { Rest::Moment } else { run(problem, &mut state, false).1 };
            match rest {
                Rest::Done => return Ok(paid),
                Rest::Decision => {
                    let action = policy.action(&state)?;
                    problem.apply(&mut state, action);
                }
                Rest::Moment => {
                    problem.canonical(&mut state);
                    let mean = self.mean(&state)?;
                    let now = problem.now(&state);
                    for (id, event) in (FRESH..).zip(day).filter(|(_, event)| event.time == now) {
                        problem.happen(&mut state, &problem.numbered(&event.what, id));
                    }
                    paid += mean - self.value(state.clone())?;
                }
            }
        }
    }

    fn after(&mut self, mut state: P::State) -> Result<Cost, NotExact> {
        let (cost, rest) = run(self.problem, &mut state, false);
        Ok(cost
            + match rest {
                Rest::Done => 0.0,
                Rest::Decision => self.decision(state)?,
                Rest::Moment => self.moment(state)?,
            })
    }

    fn decision(&mut self, mut state: P::State) -> Result<Cost, NotExact> {
        let settled = self.problem.canonical(&mut state);
        let key = self.problem.key(&state);
        if let Some((cost, _)) = self.decisions.find(key, &state) {
            return Ok(settled + cost);
        }
        let chosen = cheapest(self.problem, &state, |next| self.after(next))?;
        self.check_room()?;
        self.decisions.insert(key, state, chosen);
        Ok(settled + chosen.0)
    }

    /// What the day brings now, with what is paid for having known it.
    fn moment(&mut self, mut state: P::State) -> Result<Cost, NotExact> {
        let settled = self.problem.canonical(&mut state);
        let key = self.problem.key(&state);
        if let Some(cost) = self.moments.find(key, &state) {
            return Ok(settled + cost);
        }
        let now = self.problem.now(&state);
        let mut next = state.clone();
        let due = self.day.iter().filter(|event| event.time == now);
        due.for_each(|event| self.problem.happen(&mut next, &event.what));
        let paid = match self.value {
            Some(_) => self.mean(&state)? - self.value(next.clone())?,
            None => 0.0,
        };
        let cost = paid + self.after(next)?;
        self.check_room()?;
        self.moments.insert(key, state, cost);
        Ok(settled + cost)
    }

    /// The value of a state, kept from day to day.
    fn value(&mut self, mut state: P::State) -> Result<Cost, NotExact> {
        let settled = self.problem.canonical(&mut state);
        let key = self.problem.key(&state);
        if let Some(cost) = self.values.find(key, &state) {
            return Ok(settled + cost);
        }
        let value = self.value.as_mut().expect("asked only where there is one");
        let cost = value.cost_after(self.problem, &state)?;
        self.values.insert(key, state, cost);
        Ok(settled + cost)
    }

    /// The mean of the value over everything that may come now, kept from day to day.
    fn mean(&mut self, state: &P::State) -> Result<Cost, NotExact> {
        let key = self.problem.key(state);
        if let Some(mean) = self.means.find(key, state) {
            return Ok(mean);
        }
        let mut mean = 0.0;
        for branch in self.problem.branches(state, self.problem.now(state)) {
            let mut next = state.clone();
            branch.events.iter().for_each(|event| self.problem.happen(&mut next, event));
            mean += branch.probability * self.value(next)?;
        }
        self.means.insert(key, state.clone(), mean);
        Ok(mean)
    }

    fn check_room(&self) -> Result<(), NotExact> {
        let all = self.states() + self.values.len() + self.means.len();
        if all < self.most { Ok(()) } else { Err(NotExact::States(self.most)) }
    }
}
