//! Comparisons of runs whose truth is known.

mod chance;
mod conditions;
mod pairs;
mod resamples;
mod rows;
mod steps;
mod synthetic;
