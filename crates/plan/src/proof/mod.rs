//! Layouts of a plan as scenarios, and what their simulations say.

pub(crate) mod balances;
mod by_interval;
pub(crate) mod jobs;
pub(crate) mod of_plan;
pub(crate) mod prover;
pub(crate) mod scenario;
pub(crate) mod simulation;
