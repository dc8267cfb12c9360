//! A sweep: many variants of a scenario, by axes.
//!
//! A [`SweepFile`] says which; a [`Plan`] has every combination of them, with the reason for each
//! that the catalog refuses. [`simulate`] carries out a part of the runs, on any machine, and what
//! it gives of a run depends on nothing but the run. [`decides`] says which axis moves a figure,
//! and [`Search`] finds where a goal is met without trying every combination.
//!
//! Who hands out the parts, and keeps what they gave, is not decided here.

mod decides;
mod figures;
mod file;
mod key;
mod plan;
mod run;
mod search;

pub use decides::{AxisShare, decides};
pub use figures::Column;
pub use file::{Axis, AxisValue, Combine, Method, Seeds, Spread, SweepFile, read};
pub use plan::{Combination, Plan, Refused};
pub use run::{Asked, Latencies, Prices, Row, Run, Text, Work, failures, simulate};
pub use search::{Search, Verdict};
