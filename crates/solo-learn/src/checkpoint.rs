//! Checkpoints: a sealed file, and what is in it as serde structs.
//!
//! The seal says what the file is, for which recipe and seed, and ends with a fingerprint of
//! everything. The contents are read only when all of that fits.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use solo_nn::Adam;
use thiserror::Error;

const MAGIC: &[u8; 16] = b"solo checkpoint\n";
const VERSION: u64 = 3;
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

/// Seals contents as a file for this recipe and seed.
pub fn seal<T: Serialize>(recipe: &[u8; 32], seed: u64, contents: &T) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend(recipe);
    file.extend(seed.to_le_bytes());
    file.extend(encode(contents));
    let hash = blake3::hash(&file);
    file.extend(hash.as_bytes());
    file
}

/// The contents of a file that [`seal`] made for the same recipe and seed.
pub fn open<T: DeserializeOwned>(
    file: &[u8],
    recipe: &[u8; 32],
    seed: u64,
) -> Result<T, CheckpointError> {
    use CheckpointError::{Damaged, Foreign, Recipe, Seed, Version};
    let rest = file.strip_prefix(MAGIC).ok_or(Foreign)?;
    let (rest, hash) = rest.split_last_chunk::<HASH>().ok_or(Damaged)?;
    let (version, rest) = rest.split_first_chunk().ok_or(Damaged)?;
    match u64::from_le_bytes(*version) {
        VERSION => {}
        other => return Err(Version(other)),
    }
    if blake3::hash(&file[..file.len() - HASH]).as_bytes() != hash {
        return Err(Damaged);
    }
    let (of, rest) = rest.split_first_chunk().ok_or(Damaged)?;
    if of != recipe {
        return Err(Recipe);
    }
    let (with, contents) = rest.split_first_chunk().ok_or(Damaged)?;
    match u64::from_le_bytes(*with) {
        same if same == seed => decode(contents).ok_or(Damaged),
        other => Err(Seed(other)),
    }
}

/// Contents as bytes.
pub fn encode<T: Serialize>(contents: &T) -> Vec<u8> {
    postcard::to_stdvec(contents).expect("numbers and lists can be written")
}

/// Contents from all of these bytes; `None` if they do not fit. Lists grow as they are read, so
/// that a wrong length takes no memory.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (contents, rest) = postcard::take_from_bytes(bytes).ok()?;
    rest.is_empty().then_some(contents)
}

/// An optimiser as checkpoints hold it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedAdam {
    steps: u64,
    mean: Vec<f32>,
    square: Vec<f32>,
}

impl SavedAdam {
    /// Saves it.
    pub fn new(adam: &Adam) -> Self {
        let (steps, mean, square) = adam.state();
        Self { steps, mean: mean.to_vec(), square: square.to_vec() }
    }

    /// The optimiser, if it is one of this many weights.
    pub fn restore(&self, weights: usize) -> Option<Adam> {
        let Self { steps, mean, square } = self;
        // A step more must still be a number.
        let fits = mean.len() == weights && square.len() == weights && *steps < u64::MAX / 2;
        fits.then(|| Adam::resumed(*steps, mean, square))
    }
}

/// Makes `weights` those that were saved, if there are as many.
pub(crate) fn restore_weights(weights: &mut [f32], saved: &[f32]) -> Option<()> {
    (weights.len() == saved.len()).then(|| weights.copy_from_slice(saved))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Contents = (u64, Vec<f32>, String);

    fn contents() -> Contents {
        (7, vec![1.5, -0.0, f32::MIN_POSITIVE], "text".to_string())
    }

    #[test]
    fn a_file_is_opened_only_if_it_is_whole_and_ours() {
        let recipe = [7; 32];
        let open = |file: &[u8], recipe, seed| open::<Contents>(file, recipe, seed);
        let file = seal(&recipe, 3, &contents());
        assert_eq!(open(&file, &recipe, 3), Ok(contents()));
        assert_eq!(open(&file, &recipe, 4), Err(CheckpointError::Seed(3)));
        assert_eq!(open(&file, &[8; 32], 3), Err(CheckpointError::Recipe));
        assert_eq!(open(b"PK\x03\x04 a zip file", &recipe, 3), Err(CheckpointError::Foreign));
        assert_eq!(open(b"", &recipe, 3), Err(CheckpointError::Foreign));
        for cut in MAGIC.len()..file.len() {
            let error = open(&file[..cut], &recipe, 3).unwrap_err();
            assert_eq!(error, CheckpointError::Damaged, "{cut}");
        }
        for place in MAGIC.len() + 8..file.len() {
            let mut changed = file.clone();
            changed[place] ^= 1;
            assert_eq!(open(&changed, &recipe, 3), Err(CheckpointError::Damaged), "{place}");
        }
        let mut older = file;
        older[16] = 1;
        assert_eq!(open(&older, &recipe, 3), Err(CheckpointError::Version(1)));
    }

    #[test]
    fn contents_are_read_in_full_or_not_at_all() {
        let bytes = encode(&contents());
        assert_eq!(decode(&bytes), Some(contents()));
        for cut in 0..bytes.len() {
            assert_eq!(decode::<Contents>(&bytes[..cut]), None);
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(decode::<Contents>(&longer), None);
    }

    #[test]
    fn a_wrong_length_takes_no_memory() {
        // A list that claims to hold 2^63 numbers, and lists of such lists.
        let claim = [255, 255, 255, 255, 255, 255, 255, 255, 127];
        let bytes: Vec<u8> = claim.iter().copied().cycle().take(claim.len() * 20).collect();
        let counted = allocation_counter::measure(|| {
            assert_eq!(decode::<Vec<f32>>(&bytes), None);
            assert_eq!(decode::<Vec<u64>>(&bytes), None);
            assert_eq!(decode::<Vec<Vec<u64>>>(&bytes), None);
        });
        assert!(counted.bytes_total < 100 * bytes.len() as u64, "{counted:?}");
    }
}
