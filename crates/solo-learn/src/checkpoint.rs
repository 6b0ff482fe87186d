//! A learner in a file, so that nothing is lost.
//!
//! Random streams are functions of the counters, and a day is a function of its number and the slots chosen: so a
//! checkpoint holds weights, optimiser, counters, and of every remembered or running day its slots and rewards. Reading it
//! lives those days again.

use crate::codec::{Reader, Writer};
use crate::dqn::{Learner, Rules, Tally};
use crate::lane::Lane;
use solo_core::{Domain, Policy};
use solo_nn::Adam;
use thiserror::Error;

const MAGIC: &[u8; 16] = b"solo checkpoint\n";
const VERSION: u64 = 1;
/// The length of the fingerprint at the end.
const HASH: usize = 32;

/// Why a checkpoint cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CheckpointError {
    /// It is something else.
    #[error("this is not a checkpoint")]
    Foreign,
    /// It is of another version.
    #[error("this checkpoint is of version {0}, and this program reads version {VERSION}")]
    Version(u64),
    /// It is cut short or changed.
    #[error("this checkpoint is damaged: it is cut short, or was changed after it was written")]
    Damaged,
    /// It is of another recipe.
    #[error("this checkpoint was made with another recipe, or with other parameters")]
    Recipe,
    /// It is of another seed.
    #[error("this checkpoint was made with seed {0}")]
    Seed(u64),
}

/// Closes contents up as a file: what it is, for which recipe and seed, and a fingerprint of all.
pub fn seal(recipe: &[u8; 32], seed: u64, contents: &[u8]) -> Vec<u8> {
    let mut file = Writer(MAGIC.to_vec());
    file.whole(VERSION);
    file.0.extend(recipe);
    file.whole(seed);
    file.0.extend(contents);
    let hash = blake3::hash(&file.0);
    file.0.extend(hash.as_bytes());
    file.0
}

/// The contents of a file that [`seal`] made for the same recipe and seed.
pub fn open<'f>(file: &'f [u8], recipe: &[u8; 32], seed: u64) -> Result<&'f [u8], CheckpointError> {
    if !file.starts_with(MAGIC) {
        return Err(CheckpointError::Foreign);
    }
    let damaged = CheckpointError::Damaged;
    let end = file.len().checked_sub(HASH).ok_or(damaged.clone())?;
    let (sealed, hash) = file.split_at(end);
    let mut reader = Reader(sealed);
    reader.bytes(MAGIC.len()).ok_or(damaged.clone())?;
    match reader.whole() {
        Some(VERSION) => {}
        Some(other) => return Err(CheckpointError::Version(other)),
        None => return Err(damaged),
    }
    if blake3::hash(sealed).as_bytes() != hash {
        return Err(damaged);
    }
    if reader.bytes(recipe.len()).ok_or(damaged.clone())? != recipe {
        return Err(CheckpointError::Recipe);
    }
    match reader.whole().ok_or(damaged)? {
        same if same == seed => Ok(reader.0),
        other => Err(CheckpointError::Seed(other)),
    }
}

impl<D: Domain, R: Policy<Rules<D>> + Default> Learner<D, R> {
    /// Writes everything that the rest of learning depends on.
    pub fn save(&self, to: &mut Writer) {
        to.wholes(&[self.step, self.updates, self.next_day]);
        to.whole(self.tally.steps);
        to.numbers(&[self.tally.loss, self.tally.surprise, self.tally.value]);
        to.floats(self.net.params());
        to.floats(self.target.params());
        to.floats(&self.average);
        let (steps, mean, square) = self.adam.state();
        to.whole(steps);
        to.floats(mean);
        to.floats(square);
        to.whole(self.replay.days().len() as u64);
        for (day, record) in self.replay.days() {
            to.whole(*day);
            to.words(record.slots());
            to.floats(record.rewards());
        }
        to.whole(self.lanes.len() as u64);
        self.lanes.iter().for_each(|lane| to.whole(lane.day));
        let (ring, next, most) = self.replay.ring();
        to.whole(ring.len() as u64);
        for ((day, decision), priority) in ring {
            to.wholes(&[day, u64::from(decision)]);
            to.number(priority);
        }
        to.whole(next as u64);
        to.number(most);
    }

    /// Makes this learner, fresh from its recipe, the one that was saved. `None` if what was saved makes no sense.
    pub fn load(&mut self, from: &mut Reader<'_>) -> Option<()> {
        [self.step, self.updates, self.next_day] = [from.whole()?, from.whole()?, from.whole()?];
        self.tally = Tally {
            steps: from.whole()?,
            loss: from.number()?,
            surprise: from.number()?,
            value: from.number()?,
        };
        let size = self.net.params().len();
        for net in [&mut self.net, &mut self.target] {
            let params = from.floats().filter(|params| params.len() == size)?;
            net.params_mut().copy_from_slice(&params);
        }
        self.average = from.floats().filter(|average| average.len() == size)?;
        let steps = from.whole()?;
        let mean = from.floats().filter(|mean| mean.len() == size)?;
        let square = from.floats().filter(|square| square.len() == size)?;
        self.adam = Adam::resumed(steps, &mean, &square);
        self.replay = self.replay.emptied();
        let mut running = Vec::new();
        for _ in 0..from.whole()? {
            let (day, slots, rewards) = (from.whole()?, from.words()?, from.floats()?);
            let mut lane: Lane<Rules<D>, R> =
                Lane::open(&self.hyper, self.seed, day, self.days.open(day));
            let states = lane.catch_up(self.seed, &slots)?;
            if slots.len() != rewards.len() {
                return None;
            }
            self.replay.restore_day(day, lane.episode.problem(), states, slots, rewards);
            if !lane.episode.done() {
                running.push(lane);
            }
        }
        if from.whole()? != self.lanes.len() as u64 {
            return None;
        }
        for lane in &mut self.lanes {
            let day = from.whole()?;
            let at = running.iter().position(|running| running.day == day)?;
            *lane = running.swap_remove(at);
        }
        let mut ring = Vec::new();
        for _ in 0..from.whole()? {
            let entry = (from.whole()?, u32::try_from(from.whole()?).ok()?);
            ring.push((entry, from.number()?));
        }
        let (next, most) = (usize::try_from(from.whole()?).ok()?, from.number()?);
        self.replay.restore(&ring, next, most).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_opened_only_if_it_is_whole_and_ours() {
        let recipe = [7; 32];
        let file = seal(&recipe, 3, b"contents");
        assert_eq!(open(&file, &recipe, 3), Ok(&b"contents"[..]));
        assert_eq!(open(&file, &recipe, 4), Err(CheckpointError::Seed(3)));
        assert_eq!(open(&file, &[8; 32], 3), Err(CheckpointError::Recipe));
        assert_eq!(open(b"PK\x03\x04 a zip file", &recipe, 3), Err(CheckpointError::Foreign));
        assert_eq!(open(b"", &recipe, 3), Err(CheckpointError::Foreign));
        for cut in MAGIC.len()..file.len() {
            let error = open(&file[..cut], &recipe, 3).unwrap_err();
            assert!(matches!(error, CheckpointError::Damaged | CheckpointError::Version(_)));
        }
        let mut changed = file.clone();
        changed[70] ^= 1;
        assert_eq!(open(&changed, &recipe, 3), Err(CheckpointError::Damaged));
        changed = file;
        changed[16] = 2;
        assert_eq!(open(&changed, &recipe, 3), Err(CheckpointError::Version(2)));
    }
}
