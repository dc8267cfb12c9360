//! The charts of a report.

mod axes;
mod histograms;
mod history;
mod overlay;
mod series;
mod spans;
