//! What the kernel says of this machine: files and block devices by what they are rather than
//! by name, who uses them, where they are mounted; its processors and its clock.
//!
//! Names in the kernel's tables are bytes. A table is read line by line, so that no entry that
//! cannot be read hides another: who uses a device must be found whatever else there is. (The
//! crate `procfs` gives up a table with a path that is not UTF-8, and does not unescape all.)

mod clock;
mod device;
mod error;
mod identity;
mod loops;
mod mounts;
mod process;
mod processor;
mod swap;
mod table;

pub use clock::Clock;
pub use device::BlockDevice;
pub use error::Error;
pub use identity::Identity;
pub use loops::{loops_on, loops_under};
pub use mounts::{Mount, mount_of, mounts, mounts_of};
pub use process::{Process, processes};
pub use processor::{kernel, processor, processors};
pub use swap::is_swap;
