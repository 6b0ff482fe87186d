//! The readers under test, and good inputs of each.

pub mod corpus;
pub mod readers;
