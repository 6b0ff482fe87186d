//! Reading `.vrp` files.

use super::hopeless;
use super::lines::{Entries, Entry};
use crate::formats::{CAPACITY, COORDINATE, DEMAND, DISTANCE, MOST_PLACES, SELF};
use crate::scenario::{Customer, Matrix, Point, RoutingDay, Travel};
use solo_core::Faults;
use solo_core::file::{MOST_ITEMS, Range, Reader};
use std::f64::consts::TAU;
use std::path::Path;
use std::sync::Arc;

/// Reads a CVRP instance as an offline scenario: pace 1, one vehicle, everybody calls at time 0.
pub fn read(file: &str, text: &str) -> Result<RoutingDay, Faults> {
    let mut reader = Reader::new(file);
    let entries = Entries::split(&mut reader, text);
    let scenario = interpret(&mut reader, file, &entries);
    reader.finish(scenario)
}

/// Reports every fault it finds; the result is of worth only if there was none.
fn interpret(reader: &mut Reader, file: &str, entries: &Entries<'_>) -> Option<RoutingDay> {
    entries.choice(reader, "TYPE", &["CVRP"]);
    refuse_route_limits(reader, entries);
    let capacity = entries.number(reader, "CAPACITY", CAPACITY);
    let kind = entries.choice(reader, "EDGE_WEIGHT_TYPE", &["EUC_2D", "EXACT_2D", "EXPLICIT"]);
    let nodes = read_dimension(reader, entries)?;

    let explicit = kind == Some("EXPLICIT");
    let positions = read_positions(reader, entries, nodes, explicit);
    let matrix = if explicit { read_matrix(reader, entries, nodes) } else { None };
    if let (Some(kind), false, Some(section)) =
        (kind, explicit, entries.find("EDGE_WEIGHT_SECTION"))
    {
        reader.at(section.line);
        let message = format!(
            "does not go with EDGE_WEIGHT_TYPE {kind}; should be left out, or the type be EXPLICIT"
        );
        reader.fault(section.key, message);
    }
    let depot = read_depot(reader, entries, nodes);
    let demands = read_demands(reader, entries, nodes, depot, capacity);

    let depot = depot?;
    let order: Vec<usize> =
        std::iter::once(depot).chain((0..nodes).filter(|&node| node != depot)).collect();
    let (positions, demands) = (positions?, demands?);
    let customers = order[1..]
        .iter()
        .map(|&node| Customer { at: positions[node], demand: demands[node], arrival: 0.0 })
        .collect();
    let travel = match kind? {
        "EUC_2D" => Travel::Rounded,
        "EXACT_2D" => Travel::Euclid,
        _ => Travel::Matrix(Arc::new(reorder(&matrix?, &order))),
    };
    Some(RoutingDay {
        name: name(file, entries),
        depot: positions[depot],
        capacity: capacity? as u32,
        pace: 1.0,
        waiting_weight: 0.0,
        horizon: 0.0,
        vehicles: 1,
        customers,
        travel,
    })
}

fn name(file: &str, entries: &Entries<'_>) -> String {
    let given = entries.find("NAME").map(|entry| entry.value).filter(|name| !name.is_empty());
    let stem = || Path::new(file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    given.map_or_else(stem, str::to_string)
}

fn refuse_route_limits(reader: &mut Reader, entries: &Entries<'_>) {
    for key in ["DISTANCE", "SERVICE_TIME"] {
        if entries.find(key).is_some()
            && entries.number(reader, key, Range::ANY).is_some_and(|limit| limit != 0.0)
        {
            reader.fault(key, "route-length limits are not supported; should be 0, or be left out");
        }
    }
}

/// The number of nodes, checked before anything is made of that size.
fn read_dimension(reader: &mut Reader, entries: &Entries<'_>) -> Option<usize> {
    let most = MOST_ITEMS + 1;
    let nodes = entries.number(reader, "DIMENSION", Range::whole(2.0, f64::MAX))?;
    if nodes > most as f64 {
        reader.fault("DIMENSION", format!("{nodes} nodes; at most {most} are accepted, {MOST_ITEMS} customers and the depot, because every decision looks at all open work"));
        return None;
    }
    Some(nodes as usize)
}

fn read_positions(
    reader: &mut Reader,
    entries: &Entries<'_>,
    nodes: usize,
    explicit: bool,
) -> Option<Vec<Point>> {
    let shown = || entries.find("NODE_COORD_SECTION").or(entries.find("DISPLAY_DATA_SECTION"));
    let section = if explicit {
        match shown() {
            Some(section) => section,
            None => return Some(circle(nodes)),
        }
    } else {
        entries.need(reader, "NODE_COORD_SECTION", "followed by lines 'node x y'")?
    };
    let points = read_nodes(reader, section, nodes, |reader, field, words| {
        let x = reader.word(&format!("{field} x"), words.next(), COORDINATE);
        let y = reader.word(&format!("{field} y"), words.next(), COORDINATE);
        Some(Point { x: x?, y: y? })
    });
    points.into_iter().map(|point| point?.1).collect()
}

/// Somewhere to draw the nodes of a matrix without coordinates.
fn circle(nodes: usize) -> Vec<Point> {
    let angle = |node: usize| TAU * node as f64 / nodes as f64;
    (0..nodes).map(|node| Point { x: libm::cos(angle(node)), y: libm::sin(angle(node)) }).collect()
}

fn read_demands(
    reader: &mut Reader,
    entries: &Entries<'_>,
    nodes: usize,
    depot: Option<usize>,
    capacity: Option<f64>,
) -> Option<Vec<u32>> {
    let section = entries.need(reader, "DEMAND_SECTION", "followed by lines 'node demand'")?;
    let demands = read_nodes(reader, section, nodes, |reader, field, words| {
        reader.word(field, words.next(), DEMAND)
    });
    for (node, entry) in demands.iter().enumerate() {
        let Some((line, Some(demand))) = *entry else { continue };
        reader.at(line);
        let field = || format!("{} node {}", section.key, node + 1);
        if depot == Some(node) {
            if demand != 0.0 {
                reader.fault(field(), format!("{demand} should be 0, for this is the depot"));
            }
        } else if let Some(capacity) = capacity.filter(|capacity| demand > *capacity) {
            reader.fault(
                field(),
                format!("{demand} is above the CAPACITY of {capacity}: no vehicle can serve it"),
            );
        }
    }
    demands.into_iter().map(|demand| Some(demand?.1? as u32)).collect()
}

/// What a section says of a node, and on which line; `None` inside if it was faulty.
type Said<T> = Option<(usize, Option<T>)>;

/// Reads a section with one line per node, its number first.
fn read_nodes<'t, T: Clone>(
    reader: &mut Reader,
    section: &Entry<'t>,
    nodes: usize,
    read: impl Fn(&mut Reader, &str, &mut dyn Iterator<Item = &'t str>) -> Option<T>,
) -> Vec<Said<T>> {
    let key = section.key;
    let mut said: Vec<Said<T>> = vec![None; nodes];
    for &(line, text) in &section.data {
        if hopeless(reader) {
            return said;
        }
        reader.at(line);
        let mut words = text.split_whitespace();
        let Some(node) = words.next().and_then(|word| read_node(reader, key, word, nodes)) else {
            continue;
        };
        let field = format!("{key} node {}", node + 1);
        if let Some((first, _)) = &said[node] {
            reader.fault(field, format!("given twice, first on line {first}"));
            continue;
        }
        said[node] = Some((line, read(reader, &field, &mut words)));
        if words.next().is_some() {
            reader.fault(field, "has more than its numbers; should be one line per node");
        }
    }
    let mut missing = (0..nodes).filter(|&node| said[node].is_none());
    if let Some(first) = missing.next() {
        reader.at(section.line);
        let more = match missing.count() {
            0 => String::new(),
            more => format!(", and so are {more} more"),
        };
        let message = format!("missing{more}: DIMENSION is {nodes}; is the file truncated?");
        reader.fault(format!("{key} node {}", first + 1), message);
    }
    said
}

/// A node's number in the file, counted from 0.
fn read_node(reader: &mut Reader, key: &str, word: &str, nodes: usize) -> Option<usize> {
    match word.parse::<usize>() {
        Ok(node) if (1..=nodes).contains(&node) => return Some(node - 1),
        Ok(node) => reader.fault(
            format!("{key} node {node}"),
            format!("should be a node from 1 to {nodes}, the DIMENSION"),
        ),
        Err(_) => {
            let word = super::brief(word);
            reader.fault(key, format!("'{word}' should be a node from 1 to {nodes}"));
        }
    }
    None
}

fn read_depot(reader: &mut Reader, entries: &Entries<'_>, nodes: usize) -> Option<usize> {
    let right = "followed by the depot's node and -1";
    let section = entries.need(reader, "DEPOT_SECTION", right)?;
    let before = reader.count();
    let mut depot = None;
    let mut ended = false;
    for (line, word) in section.words() {
        reader.at(line);
        if ended {
            reader.fault(section.key, "should end after -1");
            break;
        }
        ended = word == "-1";
        if ended || hopeless(reader) {
            continue;
        }
        let node = read_node(reader, section.key, word, nodes);
        if let (Some(first), Some(second)) = (depot, node) {
            let message = format!(
                "a second depot beside node {}; only one is supported, followed by -1",
                first + 1
            );
            reader.fault(format!("{} node {}", section.key, second + 1), message);
        }
        depot = depot.or(node);
    }
    if !ended || (depot.is_none() && reader.count() == before) {
        reader.at(section.line);
        reader.fault(section.key, format!("should be {right}; is the file truncated?"));
    }
    depot
}

/// A format's numbers are, row by row, those of the columns in this range.
fn columns(format: &str, row: usize, nodes: usize) -> std::ops::Range<usize> {
    match format {
        "LOWER_ROW" => 0..row,
        "LOWER_DIAG_ROW" => 0..row + 1,
        "UPPER_ROW" => row + 1..nodes,
        "UPPER_DIAG_ROW" => row..nodes,
        _ => 0..nodes,
    }
}

/// The numbers of a matrix may be broken into lines anywhere.
fn read_matrix(reader: &mut Reader, entries: &Entries<'_>, nodes: usize) -> Option<Matrix> {
    let formats = ["FULL_MATRIX", "LOWER_ROW", "UPPER_ROW", "LOWER_DIAG_ROW", "UPPER_DIAG_ROW"];
    let format = entries.choice(reader, "EDGE_WEIGHT_FORMAT", &formats);
    let section =
        entries.need(reader, "EDGE_WEIGHT_SECTION", "followed by the matrix of distances");
    let (format, section) = (format?, section?);
    let key = section.key;
    if nodes > MOST_PLACES {
        reader.at(section.line);
        reader.fault(
            key,
            format!("a matrix for {nodes} nodes; at most {MOST_PLACES} are accepted with a matrix"),
        );
        return None;
    }
    let cells = || (0..nodes).flat_map(|i| columns(format, i, nodes).map(move |j| (i, j)));
    let (wanted, given) = (cells().count(), section.words().count());
    if given != wanted {
        reader.at(section.data.last().map_or(section.line, |(line, _)| *line));
        reader.fault(key, format!("has {given} numbers; should have {wanted}, for a {format} of {nodes} nodes (DIMENSION)"));
    }
    let mut flat = vec![0.0; nodes * nodes];
    for ((i, j), (line, word)) in cells().zip(section.words()) {
        if hopeless(reader) {
            break;
        }
        reader.at(line);
        let field = || format!("{key} row {} column {}", i + 1, j + 1);
        // names are made only for faults: there may be millions of numbers
        match word.parse() {
            Ok(distance) if DISTANCE.contains(distance) => {
                if i == j && distance != 0.0 {
                    reader.fault(field(), format!("{distance} should be {SELF}"));
                }
                flat[i * nodes + j] = distance;
                if format != "FULL_MATRIX" {
                    flat[j * nodes + i] = distance;
                }
            }
            _ => {
                reader.word(&field(), Some(word), DISTANCE);
            }
        }
    }
    Some(Matrix { side: nodes, flat })
}

fn reorder(matrix: &Matrix, order: &[usize]) -> Matrix {
    let row = |&i: &usize| order.iter().map(move |&j| matrix.flat[i * matrix.side + j]);
    Matrix { side: matrix.side, flat: order.iter().flat_map(row).collect() }
}
