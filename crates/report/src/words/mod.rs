//! Sentences about runs.

mod clause;
mod outcome;
pub(crate) mod phrases;
mod shortfall;
mod steps;
