//! Sentences about runs.

mod clause;
mod outcome;
mod phrases;
mod steps;
