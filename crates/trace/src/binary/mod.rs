//! Traces as records of bytes.

mod blktrace;
#[cfg(not(target_family = "wasm"))]
mod parquet;
mod records;
mod vscsi;

pub(crate) use blktrace::{Blktrace, is_blktrace};
#[cfg(not(target_family = "wasm"))]
pub(crate) use parquet::Parquet;
pub(crate) use vscsi::{Vscsi, is_vscsi};

/// Whether a file that begins with `head` is a Parquet table.
pub(crate) fn is_parquet(head: &[u8]) -> bool {
    head.starts_with(b"PAR1")
}
