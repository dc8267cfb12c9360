//! What the kernel says about this machine: files and block devices by identity rather than by
//! name, who uses them, where they are mounted; its processors and its clock.
//!
//! Names in the kernel's tables are bytes. Tables are read line by line, so that an unreadable
//! entry hides no other: the users of a device must be found whatever else a table contains. (The
//! crate `procfs` gives up on a table that contains a path that is not UTF-8, and does not unescape
//! every field.)

mod block_stat;
mod clock;
mod device;
mod error;
mod identity;
mod loops;
mod mounts;
mod overlay;
mod pressure;
mod process;
mod process_io;
mod processor;
mod swap;
mod table;
mod thread;
mod tracefs;
mod tracepoints;
mod units;

pub use block_stat::{BlockStat, OpStat};
pub use clock::{Clock, monotonic};
pub use device::BlockDevice;
pub use error::Error;
pub use identity::Identity;
pub use loops::{loops_on, loops_under};
pub use mounts::{Mount, mount_of, mounts, mounts_of};
pub use overlay::names_of;
pub use pressure::Pressure;
pub use process::{Process, processes};
pub use process_io::{ProcessIo, ProcessOrigin};
pub use processor::{kernel, online, processor, processors};
pub use swap::is_swap;
pub use thread::{Thread, holds_data};
pub use tracefs::{Tracefs, read_at_once};
pub use tracepoints::{Field, Fields, Tracepoint};
pub use units::Unit;
