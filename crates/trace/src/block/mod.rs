//! The Linux block layer: events of requests, and the IOs that they are of.

mod event;
mod events;
mod open;
mod requests;

pub use event::{Event, FLUSH, Kind, NAME, Name, Task, What};
pub(crate) use events::{Events, op};
pub use requests::{Io, Requests, Takes};
