//! Recipes: what is learnt, how, and how it is judged.

use crate::hyper::{Changes, Hyper};
use serde::Deserialize;
use thiserror::Error;

/// A recipe that cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{file}: {what}")]
pub struct RecipeError {
    /// Which file.
    pub file: String,
    /// What is wrong, and where.
    pub what: String,
}

/// A recipe as it stands in its file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    presets: Vec<String>,
    validation: Validation,
    paper: Hyper,
    default: Changes,
}

/// How the learnt network is judged along the way: by days that are neither learnt from nor tested on.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// Days of which preset.
    pub preset: String,
    /// How many days.
    pub days: u64,
    /// After how many decisions each time.
    pub every: u64,
    /// The agent to beat.
    pub rule: String,
    /// The agent to come close to, with its budget.
    pub reference: String,
}

/// Which of a recipe's two sets of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// As published.
    Paper,
    /// What two cores learn in about an hour.
    Default,
}

impl Variant {
    /// How it is typed.
    pub fn word(self) -> &'static str {
        match self {
            Variant::Paper => "paper",
            Variant::Default => "default",
        }
    }
}

/// One variant of a recipe.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// Its name: the file's, without folder and ending.
    pub name: String,
    /// Which variant.
    pub variant: Variant,
    /// The presets whose days are learnt from, in turn.
    pub presets: Vec<String>,
    /// How it is judged.
    pub validation: Validation,
    /// How it is learnt.
    pub hyper: Hyper,
}

impl Recipe {
    /// Reads the text of a recipe file.
    pub fn parse(file: &str, text: &str, variant: Variant) -> Result<Self, RecipeError> {
        let wrong = |what: String| RecipeError { file: file.to_string(), what };
        let read: File =
            toml::from_str(text).map_err(|e| wrong(e.to_string().trim_end().to_string()))?;
        let hyper = match variant {
            Variant::Paper => read.paper,
            Variant::Default => read.paper.with(&read.default),
        };
        if let Some(fault) = hyper.fault() {
            return Err(wrong(format!("[{}] {fault}", variant.word())));
        }
        if read.presets.is_empty() {
            return Err(wrong("presets must name at least one".to_string()));
        }
        if read.validation.days == 0 || read.validation.every == 0 {
            return Err(wrong("[validation] days and every must be at least 1".to_string()));
        }
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let name = name.strip_suffix(".toml").unwrap_or(name).to_string();
        let (presets, validation) = (read.presets, read.validation);
        Ok(Self { name, variant, presets, validation, hyper })
    }

    /// A fingerprint of everything that the learnt weights depend on but the seed.
    pub fn fingerprint(&self) -> [u8; 32] {
        let Validation { preset, days, every, .. } = &self.validation;
        let text = format!("{:?} {preset} {days} {every} {:?}", self.presets, self.hyper.list());
        *blake3::hash(text.as_bytes()).as_bytes()
    }
}
