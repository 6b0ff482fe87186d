//! Declaring the parameters of a recipe.

use crate::recipe_file::{Makes, RecipeFile};
use serde::de::DeserializeOwned;
use solo_core::file::Range;
use std::fmt::Debug;

/// The parameters that a recipe sets: a complete set in its table `paper`, and changes to it in `default`.
pub trait Parameters: Clone + Debug + PartialEq + DeserializeOwned {
    /// Some parameters, to replace those of a complete set.
    type Changes: Clone + Debug + PartialEq + DeserializeOwned;
    /// What recipes with these parameters make.
    #[doc(hidden)]
    const MAKES: Makes;

    /// This set with some parameters replaced.
    fn with(self, changes: &Self::Changes) -> Self;
    /// Every parameter by name, as text.
    fn list(&self) -> Vec<(&'static str, String)>;
    /// Every number by name, with what it may be.
    fn numbers(&self) -> Vec<(&'static str, f64, Range)>;
    /// Notes what is out of range, but for the numbers that [`Parameters::numbers`] lists. `place` gives the field of a
    /// parameter.
    #[doc(hidden)]
    fn check_rest(&self, file: &mut RecipeFile<'_>, place: &Place<'_>);
}

/// Where a parameter stands: in the file's own table if it is there, else in `paper`.
#[derive(Clone, Copy, Debug)]
pub struct Place<'s>(pub(crate) &'s str);

impl Place<'_> {
    /// The field of a parameter.
    pub(crate) fn of(&self, file: &RecipeFile<'_>, name: &str) -> String {
        let own = format!("{}.{name}", self.0);
        let own = own.trim_start_matches('.').to_string();
        if file.has(&own) { own } else { format!("paper.{name}") }
    }
}

/// Notes what is out of range. `section` is the table of the file that the parameters are of, none if it is empty;
/// what it leaves out is of `[paper]`.
pub(crate) fn check<H: Parameters>(hyper: &H, file: &mut RecipeFile<'_>, section: &str) {
    let place = Place(section);
    for (name, number, range) in hyper.numbers() {
        let field = place.of(file, name);
        file.check(&field, number, range);
    }
    hyper.check_rest(file, &place);
}

/// Declares the parameters once: as a complete set, and as changes to one. Numbers have ranges.
macro_rules! parameters {
    (
        $(#[$about:meta])* $set:ident, $changes:ident, $makes:expr, $rest:expr;
        $($(#[$doc:meta])* $name:ident: $kind:ty $(=> $range:expr)?,)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $set {
            $($(#[$doc])* pub $name: $kind,)*
        }

        /// Some parameters, to replace those of a complete set.
        #[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $changes {
            $($(#[$doc])* pub $name: Option<$kind>,)*
        }

        impl $crate::parameters::Parameters for $set {
            type Changes = $changes;
            const MAKES: $crate::recipe_file::Makes = $makes;

            fn with(mut self, changes: &$changes) -> Self {
                $(if let Some(value) = &changes.$name { self.$name = value.clone(); })*
                self
            }

            fn list(&self) -> Vec<(&'static str, String)> {
                vec![$((stringify!($name), format!("{:?}", self.$name)),)*]
            }

            fn numbers(&self) -> Vec<(&'static str, f64, solo_core::file::Range)> {
                vec![$($((stringify!($name), self.$name as f64, $range),)?)*]
            }

            fn check_rest(
                &self,
                file: &mut $crate::recipe_file::RecipeFile<'_>,
                place: &$crate::parameters::Place<'_>,
            ) {
                let check: fn(&Self, &mut $crate::recipe_file::RecipeFile<'_>, &$crate::parameters::Place<'_>) = $rest;
                check(self, file, place);
            }
        }
    };
}

pub(crate) use parameters;
