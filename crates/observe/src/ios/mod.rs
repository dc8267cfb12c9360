//! Each IO by the kernel's block tracepoints: from events to requests to latencies.

mod event;
mod latencies;
mod losses;
mod requests;
mod source;
mod tracer;

pub(crate) use latencies::{Latencies, OpLatencies, interval_of};
pub(crate) use tracer::Tracer;
