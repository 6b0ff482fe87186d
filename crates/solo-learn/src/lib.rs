//! Learning offline: deep Q-learning of graph networks, for any problem that can be shown as a graph.
//!
//! [`run::learn`] follows a [`recipe::Recipe`]. A [`dqn::Learner`] lives days of the recipe's presets in several worlds
//! ([`lane`]), remembers them ([`replay`]) and moves a network's weights; [`validate`] judges it by other days, and
//! [`checkpoint`] keeps everything. [`greedy::Greedy`] decides by a learnt network, alone or inside a search.

pub mod atomic;
pub mod card;
pub mod checkpoint;
pub mod codec;
pub mod dqn;
pub mod episode;
pub mod greedy;
pub mod history;
pub mod hyper;
pub mod lane;
pub mod priority;
pub mod recipe;
pub mod replay;
pub mod run;
pub mod schedule;
pub mod teach;
pub mod tensorboard;
pub mod validate;
pub mod values;
