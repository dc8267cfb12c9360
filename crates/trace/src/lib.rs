//! Recorded IO: what other programs wrote down of it, as one stream of [`Row`]s.
//!
//! [`Trace`] reads any of the formats of [`Format`], row by row, so a trace may be larger than
//! memory. What a format does not record is absent from its rows, and [`Format::recorded`] says so
//! beforehand.

mod binary;
pub mod block;
mod chains;
mod commits;
mod error;
mod format;
mod found;
mod row;
mod sequential;
mod sniff;
mod sorted;
mod text;
mod trace;
pub mod write;

pub use chains::{Chains, Follows, Link};
pub use commits::{Commits, Step};
pub use error::Error;
pub use format::{Format, Recorded};
pub use found::{Lost, Notes};
pub use row::{OPS, Row};
pub use sequential::sequential;
pub use sorted::{Sorted, TooLate};
pub use trace::{Trace, open};
