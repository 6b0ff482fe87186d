//! A guide's recipe from its first labelled day to its last step of evolution, with everything that is written on the way:
//! the same files as [`crate::run`] writes.
//!
//! Everything random is a function of the seed and of how far the run is, so that a checkpoint is little more than weights.
//! A round of labels that was cut short is made again, to the very same bits.

use super::evolve::Evolution;
use super::fit::fit;
use super::labels::{Labels, Search, Teacher, Unranked, label};
use super::recipe::{GuideRecipe, Judge};
use super::value::{Fitted, ValueRecipe, Values, fit_values, label_values};
use crate::atomic::{self, FileError, failed};
use crate::card::{rounded, table};
use crate::checkpoint::{self, CheckpointError};
use crate::codec::{Reader, Writer};
use crate::episode::Days;
use crate::history::{self, Marks, Point};
use crate::run::{BEST, CHECKPOINT, LearnError, Summary, Watch, load_point, save_point};
use crate::validate::{VALIDATION, costs};
use solo_core::{Clock, Domain, Features, Seed, Stream};
use solo_nn::{Scored, Scorer, ScorerShape, Valued};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

/// The value at the horizon, in the folder of a lesson.
pub const VALUE: &str = "value.safetensors";

/// What is to be taught, and where it is written.
pub struct Lesson<'j> {
    /// The recipe.
    pub recipe: &'j GuideRecipe,
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

/// Teaches a guide for the problem `D`.
pub fn teach<D: Domain>(job: &Lesson<'_>, watch: &mut dyn Watch) -> Result<Summary, LearnError> {
    Run::<D>::start(job)?.go(watch)
}

/// The mean cost of the validation days, decided by the scorer alone.
pub fn judged<D: Domain>(days: &Days<D>, count: u64, threads: usize, scorer: &Scorer) -> f64 {
    let scorer = Arc::new(scorer.clone());
    let costs = costs(days, count, threads, || Scored::new(Arc::clone(&scorer)));
    costs.iter().sum::<f64>() / count as f64
}

/// Teaching under way.
struct Run<'j, D: Domain> {
    job: &'j Lesson<'j>,
    days: Days<D>,
    validation: Days<D>,
    scorer: Scorer,
    /// Rounds that are done.
    round: u64,
    /// Labels of the last rounds, the oldest first, as long as there are rounds to come.
    memory: Vec<Labels>,
    evolution: Option<Evolution>,
    /// The loss of the last fit.
    loss: f64,
    points: Vec<Point>,
    best: Option<(Point, Scorer)>,
    /// The value at the horizon, once it is taught.
    value: Option<Scorer>,
    /// Seconds of teaching in earlier runs.
    before: f64,
    /// When the first run began, in seconds since 1970.
    began: f64,
}

impl<'j, D: Domain> Run<'j, D> {
    /// At the beginning, or where the checkpoint is.
    fn start(job: &'j Lesson<'j>) -> Result<Self, LearnError> {
        let recipe = job.recipe;
        let presets = std::slice::from_ref(&recipe.preset);
        if recipe.value.is_some() && D::Problem::OUTLOOK == 0 {
            return Err(LearnError::NoValue(D::NAME));
        }
        let (global, option) = (D::Problem::GLOBAL, D::Problem::OPTION);
        let shape = ScorerShape { global, option, hidden: recipe.hidden };
        let mut run = Self {
            job,
            days: Days::new(presets, job.seed)?,
            validation: Days::new(presets, VALIDATION)?,
            scorer: Scorer::new(shape, &mut job.seed.stream(Stream::Init, 0)),
            round: 0,
            memory: Vec::new(),
            evolution: None,
            loss: 0.0,
            points: Vec::new(),
            best: None,
            value: None,
            before: 0.0,
            began: job.wall_time,
        };
        fs::create_dir_all(&job.out).map_err(|e| failed(&job.out, "make this folder", &e))?;
        let path = job.out.join(CHECKPOINT);
        match fs::read(&path) {
            Ok(_) if !job.resume => return Err(LearnError::Occupied(path.display().to_string())),
            Ok(file) => run.load(&file).map_err(|what| {
                let path = path.display().to_string();
                LearnError::Checkpoint { path, what }
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => run.save()?,
            Err(error) => return Err(failed(&path, "read", &error).into()),
        }
        if let Some((point, scorer)) = &run.best {
            run.write_best(point, scorer)?;
        }
        Ok(run)
    }

    fn go(mut self, watch: &mut dyn Watch) -> Result<Summary, LearnError> {
        let recipe = self.job.recipe;
        watch.begun(self.step());
        while self.round < recipe.rounds {
            if !self.teach_round(watch) {
                return Ok(self.summary(false));
            }
            self.validate(watch)?;
        }
        let how = recipe.evolve();
        // Days that were not labelled.
        let first = recipe.rounds * recipe.days;
        if self.evolution.is_none() && recipe.steps > 0 {
            let start = self.best.as_ref().map_or(&self.scorer, |(_, scorer)| scorer);
            self.evolution = Some(Evolution::new(start.clone()));
        }
        while self.evolution.as_ref().is_some_and(|evolution| evolution.step < recipe.steps) {
            if watch.stop() {
                self.save()?;
                return Ok(self.summary(false));
            }
            if let Some(evolution) = &mut self.evolution {
                let first = first + evolution.step * how.days;
                let (seed, threads) = (self.job.seed, self.job.threads);
                evolution.step(&self.days, first, &how, seed, threads);
                self.scorer = evolution.average.clone();
                let step = evolution.step;
                if step.is_multiple_of(recipe.validation.every) || step == recipe.steps {
                    self.validate(watch)?;
                }
            }
            watch.ticked(self.step());
        }
        let finished = match &recipe.value {
            Some(how) if self.value.is_none() => self.teach_value(how, watch)?,
            _ => true,
        };
        Ok(self.summary(finished))
    }

    /// Teaches the value at the horizon for the best guide; says whether it came to the end.
    fn teach_value(
        &mut self,
        how: &ValueRecipe,
        watch: &mut dyn Watch,
    ) -> Result<bool, LearnError> {
        let best = self.best.as_ref().map_or(&self.scorer, |(_, scorer)| scorer);
        let guide = Arc::new(best.clone());
        let Some((scorer, fitted)) = self.fit_value(how, how.days, &guide, watch) else {
            return Ok(false);
        };
        let Fitted { states, explained } = fitted;
        let mut header = self.about();
        header.push(("states".to_string(), states.to_string()));
        header.push(("variance explained".to_string(), format!("{explained:.3}")));
        let about = "The variance is that of what states cost more than an empty system, beyond the plan of what is there, on every tenth \
                     state, which was not learnt from.";
        self.write_with_card((VALUE, "value.md"), &scorer, &header, about)?;
        self.value = Some(scorer);
        self.save()?;
        Ok(true)
    }

    /// Teaches what states cost that `guide` leads to; `None` if it was stopped.
    fn fit_value(
        &self,
        how: &ValueRecipe,
        days: u64,
        guide: &Arc<Scorer>,
        watch: &mut dyn Watch,
    ) -> Option<(Scorer, Fitted)> {
        let Lesson { recipe, seed, threads, .. } = *self.job;
        // Days that were neither labelled nor evolved on.
        let first = recipe.rounds * recipe.days + recipe.steps * recipe.evolution_days;
        let mut values = Values::default();
        for part in (0..days).step_by(threads.max(1)) {
            let to = (part + threads.max(1) as u64).min(days);
            let one = |day| label_values(&self.days, first + day, guide, how, seed);
            thread::scope(|scope| {
                let one = &one;
                let made: Vec<_> = (part..to).map(|day| scope.spawn(move || one(day))).collect();
                let made = made.into_iter().map(|day| day.join().expect("values are made"));
                made.for_each(|made| values.append(made));
            });
            watch.ticked(self.step() + to);
            if watch.stop() {
                return None;
            }
        }
        let mut rng = seed.stream(Stream::Init, u64::MAX);
        Some(fit_values::<D::Problem>(&values, how, &mut rng))
    }

    /// Labelled days and steps of evolution so far.
    fn step(&self) -> u64 {
        let evolved = self.evolution.as_ref().map_or(0, |evolution| evolution.step);
        let recipe = self.job.recipe;
        let valued = recipe.value.as_ref().filter(|_| self.value.is_some());
        self.round * recipe.days + evolved + valued.map_or(0, |value| value.days)
    }

    /// Labels the days of a round and fits the scorer to them; says whether it came to the end.
    fn teach_round(&mut self, watch: &mut dyn Watch) -> bool {
        let labels = if self.round == 0 {
            self.labels(&Unranked(D::Scout::default()), None, watch)
        } else {
            let guide = Arc::new(self.scorer.clone());
            let how = self.job.recipe.value.as_ref().filter(|value| self.round >= value.from);
            let value = match how {
                None => None,
                Some(how) => match self.fit_value(how, how.round_days, &guide, watch) {
                    Some((value, _)) => Some((Arc::new(value), how.arrivals)),
                    None => return false,
                },
            };
            self.labels(&Scored::new(guide), value.as_ref(), watch)
        };
        let Some(labels) = labels else { return false };
        let recipe = self.job.recipe;
        let mut rng = self.job.seed.stream(Stream::Explore, u64::MAX - self.round);
        self.memory.push(labels);
        let mut all = Labels::default();
        self.memory.iter().for_each(|labels| all.append(labels));
        self.loss = fit(&mut self.scorer, &all, &recipe.fit(), &mut rng);
        // What the scout's play was worth says little of the guide's.
        let kept = if self.round == 0 { 0 } else { recipe.memory };
        self.round += 1;
        let kept = if self.round < recipe.rounds { kept } else { 0 };
        self.memory.drain(..self.memory.len().saturating_sub(kept));
        true
    }

    fn labels<G: Teacher<D::Problem> + Send + Sync>(
        &self,
        guide: &G,
        value: Option<&(Arc<Scorer>, usize)>,
        watch: &mut dyn Watch,
    ) -> Option<Labels> {
        let GuideRecipe { days, .. } = *self.job.recipe;
        let mut search: Search = self.job.recipe.search();
        if let Some((_, arrivals)) = value {
            search.arrivals = *arrivals;
        }
        let value = value.map(|(value, _)| value);
        let range = (self.round * days, days);
        let (seed, threads) = (self.job.seed, self.job.threads);
        label(&self.days, range, guide, search, value, seed, threads, |day| {
            watch.ticked(day);
            !watch.stop()
        })
    }

    fn summary(self, finished: bool) -> Summary {
        Summary { finished, points: self.points, best: self.best.map(|(best, _)| best) }
    }

    fn seconds(&self) -> f64 {
        self.before + self.job.clock.elapsed().as_secs_f64()
    }

    fn validate(&mut self, watch: &mut dyn Watch) -> Result<(), LearnError> {
        if !self.scorer.params().iter().all(|param| param.is_finite()) {
            return Err(LearnError::Diverged(self.step()));
        }
        let Judge { days, .. } = self.job.recipe.validation;
        let point = Point {
            step: self.step(),
            updates: self.evolution.as_ref().map_or(0, |evolution| evolution.step),
            cost: judged(&self.validation, days, self.job.threads, &self.scorer),
            loss: self.loss,
            seconds: self.seconds(),
            ..Point::default()
        };
        self.points.push(point);
        if self.best.as_ref().is_none_or(|(best, _)| point.cost < best.cost) {
            self.write_best(&point, &self.scorer)?;
            self.best = Some((point, self.scorer.clone()));
        }
        self.save()?;
        let best = self.best.as_ref().map_or(point.cost, |(best, _)| best.cost);
        watch.validated(&point, best);
        Ok(())
    }

    /// What a weight file says of itself.
    fn card(&self, point: &Point) -> Vec<(String, String)> {
        let GuideRecipe { preset, validation, .. } = self.job.recipe;
        let mut card = self.about();
        card.extend([
            ("labelled days and steps".to_string(), point.step.to_string()),
            ("minutes".to_string(), format!("{:.1}", point.seconds / 60.0)),
            ("validation".to_string(), format!("{} x {preset}", validation.days)),
            ("cost".to_string(), rounded(point.cost)),
        ]);
        let marks = self.job.marks.costs.iter();
        card.extend(marks.map(|(name, cost)| (format!("cost {name}"), rounded(*cost))));
        card
    }

    fn write_best(&self, point: &Point, scorer: &Scorer) -> Result<(), FileError> {
        let about = "Costs are means over the validation days, decided by the guide alone.";
        self.write_with_card((BEST, "card.md"), scorer, &self.card(point), about)
    }

    /// Writes a scorer, and a page about it.
    fn write_with_card(
        &self,
        (file, card): (&str, &str),
        scorer: &Scorer,
        header: &[(String, String)],
        about: &str,
    ) -> Result<(), FileError> {
        let contents = scorer.to_safetensors(header);
        self.write(file, &contents)?;
        let (name, seed) = (&self.job.recipe.name, self.job.seed.0);
        let title = if file == VALUE { format!("{name}, the value") } else { name.clone() };
        let page = table(&title, header, &contents);
        let made = format!("\n{about} Made by\n`solo teach recipes/{name}.toml --seed {seed}`.\n");
        self.write(card, (page + &made).as_bytes())
    }

    /// How it came about, in short.
    fn about(&self) -> Vec<(String, String)> {
        let GuideRecipe { name, preset, .. } = self.job.recipe;
        vec![
            ("recipe".to_string(), name.clone()),
            ("presets".to_string(), preset.clone()),
            ("seed".to_string(), self.job.seed.0.to_string()),
        ]
    }

    fn write(&self, name: &str, contents: &[u8]) -> Result<(), FileError> {
        atomic::write(&self.job.out.join(name), contents)
    }

    /// Writes the checkpoint, and the curves as they are.
    fn save(&self) -> Result<(), FileError> {
        let mut contents = Writer::default();
        contents.numbers(&[self.seconds(), self.began, self.loss]);
        contents.whole(self.points.len() as u64);
        self.points.iter().for_each(|point| save_point(point, &mut contents));
        contents.whole(u64::from(self.best.is_some()));
        if let Some((point, scorer)) = &self.best {
            save_point(point, &mut contents);
            contents.floats(scorer.params());
        }
        contents.whole(self.round);
        contents.whole(self.memory.len() as u64);
        self.memory.iter().for_each(|labels| labels.save(&mut contents));
        contents.floats(self.scorer.params());
        contents.whole(u64::from(self.evolution.is_some()));
        if let Some(evolution) = &self.evolution {
            evolution.save(&mut contents);
        }
        contents.whole(u64::from(self.value.is_some()));
        if let Some(value) = &self.value {
            contents.floats(value.params());
        }
        let (recipe, seed) = (self.job.recipe.fingerprint(), self.job.seed.0);
        self.write(CHECKPOINT, &checkpoint::seal(&recipe, seed, &contents.0))?;
        self.write("curve.csv", history::csv(&self.points).as_bytes())?;
        self.write("events.out.tfevents.solo", &history::events(&self.points, self.began))?;
        let (title, steps) = (&self.job.recipe.name, "labelled days, then steps of evolution");
        let picture = history::picture(title, steps, &self.points, &self.job.marks);
        self.write("curve.svg", picture.as_bytes())
    }

    fn load(&mut self, file: &[u8]) -> Result<(), CheckpointError> {
        let (recipe, seed) = (self.job.recipe.fingerprint(), self.job.seed.0);
        let contents = checkpoint::open(file, &recipe, seed)?;
        self.read(&mut Reader(contents)).ok_or(CheckpointError::Damaged)
    }

    fn read(&mut self, from: &mut Reader<'_>) -> Option<()> {
        [self.before, self.began, self.loss] = [from.number()?, from.number()?, from.number()?];
        for _ in 0..from.whole()? {
            self.points.push(load_point(from)?);
        }
        let length = self.scorer.params().len();
        let weights = |from: &mut Reader<'_>, scorer: &mut Scorer| {
            let params = from.floats().filter(|params| params.len() == length)?;
            scorer.params_mut().copy_from_slice(&params);
            Some(())
        };
        if from.whole()? == 1 {
            let (point, mut scorer) = (load_point(from)?, self.scorer.clone());
            weights(from, &mut scorer)?;
            self.best = Some((point, scorer));
        }
        self.round = from.whole()?;
        for _ in 0..from.whole()? {
            let labels = Labels::load(from, D::Problem::GLOBAL, D::Problem::OPTION)?;
            self.memory.push(labels);
        }
        weights(from, &mut self.scorer)?;
        if from.whole()? == 1 {
            let mut evolution = Evolution::new(self.scorer.clone());
            evolution.load(from)?;
            self.evolution = Some(evolution);
        }
        if from.whole()? == 1 {
            let hidden = self.job.recipe.value.as_ref()?.hidden;
            let mut value = Scorer::zero(Valued::<D::Problem>::shape(hidden));
            let params = from.floats().filter(|params| params.len() == value.params().len())?;
            value.params_mut().copy_from_slice(&params);
            self.value = Some(value);
        }
        from.0.is_empty().then_some(())
    }
}
