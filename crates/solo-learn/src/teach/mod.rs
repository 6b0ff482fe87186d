//! Teaching a small guide by search.
//!
//! Days are simulated, and at their decisions every option is played to the end on common futures
//! ([`label`]). A scorer is fitted to what they cost ([`fit`]), and guides the next round's
//! rollouts. At the end its weights evolve by the cost of whole days ([`evolve`]). Where the
//! problem has features for it, a second scorer learns what is left at the horizon ([`value`]).
//! [`teach`] follows a [`GuideRecipe`]; the best guide by validation days is kept.

pub mod evolve;
pub mod fit;
mod guide;
pub mod label;
pub mod labels;
mod recipe;
pub mod value;

pub use evolve::{Evolution, EvolutionParams};
pub use fit::FitParams;
pub use guide::{VALUE, teach};
pub use label::{LabelParams, Labeller, Teacher, Unranked};
pub use labels::{Label, Labels};
pub use recipe::{GuideRecipe, GuideValidation};
pub use value::{NoValue, ValueRecipe, ValueTeaching, WithValue};
