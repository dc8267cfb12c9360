//! Sentences about runs.

mod amounts;
mod balances;
mod clause;
mod cycles;
mod events;
mod job_bottleneck;
mod journal_mirrors;
mod mean_latency;
mod modes;
mod network;
mod outages;
mod outcome;
mod phrases;
mod run_bottleneck;
mod stalls;
mod steps;
mod thresholds;
