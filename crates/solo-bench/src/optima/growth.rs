//! How the work of the exact solution grows.

use crate::ui::{self, Align, BenchError, Table, seconds};
use allocation_counter::measure;
use solo_core::{Enumerable, Scenario, Seed};
use solo_search::exact::{Exact, NotExact};
use std::time::Instant;

/// Prints a table of sizes with states, time and memory, each family up to the first size that is too large.
pub(super) fn print(most: usize) -> Result<(), BenchError> {
    let failed = |error: String| BenchError::Failed(error);
    let mut table = Table::new(&[
        ("family", Align::Left),
        ("size", Align::Right),
        ("states", Align::Right),
        ("time", Align::Right),
        ("memory", Align::Right),
        ("optimum", Align::Right),
    ]);
    for (preset, machines, jobs, length) in [
        ("pmsp-tiny-1", 1, 2.0, 100.0),
        ("pmsp-tiny-2", 2, 2.0, 50.0),
        ("pmsp-tiny-2", 2, 3.0, 75.0),
    ] {
        let day = solo_pmsp::presets::generate(preset, Seed(0), 0);
        let day = day.map_err(|error| failed(error.to_string()))?;
        for intervals in 2.. {
            let mut problem = day.rules(Some(preset)).map_err(|error| failed(error.to_string()))?;
            problem.machines = machines;
            if let solo_pmsp::Law::Batches(law) = &mut problem.law {
                (law.intervals, law.mean_per_interval, law.length) = (intervals, jobs, length);
            }
            let family = format!("{machines} machines, batches of {jobs} jobs of 8 kinds");
            if !row(&mut table, &family, &format!("{intervals} batches"), &problem, most) {
                break;
            }
        }
    }
    for preset in ["cvrp-tiny-1", "cvrp-tiny-2", "cvrp-tiny-3"] {
        let day = solo_cvrp::presets::generate(preset, Seed(0), 0);
        let day = day.map_err(|error| failed(error.to_string()))?;
        for customers in 3.. {
            let mut problem = day.rules(Some(preset)).map_err(|error| failed(error.to_string()))?;
            if let solo_cvrp::Law::Sites { count, .. } = &mut problem.law {
                *count = customers;
            }
            if !row(&mut table, preset, &format!("{customers} customers"), &problem, most) {
                break;
            }
        }
    }
    ui::line("## How the exact solution grows\n");
    table.markdown().iter().for_each(|line| ui::line(line));
    Ok(())
}

/// Solves a problem and adds a row; false if it is too large.
fn row<P: Enumerable>(
    table: &mut Table,
    family: &str,
    size: &str,
    problem: &P,
    most: usize,
) -> bool {
    let (started, mut solved) = (Instant::now(), Err(NotExact::States(most)));
    let mut states = 0;
    let memory = measure(|| {
        solved = Exact::optimal(problem, most).and_then(|mut best| {
            let cost = best.expected();
            states = best.states();
            cost
        });
    });
    let took = started.elapsed().as_secs_f64();
    let cost = match &solved {
        Ok(cost) => format!("{cost:.4}"),
        Err(why) => why.to_string(),
    };
    table.row(vec![
        family.to_string(),
        size.to_string(),
        states.to_string(),
        seconds(took),
        format!("{:.0} MB", memory.bytes_max as f64 / 1e6),
        cost,
    ]);
    solved.is_ok()
}
