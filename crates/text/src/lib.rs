//! What users write, and what they are told when it is wrong: quantities with units, YAML
//! whose every value knows its place, the one error type, which names place and field,
//! and the nearest known name.
//!
//! The catalog and scenarios are both read through this crate.

mod error;
mod nearest;
mod number;
mod said;
pub mod tree;
pub mod units;

pub use error::Error;
pub use nearest::{hint, nearest};
pub use number::grouped;
pub use said::said;
pub use tree::{Origin, shorten};
