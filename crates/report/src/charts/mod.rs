//! The charts of a report.

mod axes;
mod distribution;
mod heat;
mod histograms;
mod history;
mod limit_lines;
mod means;
mod overlay;
mod percentiles;
mod queue;
mod rates;
mod series;
mod spans;
