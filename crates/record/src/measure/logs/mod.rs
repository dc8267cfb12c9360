//! Logs of single IOs and of the latencies of every interval.

pub(crate) mod io_log;
pub(crate) mod latency_log;
