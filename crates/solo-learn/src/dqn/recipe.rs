//! Recipes: what is learned, how, and how it is judged.

use super::hyper::Hyper;
use crate::parameters::{self, Parameters};
use crate::recipe_file::RecipeFile;
use crate::rewriter::RewriterHyper;
use crate::validate::Validation;
use serde::Deserialize;
use solo_core::Faults;

/// A recipe as it stands in its file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
struct RecipeText<H: Parameters> {
    /// What it makes, unless that is the paper's network.
    #[serde(rename = "makes")]
    _makes: Option<String>,
    presets: Vec<String>,
    validation: Validation,
    paper: H,
    default: H::Changes,
}

/// Which of a recipe's two sets of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecipeVariant {
    /// As published.
    Paper,
    /// What two cores learn in about an hour.
    Default,
}

impl RecipeVariant {
    /// How it is typed.
    pub fn word(self) -> &'static str {
        match self {
            RecipeVariant::Paper => "paper",
            RecipeVariant::Default => "default",
        }
    }
}

/// One variant of a recipe of the paper's network.
pub type Recipe = RecipeOf<Hyper>;

/// One variant of a recipe of a rewriter.
pub type RewriterRecipe = RecipeOf<RewriterHyper>;

/// One variant of a recipe with parameters of this kind.
#[derive(Clone, Debug, PartialEq)]
pub struct RecipeOf<H> {
    /// Its name: the file's, without folder and ending.
    pub name: String,
    /// Which variant.
    pub variant: RecipeVariant,
    /// The presets whose days are learned from, in turn.
    pub presets: Vec<String>,
    /// How it is judged.
    pub validation: Validation,
    /// How it is learned.
    pub hyper: H,
    /// What was changed in that, as it was typed.
    pub changes: Vec<String>,
}

impl<H: Parameters> RecipeOf<H> {
    /// Reads the text of a recipe file.
    pub fn parse(file: &str, text: &str, variant: RecipeVariant) -> Result<Self, Faults> {
        let (mut checked, read): (_, RecipeText<H>) = RecipeFile::read(file, text, H::MAKES)?;
        let RecipeText { presets, validation, paper, default, .. } = read;
        let hyper = match variant {
            RecipeVariant::Paper => paper,
            RecipeVariant::Default => paper.with(&default),
        };
        parameters::check(&hyper, &mut checked, variant.word());
        if presets.is_empty() {
            checked.fault("presets", "should name at least one");
        }
        validation.check(&mut checked);
        let (name, changes) = (name_of(file), Vec::new());
        checked.finish(Self { name, variant, presets, validation, hyper, changes })
    }

    /// Changes parameters, each typed as `name=value`.
    pub fn set(&mut self, typed: &[String]) -> Result<(), Faults> {
        let line = |word: &String| {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let plain = format!("{name} = {value}\n");
            // A word needs quotes in a file, but not on the command line.
            if plain.parse::<toml::Table>().is_ok() {
                plain
            } else {
                format!("{name} = {value:?}\n")
            }
        };
        let text: String = typed.iter().map(line).collect();
        let (mut checked, changes): (_, H::Changes) = RecipeFile::read("--set", &text, H::MAKES)?;
        let hyper = self.hyper.clone().with(&changes);
        parameters::check(&hyper, &mut checked, "");
        self.hyper = checked.finish(hyper)?;
        self.changes.extend_from_slice(typed);
        Ok(())
    }

    /// The command that learns by it.
    pub fn command(&self, seed: u64) -> String {
        let paper = if self.variant == RecipeVariant::Paper { " --paper" } else { "" };
        let changes: String = self.changes.iter().map(|word| format!(" --set {word}")).collect();
        format!("solo train recipes/{}.toml{paper}{changes} --seed {seed}", self.name)
    }

    /// A fingerprint of everything that the learned weights depend on except the seed.
    pub fn fingerprint(&self) -> [u8; 32] {
        let Validation { preset, days, every, .. } = &self.validation;
        let text = format!("{:?} {preset} {days} {every} {:?}", self.presets, self.hyper.list());
        *blake3::hash(text.as_bytes()).as_bytes()
    }
}

/// The name of a recipe: that of its file, without folder and ending.
pub(crate) fn name_of(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.strip_suffix(".toml").unwrap_or(name).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use solo_core::FeatureSet;
    use std::fs;
    use std::path::Path;

    #[test]
    fn all_recipes_of_the_tree_are_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes");
        let mut count = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let (file, text) = (path.display().to_string(), fs::read_to_string(&path).unwrap());
            if name_of(&file).starts_with("guide-") {
                crate::GuideRecipe::parse(&file, &text).unwrap();
            } else if crate::makes_rewriter(&text) {
                let paper = RewriterRecipe::parse(&file, &text, RecipeVariant::Paper).unwrap();
                let RewriterHyper { batch, rewrites, hidden, .. } = paper.hyper;
                assert_eq!((batch, rewrites, hidden), (64, 50, 512));
                let default = RewriterRecipe::parse(&file, &text, RecipeVariant::Default).unwrap();
                assert_ne!(paper.fingerprint(), default.fingerprint());
            } else {
                let paper = Recipe::parse(&file, &text, RecipeVariant::Paper).unwrap();
                assert_eq!(paper.hyper.features, FeatureSet::Base);
                let default = Recipe::parse(&file, &text, RecipeVariant::Default).unwrap();
                assert_eq!(default.hyper.baseline, "insertion");
                assert_ne!(paper.fingerprint(), default.fingerprint());
            }
            count += 1;
        }
        assert!(count > 10);
    }
}
