//! The real clock: the workload model on real files and block devices.

pub mod safety;
