//! What is to be known of a learnt network.

use crate::history::{Marks, Point};
use crate::recipe::Recipe;
use solo_core::Seed;
use std::fmt::Write;

/// How a network came about and how it did, as names and values for the header of its file.
pub fn header(recipe: &Recipe, seed: Seed, marks: &Marks, point: &Point) -> Vec<(String, String)> {
    let Recipe { name, variant, presets, validation, .. } = recipe;
    let mut card = vec![
        ("recipe", name.clone()),
        ("variant", variant.word().to_string()),
        ("presets", presets.join(" ")),
        ("seed", seed.0.to_string()),
        ("decisions", point.step.to_string()),
        ("updates", point.updates.to_string()),
        ("hours", format!("{:.2}", point.seconds / 3600.0)),
        ("validation", format!("{} x {}", validation.days, validation.preset)),
        ("cost", rounded(point.cost)),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_string(), value))
    .collect::<Vec<_>>();
    let marks = marks.costs.iter();
    card.extend(marks.map(|(name, cost)| (format!("cost {name}"), rounded(*cost))));
    card
}

/// The same as a page for people, with the fingerprint of the file.
pub fn page(recipe: &Recipe, header: &[(String, String)], file: &[u8]) -> String {
    let page = table(&recipe.name, header, file);
    let flag = if recipe.variant.word() == "paper" { " --paper" } else { "" };
    let seed = header.iter().find(|(name, _)| name == "seed").map_or("0", |(_, seed)| seed);
    page + &format!(
        "\nCosts are means over the validation days, decided by the network alone. Made by\n`solo train recipes/{}.toml{flag} --seed {seed}`.\n",
        recipe.name
    )
}

/// A title, and the header with the fingerprint of the file as a table.
pub(crate) fn table(title: &str, header: &[(String, String)], file: &[u8]) -> String {
    let mut page = format!("# {title}\n\n| | |\n|---|---|\n");
    let mut row = |name: &str, value: &str| {
        writeln!(page, "| {name} | {value} |").expect("writing to a string");
    };
    for (name, value) in header {
        row(name, value);
    }
    row("bytes", &file.len().to_string());
    row("blake3", &blake3::hash(file).to_hex());
    page
}

/// A cost without digits that mean nothing.
pub(crate) fn rounded(cost: f64) -> String {
    if cost.abs() >= 1000.0 { format!("{cost:.0}") } else { format!("{cost:.3}") }
}
