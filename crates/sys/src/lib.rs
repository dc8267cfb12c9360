//! The only unsafe code: io_uring, aligned memory, block devices and calls that the
//! safe libraries lack.
//!
//! Everything public here is safe to call. The types uphold what the kernel
//! requires: a buffer that the kernel may still touch cannot be accessed, moved
//! or freed.

mod buffer;
pub mod loops;
mod memory;
pub mod nbd;
pub mod nvme;
mod ring;
mod sharing;
mod usage;

pub use buffer::{ALIGNMENT, Buffer};
pub use memory::{LARGE, serve_disks, unmap_large_blocks};
pub use ring::{Done, Io, Op, Ring};
pub use sharing::{is_written_elsewhere, share_files};
pub use usage::{CpuTime, cpu_time};
