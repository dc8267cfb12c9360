//! Sentences about runs.

mod amounts;
mod balances;
mod caveats;
mod clause;
mod cost;
mod cycles;
mod events;
mod job_bottleneck;
mod journal_mirrors;
mod mean_latency;
mod modes;
mod network;
mod outages;
mod outcome;
mod run_bottleneck;
mod shortfall;
mod stalls;
mod steps;
mod thresholds;
mod trials;
pub mod head;
pub(crate) mod phrases;
