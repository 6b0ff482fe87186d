//! VRPLIB files with mistakes: each is named with its line and field, however many there are.

use solo_core::Faults;
use solo_cvrp::{RoutingDay, vrplib};

const HARBOUR: &str = include_str!("data/harbour-n9-k3.vrp");
const HARBOUR_SOLUTION: &str = include_str!("data/harbour-n9-k3.sol");
const VALLEY: &str = include_str!("data/valley-n7-k3.vrp");

fn read(text: &str) -> Result<RoutingDay, Faults> {
    vrplib::read("folder/test.vrp", text)
}

/// Replaces the first `from` of a file by `to`, and expects a fault with this line, field and message.
fn expect(file: &str, from: &str, to: &str, line: usize, field: &str, message: &str) {
    assert!(file.contains(from), "{from}");
    let faults = read(&file.replacen(from, to, 1)).expect_err(to);
    let told = faults.0.iter().any(|fault| {
        fault.file == "folder/test.vrp"
            && (fault.line, fault.field.as_str()) == (line, field)
            && fault.message.contains(message)
    });
    assert!(told, "{from} -> {to}: wanted line {line}, {field}: {message}; got\n{faults}");
}

fn harbour(from: &str, to: &str, line: usize, field: &str, message: &str) {
    expect(HARBOUR, from, to, line, field, message);
}

fn valley(from: &str, to: &str, line: usize, field: &str, message: &str) {
    expect(VALLEY, from, to, line, field, message);
}

#[test]
fn every_mistake_in_the_head_is_named() {
    harbour("CVRP", "ATSP", 3, "TYPE", "'ATSP' is not supported; should be CVRP");
    harbour("TYPE : CVRP\n", "", 0, "TYPE", "missing; should be CVRP");
    harbour("DIMENSION : 9\n", "", 0, "DIMENSION", "missing");
    harbour("DIMENSION : 9", "DIMENSION :", 4, "DIMENSION", "missing");
    harbour("DIMENSION : 9", "DIMENSION : x", 4, "DIMENSION", "'x' should be a whole number");
    harbour("DIMENSION : 9", "DIMENSION : -9", 4, "DIMENSION", "-9 should be");
    harbour("DIMENSION : 9", "DIMENSION : 1", 4, "DIMENSION", "1 should be a whole number of at");
    harbour("DIMENSION : 9", "DIMENSION : 10002", 4, "DIMENSION", "at most 10001 are accepted");
    harbour("DIMENSION : 9", "DIMENSION : 1e18", 4, "DIMENSION", "at most 10001 are accepted");
    harbour("DIMENSION : 9", "DIMENSION : 9\nDIMENSION : 9", 5, "DIMENSION", "first on line 4");
    harbour("DIMENSION", "DIMENSOIN", 4, "DIMENSOIN", "did you mean DIMENSION?");
    harbour("NAME", "name", 1, "name", "did you mean NAME?");
    harbour("NAME", "SPEED : 3\nNAME", 1, "SPEED", "known keywords are NAME, ");
    harbour("EUC_2D", "GEO", 5, "EDGE_WEIGHT_TYPE", "should be EUC_2D or EXACT_2D or EXPLICIT");
    harbour("CAPACITY : 20", "CAPACITY : inf", 6, "CAPACITY", "inf should be a whole number");
    harbour("CAPACITY : 20", "CAPACITY : 0", 6, "CAPACITY", "0 should be");
    harbour("CAPACITY : 20\n", "", 0, "CAPACITY", "missing");
    harbour("CAPACITY", "DISTANCE : 200\nCAPACITY", 6, "DISTANCE", "limits are not supported");
    harbour("CAPACITY", "SERVICE_TIME : 10\nCAPACITY", 6, "SERVICE_TIME", "limits are not");
    harbour("CAPACITY", "7 8 9\nCAPACITY", 6, "", "'7 8 9' belongs to no section");
    valley("LOWER_ROW", "LOWER_COL", 6, "EDGE_WEIGHT_FORMAT", "should be FULL_MATRIX or");
    valley("EDGE_WEIGHT_FORMAT: LOWER_ROW\n", "", 0, "EDGE_WEIGHT_FORMAT", "missing");
    valley("EXPLICIT", "EUC_2D", 9, "EDGE_WEIGHT_SECTION", "does not go with EDGE_WEIGHT_TYPE");
    valley("EXPLICIT", "EUC_2D", 0, "NODE_COORD_SECTION", "missing");
}

#[test]
fn every_mistake_in_the_sections_is_named() {
    let [coordinates, demands, depots] = ["NODE_COORD_SECTION", "DEMAND_SECTION", "DEPOT_SECTION"];
    let node = |section: &str, node: usize| format!("{section} node {node}");
    harbour("6 60 19\n", "", 7, &node(coordinates, 6), "missing: DIMENSION is 9");
    harbour("6 60 19\n7 33 14\n", "", 7, &node(coordinates, 6), "and so are 1 more");
    harbour("6 60 19", "5 60 19", 13, &node(coordinates, 5), "twice, first on line 12");
    harbour("6 60 19", "10 60 19", 13, &node(coordinates, 10), "a node from 1 to 9, the DIMENSION");
    harbour("6 60 19", "0 60 19", 13, &node(coordinates, 0), "a node from 1 to 9");
    harbour("6 60 19", "6.5 60 19", 13, coordinates, "'6.5' should be a node from 1 to 9");
    harbour("6 60 19", "6 NaN 19", 13, &(node(coordinates, 6) + " x"), "NaN should be a number");
    harbour("6 60 19", "6 60 -inf", 13, &(node(coordinates, 6) + " y"), "-inf should be a number");
    harbour("6 60 19", "6 60 1e200", 13, &(node(coordinates, 6) + " y"), "should be a number from");
    harbour("6 60 19", "6 60 y", 13, &(node(coordinates, 6) + " y"), "'y' should be a number");
    harbour("6 60 19", "6 60", 13, &(node(coordinates, 6) + " y"), "missing");
    harbour("6 60 19", "6 60 19 3", 13, &node(coordinates, 6), "more than its numbers");
    harbour("NODE_COORD_SECTION", "NODE_COORDS_SECTION", 7, "NODE_COORDS_SECTION", "did you mean");
    harbour("NODE_COORD_SECTION", "NODE_COORD_SECTION 9", 7, coordinates, "stand alone");
    harbour("DIMENSION : 9", "DIMENSION : 8", 16, &node(coordinates, 9), "from 1 to 8");
    harbour("DIMENSION : 9", "DIMENSION : 10", 7, &node(coordinates, 10), "DIMENSION is 10");
    harbour("DIMENSION : 9", "DIMENSION : 10", 17, &node(demands, 10), "DIMENSION is 10");
    harbour("3 9\n", "", 17, &node(demands, 3), "missing");
    harbour("3 9\n", "3\n", 20, &node(demands, 3), "missing");
    harbour("3 9\n", "3 21\n", 20, &node(demands, 3), "21 is above the CAPACITY of 20");
    harbour("3 9\n", "3 -9\n", 20, &node(demands, 3), "-9 should be a whole number");
    harbour("3 9\n", "3 1.5\n", 20, &node(demands, 3), "1.5 should be a whole number");
    harbour("1 0\n", "1 4\n", 18, &node(demands, 1), "4 should be 0, for this is the depot");
    harbour("DEPOT_SECTION\n1\n-1\n", "", 0, depots, "missing");
    harbour("\n1\n-1", "\n-1", 27, depots, "should be followed by the depot's node");
    harbour("\n1\n-1", "\n1", 27, depots, "is the file truncated?");
    harbour("\n1\n-1", "\n1\n3\n-1", 29, &node(depots, 3), "a second depot beside node 1");
    harbour("\n1\n-1", "\n10\n-1", 28, &node(depots, 10), "a node from 1 to 9");
    harbour("\n1\n-1", "\n1\n-1\n2", 30, depots, "should end after -1");
    let head = HARBOUR.find("NODE_COORD").unwrap();
    expect(&HARBOUR[..head], "NAME", "NAME", 0, demands, "missing");

    let matrix = "EDGE_WEIGHT_SECTION";
    let cell = |row: usize, column: usize| format!("{matrix} row {row} column {column}");
    valley("35 23", "35", 12, matrix, "has 20 numbers; should have 21, for a LOWER_ROW of 7 nodes");
    valley("35 23", "35 23 1", 12, matrix, "has 22 numbers; should have 21");
    valley("35 23", "35 -23", 12, &cell(7, 6), "-23 should be a number from 0");
    valley("35 23", "35 nan", 12, &cell(7, 6), "NaN should be a number");
    valley(" 15 24", " nan 24", 11, &cell(5, 3), "NaN should be a number");
    valley("35 23", "35 two", 12, &cell(7, 6), "'two' should be a number");
    valley("LOWER_ROW", "LOWER_DIAG_ROW", 10, &cell(1, 1), "17 should be 0");
    valley("DIMENSION: 7", "DIMENSION: 2001", 9, matrix, "at most 2000 are accepted");
}

#[test]
fn all_mistakes_are_told_at_once() {
    let broken = HARBOUR
        .replace("CVRP", "TSP")
        .replace("CAPACITY : 20", "CAPACITY : 8")
        .replace("4 58 66", "4 58")
        .replace("\n-1\n", "\n");
    let faults = read(&broken).unwrap_err();
    let lines: Vec<(usize, &str)> = faults.0.iter().map(|f| (f.line, f.field.as_str())).collect();
    let expected = [
        (3, "TYPE"),
        (11, "NODE_COORD_SECTION node 4 y"),
        (27, "DEPOT_SECTION"),
        (20, "DEMAND_SECTION node 3"),
        (26, "DEMAND_SECTION node 9"),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn a_flood_of_mistakes_is_cut_off() {
    for line in ["x\n", "1 2 3\n", "NODE_COORD_SECTION\n", "NAME\n", "-1\n", "é: \"\n"] {
        let faults = read(&line.repeat(100_000)).unwrap_err();
        assert!(faults.0.len() <= 1_100, "{line}: {}", faults.0.len());
    }
    let long = "A".repeat(1 << 20);
    assert!(read(&long).unwrap_err().to_string().len() < 2_000);
    let broken = HARBOUR.replace("6 60 19\n", &"6 60 19\n".repeat(100_000));
    assert!(read(&broken).unwrap_err().0.len() <= 1_100);
    let scenario = read(HARBOUR).unwrap();
    let stops = format!("Route #1: {}", "9 ".repeat(100_000));
    assert!(vrplib::read_solution(&scenario, "s", &stops).unwrap_err().0.len() <= 1_100);
}

#[test]
fn a_truncated_file_is_a_fault_or_reads_the_same() {
    for text in [HARBOUR, VALLEY] {
        let whole = read(text).unwrap();
        for crlf in [text.to_string(), text.replace('\n', "\r\n")] {
            for end in 0..=crlf.len() {
                if let Ok(scenario) = read(&crlf[..end]) {
                    assert_eq!(scenario, whole, "cut at {end}");
                }
            }
        }
    }
    let scenario = read(HARBOUR).unwrap();
    for end in 0..HARBOUR_SOLUTION.len() {
        let _ = vrplib::read_solution(&scenario, "test.sol", &HARBOUR_SOLUTION[..end]);
    }
}

#[test]
fn every_mistake_in_a_solution_is_named() {
    let scenario = read(HARBOUR).unwrap();
    let text = "Route #1: 1 2 9\nRoute #2: 3 2 0\nRoute 3: 4\nRoute #x: 5\nRoute #5: 6 six\nTime 3\nCost much\nCost -1\nCost\nCost 5\nCost 6\nR\u{f8}ute #1: 1";
    let faults = vrplib::read_solution(&scenario, "test.sol", text).unwrap_err();
    let told: Vec<String> = faults.0.iter().map(ToString::to_string).collect();
    let expected = [
        "test.sol:1: Route #1: there is no customer 9; should be from 1 to 8",
        "test.sol:2: Route #2: customer 2 is visited twice, first on line 1",
        "test.sol:2: Route #2: there is no customer 0; should be from 1 to 8",
        "test.sol:3: 'Route 3: 4' should look like 'Route #1: 4 2 7' or 'Cost 123'",
        "test.sol:4: 'Route #x: 5' should look like",
        "test.sol:5: Route #5: 'six' should be a customer from 1 to 8",
        "test.sol:6: 'Time 3' should look like",
        "test.sol:7: Cost: 'much' should be a number of at least 0",
        "test.sol:8: Cost: -1 should be a number of at least 0",
        "test.sol:9: Cost: missing; should be a number of at least 0",
        "test.sol:11: Cost: given twice",
        "test.sol:12: 'R\u{f8}ute #1: 1' should look like",
    ];
    assert_eq!(told.len(), expected.len(), "{faults}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told} / {expected}");
    }
}
