//! `solo-bench nn`: how fast the network is, alone or beside PyTorch in the same run.

use crate::ui::{self, Align, BenchError, Table, say, seconds};
use allocation_counter::measure;
use serde_json::{Value, json};
use solo_core::{Graph, GraphShape, Rng, Seed, Stream};
use solo_nn::{Adam, Aggregate, Config, Infer, Instructions, Qnet, Sample, Trainer};
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Times are the shortest of so many rounds of at least such a length: others may be at work on this machine, and a
/// round should fit between two of their turns.
const ROUNDS: usize = 100;
const ROUND: Duration = Duration::from_millis(2);
/// But no case is measured for longer.
const AT_MOST: Duration = Duration::from_secs(1);
/// Ours is measured before and after theirs, so many times each; again the shortest counts.
const TURNS: usize = 2;
const LARGEST_BATCH: usize = 128;

/// Scheduling and routing as the problems encode them, with five classes.
const PMSP: GraphShape = GraphShape { node: 16, edge: 1, global: 3 };
const CVRP: GraphShape = GraphShape { node: 8, edge: 1, global: 3 };

/// A network and a complete bipartite graph.
struct Case {
    name: String,
    config: Config,
    /// Nodes on the two sides.
    sides: [u32; 2],
    /// Graphs of a training step; without it, values of one graph.
    batch: Option<usize>,
}

fn cases() -> Vec<Case> {
    let pmsp = |jobs: u32, batch| Case {
        name: format!("pmsp h32 {jobs}x3"),
        config: Config::paper_pmsp(PMSP),
        sides: [jobs, 3],
        batch,
    };
    let cvrp = |hidden: usize, customers: u32, batch| Case {
        name: format!("cvrp h{hidden} n{customers}"),
        config: Config { hidden, ..Config::paper_cvrp(CVRP) },
        sides: [1, customers + 1],
        batch,
    };
    let mut cases = vec![pmsp(80, None), pmsp(20, None)];
    for hidden in [64, 256] {
        cases.extend([20, 50, 100].map(|customers| cvrp(hidden, customers, None)));
    }
    cases.extend([pmsp(80, Some(32)), pmsp(20, Some(32))]);
    cases.extend([cvrp(64, 20, Some(128)), cvrp(64, 100, Some(128))]);
    cases
}

/// What was found.
struct Row {
    case: Case,
    threads: usize,
    ours: f64,
    /// Floating-point operations, with the way back twice those of the way forward.
    operations: f64,
    allocations: Option<u64>,
    /// The fastest variant's name and time.
    theirs: Option<(String, f64)>,
}

/// Measures the cases whose name holds `filter`; with a command, beside it.
pub(crate) fn nn(
    filter: &str,
    against: &[String],
    compile: bool,
    threads: usize,
) -> Result<(), BenchError> {
    let mut rival = if against.is_empty() { None } else { Some(Rival::start(against)?) };
    let peak = match &mut rival {
        Some(rival) => Some(1e9 / rival.ask(&json!({ "kind": "peak", "threads": 1 }))?.1),
        None => None,
    };
    let mut rows = Vec::new();
    for case in cases().into_iter().filter(|case| case.name.contains(filter)) {
        let what = if case.batch.is_some() { "training step" } else { "values" };
        say("Measuring", &format!("{}, {what}", case.name));
        let threads = if case.batch.is_some() { threads } else { 1 };
        rows.push(row(case, rival.as_mut(), compile, threads)?);
    }
    if rows.is_empty() {
        return Err(BenchError::Usage(format!("no measured case's name holds '{filter}'")));
    }
    print(&rows, peak, rival.as_ref().map(|rival| rival.version.as_str()))?;
    let allocating = rows.iter().filter(|row| row.allocations.is_some_and(|count| count > 0));
    let allocating: Vec<&str> = allocating.map(|row| row.case.name.as_str()).collect();
    if allocating.is_empty() {
        return Ok(());
    }
    Err(BenchError::Failed(format!("warm networks allocate memory: {}", allocating.join(", "))))
}

fn row(
    case: Case,
    rival: Option<&mut Rival>,
    compile: bool,
    threads: usize,
) -> Result<Row, BenchError> {
    let mut work = Work::new(&case, threads);
    work.run();
    let allocations = match threads {
        1 => Some(measure(|| work.run()).count_total),
        _ => None, // starting threads allocates
    };
    let mut ours = work.time();
    let mut theirs: Option<(String, f64)> = None;
    if let Some(rival) = rival {
        for _ in 0..TURNS {
            let found = rival.ask(&question(&case, threads, compile))?;
            ours = ours.min(work.time());
            if theirs.as_ref().is_none_or(|theirs| found.1 < theirs.1) {
                theirs = Some(found);
            }
        }
    }
    let graphs = case.batch.map_or(1.0, |batch| 3.0 * batch as f64);
    let operations = work.net.operations(&work.graph) as f64 * graphs;
    Ok(Row { case, threads, ours, operations, allocations, theirs })
}

/// The case as the other side reads it.
fn question(case: &Case, threads: usize, compile: bool) -> Value {
    let Config { shape, hidden, layers, encoder, decoder, dueling, aggregate } = case.config;
    json!({
        "kind": if case.batch.is_some() { "train" } else { "infer" },
        "threads": threads, "compile": compile, "batch": case.batch.unwrap_or(1),
        "left": case.sides[0], "right": case.sides[1],
        "node": shape.node, "edge": shape.edge, "global": shape.global,
        "hidden": hidden, "layers": layers, "encoder": encoder, "decoder": decoder,
        "dueling": dueling, "mean": aggregate == Aggregate::Mean,
    })
}

/// Our side of a case.
struct Work {
    net: Qnet,
    graph: Graph,
    legal: Vec<u32>,
    infer: Infer,
    values: Vec<f32>,
    training: Option<Training>,
}

struct Training {
    batch: usize,
    trainer: Trainer,
    adam: Adam,
    gradient: Vec<f32>,
    errors: Vec<f32>,
}

impl Work {
    fn new(case: &Case, threads: usize) -> Self {
        let mut rng = Seed(0).stream(Stream::Init, 0);
        let net = Qnet::new(case.config, &mut rng);
        let graph = bipartite(case.config.shape, case.sides, &mut rng);
        let training = case.batch.map(|batch| Training {
            batch,
            trainer: Trainer::new(&net, threads),
            adam: Adam::new(net.params().len()),
            gradient: vec![0.0; net.params().len()],
            errors: vec![0.0; batch],
        });
        let legal = (0..=graph.edges.len() as u32).collect();
        Self { net, graph, legal, infer: Infer::default(), values: Vec::new(), training }
    }

    fn run(&mut self) {
        match &mut self.training {
            None => self.infer.q_values(&self.net, &self.graph, &self.legal, &mut self.values),
            Some(Training { batch, trainer, adam, gradient, errors }) => {
                let (graph, legal) = (&self.graph, &self.legal[..]);
                let sample = Sample { graph, legal, slot: 0, target: 0.5, weight: 1.0 };
                let samples = [sample; LARGEST_BATCH];
                trainer.gradient(&self.net, &samples[..*batch], gradient, errors);
                adam.step(1e-3, self.net.params_mut(), gradient);
            }
        }
        black_box(&self.values);
    }

    fn time(&mut self) -> f64 {
        let all = Instant::now();
        let rounds = (0..ROUNDS).take_while(|&i| i < 3 || all.elapsed() < AT_MOST).map(|_| {
            let (started, mut count) = (Instant::now(), 0);
            while count == 0 || started.elapsed() < ROUND {
                self.run();
                count += 1;
            }
            started.elapsed().as_secs_f64() / f64::from(count)
        });
        rounds.fold(f64::INFINITY, f64::min)
    }
}

fn bipartite(shape: GraphShape, [left, right]: [u32; 2], rng: &mut Rng) -> Graph {
    let edges: Vec<[u32; 2]> =
        (0..left).flat_map(|a| (left..left + right).map(move |b| [a, b])).collect();
    let mut numbers = |count| (0..count).map(|_| (2.0 * rng.unit() - 1.0) as f32).collect();
    Graph {
        node_features: numbers((left + right) as usize * shape.node),
        edge_features: numbers(edges.len() * shape.edge),
        global_features: numbers(shape.global),
        edges,
    }
}

/// Another implementation: a process that answers a case a line.
struct Rival {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    version: String,
}

impl Rival {
    fn start(command: &[String]) -> Result<Self, BenchError> {
        let failed = |why: String| BenchError::Failed(format!("{}: {why}", command.join(" ")));
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("no pipes".to_string()));
        };
        Ok(Self { child, questions, answers: BufReader::new(answers), version: String::new() })
    }

    /// The fastest variant and its seconds.
    fn ask(&mut self, question: &Value) -> Result<(String, f64), BenchError> {
        let failed = |why: &str| BenchError::Failed(format!("the command to compare with: {why}"));
        let mut answer = String::new();
        writeln!(self.questions, "{question}")
            .and_then(|()| self.answers.read_line(&mut answer))
            .map_err(|error| failed(&error.to_string()))?;
        let answer: Value =
            serde_json::from_str(&answer).map_err(|_| failed(&format!("answered '{answer}'")))?;
        self.version = answer["version"].as_str().unwrap_or("of unknown version").to_string();
        let times = answer["times"].as_object().into_iter().flatten();
        times
            .filter_map(|(variant, time)| Some((variant.clone(), time.as_f64()?)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .ok_or_else(|| failed("answered without times"))
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended by itself
        let _ = self.child.wait();
    }
}

fn print(rows: &[Row], peak: Option<f64>, version: Option<&str>) -> Result<(), BenchError> {
    let mut columns = vec![
        ("case", Align::Left),
        ("what", Align::Left),
        ("threads", Align::Right),
        ("time", Align::Right),
        ("GFLOP/s", Align::Right),
        ("allocations", Align::Right),
    ];
    if version.is_some() {
        columns.extend([
            ("of peak", Align::Right),
            ("PyTorch", Align::Right),
            ("variant", Align::Left),
            ("faster by", Align::Right),
        ]);
    }
    let mut table = Table::new(&columns);
    for row in rows {
        let rate = row.operations / row.ours;
        let mut cells = vec![
            row.case.name.clone(),
            row.case.batch.map_or("values".into(), |batch| format!("step of {batch}")),
            row.threads.to_string(),
            seconds(row.ours),
            format!("{:.1}", rate * 1e-9),
            row.allocations.map_or("-".into(), |count| count.to_string()),
        ];
        if let (Some(peak), Some((variant, theirs))) = (peak, &row.theirs) {
            cells.extend([
                format!("{:.0} %", 100.0 * rate / (peak * row.threads as f64)),
                seconds(*theirs),
                variant.clone(),
                format!("{:.1} x", theirs / row.ours),
            ]);
        }
        table.row(cells);
    }
    let with = Instructions::best().name();
    ui::line(&format!(
        "The network with {with}; values of one graph, and training steps with Adam:"
    ));
    ui::print(&table);
    if let (Some(peak), Some(version)) = (peak, version) {
        let peak = peak * 1e-9;
        ui::line(&format!(
            "PyTorch {version}, its fastest variant; its product of 512 x 512: {peak:.0} GFLOP/s a thread."
        ));
    }
    Ok(())
}
