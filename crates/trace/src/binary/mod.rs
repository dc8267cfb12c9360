//! Traces as records of bytes.

mod blktrace;
mod records;
mod vscsi;

pub(crate) use blktrace::{Blktrace, is_blktrace};
pub(crate) use vscsi::{Vscsi, is_vscsi};
