//! What the kernel says of files, devices and mounts.

mod device;
mod identity;
mod loops;
mod mounts;

pub(crate) use self::device::BlockDevice;
pub(crate) use self::identity::Identity;
pub(crate) use self::loops::loop_on;
pub(crate) use self::mounts::{mount_of, mounts};
pub(crate) use blockyard_sys::table::{lines, unescaped};
