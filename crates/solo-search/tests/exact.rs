//! Exact optima and bounds: against brute force over policies, against simulation, and among themselves.

mod tiny;

use solo_core::testing::fork;
use solo_core::{
    Agent, Audit, Budget, Enumerable, Menu, Meter, Scenario, Seed, Status, Stream, Timed, World,
};
use solo_cvrp::Routing;
use solo_pmsp::Scheduling;
use solo_search::exact::{Exact, NotExact, Relaxation, days};
use tiny::{Day, micro_jobs, micro_places, ordered_calls, ordered_jobs, routing, scheduling};

/// More states than any problem here has.
const MOST: usize = 400_000;

/// What a day costs by the orders given so far, and then the state's log and clock; the audit's cost once it is over.
enum Reached {
    Over(f64),
    Due(String),
}

/// Simulates a day up to the first decision after those given.
fn reach<P: Audit>(problem: &P, day: &Day<P>, orders: &[P::Action]) -> (Reached, Vec<P::Action>) {
    let mut world = World::open(problem, day.clone());
    for &order in orders {
        world.act(order).unwrap();
    }
    if world.done() {
        return (Reached::Over(problem.audit(world.log()).unwrap()), Vec::new());
    }
    let mut menu = Menu::default();
    problem.menu(world.state(), &mut menu);
    let legal = menu.legal().iter().map(|&slot| menu.actions()[slot as usize]).collect();
    let now = problem.now(world.state());
    (Reached::Due(format!("{now} {:?}", world.log())), legal)
}

/// Days with their probabilities.
type Likely<P> = Vec<(f64, Day<P>)>;

/// The least expected cost of these days, which share their past: the sum over what can be told apart next of the
/// least over what can be ordered then. Whole days are simulated and audited; nothing is kept, nothing is merged.
fn by_histories<P: Audit>(problem: &P, days: &[(f64, Day<P>)], orders: &mut Vec<P::Action>) -> f64 {
    let mut groups: Vec<(String, Vec<P::Action>)> = Vec::new();
    let mut alike: Vec<Likely<P>> = Vec::new();
    let mut over = 0.0;
    for (probability, day) in days {
        match reach(problem, day, orders) {
            (Reached::Over(cost), _) => over += probability * cost,
            (Reached::Due(history), legal) => {
                let at = groups.iter().position(|group| group.0 == history);
                let at = at.unwrap_or_else(|| {
                    groups.push((history, legal));
                    alike.push(Vec::new());
                    alike.len() - 1
                });
                alike[at].push((*probability, day.clone()));
            }
        }
    }
    for ((_, legal), days) in groups.into_iter().zip(&alike) {
        let costs = legal.into_iter().map(|action| {
            orders.push(action);
            let cost = by_histories(problem, days, orders);
            orders.pop();
            cost
        });
        over += costs.fold(f64::INFINITY, f64::min);
    }
    over
}

/// The least expected cost over every deterministic policy, each a list of what it orders after which history.
fn by_policies<P: Audit>(
    problem: &P,
    days: &[(f64, Day<P>)],
    policy: &mut Vec<(String, P::Action)>,
    policies: &mut usize,
) -> f64 {
    let mut mean = 0.0;
    for (probability, day) in days {
        let mut orders = Vec::new();
        loop {
            let (history, legal) = match reach(problem, day, &orders) {
                (Reached::Over(cost), _) => {
                    mean += probability * cost;
                    break;
                }
                (Reached::Due(history), legal) => (history, legal),
            };
            if let Some((_, action)) = policy.iter().find(|known| known.0 == history) {
                orders.push(*action);
                continue;
            }
            let costs = legal.into_iter().map(|action| {
                policy.push((history.clone(), action));
                let cost = by_policies(problem, days, policy, policies);
                policy.pop();
                cost
            });
            return costs.fold(f64::INFINITY, f64::min);
        }
    }
    *policies += 1;
    mean
}

fn optimum<P: Enumerable>(problem: &P) -> f64 {
    Exact::optimal(problem, MOST).unwrap().expected().unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * a.abs().max(1.0)
}

#[test]
fn no_policy_at_all_is_better_than_the_optimum() {
    for (classes, lengths) in [(2, 1), (1, 3)] {
        let problem = micro_jobs(classes, lengths, 2, 1);
        let days = ordered_jobs(&problem);
        let mut policies = 0;
        let least = by_policies(&problem, &days, &mut Vec::new(), &mut policies);
        assert!(policies >= 25, "{policies} policies");
        assert!(near(least, optimum(&problem)), "{least}, not {}", optimum(&problem));
    }
}

#[test]
fn the_optimum_is_that_of_all_histories() {
    for problem in [micro_jobs(2, 2, 2, 1), micro_jobs(2, 1, 2, 2), micro_jobs(1, 2, 3, 1)] {
        let least = by_histories(&problem, &ordered_jobs(&problem), &mut Vec::new());
        assert!(near(least, optimum(&problem)), "{least}, not {}", optimum(&problem));
    }
    let problem = micro_places();
    let least = by_histories(&problem, &ordered_calls(&problem), &mut Vec::new());
    assert!(near(least, optimum(&problem)), "{least}, not {}", optimum(&problem));
}

/// Policies on a problem: replanning, one and two rollout steps on it, and the optimum.
fn ladder<P: Enumerable>(problem: &P) -> Vec<Exact<'_, P>> {
    let replan = || Exact::led_by(Exact::within(problem, 0, MOST).unwrap());
    let twice = Exact::led_by(Exact::led_by(replan()));
    vec![replan(), Exact::led_by(replan()), twice, Exact::optimal(problem, MOST).unwrap()]
}

/// What a policy costs on a day, simulated as an agent and audited.
fn simulated<P: Enumerable + Audit>(problem: &P, policy: &mut Exact<'_, P>, day: &Day<P>) -> f64 {
    let mut rng = Seed(0).stream(Stream::Agent, 0);
    let mut world = World::open(problem, day.clone());
    while !world.done() {
        let decided = policy.decide(problem, world.state(), &Meter::unlimited(), &mut rng);
        world.act(decided.unwrap().action).unwrap();
    }
    problem.audit(world.log()).unwrap()
}

/// Every policy costs, simulated on all days, what was computed; each step on it is no worse; none beats the optimum; and
/// bounds lie between hindsight and the optimum.
fn all_days_agree<P: Enumerable + Audit>(problem: &P) {
    let all = days(problem, 20_000).unwrap().unwrap();
    let total: f64 = all.iter().map(|(probability, _)| probability).sum();
    assert!(near(total, 1.0), "{total}");
    let mean = |of: &mut dyn FnMut(&Day<P>) -> f64| {
        all.iter().map(|(probability, day)| probability * of(day)).sum::<f64>()
    };
    let mut before = f64::INFINITY;
    for mut policy in ladder(problem) {
        let expected = policy.expected().unwrap();
        let seen = mean(&mut |day| simulated(problem, &mut policy, day));
        assert!(near(seen, expected), "simulated {seen}, computed {expected}");
        assert!(expected <= before + 1e-9, "{expected} after {before}");
        before = expected;
    }
    let optimum = before;
    let mut hindsight = Relaxation::hindsight(problem, MOST).unwrap();
    let known = mean(&mut |day| hindsight.bound(day).unwrap());
    assert!(known <= optimum, "{known}, {optimum}");
    for moments in 0..3 {
        let value = Box::new(Exact::within(problem, moments, MOST).unwrap());
        let mut paid = Relaxation::penalised(problem, value, MOST).unwrap();
        let bound = mean(&mut |day| paid.bound(day).unwrap());
        assert!(known <= bound + 1e-9 && bound <= optimum + 1e-9, "{known}, {bound}, {optimum}");
    }
    let value = Box::new(Exact::optimal(problem, MOST).unwrap());
    let mut paid = Relaxation::penalised(problem, value, MOST).unwrap();
    for (_, day) in &all {
        let bound = paid.bound(day).unwrap();
        assert!(near(bound, optimum), "{bound}, not {optimum}");
    }
    // Whoever does not know the day pays nothing on average; whoever decides best pays what his luck was worth.
    for (at, mut policy) in ladder(problem).into_iter().enumerate() {
        let mean = mean(&mut |day| paid.paid(day, &mut policy).unwrap());
        assert!(mean.abs() < 1e-9 * optimum, "policy {at} pays {mean}");
    }
    let mut best = Exact::optimal(problem, MOST).unwrap();
    for (_, day) in &all {
        let cost = simulated(problem, &mut best, day) + paid.paid(day, &mut best).unwrap();
        assert!(near(cost, optimum), "{cost}, not {optimum}");
    }
}

#[test]
fn simulation_bounds_and_optimum_agree_over_all_days() {
    all_days_agree(&micro_jobs(2, 2, 3, 1));
    all_days_agree(&micro_jobs(2, 2, 2, 2));
    all_days_agree(&routing("cvrp-tiny-1", 3));
    all_days_agree(&routing("cvrp-tiny-2", 3)); // where times are no binary fractions
}

/// Days as presets draw them: the same mean, within what chance explains.
#[test]
fn drawn_days_cost_what_was_computed() {
    let problem = scheduling("pmsp-tiny-2");
    let mut best = Exact::optimal(&problem, MOST).unwrap();
    let expected = best.expected().unwrap();
    let drawn = (0..1500).map(|index| {
        let day = solo_pmsp::presets::generate("pmsp-tiny-2", Seed(77), index).unwrap();
        simulated(&problem, &mut best, &day.events())
    });
    let costs: Vec<f64> = drawn.collect();
    let count = costs.len() as f64;
    let mean = costs.iter().sum::<f64>() / count;
    let variance = costs.iter().map(|cost| (cost - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let error = (variance / count).sqrt();
    assert!((mean - expected).abs() < 3.0 * error, "{mean} +- {error}, computed {expected}");
}

/// In every state of some days the cost is the least over the actions, and the action's.
fn is_consistent<P: Enumerable>(problem: &P, day: &Day<P>) {
    let mut best = Exact::optimal(problem, MOST).unwrap();
    let mut world = World::open(problem, day.clone());
    let mut menu = Menu::default();
    while !world.done() {
        let state = world.state().clone();
        assert_eq!(problem.status(&state), Status::Decide);
        let (cost, action) = (best.cost(&state).unwrap(), best.action(&state).unwrap());
        problem.menu(&state, &mut menu);
        let mut least = f64::INFINITY;
        for &slot in menu.legal() {
            let tried = menu.actions()[slot as usize];
            let mut next = state.clone();
            let own = problem.apply(&mut next, tried);
            let value = own + best.cost(&next).unwrap();
            least = least.min(value);
            assert!(tried != action || near(value, cost), "{action} costs {value}, not {cost}");
        }
        assert!(near(least, cost), "{least}, not {cost}");
        world.act(action).unwrap();
    }
}

#[test]
fn costs_satisfy_bellmans_equation_on_the_way() {
    for index in 0..4 {
        let day = solo_pmsp::presets::generate("pmsp-tiny-2", Seed(5), index).unwrap();
        is_consistent(&scheduling("pmsp-tiny-2"), &day.events());
        let day = solo_cvrp::presets::generate("cvrp-tiny-3", Seed(5), index).unwrap();
        is_consistent(&routing("cvrp-tiny-3", 5), &day.events());
    }
}

/// Hindsight without payments is the optimum of the whole day, as other exact algorithms find it.
#[test]
fn hindsight_is_the_optimum_of_the_whole_day() {
    let problem: Scheduling = scheduling("pmsp-tiny-3");
    let mut hindsight = Relaxation::hindsight(&problem, MOST).unwrap();
    for index in 0..5 {
        let day = solo_pmsp::presets::generate("pmsp-tiny-3", Seed(9), index).unwrap().events();
        let whole = solo_pmsp::hindsight::whole_day(&problem, &day);
        let (_, least) = solo_pmsp::exact(&problem, &whole).unwrap();
        let known = hindsight.bound(&day).unwrap();
        assert!(near(known, least), "{known}, not {least}");
    }
    let problem: Routing = routing("cvrp-tiny-2", 4);
    let mut hindsight = Relaxation::hindsight(&problem, MOST).unwrap();
    for index in 0..20 {
        let day = solo_cvrp::presets::generate("cvrp-tiny-2", Seed(9), index).unwrap().events();
        let whole = solo_cvrp::hindsight::whole_day(&problem, &day);
        let least = solo_cvrp::exact::optimum(&problem, &whole).unwrap();
        let known = hindsight.bound(&day).unwrap();
        assert!(near(known, least), "{known}, not {least}");
    }
}

#[test]
fn what_cannot_be_computed_says_why() {
    let day = solo_pmsp::presets::generate("pmsp-online-3", Seed(0), 0).unwrap();
    let problem = day.rules(Some("pmsp-online-3")).unwrap();
    let refused = Exact::optimal(&problem, MOST).err().unwrap().to_string();
    assert!(refused.contains("no limit to the number of jobs"), "{refused}");
    let day = solo_cvrp::presets::generate("cvrp-dispatch-20", Seed(0), 0).unwrap();
    let problem = day.rules(Some("cvrp-dispatch-20")).unwrap();
    let refused = Relaxation::hindsight(&problem, MOST).err().unwrap().to_string();
    assert!(refused.contains("anywhere at any time"), "{refused}");
    let problem = scheduling("pmsp-tiny-1");
    let refused = Exact::optimal(&problem, 1000).unwrap().expected();
    assert_eq!(refused, Err(NotExact::States(1000)));
    assert_eq!(days(&problem, 1000), Ok(None));
}

#[test]
fn the_optimal_agent_does_not_see_the_future() {
    let problem: &'static Routing = Box::leak(Box::new(routing("cvrp-tiny-1", 4)));
    for index in 0..5 {
        let day = solo_cvrp::presets::generate("cvrp-tiny-1", Seed(3), index).unwrap();
        let events: Vec<Timed<_>> = day.events();
        let mut make = |_: &[Timed<_>]| -> Box<dyn Agent<Routing>> {
            Box::new(Exact::optimal(problem, MOST).unwrap())
        };
        fork(problem, &events, &mut make, Budget::Rollouts(1), Seed(1), &|_| true).unwrap();
    }
}
