//! The runner, with a learner that only counts.

use super::*;
use solo_core::lock::LOCK;
use solo_core::{Clock, Seed};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Learns to count to ten; its model is best at step 6, and it writes another one at the end.
struct Counting {
    recipe: u8,
    step: u64,
    extra: bool,
}

fn counting() -> Counting {
    Counting { recipe: 1, step: 0, extra: false }
}

fn model(file: &'static str, card: &'static str, weights: &[f32]) -> ModelFile {
    ModelFile {
        file,
        card,
        title: "counting".to_string(),
        header: vec![("weights".to_string(), format!("{weights:?}"))],
        time: None,
        contents: weights.iter().flat_map(|weight| weight.to_le_bytes()).collect(),
        about: "It counts.".to_string(),
    }
}

impl Learner for Counting {
    type Saved = (u64, bool);
    const UNIT: &'static str = "numbers";

    fn title(&self) -> String {
        "counting".to_string()
    }
    fn fingerprint(&self) -> [u8; 32] {
        [self.recipe; 32]
    }
    fn step(&self) -> u64 {
        self.step
    }
    fn finished(&self) -> bool {
        self.extra
    }
    fn work(&mut self, best: Option<&[f32]>, _: &mut dyn Watch) -> Work {
        if self.step == 10 {
            assert_eq!(best, Some(&[6.0][..]));
            self.extra = true;
            return Work::Model;
        }
        self.step += 1;
        if self.step.is_multiple_of(2) { Work::Validate } else { Work::Done }
    }
    fn validate(&mut self) -> Result<CurvePoint, LearnError> {
        let cost = 1.0 + self.step.abs_diff(6) as f64;
        Ok(CurvePoint { step: self.step, cost, ..CurvePoint::default() })
    }
    fn weights(&self) -> Vec<f32> {
        vec![self.step as f32]
    }
    fn model(&self, weights: &[f32], _: &CurvePoint, _: &Marks) -> ModelFile {
        model(BEST, CARD, weights)
    }
    fn others(&self) -> Vec<ModelFile> {
        let extra = || model("extra", "extra.md", &[6.0]);
        self.extra.then(extra).into_iter().collect()
    }
    fn save(&self) -> (u64, bool) {
        (self.step, self.extra)
    }
    fn load(&mut self, saved: (u64, bool)) -> Option<()> {
        (self.step, self.extra) = saved;
        (self.step <= 10).then_some(())
    }
}

/// A clock that moves on by this many seconds each time it is looked at.
struct Ticking(AtomicU64, u64);
impl Clock for Ticking {
    fn elapsed(&self) -> Duration {
        Duration::from_secs(self.0.fetch_add(self.1, Ordering::Relaxed))
    }
}

static STILL: Ticking = Ticking(AtomicU64::new(0), 0);

/// Stops after this many ticks.
struct After(u64);
impl Watch for After {
    fn begun(&mut self, _: u64, _: &Marks) {}
    fn ticked(&mut self, _: u64) {
        self.0 = self.0.saturating_sub(1);
    }
    fn validated(&mut self, _: &CurvePoint, _: f64) {}
    fn stop(&self) -> bool {
        self.0 == 0
    }
}

fn task(out: &Path, seed: u64, resume: bool) -> Task<'static> {
    Task {
        seed: Seed(seed),
        threads: 1,
        out: out.to_path_buf(),
        resume,
        marks: &|| Ok(Some(Marks::default())),
        wall_time: 1.0,
        clock: &STILL,
    }
}

fn session(learner: Counting, out: &Path, seed: u64, resume: bool, ticks: u64) -> Ended {
    run(learner, &task(out, seed, resume), &mut After(ticks))
}
type Ended = Result<Summary, LearnError>;

#[test]
fn a_run_in_pieces_writes_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, pieces] = ["whole", "pieces"].map(|name| folder.path().join(name));
    let summary = session(counting(), &whole, 1, false, u64::MAX).unwrap();
    assert_eq!((summary.finished, summary.points.len()), (true, 5));
    assert_eq!(summary.best.unwrap().step, 6);
    assert!(!session(counting(), &pieces, 1, false, 3).unwrap().finished);
    assert!(!session(counting(), &pieces, 1, true, 1).unwrap().finished);
    assert_eq!(session(counting(), &pieces, 1, true, u64::MAX).unwrap(), summary);
    let names = |of: &Path| {
        let names = fs::read_dir(of).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&whole), names(&pieces));
    assert_eq!(names(&whole).len(), 9);
    for name in names(&whole) {
        let read = |of: &Path| fs::read(of.join(&name)).unwrap();
        assert_eq!(read(&whole), read(&pieces), "{name}");
    }
    assert_eq!(fs::read(whole.join(BEST)).unwrap(), 6f32.to_le_bytes());
    assert_eq!(fs::read(whole.join("extra")).unwrap(), 6f32.to_le_bytes());
}

#[test]
fn a_folder_with_another_checkpoint_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    session(counting(), out, 1, false, 7).unwrap();
    let file = fs::read(out.join(CHECKPOINT)).unwrap();
    let error = session(counting(), out, 1, false, 7).unwrap_err();
    assert!(matches!(error, LearnError::Occupied(_)), "{error}");
    let said = |ended: Ended| ended.unwrap_err().to_string();
    assert!(said(session(counting(), out, 2, true, 7)).contains("seed 1"));
    let other = Counting { recipe: 2, ..counting() };
    assert!(said(session(other, out, 1, true, 7)).contains("another recipe"));
    assert_eq!(fs::read(out.join(CHECKPOINT)).unwrap(), file);
    fs::write(out.join(CHECKPOINT), &file[..file.len() - 1]).unwrap();
    assert!(said(session(counting(), out, 1, true, 7)).contains("damaged"));
    // Whole, but of a state that no run comes to.
    let learner = (11, false);
    let contents = Contents { seconds: 0.0, began: 0.0, points: vec![], best: None, learner };
    fs::write(out.join(CHECKPOINT), checkpoint::seal(&[1; 32], 1, &contents)).unwrap();
    assert!(said(session(counting(), out, 1, true, 7)).contains("damaged"));
}

#[test]
fn the_best_model_is_that_of_the_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    session(counting(), folder.path(), 1, false, 7).unwrap();
    fs::write(folder.path().join(BEST), "found after the checkpoint").unwrap();
    session(counting(), folder.path(), 1, true, 1).unwrap();
    assert_eq!(fs::read(folder.path().join(BEST)).unwrap(), 6f32.to_le_bytes());
}

#[test]
fn a_finished_run_writes_missing_and_stale_files_anew() {
    let folder = tempfile::tempdir().unwrap();
    session(counting(), folder.path(), 1, false, u64::MAX).unwrap();
    let files = ["best.safetensors", "card.md", "extra", "extra.md", "curve.csv", "curve.svg"];
    let all = files.map(|file| (file, fs::read(folder.path().join(file)).unwrap()));
    fs::write(folder.path().join("curve.csv"), "step\nof an earlier moment\n").unwrap();
    fs::write(folder.path().join("extra.md"), "stale").unwrap();
    for gone in ["extra", "card.md", "curve.svg", "events.out.tfevents.solo", BEST] {
        fs::remove_file(folder.path().join(gone)).unwrap();
    }
    assert!(session(counting(), folder.path(), 1, true, u64::MAX).unwrap().finished);
    for (file, contents) in all {
        assert_eq!(fs::read(folder.path().join(file)).unwrap(), contents, "{file}");
    }
    assert!(folder.path().join("events.out.tfevents.solo").exists());
}

#[test]
fn a_folder_is_left_to_the_process_that_writes_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let lock = FolderLock::take(folder.path()).unwrap();
    let error = session(counting(), folder.path(), 1, false, 7).unwrap_err().to_string();
    assert!(error.contains("is writing to this folder"), "{error}");
    assert!(!folder.path().join(CHECKPOINT).exists());
    drop(lock);
    assert!(!session(counting(), folder.path(), 1, false, 7).unwrap().finished);
    assert!(session(counting(), folder.path(), 1, true, u64::MAX).unwrap().finished);
    assert_eq!(fs::read(folder.path().join(LOCK)).unwrap(), b"");
}

#[test]
fn what_it_is_compared_with_is_found_out_last_and_can_be_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let stopped = Task { marks: &|| Ok(None), ..task(folder.path(), 1, true) };
    let summary = run(counting(), &stopped, &mut After(9)).unwrap();
    assert_eq!((summary.finished, summary.points.len(), summary.best), (false, 0, None));
    assert!(!folder.path().join(CHECKPOINT).exists(), "--resume begins at the beginning");
    session(counting(), folder.path(), 1, false, u64::MAX).unwrap();
    let never = || -> Result<Option<Marks>, LearnError> { panic!("the folder is occupied") };
    let occupied = Task { marks: &never, ..task(folder.path(), 1, false) };
    let error = run(counting(), &occupied, &mut After(9)).unwrap_err();
    assert!(matches!(error, LearnError::Occupied(_)), "{error}");
    let fails = || Err(LearnError::Marks("no such agent".to_string()));
    let failing = Task { marks: &fails, ..task(folder.path(), 1, true) };
    let error = run(counting(), &failing, &mut After(9)).unwrap_err();
    assert_eq!(error.to_string(), "no such agent");
}

#[test]
fn a_minute_of_work_is_saved_without_a_validation() {
    /// Stops at the first validation, and notes which step is in the checkpoint then.
    struct Looking<'l>(&'l Path, Option<u64>);
    impl Watch for Looking<'_> {
        fn begun(&mut self, _: u64, _: &Marks) {}
        fn ticked(&mut self, _: u64) {}
        fn validated(&mut self, _: &CurvePoint, _: f64) {
            let file = fs::read(self.0.join(CHECKPOINT)).unwrap();
            let contents: Contents<(u64, bool)> = checkpoint::open(&file, &[1; 32], 1).unwrap();
            self.1 = Some(contents.learner.0);
        }
        fn stop(&self) -> bool {
            self.1.is_some()
        }
    }
    let folder = tempfile::tempdir().unwrap();
    for (seconds, step) in [(100, 1), (1, 0)] {
        let out = folder.path().join(seconds.to_string());
        let task = Task { clock: &Ticking(0.into(), seconds), ..task(&out, 1, false) };
        let mut watch = Looking(&out, None);
        run(counting(), &task, &mut watch).unwrap();
        assert_eq!(watch.1, Some(step), "{seconds} s a look");
    }
}

#[test]
fn pieces_are_taken_in_order_until_the_watch_stops_them() {
    for threads in [0, 1, 3] {
        let mut taken = Vec::new();
        let all = |ticks, taken: &mut Vec<u64>| {
            let take = |piece| taken.push(piece);
            in_pieces(20, threads, &mut After(ticks), |done| done, |piece| piece, take)
        };
        assert!(all(u64::MAX, &mut taken));
        assert_eq!(taken, (0..20).collect::<Vec<_>>());
        taken.clear();
        assert!(!all(5, &mut taken));
        assert_eq!(taken, (0..5).collect::<Vec<_>>());
    }
}
