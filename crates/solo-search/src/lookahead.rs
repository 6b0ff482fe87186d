//! The search that we would ship: candidates compared on common futures.
//!
//! At a decision a default action and a few others are played to the end of the same sampled futures by the same rule.
//! Rollouts go where they matter by sequential halving, and the default is left only if the paired gain is beyond
//! noise. Where nothing more can come there is no noise: the best complete trajectory is kept and followed.

use crate::common::{Cut, Root, Worker};
use crate::halving::{Compared, Costs, halve};
use crate::trajectory::Trajectory;
use solo_core::{
    Agent, Budget, Candidate, Decision, Evidence, Failure, Guide, Menu, Meter, Policy, Problem,
    Rng, Seed, Stream, Time,
};

/// What can be set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// At most so many candidates, the default included.
    pub k: usize,
    /// The default is left only for a paired gain of more than so many standard errors.
    pub margin: f64,
    /// Futures are cut after so many arrivals.
    pub arrivals: usize,
    /// Futures are cut after so much time.
    pub lookahead: Time,
    /// At most so many futures are played at a decision.
    pub futures: usize,
    /// The part of the time that a planner at the root gets. It has as many iterations as there are rollouts if the
    /// budget is in rollouts.
    pub share: f64,
    /// So many threads play.
    pub threads: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            k: 8,
            margin: 1.0,
            arrivals: usize::MAX,
            lookahead: Time::INFINITY,
            futures: usize::MAX,
            share: 0.2,
            threads: 1,
        }
    }
}

/// Thinks before a search, and leaves its plan with the rule, whose choice is then the default.
pub type Prepare<P, G> = Box<
    dyn FnMut(&P, &<P as Problem>::State, &Meter<'_>, &mut Rng, &mut G) -> Result<(), Failure>
        + Send,
>;

/// Appends the actions worth trying, the most promising first. Illegal ones and repetitions are ignored.
pub type Shortlist<P, G> = Box<
    dyn FnMut(
            &P,
            &<P as Problem>::State,
            &Menu<<P as Problem>::Action>,
            &mut G,
            &mut Vec<<P as Problem>::Action>,
        ) + Send,
>;

/// A shortlist by the values of a guide: waiting, then the best of the others.
pub fn by_value<P: Problem, G: Guide<P>>() -> Shortlist<P, G> {
    let mut values = Vec::new();
    let mut slots: Vec<u32> = Vec::new();
    Box::new(move |problem, state, menu, guide, out| {
        guide.values(problem, state, menu, &mut values);
        slots.clear();
        slots.extend(menu.legal());
        slots.sort_by(|&a, &b| values[b as usize].total_cmp(&values[a as usize]));
        out.extend(menu.actions().last());
        out.extend(slots.iter().map(|&slot| menu.actions()[slot as usize]));
    })
}

/// One-step lookahead by rollouts of `G`. One of it serves one day.
///
/// A budget in rollouts gives the same decision on any machine and with any number of threads. Rollouts allocate
/// nothing when warm.
pub struct Lookahead<P: Problem, G> {
    /// What can be set.
    pub params: Params,
    guide: G,
    prepare: Option<Prepare<P, G>>,
    shortlist: Option<Shortlist<P, G>>,
    workers: Vec<Worker<P, G>>,
    best: Option<Trajectory<P>>,
    copy: Option<G>,
    menu: Menu<P::Action>,
    listed: Vec<P::Action>,
    candidates: Vec<P::Action>,
}

/// How an answer was reached.
mod how {
    pub(super) const ONLY: &str = "the only legal action";
    pub(super) const SINGLE: &str = "the rule's choice: nothing else was worth trying";
    pub(super) const ALONE: &str = "the rule's choice: no time for a rollout";
    pub(super) const SEARCHED: &str = "searched on common futures";
    pub(super) const FEWER: &str =
        "searched on common futures, with fewer candidates: no time for all";
    pub(super) const BEST: &str = "the best trajectory found: nothing more can come";
}

/// With fewer futures than this a standard error says nothing, and the default stands.
const FEWEST_FUTURES: usize = 4;

impl<P, G> Lookahead<P, G>
where
    P: Problem,
    G: Policy<P> + Clone + Sync,
{
    /// A search that plays by `guide`, over all legal actions.
    pub fn new(guide: G, params: Params) -> Self {
        Self {
            params,
            guide,
            prepare: None,
            shortlist: None,
            workers: Vec::new(),
            best: None,
            copy: None,
            menu: Menu::default(),
            listed: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Lets somebody plan at the root first.
    pub fn with_planner(mut self, prepare: Prepare<P, G>) -> Self {
        self.prepare = Some(prepare);
        self
    }

    /// Tries only what is on the list.
    pub fn with_shortlist(mut self, shortlist: Shortlist<P, G>) -> Self {
        self.shortlist = Some(shortlist);
        self
    }

    /// Lets the planner think, then asks the rule: the default action.
    fn plan(
        &mut self,
        problem: &P,
        state: &P::State,
        share: f64,
        meter: &Meter<'_>,
        seed: Seed,
    ) -> Result<P::Action, Failure> {
        let mut dice = seed.stream(Stream::Agent, u64::MAX);
        if let Some(prepare) = &mut self.prepare {
            let part = match meter.budget() {
                Budget::Rollouts(limit) => Budget::Rollouts(limit),
                Budget::Wall(limit) => Budget::Wall(limit.mul_f64(share)),
            };
            prepare(problem, state, &meter.part(part), &mut dice, &mut self.guide)?;
        }
        Ok(self.guide.choose(problem, state, &mut dice))
    }

    /// Makes the list of candidates, the default first; `most` at most.
    fn list(&mut self, problem: &P, state: &P::State, default: P::Action, most: usize) {
        self.listed.clear();
        match &mut self.shortlist {
            Some(list) => list(problem, state, &self.menu, &mut self.guide, &mut self.listed),
            None => {
                let legal = self.menu.legal().iter().rev();
                self.listed.extend(legal.map(|&slot| self.menu.actions()[slot as usize]));
            }
        }
        self.candidates.clear();
        self.candidates.push(default);
        for &action in &self.listed {
            if self.candidates.len() >= most {
                break;
            }
            let legal = |slot| self.menu.reason(slot).is_none();
            if !self.candidates.contains(&action) && self.menu.slot(action).is_some_and(legal) {
                self.candidates.push(action);
            }
        }
    }

    /// Compares the candidates on common futures.
    fn search(&mut self, problem: &P, state: &P::State, meter: &Meter<'_>, seed: Seed) -> Compared {
        let threads = self.params.threads.max(1);
        while self.workers.len() < threads {
            self.workers.push(Worker::new(problem, &self.guide));
        }
        let Params { arrivals, lookahead, .. } = self.params;
        let root = Root {
            problem,
            state,
            guide: &self.guide,
            candidates: &self.candidates,
            seed,
            cut: Cut { arrivals: arrivals.max(1), lookahead },
        };
        halve(&root, &mut self.workers[..threads], self.params.futures.max(1), meter)
    }

    /// Turns what is known into a decision.
    fn judge(&self, known: &Compared, how: &'static str, rollouts: u64) -> Decision<P::Action> {
        let costs = Costs {
            workers: &self.workers[..self.params.threads.max(1)],
            candidates: self.candidates.len(),
        };
        let futures = known.visits[0];
        let best = known.alive[0];
        let (gain, error) =
            if futures > 0 { costs.difference(0, best, futures) } else { (0.0, f64::INFINITY) };
        let leave = best != 0 && futures >= FEWEST_FUTURES && gain > self.params.margin * error;
        let chosen = if leave { best } else { 0 };
        let how = if futures == 0 { how::ALONE } else { how };
        let mut order: Vec<usize> = (0..self.candidates.len()).collect();
        order.sort_by(|&a, &b| {
            let rank = |c: usize| (c != chosen, usize::MAX - known.visits[c]);
            rank(a).cmp(&rank(b)).then(known.means[a].total_cmp(&known.means[b]))
        });
        let paired =
            |c: usize| (known.visits[c] > 1).then(|| costs.difference(c, chosen, known.visits[c]));
        let tied = order
            .get(1)
            .and_then(|&second| paired(second))
            .is_none_or(|(gap, error)| gap.abs() <= self.params.margin * error);
        let candidate = |c: usize| Candidate {
            action: self.candidates[c],
            visits: known.visits[c] as u64,
            mean: known.means[c],
            error: if c == chosen { None } else { paired(c).map(|(_, error)| error) },
            value: None,
            masked: None,
        };
        let evidence =
            Evidence { how, candidates: order.iter().map(|&c| candidate(c)).collect(), tied };
        Decision { action: self.candidates[chosen], rollouts, evidence: Some(Box::new(evidence)) }
    }

    /// Nothing more can come: plans with half of the time, tries every candidate once, then strays from the best.
    fn close(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        seed: Seed,
    ) -> Result<Decision<P::Action>, Failure> {
        let default = self.plan(problem, state, CLOSED_SHARE, meter, seed)?;
        self.list(problem, state, default, self.params.k.max(1));
        let best = self.best.get_or_insert_with(|| Trajectory::new(problem));
        best.expect(problem.key(state));
        let guide = self.copy.get_or_insert_with(|| self.guide.clone());
        let mut costs = vec![f64::NAN; self.candidates.len()];
        let mut dice = seed.stream(Stream::Agent, 0);
        // Inside a rollout only the clock and the stop count: a budget in rollouts ends between them.
        let within = meter.part(match meter.budget() {
            Budget::Rollouts(_) => Budget::Rollouts(u64::MAX),
            Budget::Wall(limit) => Budget::Wall(limit.saturating_sub(meter.elapsed())),
        });
        let mut tried = 0;
        while !meter.exhausted() {
            guide.clone_from(&self.guide);
            let cost = match self.candidates.get(tried) {
                Some(&first) => {
                    let first = (tried > 0).then_some(first);
                    best.try_first(problem, state, first, guide, &mut dice, &within)
                }
                None if best.next().is_some() => {
                    best.stray(problem, state, guide, &mut dice, &within)
                }
                None => None,
            };
            let Some(cost) = cost else { break };
            if let Some(known) = costs.get_mut(tried) {
                *known = cost;
            }
            tried += 1;
            meter.spend();
        }
        let action = best.next().unwrap_or(default);
        let how = if best.next().is_some() { how::BEST } else { how::ALONE };
        let candidate = |(&action, &cost): (&P::Action, &f64)| Candidate {
            action,
            visits: u64::from(!cost.is_nan()),
            mean: cost,
            error: None,
            value: None,
            masked: None,
        };
        let mut candidates: Vec<_> = self.candidates.iter().zip(&costs).map(candidate).collect();
        match candidates.iter_mut().find(|candidate| candidate.action == action) {
            Some(chosen) if best.next().is_some() => chosen.mean = best.cost(),
            Some(_) => {}
            None => candidates.push(candidate((&action, &best.cost()))),
        }
        candidates.sort_by(|a, b| {
            (a.action != action).cmp(&(b.action != action)).then(a.mean.total_cmp(&b.mean))
        });
        let tied = candidates.get(1).is_some_and(|second| second.mean <= candidates[0].mean);
        best.advance(problem, state);
        let evidence = Evidence { how, candidates, tied };
        Ok(Decision { action, rollouts: meter.spent(), evidence: Some(Box::new(evidence)) })
    }
}

/// The part of the time for the planner where nothing more can come.
const CLOSED_SHARE: f64 = 0.5;

fn simple<A: Copy>(action: A, how: &'static str) -> Decision<A> {
    let candidate =
        Candidate { action, visits: 0, mean: f64::NAN, error: None, value: None, masked: None };
    let evidence = Evidence { how, candidates: vec![candidate], tied: false };
    Decision { action, rollouts: 0, evidence: Some(Box::new(evidence)) }
}

impl<P, G> Agent<P> for Lookahead<P, G>
where
    P: Problem,
    G: Policy<P> + Clone + Sync,
{
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<P::Action>, Failure> {
        // One draw a decision, whatever happens: the dice do not depend on the budget.
        let seed = Seed(rng.bits());
        problem.menu(state, &mut self.menu);
        if let [slot] = *self.menu.legal() {
            let action = self.menu.actions()[slot as usize];
            if let Some(best) = self.best.as_mut().filter(|best| best.next() == Some(action)) {
                best.advance(problem, state);
            }
            return Ok(simple(action, how::ONLY));
        }
        if problem.closing_time(state).is_none() {
            return self.close(problem, state, meter, seed);
        }
        let default = self.plan(problem, state, self.params.share, meter, seed)?;
        let wanted = self.params.k.max(1);
        let most = match meter.budget() {
            Budget::Rollouts(limit) => wanted.min(limit as usize / FEWEST_FUTURES),
            Budget::Wall(_) => wanted,
        };
        self.list(problem, state, default, most.max(2).min(wanted));
        if most < 2 && wanted > 1 {
            return Ok(simple(default, how::ALONE));
        }
        if self.candidates.len() < 2 {
            return Ok(simple(default, how::SINGLE));
        }
        let fewer = most < wanted && self.candidates.len() == most;
        let known = self.search(problem, state, meter, seed);
        let how = if fewer { how::FEWER } else { how::SEARCHED };
        Ok(self.judge(&known, how, meter.spent()))
    }
}
