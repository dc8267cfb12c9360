//! Sentences about runs.

mod clause;
pub(crate) mod modes;
mod outcome;
pub(crate) mod phrases;
mod steps;
