//! Traces as other programs write them, read.

mod chains;
mod mistakes;
mod real;
mod survived;
mod written;
mod written_then_read;
