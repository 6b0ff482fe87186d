//! Living one day with one agent.

use crate::agents::{self, Mind};
use serde_json::{Map, Value, json};
use solo_core::domain::Decisions;
use solo_core::spec::SpecError;
use solo_core::{
    Agent, Audit, Budget, Clock, Cost, Decision, Domain, Failure, Illegal, Meter, Problem, Rng,
    Seed, Stream, Time, Timed, Violation, World,
};
use solo_eval::record::Figures;
use solo_rivals::Pool;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use thiserror::Error;

/// How a day is to be lived.
#[derive(Clone, Copy)]
pub struct Settings<'s> {
    /// The arrival law that everybody believes in; `None` if nothing is expected.
    pub law: Option<&'s str>,
    /// For each decision.
    pub budget: Budget,
    /// For each unit of the day's time between decisions; `None` if nobody thinks then.
    pub ponder: Option<Budget>,
    /// Where the agent's dice come from.
    pub seed: Seed,
    /// Which of the seed's dice.
    pub index: u64,
    /// Whether the record of the day is wanted, for a picture, a log or a solution.
    pub keep: bool,
    /// Whether the reasons of every decision are wanted.
    pub explain: bool,
    /// Other people's solvers that are running already.
    pub pool: &'s Pool,
    /// Tells how long decisions take.
    pub clock: &'s dyn Clock,
    /// Ends all thinking as soon as it is set.
    pub stop: &'s AtomicBool,
    /// Whether a stopped day is finished with the best that was found so far, rather than left.
    pub finish: bool,
    /// Counts decisions as they are made, for a progress bar.
    pub progress: &'s AtomicU64,
}

impl Settings<'_> {
    /// Whether the day is to be left unfinished.
    fn left(&self) -> bool {
        !self.finish && self.stop.load(Ordering::Relaxed)
    }
}

/// A day that was lived to its end.
pub struct Outcome {
    /// The scenario's name.
    pub scenario: String,
    /// The agent as it was typed.
    pub agent: String,
    /// The audit's cost.
    pub cost: Cost,
    /// How many decisions were made, waiting included.
    pub decisions: u64,
    /// How many rollouts or iterations went into them.
    pub rollouts: u64,
    /// How long they took together.
    pub seconds: f64,
    /// How long the slowest took.
    pub slowest: f64,
    /// The record, if it was wanted.
    pub day: Option<Box<dyn Day>>,
    /// Each decision with its evidence as a JSON object, if that was wanted.
    pub explained: Option<Vec<Value>>,
}

impl Outcome {
    /// A day of which only the figures are known.
    pub fn known(scenario: &str, agent: &str, figures: &Figures) -> Self {
        let Figures { cost, decisions, rollouts, seconds, slowest, .. } = *figures;
        let (scenario, agent) = (scenario.to_string(), agent.to_string());
        let (day, explained) = (None, None);
        Self { scenario, agent, cost, decisions, rollouts, seconds, slowest, day, explained }
    }

    /// The figures alone.
    pub fn figures(&self) -> Figures {
        let Outcome { cost, decisions, rollouts, seconds, slowest, .. } = *self;
        Figures { cost, decisions, rollouts, seconds, slowest, core: None, run: None }
    }

    /// The figures as a JSON object.
    pub fn to_json(&self) -> Value {
        json!({
            "scenario": self.scenario,
            "agent": self.agent,
            "cost": self.cost,
            "decisions": self.decisions,
            "rollouts": self.rollouts,
            "seconds": self.seconds,
            "slowest": self.slowest,
        })
    }
}

/// Why a day did not end well.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum EpisodeError {
    /// The law is not a preset of the problem.
    #[error("'{0}' is not a known law")]
    Law(String),
    /// The agent is not known, or not with these parameters.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The agent gave up.
    #[error("the agent failed: {0}")]
    Agent(#[from] Failure),
    /// The agent broke a rule.
    #[error("the agent broke a rule: {0}")]
    Illegal(#[from] Illegal),
    /// The day ended, but its record breaks a rule.
    #[error("the audit objects: {0}")]
    Violation(#[from] Violation),
    /// The world and the audit disagree.
    #[error("the world says that the day cost {world}, its audit {audit}")]
    Mismatch {
        /// By the dynamics.
        world: Cost,
        /// By the audit.
        audit: Cost,
    },
    /// The day could not be kept in the record.
    #[error("the day was lived but not recorded: {0}")]
    Record(String),
    /// Somebody asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// The record of a day that was lived, with its problem's type erased.
pub trait Day: Send + Sync {
    /// The day as SVG.
    fn picture(&self, title: &str) -> String;
    /// What arrived and what was decided, in order of time; what arrives at a moment comes before its decisions.
    fn log(&self) -> Vec<(Time, String)>;
    /// The decisions as JSON objects with their times.
    fn decisions(&self) -> Vec<Value>;
    /// The decisions as text of other people's format, if the problem knows the ending.
    fn foreign(&self, extension: &str, cost: Cost) -> Option<String>;
}

/// Lives a scenario with an agent; the cost is the audit's.
pub fn live<D: Domain>(
    scenario: &D::Scenario,
    agent: &str,
    settings: &Settings<'_>,
) -> Result<Outcome, EpisodeError> {
    let unknown = || EpisodeError::Law(settings.law.unwrap_or_default().to_string());
    let problem = D::problem(scenario, settings.law).ok_or_else(unknown)?;
    let mut dice = settings.seed.stream(Stream::Agent, settings.index);
    let arrivals = D::arrivals(scenario);
    let lived = match agents::make::<D>(agent, settings.law, settings.pool)? {
        Mind::Agent(mut mind) => {
            decide::<D>(&problem, &arrivals, mind.as_mut(), settings, &mut dice)?
        }
        Mind::Clairvoyant => know::<D>(&problem, &arrivals, settings, &mut dice)?,
    };
    let Decided { decisions, cost: told, rollouts, seconds, slowest, explained } = lived;
    let cost = problem.audit(&arrivals, &decisions)?;
    if let Some(world) = told.filter(|told| (cost - told).abs() > 1e-6 * cost.abs().max(1.0)) {
        return Err(EpisodeError::Mismatch { world, audit: cost });
    }
    let count = decisions.len() as u64;
    let day = settings.keep.then(|| -> Box<dyn Day> {
        let words = arrival_words(&D::write(scenario), arrivals.len());
        Box::new(Lived::<D> { problem, arrivals, decisions, words })
    });
    Ok(Outcome {
        scenario: D::name(scenario).to_string(),
        agent: agent.to_string(),
        cost,
        decisions: count,
        rollouts,
        seconds,
        slowest,
        day,
        explained: settings.explain.then_some(explained),
    })
}

/// The decisions of a day and what they took.
struct Decided<D: Domain> {
    decisions: Decisions<D::Problem>,
    /// What the day cost by the world's own books.
    cost: Option<Cost>,
    rollouts: u64,
    seconds: f64,
    slowest: f64,
    /// Each decision with its evidence, if that was wanted.
    explained: Vec<Value>,
}

/// Lives the day decision by decision.
fn decide<D: Domain>(
    problem: &D::Problem,
    arrivals: &[Timed<ArrivalOf<D>>],
    mind: &mut dyn Agent<D::Problem>,
    settings: &Settings<'_>,
    dice: &mut Rng,
) -> Result<Decided<D>, EpisodeError> {
    let mut world = World::open(problem, arrivals.to_vec());
    let (mut rollouts, mut seconds, mut slowest) = (0, 0.0, 0.0_f64);
    let mut explained = Vec::new();
    while !world.done() {
        let meter = Meter::start(settings.budget, settings.clock, settings.stop);
        let decision = mind.decide(problem, world.state(), &meter, dice);
        let took = meter.elapsed().as_secs_f64();
        if settings.left() {
            return Err(EpisodeError::Interrupted);
        }
        let decision = decision?;
        if settings.explain {
            explained.push(explanation(problem.now(world.state()), &decision));
        }
        let before = settings.ponder.map(|_| world.state().clone());
        world.act(decision.action)?;
        if let (Some(rate), Some(before)) = (settings.ponder, before) {
            let free = problem.now(world.state()) - problem.now(&before);
            let meter = Meter::start(rate.times(free), settings.clock, settings.stop);
            mind.ponder(problem, &before, decision.action, &meter, dice);
        }
        rollouts += decision.rollouts;
        seconds += took;
        slowest = slowest.max(took);
        settings.progress.fetch_add(1, Ordering::Relaxed);
    }
    let cost = Some(world.cost());
    let decisions = world.into_journal().decisions;
    Ok(Decided { decisions, cost, rollouts, seconds, slowest, explained })
}

/// A decision with its evidence as a JSON object; what is not known is null.
fn explanation<A: std::fmt::Display>(time: Time, decision: &Decision<A>) -> Value {
    let mut object = json!({
        "time": time,
        "action": decision.action.to_string(),
        "rollouts": decision.rollouts,
    });
    if let Some(evidence) = &decision.evidence {
        let candidates = evidence.candidates.iter().map(|candidate| {
            json!({
                "action": candidate.action.to_string(),
                "visits": candidate.visits,
                "mean": candidate.mean,
                "error": candidate.error,
                "value": candidate.value,
                "masked": candidate.masked,
            })
        });
        object["how"] = json!(evidence.how);
        object["tied"] = json!(evidence.tied);
        object["candidates"] = candidates.collect();
    }
    object
}

/// Plans the day with all arrivals known.
fn know<D: Domain>(
    problem: &D::Problem,
    arrivals: &[Timed<ArrivalOf<D>>],
    settings: &Settings<'_>,
    dice: &mut Rng,
) -> Result<Decided<D>, EpisodeError> {
    let meter = Meter::start(settings.budget, settings.clock, settings.stop);
    let decisions = D::hindsight(problem, arrivals, &meter, dice)?;
    let took = meter.elapsed().as_secs_f64();
    if settings.left() {
        return Err(EpisodeError::Interrupted);
    }
    Ok(Decided {
        decisions,
        cost: None,
        rollouts: meter.spent(),
        seconds: took,
        slowest: took,
        explained: Vec::new(),
    })
}

type ActionOf<D> = <<D as Domain>::Problem as Problem>::Action;
type ArrivalOf<D> = <<D as Domain>::Problem as Problem>::Arrival;

struct Lived<D: Domain> {
    problem: D::Problem,
    arrivals: Vec<Timed<ArrivalOf<D>>>,
    decisions: Vec<Timed<ActionOf<D>>>,
    words: Option<Vec<String>>,
}

impl<D: Domain> Day for Lived<D> {
    fn picture(&self, title: &str) -> String {
        D::picture(&self.problem, &self.arrivals, &self.decisions, title)
    }

    fn log(&self) -> Vec<(Time, String)> {
        let mut log: Vec<(Time, String)> = Vec::new();
        for (i, arrival) in self.arrivals.iter().enumerate() {
            let what = match &self.words {
                Some(words) => words[i].clone(),
                None => format!("arrival {i}: {:?}", arrival.what),
            };
            log.push((arrival.time, what));
        }
        log.extend(self.decisions.iter().map(|d| (d.time, format!("-> {}", d.what))));
        log.sort_by(|a, b| a.0.total_cmp(&b.0));
        log
    }

    fn decisions(&self) -> Vec<Value> {
        let object = |decision: &Timed<ActionOf<D>>| {
            let mut object = Map::new();
            object.insert("time".to_string(), Value::from(decision.time));
            object.extend(D::write_action(decision.what));
            Value::Object(object)
        };
        self.decisions.iter().map(object).collect()
    }

    fn foreign(&self, extension: &str, cost: Cost) -> Option<String> {
        let formats = D::solution_formats();
        let format = formats.iter().find(|format| format.extension == extension)?;
        Some((format.write)(&self.decisions, cost))
    }
}

/// Arrivals in the words of the scenario's file, like `job 3: processing 52, weight 7, class 0`: files list what
/// arrives in order of arrival, too. `None` if this file does not.
fn arrival_words(file: &Map<String, Value>, count: usize) -> Option<Vec<String>> {
    let (key, items) = file.iter().find_map(|(key, value)| {
        let items = value.as_array().filter(|items| items.len() == count)?;
        items.iter().all(Value::is_object).then_some((key, items))
    })?;
    let noun = key.trim_end_matches('s');
    let words = |(i, item): (usize, &Value)| {
        let fields = item.as_object().into_iter().flatten();
        let fields: Vec<String> = fields
            .filter(|(key, _)| *key != "arrival")
            .map(|(key, value)| format!("{key} {}", short(value)))
            .collect();
        format!("{noun} {i}: {}", fields.join(", "))
    };
    Some(items.iter().enumerate().map(words).collect())
}

/// A value with at most three decimals.
fn short(value: &Value) -> String {
    match value.as_f64() {
        Some(number) => ((number * 1e3).round() / 1e3).to_string(),
        None => value.to_string(),
    }
}
