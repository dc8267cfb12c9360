//! What issues IO: pure state machines that are told the time.

pub mod spec;
