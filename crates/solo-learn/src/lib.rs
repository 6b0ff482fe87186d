//! Learning offline.

pub mod atomic;
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
pub mod schedule;
pub mod tensorboard;
pub mod validate;
pub mod values;
