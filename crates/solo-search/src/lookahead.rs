//! The search that we would ship: candidates compared on common futures.
//!
//! At a decision a default action and a few others are played to the end of the same sampled futures by the same rule.
//! Rollouts go where they matter by sequential halving, and the default is left only if the paired gain is beyond
//! noise. Where nothing more can come there is no noise: the best complete trajectory is kept and followed.

use crate::common::{Cut, Root, Worker};
use crate::halving::{Comparison, Costs, halve};
use crate::trajectory::Trajectory;
use crate::uct::top_k;
use crate::verdict::{FEW_FUTURES, FEWEST_FUTURES, decision, how, list_rest, unplayed, verdict};
use solo_core::{
    Agent, Budget, CostToGo, Decision, Failure, Guide, Menu, Meter, Offline, Policy, Problem, Rng,
    RolloutPolicy, Seed, Solver, StateKey, Status, Stream, params,
};

params! {
    /// candidates compared on common futures, from a plan where the problem has a planner
    pub struct LookaheadParams("lookahead") {
        /// at most this many candidates, the default included
        k: usize = 12 => Whole { low: 1, high: u32::MAX as u64 },
        /// the default is left only for a paired gain of more standard errors than this
        margin: f64 = 2.0 => Number { low: 0.0, high: f64::MAX },
        /// futures are cut after this many arrivals
        arrivals: usize = 10 => Whole { low: 1, high: u32::MAX as u64 },
        /// futures are cut after this much time; inf for never
        lookahead: f64 = f64::INFINITY => Number { low: 0.0, high: f64::INFINITY },
        /// at most this many futures are played at a decision; 0 for as many as the budget allows
        futures: usize = 0 => Whole { low: 0, high: u32::MAX as u64 },
        /// the part of the time for planning at the root; with a budget in rollouts the planner has as many iterations
        share: f64 = 0.2 => Number { low: 0.0, high: 1.0 },
        /// this many threads play
        threads: usize = 1 => Whole { low: 1, high: 64 },
    }
}

impl LookaheadParams {
    /// The most futures.
    fn most_futures(&self) -> usize {
        if self.futures == 0 { usize::MAX } else { self.futures }
    }
}

/// The part of the rest of the time that goes into the plan where there was none for a rollout: then it is to be taken
/// over.
const SHARE_OF_REST: f64 = 0.9;

/// Thinks before a search, and leaves its plan with the rule, whose choice is then the default.
pub type Prepare<P, G> = Box<
    dyn FnMut(&P, &<P as Problem>::State, &Meter<'_>, &mut Rng, &mut G) -> Result<(), Failure>
        + Send,
>;

/// What a shortlist is made for.
pub struct Listing<'l, P: Problem> {
    /// The rules.
    pub problem: &'l P,
    /// The state that is decided.
    pub state: &'l P::State,
    /// Its menu.
    pub menu: &'l Menu<P::Action>,
    /// So many different actions are enough.
    pub most: usize,
    /// What is left of the budget.
    pub meter: &'l Meter<'l>,
}

/// Appends the actions worth trying, the most promising first. Illegal ones and repetitions are ignored.
pub type Shortlist<P, G> =
    Box<dyn FnMut(&Listing<'_, P>, &mut G, &mut Vec<<P as Problem>::Action>) + Send>;

/// A shortlist by the values of a guide: waiting, then the best of the others.
pub fn by_value<P: Problem, G: Guide<P>>() -> Shortlist<P, G> {
    let mut values = Vec::new();
    let mut slots: Vec<u32> = Vec::new();
    Box::new(move |listing: &Listing<'_, P>, guide, out| {
        let Listing { problem, state, menu, most, meter } = *listing;
        out.extend(menu.actions().last());
        if guide.values_within(problem, state, menu, meter, &mut values) {
            // Waiting and the default may come twice.
            top_k(menu.legal(), &values, most.saturating_add(2), u64::from, &mut slots);
            out.extend(slots.iter().map(|&slot| menu.actions()[slot as usize]));
        }
    })
}

/// One-step lookahead by rollouts of `G`. One of it serves one day.
///
/// A budget in rollouts gives the same decision on any machine and with any number of threads. Rollouts allocate
/// nothing when warm.
pub struct Lookahead<P: Problem, G> {
    /// What can be set.
    pub params: LookaheadParams,
    pub(crate) guide: G,
    prepare: Option<Prepare<P, G>>,
    shortlist: Option<Shortlist<P, G>>,
    value: Option<Box<dyn CostToGo<P>>>,
    workers: Vec<Worker<P, G>>,
    pub(crate) best: Option<Trajectory<P>>,
    pub(crate) copy: Option<G>,
    /// The actions of the state that is thought about.
    pub(crate) menu: Menu<P::Action>,
    listed: Vec<P::Action>,
    /// What is compared, the default first.
    pub(crate) candidates: Vec<P::Action>,
    /// Whether the budget was too small for all candidates.
    fewer: bool,
    /// Whether the default is not the rule's choice, for want of time.
    pub(crate) cut: bool,
    /// Whether the day was closed when it began; `None` before the first decision.
    pub(crate) began_closed: Option<bool>,
    /// What was found while pondering, and about which state.
    pondered: Option<Pondered>,
}

/// What came of comparing candidates.
enum Compared {
    /// They were played.
    Answer(Comparison),
    /// There was no time for a rollout of more than one.
    NoTime,
    /// There was only one.
    NothingToCompare,
}

/// A search of a state that may come.
struct Pondered {
    key: StateKey,
    seed: Seed,
    known: Comparison,
}

impl<P, G> Lookahead<P, G>
where
    P: Problem,
    G: Policy<P> + Clone + Sync,
{
    /// A search that plays by `guide`, over all legal actions.
    pub fn new(guide: G, params: LookaheadParams) -> Self {
        Self {
            params,
            guide,
            prepare: None,
            shortlist: None,
            value: None,
            workers: Vec::new(),
            best: None,
            copy: None,
            menu: Menu::default(),
            listed: Vec::new(),
            candidates: Vec::new(),
            fewer: false,
            cut: false,
            began_closed: None,
            pondered: None,
        }
    }

    /// A search led by a policy that keeps a plan, with its planner and its shortlist.
    pub fn planned(params: LookaheadParams) -> Self
    where
        P: Offline,
        G: RolloutPolicy<P>,
    {
        let mut planner = G::Planner::default();
        Self::new(G::default(), params)
            .with_planner(Box::new(move |problem: &P, state, meter, rng, guide: &mut G| {
                let plan = planner.solve(problem, &problem.snapshot(state), meter, rng)?;
                guide.adopt(problem, state, &plan, meter);
                Ok(())
            }))
            .with_shortlist(Box::new(|listing: &Listing<'_, P>, guide: &mut G, out| {
                let Listing { problem, state, most, meter, .. } = *listing;
                guide.shortlist(problem, state, most, meter, out);
            }))
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

    /// Adds an estimate of what the state costs in which a shortened future ends.
    pub fn with_value(mut self, value: Option<Box<dyn CostToGo<P>>>) -> Self {
        self.value = value;
        self
    }

    /// Lets the planner think, then asks the rule: the default action.
    pub(crate) fn plan(
        &mut self,
        problem: &P,
        state: &P::State,
        share: f64,
        meter: &Meter<'_>,
        seed: Seed,
    ) -> Result<P::Action, Failure> {
        let mut rng = seed.stream(Stream::Agent, u64::MAX);
        if let Some(prepare) = &mut self.prepare {
            let part = match meter.budget() {
                Budget::Rollouts(limit) => Budget::Rollouts(limit),
                Budget::Wall(limit) => Budget::Wall(limit.mul_f64(share)),
            };
            prepare(problem, state, &meter.part(part), &mut rng, &mut self.guide)?;
        }
        let default = self.guide.choose_within(problem, state, meter, &mut rng);
        self.cut = meter.has_cut();
        Ok(default)
    }

    /// Where there was no time for a rollout, what is left of it goes into the plan. Returns the default then.
    pub(crate) fn plan_on(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        seed: Seed,
    ) -> Result<Option<P::Action>, Failure> {
        let by_time = matches!(meter.budget(), Budget::Wall(_));
        if !by_time || self.prepare.is_none() || meter.exhausted() {
            return Ok(None);
        }
        let again = Seed(seed.stream(Stream::Agent, u64::MAX).bits());
        self.plan(problem, state, SHARE_OF_REST * meter.left(), meter, again).map(Some)
    }

    /// Makes the list of candidates, the default first; `most` at most.
    pub(crate) fn list(
        &mut self,
        problem: &P,
        state: &P::State,
        default: P::Action,
        most: usize,
        meter: &Meter<'_>,
    ) {
        self.listed.clear();
        match &mut self.shortlist {
            _ if most < 2 || self.cut => {}
            Some(list) => {
                let listing = Listing { problem, state, menu: &self.menu, most, meter };
                list(&listing, &mut self.guide, &mut self.listed);
            }
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
            let known = self.candidates.contains(&action);
            if !known && problem.slot(state, &self.menu, action).is_some_and(legal) {
                self.candidates.push(action);
            }
        }
    }

    /// Plans, and compares the candidates on common futures.
    fn compare(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        seed: Seed,
    ) -> Result<Compared, Failure> {
        let default = self.plan(problem, state, self.params.share, meter, seed)?;
        let wanted = self.params.k.max(1);
        let most = match meter.budget() {
            Budget::Rollouts(limit) => wanted.min(limit as usize / FEWEST_FUTURES),
            Budget::Wall(_) => wanted,
        };
        self.list(problem, state, default, most.max(1), meter);
        self.fewer = most < wanted && self.candidates.len() == most;
        if self.candidates.len() < 2 {
            let short = most < wanted || meter.has_cut();
            return Ok(if short { Compared::NoTime } else { Compared::NothingToCompare });
        }
        let fresh = Comparison::new(self.candidates.len());
        let known = self.search(problem, state, meter, seed, fresh);
        if known.visits[0] == 0
            && let Some(default) = self.plan_on(problem, state, meter, seed)?
        {
            self.candidates = vec![default];
            return Ok(Compared::NoTime);
        }
        Ok(Compared::Answer(known))
    }

    /// Compares the candidates on common futures, going on from what is known.
    fn search(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        seed: Seed,
        known: Comparison,
    ) -> Comparison {
        let threads = self.params.threads.max(1);
        while self.workers.len() < threads {
            let value = self.value.as_ref().map(|value| value.copy());
            self.workers.push(Worker::new(problem, &self.guide, value));
        }
        let LookaheadParams { arrivals, lookahead, .. } = self.params;
        let root = Root {
            problem,
            state,
            guide: &self.guide,
            candidates: &self.candidates,
            seed,
            cut: Cut { arrivals: arrivals.max(1), lookahead },
        };
        halve(&root, &mut self.workers[..threads], self.params.most_futures(), meter, known)
    }

    /// Turns what is known into a decision.
    fn judge(&self, known: &Comparison, meter: &Meter<'_>) -> Decision<P::Action> {
        let workers = &self.workers[..self.params.threads.max(1)];
        let costs = Costs { workers, candidates: self.candidates.len() };
        let (candidates, tied) = verdict(known, &costs, &self.candidates, self.params.margin);
        let how = match known.visits[0] {
            0 => self.alone(),
            _ if self.fewer => how::FEWER,
            seen if seen < FEW_FUTURES.min(self.params.most_futures()) => how::FEW,
            _ => how::SEARCHED,
        };
        decision(candidates, how, tied, meter)
    }

    /// How the default was found where there was no time for more.
    fn alone(&self) -> &'static str {
        if self.cut { how::AT_HAND } else { how::ALONE }
    }
}

/// The next decision after `action` if nothing arrives before it; `None` if only an arrival leads on.
pub(crate) fn undisturbed<P: Problem>(
    problem: &P,
    state: &P::State,
    action: P::Action,
) -> Option<P::State> {
    let mut next = state.clone();
    problem.apply(&mut next, action);
    while let Status::Running { until } = problem.status(&next) {
        match problem.closing_time(&next).filter(|&closing| closing <= until) {
            Some(closing) => {
                problem.advance(&mut next, closing);
                problem.close(&mut next);
            }
            None => _ = problem.advance(&mut next, until),
        }
    }
    (problem.status(&next) == Status::Decide).then_some(next)
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
        // One draw a decision, whatever happens: the agent's random stream does not depend on the budget.
        let seed = Seed(rng.bits());
        let closed = problem.closing_time(state).is_none();
        self.began_closed.get_or_insert(closed);
        problem.menu(state, &mut self.menu);
        self.cut = false;
        if let [slot] = *self.menu.legal() {
            let action = self.menu.actions()[slot as usize];
            if let Some(best) = self.best.as_mut().filter(|best| best.next() == Some(action)) {
                best.advance(problem, state);
            }
            return Ok(decision(vec![unplayed(action)], how::ONLY, false, meter));
        }
        if closed {
            return self.close(problem, state, meter, seed);
        }
        let key = problem.key(state);
        let found = match self.pondered.take().filter(|pondered| pondered.key == key) {
            // The candidates and the costs are still those that were pondered.
            Some(Pondered { seed, known, .. }) => {
                Compared::Answer(self.search(problem, state, meter, seed, known))
            }
            None => self.compare(problem, state, meter, seed)?,
        };
        let how = match found {
            Compared::Answer(known) => return Ok(self.judge(&known, meter)),
            Compared::NoTime => self.alone(),
            Compared::NothingToCompare => how::SINGLE,
        };
        Ok(decision(vec![unplayed(self.candidates[0])], how, false, meter))
    }

    fn ponder(
        &mut self,
        problem: &P,
        state: &P::State,
        action: P::Action,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) {
        let seed = Seed(rng.bits());
        let Some(next) = undisturbed(problem, state, action) else { return };
        problem.menu(&next, &mut self.menu);
        if self.menu.legal().len() < 2 {
            return;
        }
        // Nobody waits for an answer: what fails here fails again, and is told, when it is asked for.
        if problem.closing_time(&next).is_none() {
            let mut best = self.best.take().unwrap_or_else(|| Trajectory::new(problem));
            best.expect(problem.key(&next));
            let _ = self.improve(problem, &next, &mut best, meter, seed);
            self.best = Some(best);
        } else if let Ok(Compared::Answer(known)) = self.compare(problem, &next, meter, seed) {
            self.pondered = Some(Pondered { key: problem.key(&next), seed, known });
        }
    }

    /// Lists what was not played, too.
    fn explain(&mut self, problem: &P, state: &P::State, decision: &mut Decision<P::Action>) {
        if let Some(evidence) = &mut decision.evidence {
            problem.menu(state, &mut self.menu);
            list_rest(&self.menu, &mut evidence.candidates);
        }
    }
}
