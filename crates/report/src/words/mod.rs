//! Sentences about runs.

mod amounts;
mod balances;
mod caveats;
mod clause;
mod cost;
pub(crate) mod cycles;
mod delivery;
mod events;
pub mod head;
mod job_bottleneck;
mod journal_mirrors;
mod mean_latency;
mod modes;
mod network;
mod outages;
mod outcome;
pub(crate) mod phrases;
mod run_bottleneck;
mod shortfall;
pub(crate) mod stalls;
pub(crate) mod steps;
mod tables;
pub(crate) mod thresholds;
mod tiles;
mod transaction_bottleneck;
mod transactions;
mod trials;

pub use self::tiles::{Tile, tiles};
