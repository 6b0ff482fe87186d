//! Runs a learner from its first step to its last, and writes everything on the way.
//!
//! - `checkpoint`: everything needed to go on; replaced as a whole, so there is always one
//! - `best.safetensors`, `card.md`: the model with the least validation cost so far, and a page
//!   about it
//! - `curve.csv`, `curve.svg`, `events.out.tfevents.solo`: how it went, as a table, as a picture and
//!   for TensorBoard
//! - `lock`: locked as long as a process writes to the folder
//!
//! A learner is a function of its recipe, its seed and its checkpoint. So a run that was stopped or
//! killed at any moment goes on to the very same weights. Everything but the checkpoint is written
//! from it, and written anew when a run goes on.

use crate::card::ModelFile;
use crate::checkpoint::{self, CheckpointError};
use crate::history::{self, CurvePoint, Marks};
use crate::task::{LearnError, Summary, Task, Watch};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solo_core::atomic::{self, FileError, failed};
use solo_core::lock::FolderLock;
use solo_core::pool::{self, Progress};
use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The file to go on from.
pub const CHECKPOINT: &str = "checkpoint";
/// The best model so far.
pub const BEST: &str = "best.safetensors";
/// The page about it.
pub const CARD: &str = "card.md";
/// At most this much work is lost when the machine stops.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(60);

/// What came of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// The watch asked to stop before it was done; nothing has changed.
    Stopped,
    /// It is done.
    Done,
    /// It is done, and the model is to be validated.
    Validate,
    /// It is done, and so is another model.
    Model,
}

/// What is run: learns piece by piece, and can be saved between two pieces.
///
/// Everything that it does is a function of recipe, seed and saved state: not of the number of
/// threads, and not of time.
pub trait Learner {
    /// Everything that the rest of learning depends on.
    type Saved: Serialize + DeserializeOwned;
    /// What its steps are.
    const UNIT: &'static str;

    /// The title of its curve.
    fn title(&self) -> String;
    /// A fingerprint of everything that the learned weights depend on except the seed.
    fn fingerprint(&self) -> [u8; 32];
    /// Steps so far.
    fn step(&self) -> u64;
    /// Whether all steps are made.
    fn finished(&self) -> bool;
    /// Does the next piece of work. `best` are the weights of the best model so far. Long pieces
    /// report to the watch, and ask it whether to stop.
    fn work(&mut self, best: Option<&[f32]>, watch: &mut dyn Watch) -> Work;
    /// Judges the model as it is. The runner fills in the seconds.
    fn validate(&mut self) -> Result<CurvePoint, LearnError>;
    /// The weights of the model as it is.
    fn weights(&self) -> Vec<f32>;
    /// A model with these weights as it is written, judged at this point.
    fn model(&self, weights: &[f32], point: &CurvePoint, marks: &Marks) -> ModelFile;
    /// The models beside that one that are done so far.
    fn others(&self) -> Vec<ModelFile> {
        Vec::new()
    }
    /// Saves the learner.
    fn save(&self) -> Self::Saved;
    /// Makes this learner, fresh from its recipe, the one that was saved. `None` if what was saved
    /// makes no sense; the learner is of no use then.
    fn load(&mut self, saved: Self::Saved) -> Option<()>;
}

/// Runs a learner to its end, or until the watch asks to stop.
pub fn run<L: Learner>(
    learner: L,
    task: &Task<'_>,
    watch: &mut dyn Watch,
) -> Result<Summary, LearnError> {
    let out = &task.out;
    fs::create_dir_all(out).map_err(|e| failed(out, "make this folder", &e))?;
    let _lock = FolderLock::take(out)?;
    let mut run = Runner::new(learner, task);
    let loaded = run.load()?;
    match (task.marks)()? {
        Some(marks) => run.marks = marks,
        None => return Ok(run.summary(false)),
    }
    if loaded {
        run.write_results()?;
    } else {
        run.save()?;
    }
    run.go(watch)
}

/// The best model so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Best {
    point: CurvePoint,
    weights: Vec<f32>,
}

/// What a checkpoint holds.
#[derive(Serialize, Deserialize)]
struct Contents<S> {
    seconds: f64,
    began: f64,
    points: Vec<CurvePoint>,
    best: Option<Best>,
    learner: S,
}

/// A run under way.
struct Runner<'t, L> {
    task: &'t Task<'t>,
    learner: L,
    points: Vec<CurvePoint>,
    best: Option<Best>,
    /// Seconds of learning in earlier sessions.
    before: f64,
    /// When the first session began, in seconds since 1970.
    began: f64,
    marks: Marks,
}

impl<'t, L: Learner> Runner<'t, L> {
    /// At the beginning.
    fn new(learner: L, task: &'t Task<'t>) -> Self {
        let (points, began, marks) = (Vec::new(), task.wall_time, Marks::default());
        Self { task, learner, points, best: None, before: 0.0, began, marks }
    }

    /// Goes to the checkpoint, if there is one.
    fn load(&mut self) -> Result<bool, LearnError> {
        let path = self.task.out.join(CHECKPOINT);
        let shown = || path.display().to_string();
        let file = match fs::read(&path) {
            Ok(_) if !self.task.resume => return Err(LearnError::Occupied(shown())),
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(failed(&path, "read", &error).into()),
        };
        let wrong = |what| LearnError::Checkpoint { path: shown(), what };
        let (recipe, seed) = (self.learner.fingerprint(), self.task.seed.0);
        let contents = checkpoint::open(&file, &recipe, seed).map_err(wrong)?;
        self.take(contents).ok_or_else(|| wrong(CheckpointError::Damaged))?;
        Ok(true)
    }

    fn go(mut self, watch: &mut dyn Watch) -> Result<Summary, LearnError> {
        let mut saved = self.task.clock.elapsed();
        watch.begun(self.learner.step(), &self.marks);
        while !self.learner.finished() {
            let best = self.best.as_ref().map(|best| &best.weights[..]);
            let work = if watch.stop() { Work::Stopped } else { self.learner.work(best, watch) };
            if work == Work::Stopped {
                self.save()?;
                return Ok(self.summary(false));
            }
            watch.ticked(self.learner.step());
            match work {
                Work::Validate => self.validate(watch)?,
                Work::Model => self.write_others()?,
                Work::Done | Work::Stopped => {}
            }
            let now = self.task.clock.elapsed();
            if work != Work::Done || now.saturating_sub(saved) > BETWEEN_CHECKPOINTS {
                self.save()?;
                saved = now;
            }
        }
        Ok(self.summary(true))
    }

    fn summary(self, finished: bool) -> Summary {
        Summary { finished, points: self.points, best: self.best.map(|best| best.point) }
    }

    fn seconds(&self) -> f64 {
        self.before + self.task.clock.elapsed().as_secs_f64()
    }

    fn validate(&mut self, watch: &mut dyn Watch) -> Result<(), LearnError> {
        let mut point = self.learner.validate()?;
        point.seconds = self.seconds();
        self.points.push(point);
        if self.best.as_ref().is_none_or(|best| point.cost < best.point.cost) {
            let best = Best { point, weights: self.learner.weights() };
            self.write_best(&best)?;
            self.best = Some(best);
        }
        let best = self.best.as_ref().map_or(point.cost, |best| best.point.cost);
        watch.validated(&point, best);
        Ok(())
    }

    fn write_best(&self, best: &Best) -> Result<(), FileError> {
        self.write_model(&self.learner.model(&best.weights, &best.point, &self.marks))
    }

    fn write_others(&self) -> Result<(), FileError> {
        self.learner.others().iter().try_for_each(|model| self.write_model(model))
    }

    fn write_model(&self, model: &ModelFile) -> Result<(), FileError> {
        self.write(model.file, &model.contents)?;
        self.write(model.card, model.page().as_bytes())
    }

    fn write(&self, name: &str, contents: &[u8]) -> Result<(), FileError> {
        atomic::write(&self.task.out.join(name), contents)
    }

    /// Writes the checkpoint, and the curves as they are.
    fn save(&self) -> Result<(), FileError> {
        let contents = Contents {
            seconds: self.seconds(),
            began: self.began,
            points: self.points.clone(),
            best: self.best.clone(),
            learner: self.learner.save(),
        };
        let (recipe, seed) = (self.learner.fingerprint(), self.task.seed.0);
        self.write(CHECKPOINT, &checkpoint::seal(&recipe, seed, &contents))?;
        self.write_curves()
    }

    fn write_curves(&self) -> Result<(), FileError> {
        self.write("curve.csv", history::csv(&self.points).as_bytes())?;
        self.write("events.out.tfevents.solo", &history::events(&self.points, self.began))?;
        let title = self.learner.title();
        let picture = history::picture(&title, L::UNIT, &self.points, &self.marks);
        self.write("curve.svg", picture.as_bytes())
    }

    /// Writes everything that follows from the checkpoint: files of the folder may be missing,
    /// older than it, or of work after it that was lost.
    fn write_results(&self) -> Result<(), FileError> {
        if let Some(best) = &self.best {
            self.write_best(best)?;
        }
        self.write_others()?;
        self.write_curves()
    }

    fn take(&mut self, contents: Contents<L::Saved>) -> Option<()> {
        let Contents { seconds, began, points, best, learner } = contents;
        let size = self.learner.weights().len();
        if best.as_ref().is_some_and(|best| best.weights.len() != size) {
            return None;
        }
        self.learner.load(learner)?;
        (self.before, self.began, self.points, self.best) = (seconds, began, points, best);
        Some(())
    }
}

/// Does pieces `0..count` of work on several threads, and takes their results in order. After each
/// the watch hears the step that `step` gives for the number of results so far. False as soon as the
/// watch asks to stop: then the rest is left out.
pub(crate) fn in_pieces<T: Send>(
    count: u64,
    threads: usize,
    watch: &mut dyn Watch,
    step: impl Fn(u64) -> u64,
    work: impl Fn(u64) -> T + Sync,
    mut take: impl FnMut(T),
) -> bool {
    let stop = AtomicBool::new(false);
    let mut done = 0;
    let hear = |progress: Progress<T>| {
        if let Progress::Done(_, result) = progress {
            take(result);
            done += 1;
            watch.ticked(step(done));
        }
        if done < count && watch.stop() { Err(()) } else { Ok(()) }
    };
    pool::run(count, threads.max(1), &stop, |_| (), work, hear).is_ok()
}

#[cfg(test)]
mod tests;
