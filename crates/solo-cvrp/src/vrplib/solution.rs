//! Reading and writing `.sol` files.

use super::write::spaced;
use super::{brief, hopeless};
use crate::dynamics::Routing;
use crate::scenario::RoutingDay;
use crate::state::Action;
use solo_core::file::{Range, Reader};
use solo_core::{Cost, Faults, LogOf, Timed};
use std::fmt::Write;

/// Reads routes as the decisions of vehicle 0, which drives them one after another from time 0, and the cost that the
/// file states. The leg home from the last customer needs no decision. Whether everybody is served is for the audit.
#[allow(clippy::type_complexity)]
pub fn read_solution(
    scenario: &RoutingDay,
    file: &str,
    text: &str,
) -> Result<(Vec<Timed<Action>>, Option<Cost>), Faults> {
    let mut reader = Reader::new(file);
    let mut routes: Vec<Vec<usize>> = Vec::new();
    let mut cost = None;
    let mut first_seen = vec![0; scenario.customers.len()];
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if hopeless(&reader) {
            break;
        }
        reader.at(i + 1);
        let line = line.trim();
        if let Some((label, stops)) = route(line) {
            let field = format!("Route #{label}");
            routes.push(read_stops(&mut reader, &field, stops, i + 1, &mut first_seen));
        } else if let Some(stated) = after(line, "cost") {
            let stated = stated.strip_prefix(':').unwrap_or(stated).trim();
            if cost.is_some() {
                reader.fault("Cost", "given twice");
            }
            let stated = Some(stated).filter(|stated| !stated.is_empty());
            cost = reader.word("Cost", stated, Range::NOT_NEGATIVE);
        } else if !line.is_empty() {
            let message =
                format!("'{}' should look like 'Route #1: 4 2 7' or 'Cost 123'", brief(line));
            reader.fault("", message);
        }
    }
    let decisions = if reader.clean() { drive(scenario, &routes) } else { Vec::new() };
    reader.finish(Some((decisions, cost)))
}

/// What follows `word` at the beginning of a line, however it is capitalised.
fn after<'t>(line: &'t str, word: &str) -> Option<&'t str> {
    let (start, rest) = line.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word).then_some(rest.trim_start())
}

/// The number and the stops of a line `Route #1: 4 2 7`.
fn route(line: &str) -> Option<(u64, &str)> {
    let (label, stops) = after(line, "route")?.strip_prefix('#')?.split_once(':')?;
    Some((label.trim().parse().ok()?, stops))
}

/// The customers of a route, counted from 0; faulty ones are left out.
fn read_stops(
    reader: &mut Reader,
    field: &str,
    stops: &str,
    line: usize,
    first_seen: &mut [usize],
) -> Vec<usize> {
    let most = first_seen.len();
    let mut route = Vec::new();
    for word in stops.split_whitespace() {
        if hopeless(reader) {
            break;
        }
        let Ok(stop) = word.parse::<usize>() else {
            let word = brief(word);
            reader.fault(field, format!("'{word}' should be a customer from 1 to {most}"));
            continue;
        };
        if !(1..=most).contains(&stop) {
            reader.fault(field, format!("there is no customer {stop}; should be from 1 to {most}"));
        } else if first_seen[stop - 1] > 0 {
            let first = first_seen[stop - 1];
            let message = format!("customer {stop} is visited twice, first on line {first}");
            reader.fault(field, message);
        } else {
            first_seen[stop - 1] = line;
            route.push(stop - 1);
        }
    }
    route
}

fn drive(scenario: &RoutingDay, routes: &[Vec<usize>]) -> Vec<Timed<Action>> {
    let vehicle = 0;
    let depot = scenario.depot_place();
    let (mut time, mut here) = (0.0, depot);
    let mut decisions = Vec::new();
    for route in routes.iter().filter(|route| !route.is_empty()) {
        if here != depot {
            decisions.push(Timed { time, what: Action::Depot { vehicle } });
            time += scenario.pace * scenario.travel.distance(here, depot);
            here = depot;
        }
        for &k in route {
            let there = scenario.place(k);
            let what = Action::Visit { vehicle, customer: k as u32 };
            decisions.push(Timed { time, what });
            time += scenario.pace * scenario.travel.distance(here, there);
            here = there;
        }
    }
    decisions
}

/// Writes decisions as routes, each from depot to depot, in the order in which they began; then the cost.
pub fn write_solution(log: &LogOf<Routing>, cost: Cost) -> String {
    let mut routes: Vec<Vec<u32>> = Vec::new();
    // the vehicles that are on a route, with its number
    let mut under_way: Vec<(u32, usize)> = Vec::new();
    for decision in log.decisions() {
        match *decision.what {
            Action::Visit { vehicle, customer } => {
                let current = under_way.iter().find(|(v, _)| *v == vehicle).map(|(_, r)| *r);
                let current = current.unwrap_or_else(|| {
                    under_way.push((vehicle, routes.len()));
                    routes.push(Vec::new());
                    routes.len() - 1
                });
                routes[current].push(customer + 1);
            }
            Action::Depot { vehicle } => under_way.retain(|(v, _)| *v != vehicle),
            Action::Wait => {}
        }
    }
    let mut text = String::new();
    for (i, route) in routes.iter().enumerate() {
        writeln!(text, "Route #{}: {}", i + 1, spaced(route)).expect("writing to a string");
    }
    writeln!(text, "Cost {cost}").expect("writing to a string");
    text
}
