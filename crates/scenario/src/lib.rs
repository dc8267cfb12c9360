//! The scenario language: YAML with places, catalog lookup, resolution to model objects.

pub mod catalog;
mod check;
mod error;
pub mod goals;
mod loaded;
mod nearest;
mod resolve;
pub mod schema;
mod tree;
pub mod units;
mod unlike;

pub use error::Error;
pub use loaded::{Loaded, load};
pub use nearest::{hint, nearest};
pub use resolve::{Resolved, ResolvedLimit};
pub use tree::{Origin, shorten};
