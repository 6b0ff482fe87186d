//! A recipe from its first decision to its last, with everything that is written on the way.
//!
//! | file | what |
//! |---|---|
//! | `checkpoint` | everything needed to go on; replaced as a whole, so there is always one |
//! | `best.safetensors`, `card.md` | the network with the least validation cost so far, and what is to be known of it |
//! | `curve.csv`, `curve.svg`, `events.out.tfevents.solo` | how it went, for reading, looking and TensorBoard |

use crate::atomic::{self, FileError, failed};
use crate::card;
use crate::checkpoint::{self, CheckpointError};
use crate::codec::{Reader, Writer};
use crate::dqn::{Learner, Rules};
use crate::episode::{Days, UnknownPreset};
use crate::history::{self, Marks, Point};
use crate::hyper::NO_BASELINE;
use crate::recipe::Recipe;
use crate::validate::{VALIDATION, mean_cost};
use solo_core::{Clock, Domain, Guide, GuideVisitor, Policy, Seed, Uniform};
use solo_nn::Qnet;
use std::fs;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// The files of a run.
pub const CHECKPOINT: &str = "checkpoint";
/// The best network so far.
pub const BEST: &str = "best.safetensors";
/// The names of the baseline that is the rule of the problem's lookahead.
pub const SCOUT: &str = "scout";
/// So much work is lost at most.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(60);

/// What is to be learnt, and where it is written.
pub struct Job<'j> {
    /// The recipe.
    pub recipe: &'j Recipe,
    /// What everything random follows from.
    pub seed: Seed,
    /// How many threads compute; the result does not depend on it.
    pub threads: usize,
    /// The folder for all files.
    pub out: PathBuf,
    /// Whether to go on from the checkpoint in the folder.
    pub resume: bool,
    /// What to compare with in the picture.
    pub marks: Marks,
    /// Seconds since 1970, for TensorBoard.
    pub wall_time: f64,
    /// Tells how long it takes.
    pub clock: &'j dyn Clock,
}

/// Hears how learning goes.
pub trait Watch {
    /// Learning begins, or goes on, at a decision.
    fn begun(&mut self, step: u64);
    /// So many decisions are made.
    fn ticked(&mut self, step: u64);
    /// The network was validated.
    fn validated(&mut self, point: &Point, best: f64);
    /// Whether to stop here; a checkpoint is written first.
    fn stop(&self) -> bool;
}

/// How it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Whether all decisions of the recipe were made.
    pub finished: bool,
    /// All validations.
    pub points: Vec<Point>,
    /// The best of them.
    pub best: Option<Point>,
}

/// Why learning ended early.
#[derive(Debug, Error)]
pub enum LearnError {
    /// A preset is not known.
    #[error(transparent)]
    Preset(#[from] UnknownPreset),
    /// The baseline is not known.
    #[error("'{name}' is no rule to use as a baseline; known are {known}")]
    Baseline {
        /// As typed.
        name: String,
        /// The names of all.
        known: String,
    },
    /// A file could not be written or read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The checkpoint cannot be used.
    #[error("{path}: {what}; it was left as it is")]
    Checkpoint {
        /// Which.
        path: String,
        /// Why not.
        what: CheckpointError,
    },
    /// There is a checkpoint already.
    #[error(
        "{0} is there already: go on from it with --resume, or choose another folder with --out"
    )]
    Occupied(String),
    /// Nobody can say what a state of the problem will cost.
    #[error("{0} has no numbers for a value at the horizon: leave out [value]")]
    NoValue(&'static str),
    /// The weights ran away.
    #[error(
        "learning diverged before decision {0}: the loss is not finite; a lower learning rate may help"
    )]
    Diverged(u64),
}

/// Learns a recipe for the problem `D`.
pub fn learn<D: Domain>(job: &Job<'_>, watch: &mut dyn Watch) -> Result<Summary, LearnError> {
    let wanted = job.recipe.hyper.baseline.as_str();
    match wanted {
        NO_BASELINE => Run::<D, Uniform<Rules<D>>>::start(job)?.go(watch),
        SCOUT => Run::<D, D::Scout>::start(job)?.go(watch),
        _ => {
            let (known, domain) = (Vec::new(), PhantomData);
            let mut pick = Pick::<D> { job, watch, result: None, known, domain };
            D::guides(&mut pick);
            let known = [pick.known, vec![SCOUT, NO_BASELINE]].concat().join(", ");
            pick.result.unwrap_or(Err(LearnError::Baseline { name: wanted.to_string(), known }))
        }
    }
}

/// Finds the baseline among the problem's guides, and learns with its type.
struct Pick<'p, 'j, D: Domain> {
    job: &'p Job<'j>,
    watch: &'p mut dyn Watch,
    result: Option<Result<Summary, LearnError>>,
    known: Vec<&'static str>,
    domain: PhantomData<fn() -> D>,
}

impl<D: Domain> GuideVisitor<Rules<D>> for Pick<'_, '_, D> {
    fn visit<G: Guide<Rules<D>> + Default + 'static>(&mut self, name: &'static str) {
        self.known.push(name);
        if name == self.job.recipe.hyper.baseline {
            let run = Run::<D, G>::start(self.job);
            self.result = Some(run.and_then(|run| run.go(self.watch)));
        }
    }
}

/// Learning under way.
struct Run<'j, D: Domain, R> {
    job: &'j Job<'j>,
    learner: Learner<D, R>,
    validation: Days<D>,
    points: Vec<Point>,
    best: Option<(Point, Vec<f32>)>,
    /// Seconds of learning in earlier runs.
    before: f64,
    /// When the first run began, in seconds since 1970.
    began: f64,
}

impl<'j, D: Domain, R: Policy<Rules<D>> + Default> Run<'j, D, R> {
    /// At the beginning, or where the checkpoint is.
    fn start(job: &'j Job<'j>) -> Result<Self, LearnError> {
        let Recipe { hyper, presets, validation, .. } = job.recipe;
        let learner = Learner::new(hyper.clone(), presets, job.seed, job.threads)?;
        let validation = Days::new(std::slice::from_ref(&validation.preset), VALIDATION)?;
        let (points, began) = (Vec::new(), job.wall_time);
        let mut run = Self { job, learner, validation, points, best: None, before: 0.0, began };
        fs::create_dir_all(&job.out).map_err(|e| failed(&job.out, "make this folder", &e))?;
        let path = run.path(CHECKPOINT);
        match fs::read(&path) {
            Ok(_) if !job.resume => return Err(LearnError::Occupied(path.display().to_string())),
            Ok(file) => run.load(&path, &file)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => run.save()?,
            Err(error) => return Err(failed(&path, "read", &error).into()),
        }
        Ok(run)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.job.out.join(name)
    }

    fn go(mut self, watch: &mut dyn Watch) -> Result<Summary, LearnError> {
        let every = self.job.recipe.validation.every;
        let total = self.job.recipe.hyper.total_steps;
        let mut saved = self.job.clock.elapsed();
        watch.begun(self.learner.step());
        while self.learner.step() < total {
            if watch.stop() {
                self.save()?;
                return Ok(self.summary(false));
            }
            let before = self.learner.step();
            self.learner.tick();
            let step = self.learner.step();
            watch.ticked(step);
            let due = step / every > before / every || step >= total;
            if due {
                let point = self.validate()?;
                let best = self.best.as_ref().map_or(point.cost, |(best, _)| best.cost);
                watch.validated(&point, best);
            }
            if due || self.job.clock.elapsed() - saved > BETWEEN_CHECKPOINTS {
                self.save()?;
                saved = self.job.clock.elapsed();
            }
        }
        Ok(self.summary(true))
    }

    fn summary(self, finished: bool) -> Summary {
        Summary { finished, points: self.points, best: self.best.map(|(best, _)| best) }
    }

    fn seconds(&self) -> f64 {
        self.before + self.job.clock.elapsed().as_secs_f64()
    }

    fn validate(&mut self) -> Result<Point, LearnError> {
        let tally = self.learner.take_tally();
        let steps = tally.steps.max(1) as f64;
        let step = self.learner.step();
        if !tally.loss.is_finite() {
            return Err(LearnError::Diverged(step));
        }
        let (days, net) = (self.job.recipe.validation.days, self.learner.net());
        let point = Point {
            step,
            updates: self.learner.updates(),
            cost: mean_cost(&self.validation, days, self.job.threads, &net),
            loss: tally.loss / steps,
            surprise: tally.surprise / steps,
            value: tally.value / steps,
            exploration: self.learner.exploration(),
            learning_rate: self.learner.learning_rate(),
            seconds: self.seconds(),
        };
        self.points.push(point);
        if self.best.as_ref().is_none_or(|(best, _)| point.cost < best.cost) {
            self.best = Some((point, net.params().to_vec()));
            self.keep(&net, &point)?;
        }
        Ok(point)
    }

    /// Writes a network with its card.
    fn keep(&self, net: &Qnet, point: &Point) -> Result<(), FileError> {
        let Job { recipe, seed, marks, .. } = self.job;
        let header = card::header(recipe, *seed, marks, point);
        let file = net.to_safetensors(&header);
        self.write(BEST, &file)?;
        self.write("card.md", card::page(recipe, &header, &file).as_bytes())
    }

    fn write(&self, name: &str, contents: &[u8]) -> Result<(), FileError> {
        atomic::write(&self.path(name), contents)
    }

    /// Writes the checkpoint, and the curves as they are.
    fn save(&self) -> Result<(), FileError> {
        let mut contents = Writer::default();
        contents.number(self.seconds());
        contents.number(self.began);
        contents.whole(self.points.len() as u64);
        self.points.iter().for_each(|point| save_point(point, &mut contents));
        contents.whole(u64::from(self.best.is_some()));
        if let Some((point, params)) = &self.best {
            save_point(point, &mut contents);
            contents.floats(params);
        }
        self.learner.save(&mut contents);
        let (recipe, seed) = (self.job.recipe.fingerprint(), self.job.seed.0);
        self.write(CHECKPOINT, &checkpoint::seal(&recipe, seed, &contents.0))?;
        self.write("curve.csv", history::csv(&self.points).as_bytes())?;
        self.write("events.out.tfevents.solo", &history::events(&self.points, self.began))?;
        let title = format!("{} ({})", self.job.recipe.name, self.job.recipe.variant.word());
        let picture = history::picture(&title, "decisions", &self.points, &self.job.marks);
        self.write("curve.svg", picture.as_bytes())
    }

    fn load(&mut self, path: &Path, file: &[u8]) -> Result<(), LearnError> {
        let wrong = |what| LearnError::Checkpoint { path: path.display().to_string(), what };
        let (recipe, seed) = (self.job.recipe.fingerprint(), self.job.seed.0);
        let contents = checkpoint::open(file, &recipe, seed).map_err(wrong)?;
        self.read(&mut Reader(contents)).ok_or_else(|| wrong(CheckpointError::Damaged))?;
        // The best may have been found after the last whole checkpoint.
        if let Some((point, params)) = &self.best {
            let mut net: Qnet = self.learner.net();
            net.params_mut().copy_from_slice(params);
            self.keep(&net, point)?;
        }
        Ok(())
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Option<()> {
        self.before = from.number()?;
        self.began = from.number()?;
        for _ in 0..from.whole()? {
            self.points.push(load_point(from)?);
        }
        if from.whole()? == 1 {
            let size = self.learner.net().params().len();
            let point = load_point(from)?;
            self.best = Some((point, from.floats().filter(|params| params.len() == size)?));
        }
        self.learner.load(from)?;
        from.0.is_empty().then_some(())
    }
}

pub(crate) fn save_point(point: &Point, to: &mut Writer) {
    let Point { step, updates, cost, loss, surprise, value, exploration, learning_rate, seconds } =
        *point;
    to.wholes(&[step, updates]);
    to.numbers(&[cost, loss, surprise, value, exploration, learning_rate, seconds]);
}

pub(crate) fn load_point(from: &mut Reader<'_>) -> Option<Point> {
    Some(Point {
        step: from.whole()?,
        updates: from.whole()?,
        cost: from.number()?,
        loss: from.number()?,
        surprise: from.number()?,
        value: from.number()?,
        exploration: from.number()?,
        learning_rate: from.number()?,
        seconds: from.number()?,
    })
}
