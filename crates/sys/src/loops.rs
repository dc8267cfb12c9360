//! The file or device that backs a loop device (`linux/loop.h`).

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;

const GET_STATUS64: libc::Ioctl = 0x4c05;

/// What backs a loop device, as `stat` describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    /// The number of the device that the backing file lies on.
    pub on: u64,
    /// Its inode there.
    pub inode: u64,
    /// The number of the backing device itself; 0 if a file backs it.
    pub device: u64,
}

/// `struct loop_info64`.
#[repr(C)]
struct Info {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    size_limit: u64,
    number: u32,
    encryption: u32,
    key_size: u32,
    flags: u32,
    file_name: [u8; 64],
    crypt_name: [u8; 64],
    key: [u8; 32],
    init: [u64; 2],
}

/// What backs an open loop device, even if it was renamed or deleted.
///
/// # Errors
/// If it is no loop device, or nothing backs it.
pub fn store(device: &File) -> io::Result<Store> {
    let mut info = MaybeUninit::<Info>::zeroed();
    // SAFETY: the request fills the structure, which is laid out as the kernel
    // has it, and the device is open for the length of the call.
    let answer = unsafe { libc::ioctl(device.as_raw_fd(), GET_STATUS64, info.as_mut_ptr()) };
    if answer == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: all bytes were zero, which every field may be, or set by the kernel.
    let info = unsafe { info.assume_init() };
    Ok(Store {
        on: info.device,
        inode: info.inode,
        device: info.rdevice,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_is_the_kernels() {
        assert_eq!(size_of::<Info>(), 232);
    }

    #[test]
    fn what_is_no_loop_device_has_no_store() {
        assert!(store(&File::open("/dev/null").unwrap()).is_err());
    }
}
