//! Each IO by the kernel's block tracepoints: from events to requests to latencies.

mod event;
mod instance;
mod io_log;
mod latencies;
mod losses;
mod page;
mod ring;
mod room;
mod source;
mod tracer;

pub(crate) use io_log::{IoLog, Line};
pub(crate) use latencies::{Latencies, OpLatencies, interval_of};
pub(crate) use losses::note;
pub(crate) use tracer::Tracer;
