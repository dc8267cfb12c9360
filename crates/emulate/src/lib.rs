//! The device model in real time: served as NBD exports, FUSE files and block
//! devices over a backing store.
//!
//! Data moves at once; the model decides only when the reply goes out. What
//! is served is a [`disk::Disk`]; a front end moves its clients' bytes to and
//! from the disk's [`store::Store`] and hands in a [`request::Responder`], which
//! is held until the model's completion time.

mod block;
mod contained;
mod control;
mod controller;
mod disk;
mod emulator;
mod engine;
mod exports;
mod fault;
mod front;
mod fuse;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzz;
mod groups;
mod nbd;
mod options;
mod probe;
mod rates;
mod request;
mod service;
mod socket;
mod status;
mod store;
mod sync;
#[cfg(any(test, feature = "fuzzing"))]
mod testing;
mod timer;
mod trace;
mod users;

pub use blockyard_machine::Error;
pub use front::Front;
pub use nbd::Address;
pub use options::Options;
pub use service::emulate;
pub use status::Status;
pub use store::Backing;
