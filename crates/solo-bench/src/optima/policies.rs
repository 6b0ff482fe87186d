//! What is computed over the law: policies, hindsight and bounds.

use super::{Case, MOST_DAYS, MOST_STATES};
use solo_core::{Audit, CostToGo, Enumerable, Timed, World};
use solo_search::exact::{Exact, Learned, NotExact, Relaxation, days};
use std::time::Instant;

/// A policy with its expected cost over the law, or its cost on each of the days.
pub(super) struct Policy {
    pub(super) name: String,
    /// By the law.
    pub(super) expected: Option<f64>,
    /// Day by day.
    pub(super) days: Vec<f64>,
    /// How many states were looked at, and how long it took.
    pub(super) states: usize,
    pub(super) seconds: f64,
}

/// Everything that is computed for a problem.
pub(super) struct Solved {
    /// The last is the optimum, if it was computed.
    pub(super) policies: Vec<Policy>,
    /// The first is hindsight.
    pub(super) bounds: Vec<Policy>,
    /// How many days the law can draw, if they were all looked at.
    pub(super) all: Option<usize>,
    /// By how much each day is dearer than another because of what came, whatever is decided: nothing on average. It is
    /// taken from all costs and bounds.
    pub(super) luck: Vec<f64>,
}

type Day<P> = Vec<Timed<<P as solo_core::Problem>::Event>>;

impl Solved {
    /// Computes the policies and bounds of a case.
    pub(super) fn compute<P: Enumerable + Audit>(
        problem: &P,
        case: &Case,
        drawn: &[Day<P>],
        value: Option<Box<dyn CostToGo<P>>>,
    ) -> Result<Self, NotExact> {
        let all = if case.solvable { days(problem, MOST_DAYS)? } else { None };
        let within = |moments: usize| Exact::within(problem, moments, MOST_STATES);
        let optimal = || Exact::optimal(problem, MOST_STATES);
        let mut policies = Vec::new();
        let mut add = |name: &str, policy: Exact<'_, P>| {
            policies.push(policy_of(name, policy, case.solvable, problem, drawn)?);
            Ok::<(), NotExact>(())
        };
        let replan = Exact::led_by(within(0)?);
        add("replanning, exactly", replan)?;
        for &moments in case.moments.iter().filter(|&&moments| moments > 0) {
            add(
                &format!("as if arrivals ended after {moments} moments"),
                Exact::led_by(within(moments)?),
            )?;
        }
        if case.solvable {
            let step = |policy| Exact::led_by(policy);
            add("one exact rollout step on it", step(Exact::led_by(within(0)?)))?;
            add("two exact rollout steps on it", step(step(Exact::led_by(within(0)?))))?;
            add("optimum", optimal()?)?;
        }
        // The best value that there is tells how lucky a day was.
        let known = || {
            let moments = case.moments.last().copied().unwrap_or(0);
            if case.solvable { optimal() } else { within(moments) }
        };
        let decides = || {
            if case.solvable { optimal() } else { Ok(Exact::led_by(known()?)) }
        };
        let mut policy = decides()?;
        let mut told = Relaxation::penalised(problem, Box::new(known()?), MOST_STATES)?;
        let luck = drawn.iter().map(|day| Ok(-told.paid(day, &mut policy)?));
        let luck: Vec<f64> = luck.collect::<Result<_, NotExact>>()?;
        let mut bounds = Vec::new();
        let mut add = |name: String, relaxation: Relaxation<'_, P>| {
            let mut bound = bound_of(name, relaxation, decides()?, drawn, all.as_deref())?;
            bound.days.iter_mut().zip(&luck).for_each(|(cost, luck)| *cost -= luck);
            bounds.push(bound);
            Ok::<(), NotExact>(())
        };
        add("hindsight".to_string(), Relaxation::hindsight(problem, MOST_STATES)?)?;
        if let Some(value) = value {
            let value = Box::new(Learned(value));
            let name = "paid for by the learned value".to_string();
            add(name, Relaxation::penalised(problem, value, MOST_STATES)?)?;
        }
        for &moments in case.moments {
            let name = format!("paid for by the value of {moments} moments");
            let value = Box::new(within(moments)?);
            add(name, Relaxation::penalised(problem, value, MOST_STATES)?)?;
        }
        if case.solvable {
            let value = Box::new(optimal()?);
            let name = "paid for by the exact value".to_string();
            add(name, Relaxation::penalised(problem, value, MOST_STATES)?)?;
        }
        Ok(Self { policies, bounds, all: all.map(|all| all.len()), luck })
    }
}

/// Computes what a policy costs over the law, if that is to be, and on each of the days.
fn policy_of<P: Enumerable + Audit>(
    name: &str,
    mut policy: Exact<'_, P>,
    solvable: bool,
    problem: &P,
    drawn: &[Day<P>],
) -> Result<Policy, NotExact> {
    let started = Instant::now();
    let expected = if solvable { Some(policy.expected()?) } else { None };
    let seconds = started.elapsed().as_secs_f64();
    let states = policy.states();
    let days = drawn.iter().map(|day| simulate(problem, &mut policy, day));
    let days = days.collect::<Result<_, _>>()?;
    let (states, seconds) = match solvable {
        true => (states, seconds),
        false => (policy.states(), started.elapsed().as_secs_f64()), // no more than the days needed
    };
    Ok(Policy { name: name.to_string(), expected, days, states, seconds })
}

/// What a day costs with a policy, by the audit of its log.
fn simulate<P: Enumerable + Audit>(
    problem: &P,
    policy: &mut Exact<'_, P>,
    day: &Day<P>,
) -> Result<f64, NotExact> {
    let mut world = World::open(problem, day.clone());
    while !world.done() {
        let action = policy.action(world.state())?;
        world.act(action).expect("a policy's action is legal");
    }
    Ok(problem.audit(world.log()).expect("a simulated day keeps to the rules"))
}

/// Computes a bound on each of the days, less what a policy that does not know it would have paid, and the bound's mean over all days, if
/// there are not too many.
fn bound_of<P: Enumerable>(
    name: String,
    mut relaxation: Relaxation<'_, P>,
    mut policy: Exact<'_, P>,
    drawn: &[Day<P>],
    all: Option<&[(f64, Day<P>)]>,
) -> Result<Policy, NotExact> {
    let started = Instant::now();
    let mut days: Vec<f64> =
        drawn.iter().map(|day| relaxation.bound(day)).collect::<Result<_, _>>()?;
    let (seconds, states) = (started.elapsed().as_secs_f64(), relaxation.states());
    for (bound, day) in days.iter_mut().zip(drawn) {
        *bound -= relaxation.paid(day, &mut policy)?;
    }
    let mut expected = None;
    if let Some(all) = all {
        let mut mean = 0.0;
        for (probability, day) in all {
            mean += probability * relaxation.bound(day)?;
        }
        expected = Some(mean);
    }
    Ok(Policy { name, expected, days, states, seconds })
}
