//! Each IO by the kernel's block tracepoints: from events to requests to latencies.

mod counted;
mod event;
mod in_use;
mod io_log;
mod issued;
mod latencies;
mod source;
mod tracer;

pub(crate) use counted::{Counted, MOVES};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use event::Layout;
pub(crate) use in_use::InUse;
pub(crate) use io_log::{IoLog, Line};
pub(crate) use issued::{called, issued};
pub(crate) use latencies::{Latencies, OpLatencies, interval_of};
pub(crate) use tracer::Tracer;
