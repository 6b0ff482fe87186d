//! Writing `.vrp` files.

use crate::scenario::{Place, RoutingDay, Travel};
use std::fmt::{Display, Write};

/// Writes an offline scenario, the depot as node 1. Pace, waiting weight and fleet have no place in the format, and no
/// bearing on the length of routes; calls during the day do, and are refused.
pub fn write(scenario: &RoutingDay) -> Result<String, String> {
    let late = scenario.customers.iter().position(|customer| customer.arrival > 0.0);
    if let Some(k) = late {
        let arrival = scenario.customers[k].arrival;
        return Err(format!(
            "VRPLIB files have no arrival times, and customer {k} calls at {arrival}: write online scenarios as JSON"
        ));
    }
    if scenario.horizon > 0.0 {
        return Err(format!(
            "VRPLIB files have no horizon, and this scenario's is {}: write online scenarios as JSON",
            scenario.horizon
        ));
    }
    let mut text = String::new();
    render(scenario, &mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn render(scenario: &RoutingDay, text: &mut String) -> std::fmt::Result {
    let places: Vec<Place> = std::iter::once(scenario.depot_place())
        .chain((0..scenario.customers.len()).map(|k| scenario.place(k)))
        .collect();
    let kind = match &scenario.travel {
        Travel::Rounded => "EUC_2D",
        Travel::Euclid => "EXACT_2D",
        Travel::Matrix(_) => "EXPLICIT",
    };
    writeln!(text, "NAME : {}", quote(&scenario.name))?;
    writeln!(text, "TYPE : CVRP")?;
    writeln!(text, "DIMENSION : {}", places.len())?;
    writeln!(text, "CAPACITY : {}", scenario.capacity)?;
    writeln!(text, "EDGE_WEIGHT_TYPE : {kind}")?;
    if let Travel::Matrix(matrix) = &scenario.travel {
        writeln!(text, "EDGE_WEIGHT_FORMAT : FULL_MATRIX")?;
        writeln!(text, "EDGE_WEIGHT_SECTION")?;
        for row in matrix.flat.chunks(matrix.side) {
            writeln!(text, "{}", spaced(row))?;
        }
    }
    writeln!(text, "NODE_COORD_SECTION")?;
    for place in &places {
        writeln!(text, "{} {} {}", place.node + 1, place.at.x, place.at.y)?;
    }
    writeln!(text, "DEMAND_SECTION\n1 0")?;
    for (k, customer) in scenario.customers.iter().enumerate() {
        writeln!(text, "{} {}", k + 2, customer.demand)?;
    }
    writeln!(text, "DEPOT_SECTION\n1\n-1\nEOF")
}

/// Items with blanks between them.
pub(super) fn spaced<T: Display>(items: &[T]) -> String {
    let words: Vec<String> = items.iter().map(T::to_string).collect();
    words.join(" ")
}

/// A name as a value: on one line, and in quotes if it would otherwise be read differently.
fn quote(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let plain = name == name.trim() && !name.starts_with(['"', ':']) && !name.is_empty();
    if plain { name } else { format!("\"{name}\"") }
}
