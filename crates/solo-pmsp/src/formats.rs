//! Scenarios as JSON objects and in the offline benchmark's text format.

use crate::scenario::{Job, SchedulingDay, Setup};
use crate::times::{CANNOT, Factors, Processing};
use serde_json::{Map, Value, json};
use solo_core::file::{MOST_ITEMS, Object, Range, Reader, list_of, matrix_of, number_of};
use solo_core::{Faults, ScenarioFormat};
use std::path::Path;
use std::sync::Arc;

/// The most machines and the most classes that a scenario may have.
const MOST: f64 = 1_000.0;
/// The most pairs of a job and a machine: with as many open jobs, this many actions are on the menu.
const MOST_PAIRS: usize = 1_000_000;
const MACHINES: Range = Range::whole(1.0, MOST);
/// Weights. Whole, and up to here, so that sums over all jobs are exact.
const WEIGHT: Range = Range::whole(0.0, 1e9);
/// Processing and setup times.
const DURATION: Range = Range { low: 0.0, high: 1e9, whole: false };
/// How much longer than its number a job takes on a machine.
const FACTOR: Range = Range { low: 0.0, high: 1e6, whole: false };
/// Moments; far enough for anything, near enough for costs to stay finite.
const MOMENT: Range = Range { low: 0.0, high: 1e12, whole: false };

/// Other people's formats.
pub const SCENARIO_FORMATS: &[ScenarioFormat<SchedulingDay>] = &[ScenarioFormat {
    name: "liao",
    extension: "txt",
    about: "offline benchmark: machines; families; setups; n; n lines 'processing weight family'",
    read: read_liao,
    write: write_liao,
}];

/// The classes that a job may have when `classes` are known; if they are not, any.
fn class_range(classes: Option<usize>) -> Range {
    Range::whole(0.0, classes.map_or(MOST, |classes| classes as f64) - 1.0)
}

/// Reads a scenario from its JSON object; `None` if anything is wrong with it.
pub fn read(reader: &mut Reader, object: &Map<String, Value>) -> Option<SchedulingDay> {
    let before = reader.count();
    let mut object = Object::top(object);
    let name = object.text(reader, "name");
    object.word(reader, "problem", "pmsp");
    let day = read_day(reader, name.unwrap_or_default(), &mut object);
    object.end(reader);
    day.filter(|_| reader.count() == before)
}

fn read_day(reader: &mut Reader, name: &str, object: &mut Object<'_>) -> Option<SchedulingDay> {
    let machines = object.number(reader, "machines", MACHINES);
    let horizon = object.number(reader, "horizon", MOMENT);
    let setup = read_setup(reader, object);
    let factors = read_factors(reader, object, machines, setup.as_ref());
    let class = class_range(setup.as_ref().map(|setup| setup.classes));
    let jobs = object.objects(reader, "jobs", |reader, job| {
        let processing = read_processing(reader, job, machines);
        let weight = job.number(reader, "weight", WEIGHT);
        let class = job.number(reader, "class", class);
        let arrival = job.number(reader, "arrival", MOMENT);
        if let (Some(arrival), Some(horizon)) = (arrival, horizon)
            && arrival > horizon
        {
            let what =
                format!("{arrival} is after the horizon {horizon}; after it nothing arrives");
            reader.fault(job.field("arrival"), what);
        }
        // adding 0 makes -0 a plain 0
        Some(Job {
            processing: processing?,
            weight: weight? + 0.0,
            class: class? as u32,
            arrival: arrival? + 0.0,
        })
    });
    if let Some(jobs) = &jobs {
        check_count(reader, jobs.len(), machines);
    }
    let mut scenario = SchedulingDay {
        name: name.to_string(),
        machines: machines? as usize,
        horizon: horizon? + 0.0,
        setup: Arc::new(setup?),
        factors: factors?.map(Arc::new),
        jobs: jobs?,
    };
    scenario.sort();
    Some(scenario)
}

/// The time of a job: a number, or one for each machine.
fn read_processing(
    reader: &mut Reader,
    job: &mut Object<'_>,
    machines: Option<f64>,
) -> Option<Processing> {
    let Some(list) = job.optional("processing").filter(|value| value.is_array()) else {
        return Some(Processing::Same(job.number(reader, "processing", DURATION)? + 0.0));
    };
    let field = job.field("processing");
    let times = read_row(reader, &field, list, machines, DURATION)?;
    Some(Processing::ByMachine(times.into()))
}

/// A number for each machine, [`CANNOT`] for null. One at least is a number.
fn read_row(
    reader: &mut Reader,
    field: &str,
    value: &Value,
    machines: Option<f64>,
    range: Range,
) -> Option<Vec<f64>> {
    let row = list_of(reader, field, value)?;
    let before = reader.count();
    if let Some(machines) = machines.filter(|&machines| machines as usize != row.len()) {
        let entries = row.len();
        let what = format!(
            "has {entries} entries; should have {machines}, one for each machine, null where it cannot be done"
        );
        reader.fault(field, what);
    } else if row.iter().all(Value::is_null) {
        reader.fault(field, "no machine can do it; at least one entry should be a number");
    }
    let mut times = Vec::new();
    for (machine, value) in row.iter().enumerate().take(MOST as usize) {
        let name = format!("{field}[{machine}]");
        times.push(match value {
            Value::Null => CANNOT,
            value => number_of(reader, &name, value, range).unwrap_or(0.0) + 0.0,
        });
    }
    (reader.count() == before).then_some(times)
}

/// The factors of unrelated machines, if there are any; `None` if anything is wrong with them.
fn read_factors(
    reader: &mut Reader,
    object: &mut Object<'_>,
    machines: Option<f64>,
    setup: Option<&Setup>,
) -> Option<Option<Factors>> {
    let Some(value) = object.optional("factors") else { return Some(None) };
    let before = reader.count();
    let rows = list_of(reader, "factors", value)?;
    if let Some(classes) = setup.map(|setup| setup.classes).filter(|&all| all != rows.len()) {
        let what = format!("has {} rows; should have {classes}, one for each class", rows.len());
        reader.fault("factors", what);
        return None;
    }
    let mut flat = Vec::new();
    for (class, row) in rows.iter().enumerate().take(MOST as usize) {
        let field = format!("factors[{class}]");
        flat.extend(read_row(reader, &field, row, machines, FACTOR).unwrap_or_default());
    }
    let machines = machines? as usize;
    (reader.count() == before).then_some(Some(Factors { machines, flat }))
}

/// Refuses days without work, and days so large that looking at all their choices would take hours.
fn check_count(reader: &mut Reader, jobs: usize, machines: Option<f64>) {
    if jobs == 0 {
        reader.fault("jobs", "is empty; a scenario needs at least one job");
    }
    if jobs > MOST_ITEMS {
        reader.fault("jobs", format!("has {jobs} jobs; at most {MOST_ITEMS} are accepted, because every decision looks at all open work"));
    } else if let Some(pairs) = machines.map(|machines| jobs * machines as usize)
        && pairs > MOST_PAIRS
    {
        reader.fault("jobs", format!("has {pairs} pairs of a job and a machine; at most {MOST_PAIRS} are accepted, because every decision looks at all that are open"));
    }
}

fn read_setup(reader: &mut Reader, object: &mut Object<'_>) -> Option<Setup> {
    let Some(value) = object.optional("setup") else {
        reader
            .fault(object.field("setup"), "missing; should be a square matrix, one row per class");
        return None;
    };
    let classes = value.as_array().map_or(1, Vec::len);
    if classes == 0 || classes > MOST as usize {
        let what = format!("has {classes} rows; should have 1 to {MOST}, one for each class");
        reader.fault("setup", what);
        return None;
    }
    let flat = matrix_of(reader, "setup", value, None, DURATION)?;
    for class in 0..classes {
        let time = flat[class * classes + class];
        if time != 0.0 {
            let what = format!("{time} should be 0: staying in a class needs no setup");
            reader.fault(format!("setup[{class}][{class}]"), what);
        }
    }
    Some(Setup { classes, flat })
}

/// Writes a scenario as a JSON object.
pub fn write(scenario: &SchedulingDay) -> Map<String, Value> {
    let rows = scenario.setup.flat.chunks(scenario.setup.classes.max(1));
    let setup: Vec<Vec<Value>> =
        rows.map(|row| row.iter().map(|&time| duration(time)).collect()).collect();
    let job = |job: &Job| {
        object([
            ("processing", processing(&job.processing)),
            ("weight", json!(job.weight as u64)),
            ("class", json!(job.class)),
            ("arrival", json!(job.arrival)),
        ])
    };
    let mut fields = object([
        ("name", json!(scenario.name)),
        ("problem", json!("pmsp")),
        ("machines", json!(scenario.machines)),
        ("horizon", json!(scenario.horizon)),
        ("setup", json!(setup)),
    ]);
    if let Some(factors) = &scenario.factors {
        let rows = factors.flat.chunks(factors.machines.max(1));
        fields.insert("factors".to_string(), rows.map(by_machine).collect());
    }
    fields.insert("jobs".to_string(), scenario.jobs.iter().map(job).collect());
    fields
}

fn processing(processing: &Processing) -> Value {
    match processing {
        Processing::Same(time) => duration(*time),
        Processing::ByMachine(times) => by_machine(times),
    }
}

/// Numbers by machine, null where a machine cannot.
fn by_machine(times: &[f64]) -> Value {
    let each = |&time: &f64| if time.is_finite() { duration(time) } else { Value::Null };
    times.iter().map(each).collect()
}

/// A time, without a point if it is whole.
fn duration(time: f64) -> Value {
    if time.fract() == 0.0 { json!(time as u64) } else { json!(time) }
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

/// The text format of the offline benchmark (Liao 2012, Kramer 2021): machines; families; the setup time of each
/// family; number of jobs; then a line `processing weight family` for each, families counted from 0. Blank lines and
/// the kind of line ends do not matter; setup times may stand on one line or each on its own.
pub fn read_liao(file: &str, text: &str) -> Result<SchedulingDay, Faults> {
    let mut reader = Reader::new(file);
    let mut lines = Lines { numbered: text.lines().enumerate(), last: 0 };
    let machines = lines.single(&mut reader, "machines", MACHINES);
    let families = lines.single(&mut reader, "families", Range::whole(1.0, MOST));
    let times = lines.setups(&mut reader, families.map(|families| families as usize));
    let count = lines.single(&mut reader, "n", Range::whole(1.0, MOST_ITEMS as f64));
    let family = class_range(families.map(|families| families as usize));
    let mut jobs = Vec::new();
    while let Some(mut words) = lines.next(&mut reader) {
        let index = jobs.len();
        let most = count.map_or(MOST_ITEMS, |count| count as usize);
        if index >= most {
            reader.fault(
                format!("jobs[{index}]"),
                format!("one job too many; there should be {most}"),
            );
            break;
        }
        let mut number = |field: &str, range: Range| {
            let field = format!("jobs[{index}].{field}");
            reader.word(&field, words.next(), range)
        };
        let processing = number("processing", DURATION);
        let weight = number("weight", WEIGHT);
        let class = number("family", family);
        expect_end(&mut reader, &format!("jobs[{index}]"), words);
        jobs.push(processing.zip(weight).zip(class).map(|((processing, weight), class)| Job {
            processing: Processing::Same(processing + 0.0),
            weight: weight + 0.0,
            class: class as u32,
            arrival: 0.0,
        }));
    }
    if let Some(count) = count.filter(|&count| jobs.len() < count as usize) {
        reader.at(lines.last);
        reader.fault("jobs", format!("the file ends after {} jobs; n is {count}", jobs.len()));
    }
    if count.is_some() {
        check_count(&mut reader, jobs.len().max(1), machines);
    }
    let scenario = || {
        let stem = Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        Some(SchedulingDay {
            name: stem.unwrap_or_else(|| file.to_string()),
            machines: machines? as usize,
            horizon: 0.0,
            setup: Arc::new(Setup::by_next(&times?)),
            factors: None,
            jobs: jobs.into_iter().collect::<Option<_>>()?,
        })
    };
    reader.finish(scenario())
}

/// The lines of a text that are not blank, and the number of the last one read.
struct Lines<'t> {
    numbered: std::iter::Enumerate<std::str::Lines<'t>>,
    last: usize,
}

impl<'t> Lines<'t> {
    /// The words of the next line, which the reader's faults are about from now on.
    fn next(&mut self, reader: &mut Reader) -> Option<std::str::SplitWhitespace<'t>> {
        let (index, line) = self.numbered.find(|(_, line)| !line.trim().is_empty())?;
        self.last = index + 1;
        reader.at(self.last);
        Some(line.split_whitespace())
    }

    /// A line of one number.
    fn single(&mut self, reader: &mut Reader, field: &str, range: Range) -> Option<f64> {
        let mut words = self.next(reader).unwrap_or_else(|| "".split_whitespace());
        let number = reader.word(field, words.next(), range);
        expect_end(reader, field, words);
        number
    }

    /// The setup times: one line of them all, or one on each line.
    fn setups(&mut self, reader: &mut Reader, families: Option<usize>) -> Option<Vec<f64>> {
        let before = reader.count();
        let mut times = Vec::new();
        while let Some(words) = self.next(reader) {
            let mut here = 0;
            for word in words.take(MOST as usize + 1) {
                let field = format!("setups[{}]", times.len());
                times.push(reader.word(&field, Some(word), DURATION).unwrap_or(0.0) + 0.0);
                here += 1;
            }
            if here > 1 || families.is_none_or(|families| times.len() >= families) {
                break;
            }
        }
        match families {
            Some(families) if families != times.len() => reader.fault(
                "setups",
                format!("has {} numbers; should have {families}, one for each family", times.len()),
            ),
            None if times.is_empty() => {
                reader.fault("setups", "missing; should be a setup time for each family");
            }
            _ => {}
        }
        (reader.count() == before).then_some(times)
    }
}

fn expect_end(reader: &mut Reader, field: &str, mut words: std::str::SplitWhitespace<'_>) {
    if words.next().is_some() {
        reader.fault(field, "the line should end here, but more words follow");
    }
}

/// Writes an offline scenario as [`read_liao`] reads it, if its setup times depend on the next class only.
pub fn write_liao(scenario: &SchedulingDay) -> Result<String, String> {
    if scenario.horizon > 0.0 || scenario.jobs.iter().any(|job| job.arrival > 0.0) {
        return Err(
            "the format holds offline scenarios only, with every job there at time 0".into()
        );
    }
    let times = scenario.setup.next_only().ok_or(
        "the format holds one setup time for each class, but here it depends on the class before too",
    )?;
    let times: Vec<String> = times.iter().map(ToString::to_string).collect();
    let mut text = format!(
        "{}\n{}\n{}\n{}\n",
        scenario.machines,
        times.len(),
        times.join(" "),
        scenario.jobs.len()
    );
    if scenario.factors.is_some() || scenario.listed().next().is_some() {
        return Err("the format holds one processing time a job, but these machines are unrelated; write JSON lines (.jsonl)".into());
    }
    for job in &scenario.jobs {
        text += &format!("{} {} {}\n", job.processing, job.weight, job.class);
    }
    Ok(text)
}
