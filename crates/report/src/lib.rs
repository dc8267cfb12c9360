//! What a report says of runs and plans: sentences, tables, and the figures that charts draw.
//!
//! A [`Run`] is what is known of one: its result, what was found out about it, and its tables.
//! Terminal, page and Python get their words from here, so that what two of them say is the same.

pub mod charts;
pub mod comparison;
pub mod drive;
pub mod figure;
pub mod plan;
#[cfg(not(target_family = "wasm"))]
mod read;
mod run;
pub mod text;
pub mod words;

#[cfg(not(target_family = "wasm"))]
pub use read::read_result;
pub use run::{Intervals, Names, Run, Tables, TransactionRows, VolumeRows};
