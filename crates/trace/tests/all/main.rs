//! Traces as other programs write them, read.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod chains;
mod commits;
mod mistakes;
mod packed;
mod real;
mod splits;
mod survived;
mod table;
mod written;
mod written_then_read;
