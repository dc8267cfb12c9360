//! `latency.hlog`: the latencies of every interval in the interchange format
//! of HdrHistogram, which its tools and its ports to other languages read.

mod decode;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::{LogError, read_log};
pub use write::LatencyLog;
