//! The paper's Algorithm 1: Monte Carlo tree search with pruned actions, guided by a rule or a network.
//!
//! Where the paper maximises rewards, costs are minimised here. Its names are kept: `set_state`, `top_k`, `ucb`,
//! `step`, `t_out`, `rho`, `update_tree`; r_max and t_max are the [`Meter`]. What the paper leaves open:
//!
//! - `env.set_seed(seed)` gives the search a random stream of its own, never the world's; see [`Futures`].
//! - An action that was never sampled has an infinite bound: such actions come first, in the order of the guide's
//!   values.
//! - beta is in units of the spread of the returns that this decision's rollouts have had at the root so far: their
//!   standard deviation, at its largest. So one number fits any unit of cost.
//! - After a rollout has left the tree it is played by the guide to its end, also if it meets the tree again.
//! - Once nothing more can arrive the tree is kept between decisions, as the paper's counters, which are inputs,
//!   suggest.
//! - A root with a single candidate is answered without rollouts.
//!
//! The answer is the candidate with the best mean, as published, or the sure one; see [`Answer`].

use crate::common::DECISION;
use crate::explain::{ALONE, AT_HAND, Returns, Root, brief, evidence};
use crate::futures::{Futures, SampledFutures};
use crate::trajectory::Trajectory;
use crate::tree::{Known, Tree};
use crate::verdict::by_time;
use solo_core::{
    Agent, Budget, Cost, Decision, Failure, Guide, Menu, Meter, NoTime, Problem, Rng, Seed, Status,
    Tape, params, settle, words,
};

params! {
    /// the paper's tree search (Algorithm 1)
    ///
    /// The defaults are good ones for both problems, found on generated scenarios; the paper states none. The lookahead
    /// is one interval of the scheduling days with three machines: more only adds noise there, and routing days are
    /// shorter than that.
    pub struct UctParams("") {
        /// how much is explored, in units of the spread of the returns
        beta: f64 = 2.0 => Number { low: 0.0, high: f64::MAX },
        /// what a step's cost counts against the cost of the step before
        gamma: f64 = 1.0 => Number { low: 0.0, high: 1.0 },
        /// how many actions are considered, the best by the guide, ties at random; 0 for all
        k: usize = 0 => Whole { low: 0, high: u32::MAX as u64 },
        /// rollouts expect arrivals only this far into the future; inf for all
        lookahead: f64 = 130.0 => Number { low: 0.0, high: f64::INFINITY },
        /// whether the root's actions meet the same sampled futures
        futures: Futures = Futures::Common => Choice(Futures::WORDS),
        /// after n visits at most 1 + widen sqrt(n) actions are considered, the best by the guide; inf for all, as
        /// published
        widen: f64 = f64::INFINITY => Number { low: 0.0, high: f64::INFINITY },
        /// mean: the action with the best mean, as published; sure: the guide's choice unless another is better beyond
        /// noise, and the best rollout where nothing more can come
        answer: Answer = Answer::Mean => Choice(Answer::WORDS),
        /// where waiting is considered: always, or only on days on which something comes later, as published
        wait: Waiting = Waiting::Always => Choice(Waiting::WORDS),
    }
}

/// How an answer follows from the rollouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The candidate with the best mean, as published.
    Mean,
    /// The guide's choice, unless another one is better beyond noise on the same futures. Where nothing more can come
    /// there is no noise: the next step of the best rollout so far. So a few dozen rollouts do no harm.
    Sure,
}

words!(Answer { Mean: "mean", Sure: "sure" });

/// Where the tree considers waiting, the paper's `noop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// Wherever it is legal.
    Always,
    /// Only online. The paper disables waiting where everything is there from the start.
    Online,
}

words!(Waiting { Always: "always", Online: "online" });

impl UctParams {
    /// Algorithm 1 as printed: every action is sampled once, the best mean answers, nothing is pruned, and offline there
    /// is no waiting.
    pub fn as_printed() -> Self {
        Self { wait: Waiting::Online, ..Self::default() }
    }
}

/// The guide's choice is left for a gain of more than this many paired standard errors.
const MARGIN: f64 = 1.0;

/// A step of a rollout within the tree: the paper's <s, a, r>.
#[derive(Clone, Copy, Debug)]
struct Step {
    state: usize,
    choice: usize,
    cost: Cost,
}

/// Searches by Algorithm 1 with the guide `G`. Everything that rollouts need is allocated once and reused.
pub struct Uct<P: Problem, G> {
    params: UctParams,
    guide: G,
    tree: Tree<P::Action>,
    futures: SampledFutures<P::Event>,
    returns: Returns,
    /// The state that rollouts are played on.
    env: Option<P::State>,
    /// The steps of a rollout up to `t_out`.
    rho: Vec<Step>,
    /// The actions of a rollout, and the best rollout of a state where nothing more can come.
    path: Vec<P::Action>,
    best: Option<Trajectory<P>>,
    menu: Menu<P::Action>,
    values: Vec<f64>,
    ranked: Vec<u32>,
    /// Whether everything is there from the start; not known before the first search in a problem.
    offline: Option<bool>,
}

impl<P: Problem, G: Guide<P>> Uct<P, G> {
    /// A search that is guided by `guide`.
    pub fn new(guide: G, params: UctParams) -> Self {
        Self {
            params,
            guide,
            tree: Tree::default(),
            futures: SampledFutures::default(),
            returns: Returns::default(),
            env: None,
            rho: Vec::new(),
            path: Vec::new(),
            best: None,
            menu: Menu::default(),
            values: Vec::new(),
            ranked: Vec::new(),
            offline: None,
        }
    }

    /// Forgets what was learned at earlier decisions. Needed before a search in another problem.
    pub fn forget(&mut self) {
        self.tree.clear();
        self.best = None;
        self.offline = None;
    }

    /// Plays rollouts from `state` until the budget is spent. Allocates nothing when warm.
    pub fn search(&mut self, problem: &P, state: &P::State, meter: &Meter<'_>, rng: &mut Rng) {
        let until = problem.now(state) + self.params.lookahead;
        self.futures.begin(Seed(rng.bits()), until);
        let open = problem.closing_time(state).is_some();
        if open || self.tree.is_half_full() {
            self.tree.clear();
        }
        if open || self.params.answer == Answer::Mean {
            self.best = None;
        } else {
            self.best.get_or_insert_with(|| Trajectory::new(problem)).expect(problem.key(state));
        }
        let mut env = self.env.take().unwrap_or_else(|| state.clone());
        // Inside a rollout only the clock and the stop count: a budget in rollouts ends between them.
        let within = meter.inside();
        let root = self.choose_inside(problem, state, &within);
        let candidates = root.map_or(0, |root| self.tree.actions(root.state).len());
        self.returns.begin(candidates);
        while candidates > 1 && !meter.exhausted() {
            if !self.rollout(problem, state, &mut env, &within) {
                break;
            }
            meter.spend();
        }
        if within.has_cut() {
            meter.cut();
        }
        self.env = Some(env);
    }

    /// What is known of the root's candidates after [`Uct::search`], in the order of the guide's values.
    pub fn root(&self, problem: &P, state: &P::State) -> &[Known<P::Action>] {
        self.tree.find(problem.key(state)).map_or(&[], |root| self.tree.actions(root))
    }

    /// One rollout: down the tree, one new state, by the guide to the end. False if time ran out, and nothing is
    /// learned.
    fn rollout(
        &mut self,
        problem: &P,
        root: &P::State,
        env: &mut P::State,
        meter: &Meter<'_>,
    ) -> bool {
        // set_state
        env.clone_from(root);
        self.rho.clear();
        self.path.clear();
        let mut inside = self.choose_inside(problem, root, meter);
        let j = match (self.params.futures, inside) {
            (Futures::Common, Some(first)) => self.returns.visits(first.choice),
            _ => self.returns.len(),
        };
        if !self.futures.put_on(problem, root, j, meter) {
            return false;
        }
        let mut rng = self.futures.rng(j);
        // rho up to t_out, where n_s is 0
        while let Some(mut now) = inside {
            let t_out = self.tree.visits(now.state) == 0;
            let action = self.tree.actions(now.state)[now.choice].action;
            now.cost = step(problem, env, self.futures.current(), action);
            self.path.push(action);
            self.rho.push(now);
            let ends = t_out || problem.status(env) != Status::Decide;
            inside = if ends { None } else { self.choose_inside(problem, env, meter) };
        }
        // rho after t_out, by the guide
        let (mut rest, mut plain, mut discount) = (0.0, 0.0, 1.0);
        while problem.status(env) == Status::Decide {
            let action = self.guide.choose_within(problem, env, meter, &mut rng);
            if meter.cuts(DECISION) {
                return false;
            }
            let cost = step(problem, env, self.futures.current(), action);
            self.path.push(action);
            rest += discount * cost;
            plain += cost;
            discount *= self.params.gamma;
        }
        if meter.has_cut() {
            return false;
        }
        if let Some(best) = &mut self.best {
            plain += self.rho.iter().map(|step| step.cost).sum::<Cost>();
            best.offer(&self.path, plain);
        }
        self.update_tree(rest);
        true
    }

    /// The choice in a state of the tree, to which it is added if it is new; then the choice is the guide's best.
    /// `None` if there is no room for it, or no time.
    fn choose_inside(&mut self, problem: &P, state: &P::State, meter: &Meter<'_>) -> Option<Step> {
        let state = match self.tree.find(problem.key(state)) {
            Some(found) => found,
            None => self.add(problem, state, meter)?,
        };
        Some(Step { state, choice: self.ucb(state), cost: 0.0 })
    }

    /// Makes `ranked` the `top_k` slots of a state's menu; false if there was no time.
    fn rank(&mut self, problem: &P, state: &P::State, meter: &Meter<'_>) -> bool {
        problem.menu(state, &mut self.menu);
        let (menu, values) = (&self.menu, &mut self.values);
        let known = !meter.cuts(menu.len())
            && self.guide.values_within(problem, state, menu, meter, values)
            && !meter.cuts(menu.len());
        if known {
            let barred = self.params.wait == Waiting::Online
                && *self.offline.get_or_insert_with(|| offline(problem));
            let slots = match menu.legal() {
                // Waiting is the last action of every menu.
                [others @ .., last]
                    if barred && *last as usize + 1 == menu.len() && !others.is_empty() =>
                {
                    others
                }
                all => all,
            };
            let seed = self.futures.seed();
            top_k(slots, values, self.params.k, |slot| scattered(seed, slot), &mut self.ranked);
        }
        known
    }

    /// Adds a state with its `top_k` actions.
    fn add(&mut self, problem: &P, state: &P::State, meter: &Meter<'_>) -> Option<usize> {
        if !self.rank(problem, state, meter) {
            return None;
        }
        let actions = self.menu.actions();
        let candidates = self.ranked.iter().map(|&slot| actions[slot as usize]);
        self.tree.add(problem.key(state), candidates)
    }

    /// The action with the least Q - beta sqrt(ln n_s / n_sa); before that, the first that was never sampled.
    fn ucb(&self, state: usize) -> usize {
        let visits = f64::from(self.tree.visits(state));
        let all = self.tree.actions(state);
        let wide = (1.0 + self.params.widen * visits.sqrt()).min(all.len() as f64);
        let actions = if visits > 0.0 { &all[..wide as usize] } else { &all[..1] };
        if let Some(unsampled) = actions.iter().position(|known| known.visits == 0) {
            return unsampled;
        }
        let beta = self.params.beta * self.returns.spread();
        let log = visits.ln();
        let bound =
            |known: &Known<P::Action>| known.mean - beta * (log / f64::from(known.visits)).sqrt();
        let (mut best, mut least) = (0, bound(&actions[0]));
        for (choice, known) in actions.iter().enumerate().skip(1) {
            let bound = bound(known);
            if bound < least {
                (best, least) = (choice, bound);
            }
        }
        best
    }

    /// Adds the rollout to the counters and means of its states up to `t_out`; `rest` is the discounted cost after it.
    fn update_tree(&mut self, rest: Cost) {
        let mut total = rest;
        for step in self.rho.iter().rev() {
            total = step.cost + self.params.gamma * total;
            self.tree.learn(step.state, step.choice, total);
        }
        if let Some(first) = self.rho.first() {
            self.returns.push(first.choice, total);
        }
    }

    /// The answer as [`Answer`] has it; the guide's choice if nothing is known of any candidate.
    fn answer(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> P::Action {
        if let Some(best) = &mut self.best
            && let Some(action) = best.next()
        {
            best.advance(problem, state);
            return action;
        }
        let known = self.root(problem, state);
        let sampled = (0..known.len()).filter(|&c| known[c].visits > 0);
        let best = sampled.min_by(|&a, &b| known[a].mean.total_cmp(&known[b].mean));
        let sure = |best: usize| match self.params.answer {
            Answer::Sure if !self.returns.better(best, 0, MARGIN) => 0,
            _ => best,
        };
        match best.map(sure) {
            Some(best) => known[best].action,
            // Time is up, but the guide has said what it likes best.
            None if known.len() > 1 && matches!(meter.budget(), Budget::Wall(_)) => known[0].action,
            None => self.guide.choose_within(problem, state, meter, rng),
        }
    }
}

/// Whether everything is there from the start.
fn offline<P: Problem>(problem: &P) -> bool {
    let start = problem.initial();
    problem.closing_time(&start).is_none_or(|closing| closing <= problem.now(&start))
}

/// Carries out an action and lets time run to the next decision; returns what that cost.
#[inline]
fn step<P: Problem>(
    problem: &P,
    env: &mut P::State,
    tape: &mut Tape<P::Event>,
    action: P::Action,
) -> Cost {
    problem.apply(env, action) + settle(problem, env, tape)
}

/// The `k` legal slots with the largest values, best first; all of them if `k` is 0. Which of equal ones are kept is
/// settled by `tie`, the least first; those that are kept come in the order of their slots.
pub(crate) fn top_k(
    legal: &[u32],
    values: &[f64],
    k: usize,
    tie: impl Fn(u32) -> u64,
    ranked: &mut Vec<u32>,
) {
    let better = |a: u32, b: u32| values[b as usize].total_cmp(&values[a as usize]);
    ranked.clear();
    ranked.extend_from_slice(legal);
    if k > 0 && k < ranked.len() {
        ranked
            .select_nth_unstable_by(k - 1, |&a, &b| better(a, b).then_with(|| tie(a).cmp(&tie(b))));
        ranked.truncate(k);
    }
    ranked.sort_unstable_by(|&a, &b| better(a, b).then(a.cmp(&b)));
}

/// A number that has nothing to do with the order of slots, the same for a slot within a decision.
fn scattered(seed: Seed, slot: u32) -> u64 {
    let mixed = (seed.0 ^ u64::from(slot)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

impl<P: Problem, G: Guide<P>> Agent<P> for Uct<P, G> {
    fn decide(
        &mut self,
        problem: &P,
        state: &P::State,
        meter: &Meter<'_>,
        rng: &mut Rng,
    ) -> Result<Decision<P::Action>, Failure> {
        self.search(problem, state, meter, rng);
        let action = self.answer(problem, state, meter, rng);
        if matches!(meter.budget(), Budget::Rollouts(_)) {
            // A guide that keeps a plan finds back from the rollouts. By the clock it does so at the next decision.
            self.rank(problem, state, &meter.inside());
        }
        let known = self.root(problem, state);
        let common = self.params.futures == Futures::Common;
        let mut evidence = brief(action, known, &self.returns, common);
        if known.is_empty() && meter.has_cut() {
            evidence.how = AT_HAND;
        }
        let no_time = match evidence.how {
            ALONE => by_time(NoTime::Rollout, meter),
            AT_HAND => by_time(NoTime::Guide, meter),
            _ => None,
        };
        let rollouts = meter.spent();
        Ok(Decision { action, rollouts, no_time, evidence: Some(Box::new(evidence)) })
    }

    /// Lists all actions, with the guide's values.
    fn explain(&mut self, problem: &P, state: &P::State, decision: &mut Decision<P::Action>) {
        self.rank(problem, state, &Meter::unlimited());
        let mut evidence = evidence(
            decision.action,
            &Root {
                menu: &self.menu,
                values: &self.values,
                ranked: &self.ranked,
                known: self.root(problem, state),
                returns: &self.returns,
                common: self.params.futures == Futures::Common,
            },
        );
        if let Some(brief) = &decision.evidence {
            evidence.how = brief.how;
        }
        decision.evidence = Some(Box::new(evidence));
    }
}
