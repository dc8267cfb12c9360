//! Comparisons of runs whose truth is known.

mod chance;
mod conditions;
mod resamples;
mod rows;
mod synthetic;
