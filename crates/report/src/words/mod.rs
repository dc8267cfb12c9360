//! Sentences about runs.

mod amounts;
mod clause;
mod mean_latency;
mod outcome;
mod phrases;
mod stalls;
mod steps;
mod thresholds;
