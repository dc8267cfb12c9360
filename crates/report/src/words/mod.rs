//! Sentences about runs.

mod clause;
mod outcome;
mod phrases;
pub(crate) mod steps;
