//! Log pages of NVMe devices (`linux/nvme_ioctl.h`).

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// `NVME_IOCTL_ADMIN_CMD`, `_IOWR('N', 0x41, struct nvme_admin_cmd)`.
const ADMIN_COMMAND: libc::Ioctl = 0xC048_4E41_u32 as libc::Ioctl;

/// Get Log Page, by the NVMe Base Specification.
const GET_LOG_PAGE: u8 = 0x02;

/// Dwords of which the length of a log page is counted, less one.
const DWORD: usize = 4;

/// Milliseconds after which a device that does not answer is given up.
const TIMEOUT_MS: u32 = 1000;

/// `struct nvme_passthru_cmd`.
#[repr(C)]
#[derive(Default)]
struct Command {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    address: u64,
    metadata_length: u32,
    data_length: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
    cdw13: u32,
    cdw14: u32,
    cdw15: u32,
    timeout_ms: u32,
    result: u32,
}

/// Reads the log page of this number of an open NVMe device's first namespace. Needs root.
///
/// # Errors
/// What the kernel says; or the device's status, if it has no such page.
pub fn log_page<const LENGTH: usize>(device: &File, number: u8) -> io::Result<Box<[u8; LENGTH]>> {
    let mut page = Box::new([0; LENGTH]);
    let dwords = (LENGTH / DWORD) as u32;
    let mut command = Command {
        opcode: GET_LOG_PAGE,
        namespace: 1,
        address: page.as_mut_ptr() as u64,
        data_length: dwords * DWORD as u32,
        cdw10: u32::from(number) | (dwords.saturating_sub(1) & 0xffff) << 16,
        timeout_ms: TIMEOUT_MS,
        ..Command::default()
    };
    // SAFETY: the structure is laid out as the kernel has it. The kernel writes at most
    // `data_length` bytes to `page`, which has at least that many and lives until the call is over.
    let answer = unsafe { libc::ioctl(device.as_raw_fd(), ADMIN_COMMAND, &raw mut command) };
    match answer {
        0 => Ok(page),
        -1 => Err(io::Error::last_os_error()),
        status => Err(io::Error::other(format!("NVMe status {status:#x}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_is_the_kernels() {
        assert_eq!(size_of::<Command>(), 0x48);
        assert_eq!(std::mem::offset_of!(Command, address), 24);
        assert_eq!(std::mem::offset_of!(Command, data_length), 36);
        assert_eq!(std::mem::offset_of!(Command, cdw10), 40);
    }

    #[test]
    fn what_is_no_nvme_device_has_no_log_page() {
        let file = File::open("/dev/null").unwrap();
        assert!(log_page::<4096>(&file, 0xD0).is_err());
    }
}
