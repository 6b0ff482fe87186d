//! The readers under test.

pub mod readers;
