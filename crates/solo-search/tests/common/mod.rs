//! What the tests of searches share: days of three problems, a rule for the toy, and a clock that counts.
#![allow(dead_code, unreachable_pub)]

use solo_core::testing::toy::{Order, Toy, ToyDay, ToyState};
use solo_core::{
    Agent, Audit, Budget, Clock, Cost, Decision, Guide, Menu, Meter, Policy, Problem, Rng,
    RolloutPolicy, Scenario, Seed, Stream, SystemClock, Tape, Time, Timed, World,
};
use solo_cvrp::{Routing, RoutingDay};
use solo_pmsp::{Scheduling, SchedulingDay};
use solo_search::lookahead::Listing;
use solo_search::{Lookahead, LookaheadParams};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Days of one problem with its rollout policy, so that a test can be written once for all.
pub trait Family {
    /// The rules.
    type Problem: Audit + 'static;
    /// A day.
    type Day: Scenario<Problem = Self::Problem>;
    /// Who plays rollouts.
    type Rule: Policy<Self::Problem> + Clone + Default + Sync + 'static;

    /// Day `index` of a preset.
    fn draw(preset: &str, seed: u64, index: u64) -> Self::Day;

    /// The rules of a day with the law of its preset.
    fn rules(day: &Self::Day, preset: &str) -> Self::Problem {
        day.rules(Some(preset)).unwrap()
    }

    /// A lookahead as it is meant to be: with a planner where the problem has one.
    fn lookahead(params: LookaheadParams) -> Lookahead<Self::Problem, Self::Rule>;

    /// The same without a planner.
    fn unplanned(params: LookaheadParams) -> Lookahead<Self::Problem, Self::Rule>;
}

/// Days of the toy problem: `toy`, `toy-long` of about 200 jobs, and `toy-offline` where all jobs are there at 0.
pub struct ToyDays;
/// Days of scheduling.
pub struct SchedulingDays;
/// Days of routing.
pub struct RoutingDays;

impl Family for ToyDays {
    type Problem = Toy;
    type Day = ToyDay;
    type Rule = Shortest;

    fn draw(preset: &str, seed: u64, index: u64) -> ToyDay {
        let mut day = ToyDay::draw(Seed(seed), index);
        match preset {
            "toy" => {}
            "toy-long" => {
                let long = Toy { horizon: 200.0, expects: true };
                let (mut rng, mut tape) =
                    (Seed(seed).stream(Stream::Scenario, index), Tape::default());
                long.sample_future(&long.initial(), Time::INFINITY, &mut rng, &mut tape);
                (day.horizon, day.jobs) = (long.horizon, tape.events().to_vec());
            }
            "toy-offline" => {
                day.horizon = 0.0;
                day.jobs.iter_mut().for_each(|job| job.time = 0.0);
            }
            _ => panic!("no preset {preset}"),
        }
        day
    }

    fn rules(day: &ToyDay, _preset: &str) -> Toy {
        day.rules(Some("toy")).unwrap()
    }

    fn lookahead(params: LookaheadParams) -> Lookahead<Toy, Shortest> {
        Lookahead::new(Shortest, params)
    }

    fn unplanned(params: LookaheadParams) -> Lookahead<Toy, Shortest> {
        Self::lookahead(params)
    }
}

/// Implements [`Family`] for a problem with presets and a rollout policy that keeps plans.
macro_rules! family {
    ($name:ty, $problem:ty, $day:ty, $rule:ty, $draw:path) => {
        impl Family for $name {
            type Problem = $problem;
            type Day = $day;
            type Rule = $rule;

            fn draw(preset: &str, seed: u64, index: u64) -> $day {
                $draw(preset, Seed(seed), index).unwrap()
            }

            fn lookahead(params: LookaheadParams) -> Lookahead<$problem, $rule> {
                Lookahead::planned(params)
            }

            fn unplanned(params: LookaheadParams) -> Lookahead<$problem, $rule> {
                Lookahead::new(<$rule>::default(), params).with_shortlist(Box::new(
                    |listing: &Listing<'_, $problem>, rule: &mut $rule, out| {
                        let Listing { problem, state, most, meter, .. } = *listing;
                        rule.shortlist(problem, state, most, meter, out);
                    },
                ))
            }
        }
    };
}

family!(
    SchedulingDays,
    Scheduling,
    SchedulingDay,
    solo_pmsp::InsertionPlan,
    solo_pmsp::presets::generate
);
family!(
    RoutingDays,
    Routing,
    RoutingDay,
    solo_cvrp::insertion::InsertionPlan,
    solo_cvrp::presets::generate
);

/// Starts the shortest open job, whatever it weighs: a rule that leaves something to be found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shortest;

impl Policy<Toy> for Shortest {
    fn choose(&mut self, _problem: &Toy, state: &ToyState, _rng: &mut Rng) -> Order {
        let length = |job: &&Timed<solo_core::testing::toy::Job>| job.what.length;
        let shortest = state.open.iter().min_by(|a, b| length(a).total_cmp(&length(b)));
        shortest.map_or(Order::Wait, |job| Order::Start(job.what.id))
    }
}

impl Guide<Toy> for Shortest {
    /// The shorter the better; waiting is worst.
    fn values(&mut self, _problem: &Toy, state: &ToyState, menu: &Menu<Order>, out: &mut Vec<f64>) {
        out.clear();
        out.extend(state.open.iter().map(|job| -job.what.length));
        out.resize(menu.len(), f64::MIN);
    }
}

/// Simulates a day; returns its cost and its decisions.
pub fn simulate<F: Family>(
    preset: &str,
    index: u64,
    agent: &mut dyn Agent<F::Problem>,
    budget: Budget,
) -> (Cost, Vec<Decision<<F::Problem as Problem>::Action>>) {
    let day = F::draw(preset, 77, index);
    let problem = F::rules(&day, preset);
    let (clock, stop) = (SystemClock::start(), AtomicBool::new(false));
    let mut rng = Seed(3).stream(Stream::Agent, index);
    let mut world = World::open(&problem, day.events());
    let mut decisions = Vec::new();
    while !world.done() {
        let meter = Meter::start(budget, &clock, &stop);
        let decision = agent.decide(&problem, world.state(), &meter, &mut rng).unwrap();
        world.act(decision.action).unwrap();
        decisions.push(decision);
    }
    (world.cost(), decisions)
}

/// A clock on which time passes only by looking at it, [`LookClock::STEP`] at each look. So a budget in time is a
/// number of looks, on any machine. It also counts the decisions that a [`Counted`] rule makes between two looks.
#[derive(Default)]
pub struct LookClock {
    looks: AtomicU64,
    decisions: AtomicU64,
    most_decisions: AtomicU64,
}

impl LookClock {
    /// The time that passes at each look.
    pub const STEP: Duration = Duration::from_micros(10);

    /// The budget of this many looks.
    pub fn budget(looks: u32) -> Budget {
        Budget::Wall(Self::STEP * looks)
    }

    /// How often was looked at it.
    pub fn looks(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }

    /// The most decisions between two looks.
    pub fn most_decisions(&self) -> u64 {
        self.most_decisions.load(Ordering::Relaxed)
    }

    /// Lets an agent decide within `budget` looks; returns the decision, and how many more looks it took.
    pub fn decide<P: Problem>(
        &self,
        agent: &mut dyn Agent<P>,
        problem: &P,
        state: &P::State,
        budget: u32,
        rng: &mut Rng,
    ) -> (Decision<P::Action>, u64) {
        let stop = AtomicBool::new(false);
        let before = self.looks();
        let meter = Meter::start(Self::budget(budget), self, &stop);
        let decision = agent.decide(problem, state, &meter, rng).unwrap();
        // The first look starts the meter.
        (decision, (self.looks() - before - 1).saturating_sub(u64::from(budget)))
    }
}

impl Clock for LookClock {
    fn elapsed(&self) -> Duration {
        self.decisions.store(0, Ordering::Relaxed);
        let looks = self.looks.fetch_add(1, Ordering::Relaxed);
        Self::STEP * u32::try_from(looks).expect("few looks")
    }
}

/// A rule whose decisions a clock counts.
#[derive(Clone)]
pub struct Counted<'c, G> {
    /// The rule.
    pub rule: G,
    /// The clock.
    pub clock: &'c LookClock,
}

impl<G> Counted<'_, G> {
    fn count(&self) {
        let now = self.clock.decisions.fetch_add(1, Ordering::Relaxed) + 1;
        self.clock.most_decisions.fetch_max(now, Ordering::Relaxed);
    }
}

impl<P: Problem, G: Policy<P>> Policy<P> for Counted<'_, G> {
    fn choose(&mut self, problem: &P, state: &P::State, rng: &mut Rng) -> P::Action {
        self.count();
        self.rule.choose(problem, state, rng)
    }
}

impl<P: Problem, G: Guide<P>> Guide<P> for Counted<'_, G> {
    fn values(
        &mut self,
        problem: &P,
        state: &P::State,
        menu: &Menu<P::Action>,
        out: &mut Vec<f64>,
    ) {
        self.count();
        self.rule.values(problem, state, menu, out);
    }
}
