//! States with what each of their options costs, found by playing all of them on common futures.

use crate::codec::{Reader, Writer};
use crate::episode::{Days, Episode};
use solo_core::{
    Cost, Domain, Features, Options, Outlook, Policy, Problem, Rng, Seed, Stream, Tape, Time,
    rollout_until,
};
use solo_nn::{Scorer, Valued};
use std::sync::Arc;
use std::thread;

/// Labelled states, one behind the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Labels {
    global: Vec<f32>,
    rows: Vec<f32>,
    /// What each option costs more than the best of its state.
    regrets: Vec<f32>,
    /// Where each state's options end.
    ends: Vec<u32>,
}

/// One labelled state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label<'l> {
    /// Numbers about the whole state.
    pub global: &'l [f32],
    /// Numbers about each option, row by row.
    pub rows: &'l [f32],
    /// What each option costs more than the best.
    pub regrets: &'l [f32],
}

impl Labels {
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// State `index`, of a problem with so many numbers about a state and an option.
    pub fn get(&self, index: usize, global: usize, option: usize) -> Label<'_> {
        let from = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let to = self.ends[index] as usize;
        Label {
            global: &self.global[index * global..(index + 1) * global],
            rows: &self.rows[from * option..to * option],
            regrets: &self.regrets[from..to],
        }
    }

    /// The mean regret of an option drawn at random: the scale of what can be learnt.
    pub fn scale(&self) -> f32 {
        let (mut sum, mut from) = (0.0, 0);
        for &to in &self.ends {
            let regrets = &self.regrets[from..to as usize];
            sum += regrets.iter().map(|r| f64::from(*r)).sum::<f64>() / regrets.len() as f64;
            from = to as usize;
        }
        ((sum / self.len().max(1) as f64) as f32).max(f32::MIN_POSITIVE)
    }

    fn push(&mut self, global: &[f32], rows: impl Iterator<Item = f32>, costs: &[Cost]) {
        let least = costs.iter().copied().fold(Cost::INFINITY, Cost::min);
        self.global.extend_from_slice(global);
        self.rows.extend(rows);
        self.regrets.extend(costs.iter().map(|cost| (cost - least) as f32));
        self.ends.push(self.regrets.len() as u32);
    }

    /// Appends others.
    pub fn append(&mut self, other: &Self) {
        let before = self.regrets.len() as u32;
        self.global.extend_from_slice(&other.global);
        self.rows.extend_from_slice(&other.rows);
        self.regrets.extend_from_slice(&other.regrets);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// Writes them.
    pub fn save(&self, to: &mut Writer) {
        to.floats(&self.global);
        to.floats(&self.rows);
        to.floats(&self.regrets);
        to.words(&self.ends);
    }

    /// Reads what was saved, of a problem with so many numbers about a state and an option. `None` if it makes no sense.
    pub fn load(from: &mut Reader<'_>, global: usize, option: usize) -> Option<Self> {
        let (numbers, rows, regrets) = (from.floats()?, from.floats()?, from.floats()?);
        let labels = Self { global: numbers, rows, regrets, ends: from.words()? };
        let Self { global: numbers, rows, regrets, ends } = &labels;
        let last = ends.last().copied().unwrap_or(0) as usize;
        let whole = numbers.len() == ends.len() * global
            && rows.len() == regrets.len() * option
            && regrets.len() == last
            && ends.is_sorted();
        whole.then_some(labels)
    }
}

/// How labels are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// Every option is played on so many futures.
    pub futures: usize,
    /// Futures are cut after so many arrivals.
    pub arrivals: usize,
    /// At most so many options of a state are played.
    pub options: usize,
    /// How often the day goes on with an option at random.
    pub strays: f64,
}

/// A rule that labels are made with. It may say how it likes the options, so that the likelier ones are played.
pub trait Teacher<P: Features>: Policy<P> + Clone {
    /// Fills `out` with a score for each option of `state`; larger is better. Options that it knows nothing of score alike.
    fn rank(
        &mut self,
        problem: &P,
        state: &P::State,
        options: &Options<P::Action>,
        out: &mut Vec<f32>,
    );
}

/// Labels the decisions of day `day`. Every other day is lived by what the search finds best, the others by the rule.
pub fn label_day<P: Features + 'static, G: Teacher<P>>(
    mut episode: Episode<P>,
    guide: &mut G,
    search: Search,
    value: Option<&Arc<Scorer>>,
    (seed, day): (Seed, u64),
) -> Labels {
    let mut labels = Labels::default();
    let problem = std::sync::Arc::clone(episode.problem());
    let mut dice = seed.stream(Stream::Explore, day);
    let mut player = Player::new(&*problem, guide, value);
    let mut sketch = P::Sketch::default();
    let (mut options, mut scores) = (Options::default(), Vec::new());
    let mut order: Vec<usize> = Vec::new();
    while !episode.done() {
        let state = episode.state();
        problem.features(state, &mut sketch, &mut options);
        let chosen = guide.choose(&*problem, state, &mut dice);
        let futures = Seed(dice.bits());
        let stray = dice.unit() < search.strays;
        let random = dice.bits() as usize;
        let action = if options.actions.len() < 2 {
            options.actions[0]
        } else {
            guide.rank(&*problem, state, &options, &mut scores);
            pick(&options.actions, chosen, &scores, search.options, random, &mut order);
            let costs = player.play(&*problem, state, guide, &options, &order, search, futures);
            let row = |&i: &usize| options.rows[i * P::OPTION..(i + 1) * P::OPTION].iter().copied();
            labels.push(&options.global, order.iter().flat_map(row), costs);
            if stray {
                options.actions[random % options.actions.len()]
            } else if day.is_multiple_of(2) {
                let best = (0..costs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b]));
                options.actions[order[best.unwrap_or(0)]]
            } else {
                chosen
            }
        };
        episode.act(action);
    }
    labels
}

/// Picks the options to be played: the chosen one, the best by score, and one at random that was left out.
fn pick<A: PartialEq>(
    actions: &[A],
    chosen: A,
    scores: &[f32],
    most: usize,
    random: usize,
    order: &mut Vec<usize>,
) {
    order.clear();
    order.extend(0..actions.len());
    order.sort_by(|&a, &b| {
        let rank = |i: usize| actions[i] != chosen;
        rank(a).cmp(&rank(b)).then(scores[b].total_cmp(&scores[a]))
    });
    let most = most.max(2);
    if order.len() > most {
        let left_out = most - 1 + random % (order.len() - most + 1);
        order.swap(most - 1, left_out);
        order.truncate(most);
    }
}

/// Plays options to the end, or to where somebody tells what is left.
struct Player<P: Features, G> {
    state: P::State,
    tape: Tape<P::Arrival>,
    guide: G,
    outlook: Option<Valued<P>>,
    costs: Vec<Cost>,
}

impl<P: Features + 'static, G: Policy<P> + Clone> Player<P, G> {
    fn new(problem: &P, guide: &G, value: Option<&Arc<Scorer>>) -> Self {
        let (state, tape) = (problem.initial(), Tape::default());
        let outlook = value.map(|value| Valued::new(Arc::clone(value)));
        Self { state, tape, guide: guide.clone(), outlook, costs: Vec::new() }
    }

    /// The mean cost of the options `order` on common futures. Where nothing more can come there is one future.
    #[allow(clippy::too_many_arguments)]
    fn play(
        &mut self,
        problem: &P,
        state: &P::State,
        guide: &G,
        options: &Options<P::Action>,
        order: &[usize],
        search: Search,
        seed: Seed,
    ) -> &[Cost] {
        let futures = if problem.closing_time(state).is_none() { 1 } else { search.futures.max(1) };
        let law = problem.closing_time(state).unwrap_or(Time::NEG_INFINITY);
        self.costs.clear();
        self.costs.resize(order.len(), 0.0);
        for future in 0..futures as u64 {
            self.tape.clear();
            let mut dice = seed.stream(Stream::Agent, 2 * future);
            problem.sample_future(state, Time::INFINITY, &mut dice, &mut self.tape);
            if let Some(last) = self.tape.events().get(search.arrivals.saturating_sub(1)) {
                let time = last.time;
                self.tape.close_at(time);
            }
            let told = self.outlook.is_some() && self.tape.closing() < law;
            let stop = if told { self.tape.closing() } else { Time::INFINITY };
            for (cost, &option) in self.costs.iter_mut().zip(order) {
                let mut dice = seed.stream(Stream::Agent, 2 * future + 1);
                self.state.clone_from(state);
                self.guide.clone_from(guide);
                self.tape.rewind();
                *cost += problem.apply(&mut self.state, options.actions[option]);
                let (state, tape) = (&mut self.state, &mut self.tape);
                *cost += rollout_until(problem, state, tape, &mut self.guide, &mut dice, stop);
                if let Some(outlook) = self.outlook.as_mut().filter(|_| told) {
                    *cost += outlook.cost(problem, state);
                }
            }
        }
        self.costs.iter_mut().for_each(|cost| *cost /= futures as f64);
        &self.costs
    }
}

/// Labels `count` days from `first` on, on several threads; the result does not depend on how many. Where `value` is given it
/// tells what the state costs that a shortened future ends in. `heard` is told of each part; where it says so the rest is
/// left out.
#[allow(clippy::too_many_arguments)]
pub fn label<D: Domain, G: Teacher<D::Problem> + Send + Sync>(
    days: &Days<D>,
    (first, count): (u64, u64),
    guide: &G,
    search: Search,
    value: Option<&Arc<Scorer>>,
    seed: Seed,
    threads: usize,
    mut heard: impl FnMut(u64) -> bool,
) -> Option<Labels> {
    let mut all = Labels::default();
    let threads = threads.max(1) as u64;
    let mut done = 0;
    while done < count {
        let part = threads.min(count - done);
        let one = |day: u64| {
            let mut guide = guide.clone();
            label_day(days.open(day), &mut guide, search, value, (seed, day))
        };
        let made: Vec<Labels> = if part == 1 {
            vec![one(first + done)]
        } else {
            thread::scope(|scope| {
                let one = &one;
                let from = first + done;
                let workers: Vec<_> =
                    (0..part).map(|i| scope.spawn(move || one(from + i))).collect();
                workers.into_iter().map(|worker| worker.join().expect("labels are made")).collect()
            })
        };
        made.iter().for_each(|labels| all.append(labels));
        done += part;
        if !heard(first + done) {
            return None;
        }
    }
    Some(all)
}

/// A rule that knows no scores.
#[derive(Clone, Debug, Default)]
pub struct Unranked<G>(pub G);

impl<P: Problem, G: Policy<P>> Policy<P> for Unranked<G> {
    fn choose(&mut self, problem: &P, state: &P::State, rng: &mut Rng) -> P::Action {
        self.0.choose(problem, state, rng)
    }
}

impl<P: Features, G: Policy<P> + Clone> Teacher<P> for Unranked<G> {
    fn rank(&mut self, _: &P, _: &P::State, options: &Options<P::Action>, out: &mut Vec<f32>) {
        out.clear();
        out.resize(options.actions.len(), 0.0);
    }
}

impl<P: Features> Teacher<P> for solo_nn::Scored<P> {
    fn rank(&mut self, problem: &P, state: &P::State, _: &Options<P::Action>, out: &mut Vec<f32>) {
        let (_, scores) = self.score(problem, state);
        out.clear();
        out.extend_from_slice(scores);
    }
}
