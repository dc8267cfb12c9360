//! Sentences about runs.

mod advice;
mod amounts;
mod balances;
mod caveats;
mod clause;
mod cost;
mod cycles;
mod delivery;
mod events;
mod head;
mod headline;
mod job_bottleneck;
mod journal_mirrors;
mod mean_latency;
mod modes;
mod network;
mod outages;
mod outcome;
mod paragraphs;
pub(crate) mod phrases;
mod run_bottleneck;
mod shortfall;
mod stalls;
mod steps;
mod summary;
mod tables;
mod thresholds;
mod tiles;
mod transaction_bottleneck;
mod transactions;
mod trials;

pub use self::head::head;
pub use self::headline::headline;
pub use self::paragraphs::paragraphs;
pub use self::summary::{NarrowTable, Summary, summary};
pub use self::tiles::{Tile, tiles};
