//! Simulating one day with one agent.

use crate::Error;
use crate::agents::HINDSIGHT;
use crate::any::AnyScenario;
use crate::day::{Day, Recording};
use crate::entry::Entry;
use crate::explanation::Explanation;
use crate::hurried::Hurried;
use serde_json::{Value, json};
use solo_core::params::SpecError;
use solo_core::{
    Agent, AgentSpec, Audit, Budget, Clock, Cost, Failure, Illegal, LawError, Log, LogOf, Meter,
    Problem, Rng, RulesOf, Scenario, Seed, Stream, SystemClock, Timed, Violation, World,
};
use solo_eval::record::Figures;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Other people's solvers that are running already. Clones share them.
#[derive(Clone, Default)]
pub struct Solvers {
    #[cfg(feature = "rivals")]
    pool: solo_rivals::SolverPool,
}

impl Solvers {
    /// The running processes.
    #[cfg(feature = "rivals")]
    pub(crate) fn pool(&self) -> solo_rivals::SolverPool {
        self.pool.clone()
    }
}

/// How days are simulated. The defaults are those of the program.
#[derive(Clone)]
pub struct Settings<'s> {
    /// The arrival law that agents believe in, a preset as it is typed; `None` for the scenario's own, if its name
    /// begins with a preset, and [`NO_LAW`] for none.
    pub law: Option<&'s str>,
    /// Whether the law is believed in although the day has numbers that it could never have drawn.
    pub trust_law: bool,
    /// For each decision, unless the agent has a budget of its own.
    pub budget: Budget,
    /// For each unit of the day's time between decisions; `None` if agents do not ponder.
    pub ponder: Option<Budget>,
    /// The random seed of the agent.
    pub seed: Seed,
    /// Which of the seed's streams.
    pub index: u64,
    /// Whether the log of the day is kept, for a picture or a solution.
    pub keep: bool,
    /// Whether decisions are explained.
    pub explain: bool,
    /// Other people's solvers that are running already.
    pub solvers: Solvers,
    /// Tells how long decisions take.
    pub clock: Arc<dyn Clock + Send>,
    /// Ends all thinking as soon as it is set.
    pub stop: &'s AtomicBool,
    /// Whether a stopped day is finished with the best that was found so far, rather than left.
    pub finish: bool,
    /// Counts decisions as they are made, for a progress bar.
    pub progress: &'s AtomicU64,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        static UNHEARD: AtomicU64 = AtomicU64::new(0);
        Self {
            law: None,
            trust_law: false,
            budget: Budget::Wall(Duration::from_millis(10)),
            ponder: None,
            seed: Seed(0),
            index: 0,
            keep: false,
            explain: false,
            solvers: Solvers::default(),
            clock: Arc::new(SystemClock::start()),
            stop: &NEVER,
            finish: false,
            progress: &UNHEARD,
        }
    }
}

impl Settings<'_> {
    /// Whether the day is to be left unfinished.
    fn left(&self) -> bool {
        !self.finish && self.stop.load(Ordering::Relaxed)
    }

    fn meter(&self, budget: Budget) -> Meter<'_> {
        Meter::start(budget, &*self.clock, self.stop)
    }
}

/// A day to be simulated with an agent: the shortest way from a scenario to its cost.
///
/// ```
/// use solo::{Simulation, bundled};
///
/// let day = bundled().draw("pmsp-online-3", 0, 0).unwrap();
/// let wspt = Simulation::of(&*day).agent("wspt").run().unwrap();
/// let search = Simulation::of(&*day).agent("lookahead@200r").run().unwrap();
/// assert!(search.cost < wspt.cost);
/// ```
pub struct Simulation<'s> {
    scenario: &'s dyn AnyScenario,
    agent: Result<AgentSpec, SpecError>,
    settings: Settings<'s>,
}

impl<'s> Simulation<'s> {
    /// Of this day, by the problem's solver, or else at random.
    pub fn of(scenario: &'s dyn AnyScenario) -> Self {
        let agent = AgentSpec::parse(scenario.solver());
        Self { scenario, agent, settings: Settings::default() }
    }

    /// By this agent: a text like `"solo2@10ms"`, or parameters like `Solo2 { k: 12, ..Solo2::default() }`.
    pub fn agent<A: TryInto<AgentSpec, Error: Into<SpecError>>>(mut self, agent: A) -> Self {
        self.agent = agent.try_into().map_err(Into::into);
        self
    }

    /// With this budget for each decision, unless the agent has one of its own.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.settings.budget = budget;
        self
    }

    /// With this law instead of the scenario's own.
    pub fn law(mut self, law: &'s str) -> Self {
        self.settings.law = Some(law);
        self
    }

    /// Believing in the law although the day has numbers that it could never have drawn.
    pub fn trust_law(mut self) -> Self {
        self.settings.trust_law = true;
        self
    }

    /// With this random seed.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = Seed(seed);
        self
    }

    /// With the reasons of every decision in [`Outcome::explained`].
    pub fn explained(mut self) -> Self {
        self.settings.explain = true;
        self
    }

    /// With these settings altogether.
    pub fn settings(mut self, settings: Settings<'s>) -> Self {
        self.settings = settings;
        self
    }

    /// Simulates the day. Its log is kept in [`Outcome::day`].
    pub fn run(self) -> Result<Outcome, Error> {
        let agent = self.agent.map_err(|error| Error::Usage(error.to_string()))?;
        let settings = Settings { keep: true, ..self.settings };
        Ok(self.scenario.simulate(&agent, &settings)?)
    }
}

/// A day that was simulated to its end.
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
    /// How many seconds they took together.
    pub seconds: f64,
    /// How many seconds the slowest took.
    pub slowest: f64,
    /// How many decisions had no time for what. Not kept in records.
    pub no_time: Hurried,
    /// The log, if it was kept.
    pub day: Option<Box<dyn Day>>,
    /// The reasons of each decision, if they were wanted.
    pub explained: Option<Vec<Explanation>>,
    /// In what the agent or the day differs from what was asked for, a sentence each. Not kept in records.
    pub notes: Vec<String>,
}

impl Outcome {
    /// A day of which only the figures are known.
    pub fn known(scenario: &str, agent: &str, figures: &Figures) -> Self {
        let Figures { cost, decisions, rollouts, seconds, slowest, .. } = *figures;
        let (scenario, agent) = (scenario.to_string(), agent.to_string());
        Self {
            scenario,
            agent,
            cost,
            decisions,
            rollouts,
            seconds,
            slowest,
            no_time: Hurried::default(),
            day: None,
            explained: None,
            notes: Vec::new(),
        }
    }

    /// The figures alone.
    pub fn figures(&self) -> Figures {
        let Outcome { cost, decisions, rollouts, seconds, slowest, .. } = *self;
        Figures { cost, decisions, rollouts, seconds, slowest, core: None, run: None }
    }

    /// The figures as a JSON object, with the reasons of decisions if they are there.
    pub fn to_json(&self) -> Value {
        let mut object = json!({
            "scenario": self.scenario,
            "agent": self.agent,
            "cost": self.cost,
            "decisions": self.decisions,
            "rollouts": self.rollouts,
            "seconds": self.seconds,
            "slowest": self.slowest,
            "notes": self.notes,
            "no_time": self.no_time.to_json(),
        });
        if let Some(explained) = &self.explained {
            object["explained"] = json!(explained);
        }
        object
    }
}

/// Why a day did not end well.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum EpisodeError {
    /// There is no such law, or it does not fit the day.
    #[error(transparent)]
    Law(#[from] LawError),
    /// The law could never have drawn the day.
    #[error("this day cannot come from the law {law}: {what}. --trust-law takes it all the same")]
    Outside {
        /// The law as typed.
        law: String,
        /// What lies outside, and the likely remedy.
        what: String,
    },
    /// The agent is not known, or not with these parameters.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The agent gave up.
    #[error("the agent failed: {0}")]
    Agent(#[from] Failure),
    /// The agent broke a rule.
    #[error("the agent broke a rule: {0}")]
    Illegal(#[from] Illegal),
    /// The day ended, but its log breaks a rule.
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
    #[error("the day was simulated but not recorded: {0}")]
    Record(String),
    /// Somebody asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// Simulates a scenario with an agent; the cost is the audit's. `law` is what agents believe in.
pub(crate) fn simulate<S: Scenario>(
    entry: &Arc<Entry<S>>,
    scenario: &S,
    agent: &AgentSpec,
    law: Option<&str>,
    settings: &Settings<'_>,
) -> Result<Outcome, EpisodeError> {
    let problem = scenario.rules(law)?;
    if let Some(law) = law.filter(|_| !settings.trust_law) {
        let outside = scenario.outside(law);
        if !outside.is_empty() {
            return Err(EpisodeError::Outside { law: law.to_string(), what: outside.join("; ") });
        }
    }
    let mut rng = settings.seed.stream(Stream::Agent, settings.index);
    let budget = agent.budget.unwrap_or(settings.budget);
    let events = scenario.events();
    let mut notes = Vec::new();
    if law.is_none() && scenario.online() && entry.samples(agent) {
        notes.push(NOTHING_EXPECTED.to_string());
    }
    let played = match entry.hindsight.filter(|_| agent.name == HINDSIGHT) {
        Some(plan) => {
            entry.check_agent(agent)?;
            know::<S>(&problem, events, plan, budget, settings, &mut rng)?
        }
        None => {
            let mut made = entry.make(agent, law, &settings.solvers)?;
            notes.append(&mut made.notes);
            notes.extend(made.taught.iter().filter_map(|t| entry.other_sizes(&problem, t)));
            decide(&problem, events, made.agent.as_mut(), budget, settings, &mut rng)?
        }
    };
    let Played { log, cost: booked, rollouts, seconds, slowest, no_time, explained } = played;
    let cost = problem.audit(&log)?;
    let off = |booked: &Cost| (cost - booked).abs() > 1e-6 * cost.abs().max(1.0);
    if let Some(world) = booked.filter(off) {
        return Err(EpisodeError::Mismatch { world, audit: cost });
    }
    let decisions = log.decisions().count() as u64;
    let day = settings.keep.then(|| -> Box<dyn Day> {
        Box::new(Recording { entry: Arc::clone(entry), problem, log })
    });
    Ok(Outcome {
        scenario: scenario.name().to_string(),
        agent: agent.to_string(),
        cost,
        decisions,
        rollouts,
        seconds,
        slowest,
        no_time,
        day,
        explained: settings.explain.then_some(explained),
        notes,
    })
}

/// Typed for a law where none is to be believed in, not even the one that a scenario's name begins with.
pub const NO_LAW: &str = "none";

/// Said of an agent that samples futures, where there is nothing to sample them from.
const NOTHING_EXPECTED: &str = "no arrival law is known for this day, so nothing more is expected, and it replans; \
    name the preset that is most like it with --law";

/// The log of a day and what its decisions took.
struct Played<P: Problem> {
    log: LogOf<P>,
    /// What the day cost by the world's own books.
    cost: Option<Cost>,
    rollouts: u64,
    seconds: f64,
    slowest: f64,
    no_time: Hurried,
    explained: Vec<Explanation>,
}

/// Simulates the day decision by decision.
fn decide<P: Problem>(
    problem: &P,
    events: Vec<Timed<P::Event>>,
    agent: &mut dyn Agent<P>,
    budget: Budget,
    settings: &Settings<'_>,
    rng: &mut Rng,
) -> Result<Played<P>, EpisodeError> {
    let mut world = World::open(problem, events);
    let (mut rollouts, mut seconds, mut slowest) = (0, 0.0, 0.0_f64);
    let (mut no_time, mut explained) = (Hurried::default(), Vec::new());
    while !world.done() {
        let meter = settings.meter(budget);
        let decision = agent.decide(problem, world.state(), &meter, rng);
        let took = meter.elapsed().as_secs_f64();
        if settings.left() {
            return Err(EpisodeError::Interrupted);
        }
        let mut decision = decision?;
        if settings.explain {
            agent.explain(problem, world.state(), &mut decision);
            explained.push(Explanation::new(problem.now(world.state()), &decision));
        }
        let before = settings.ponder.map(|_| world.state().clone());
        world.act(decision.action)?;
        if let (Some(rate), Some(before)) = (settings.ponder, before) {
            let free = problem.now(world.state()) - problem.now(&before);
            let meter = settings.meter(rate.times(free));
            agent.ponder(problem, &before, decision.action, &meter, rng);
        }
        no_time.count(decision.no_time);
        rollouts += decision.rollouts;
        seconds += took;
        slowest = slowest.max(took);
        settings.progress.fetch_add(1, Ordering::Relaxed);
    }
    let cost = Some(world.cost());
    Ok(Played { log: world.into_log(), cost, rollouts, seconds, slowest, no_time, explained })
}

/// Plans the day with all events known.
fn know<S: Scenario>(
    problem: &RulesOf<S>,
    events: Vec<Timed<<RulesOf<S> as Problem>::Event>>,
    plan: crate::entry::HindsightFn<RulesOf<S>>,
    budget: Budget,
    settings: &Settings<'_>,
    rng: &mut Rng,
) -> Result<Played<RulesOf<S>>, EpisodeError> {
    let meter = settings.meter(budget);
    let decisions = plan(problem, &events, &meter, rng)?;
    let took = meter.elapsed().as_secs_f64();
    if settings.left() {
        return Err(EpisodeError::Interrupted);
    }
    Ok(Played {
        log: Log::of(events, decisions),
        cost: None,
        rollouts: meter.spent(),
        seconds: took,
        slowest: took,
        no_time: Hurried::default(),
        explained: Vec::new(),
    })
}
