//! Sentences about runs.

mod amounts;
mod balances;
mod caveats;
mod clause;
mod cost;
mod cycles;
mod delivery;
mod events;
mod fallen_behind;
mod fitting;
mod foreign;
pub mod head;
mod headline;
mod job_bottleneck;
mod jobs;
mod journal_mirrors;
mod mean_latency;
mod modes;
mod network;
mod outages;
mod outcome;
pub(crate) mod phrases;
mod run_bottleneck;
mod shortfall;
mod stalls;
mod steps;
mod tables;
mod thresholds;
mod tiles;
mod transaction_bottleneck;
mod transactions;
mod trials;
mod worst_off;

pub use self::headline::headline;
pub use self::tiles::{Tile, tiles};
