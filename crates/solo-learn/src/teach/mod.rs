//! Teaching a small guide by search.
//!
//! Days are lived, and at their decisions every option is played to the end on common futures ([`labels`]). A scorer learns
//! from what they cost ([`fit`]), then guides the next round's rollouts. At the end its weights evolve by the cost of whole
//! days ([`evolve`]). [`run::teach`] follows a [`recipe::GuideRecipe`]; the best scorer by validation days is kept.

pub mod evolve;
pub mod fit;
pub mod labels;
pub mod recipe;
pub mod run;
pub mod value;
