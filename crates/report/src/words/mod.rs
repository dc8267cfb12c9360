//! Sentences about runs.

mod caveats;
mod clause;
mod cost;
pub mod head;
mod outcome;
pub(crate) mod phrases;
mod shortfall;
mod steps;
mod trials;
