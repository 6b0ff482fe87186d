//! Pictures: a small SVG writer, charts on top of it, and PNG files of both behind the feature `png`.

pub mod chart;
pub mod png;
pub mod spills;
pub mod svg;
