//! What people write, and what they are told when it is wrong: quantities with
//! their units, YAML whose every value knows its place, the one error that names
//! place and field, and the nearest of known names.
//!
//! The catalog and the scenario language are both read through here.

mod error;
mod nearest;
mod number;
pub mod tree;
pub mod units;

pub use error::Error;
pub use nearest::{hint, nearest};
pub use number::grouped;
pub use tree::{Origin, shorten};
