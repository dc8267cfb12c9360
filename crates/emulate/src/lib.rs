//! The device model in real time: served as NBD exports, FUSE files and block
//! devices over a backing store.
//!
//! Data moves at once; the model decides only when the answer goes out. What
//! is served is a [`disk::Disk`]; a front end moves its clients' bytes to and
//! from the disk's [`store::Store`] and hands in an [`answer::Answer`], which
//! is held until the model's completion time.

mod answer;
mod block;
mod control;
mod desk;
mod disk;
mod exports;
mod fault;
mod front;
mod fuse;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzz;
mod nbd;
mod pacer;
mod probe;
mod rates;
mod service;
mod socket;
mod status;
mod steering;
mod store;
mod sync;
#[cfg(any(test, feature = "fuzzing"))]
mod testing;
mod trace;
mod users;

pub use blockyard_machine::Error;
pub use front::Front;
pub use nbd::Address;
pub use service::{Options, emulate};
pub use store::Backing;
