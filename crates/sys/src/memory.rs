//! Memory settings of a process that serves a disk to its own machine.

/// Its number in `linux/prctl.h`.
const PR_SET_IO_FLUSHER: libc::c_int = 57;

/// Asks the kernel to treat this thread, and those that it starts, as part of
/// the disks (`PR_SET_IO_FLUSHER`): allocating memory then never waits for
/// dirty pages to be written, which may need this very process. Returns whether
/// the kernel agreed, which takes the capability `CAP_SYS_RESOURCE`.
pub fn serve_disks() -> bool {
    // SAFETY: the call takes plain numbers and changes how the kernel finds
    // memory for this thread, nothing else.
    unsafe { libc::prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0) == 0 }
}

/// Blocks of memory of at least this size, in bytes, have a mapping of their
/// own once [`unmap_large_blocks`] has been called.
pub const LARGE: usize = 4 << 20;

/// Makes each large block of memory return to the system when it is freed.
/// Returns whether the allocator can do so.
///
/// Otherwise the GNU library takes the first one freed as a sign that more will
/// follow, and keeps up to twice as much for each of several threads: a bound
/// on the memory in use would not bound the memory that the process takes.
pub fn unmap_large_blocks() -> bool {
    #[cfg(target_env = "gnu")]
    {
        let size = LARGE as libc::c_int;
        // SAFETY: the calls take plain numbers, and may be made at any time.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, size) == 1
                && libc::mallopt(libc::M_TRIM_THRESHOLD, size) == 1
        }
    }
    #[cfg(not(target_env = "gnu"))]
    false
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_granted_or_refused() {
        let own = rustix::thread::capabilities(None).unwrap().effective;
        let allowed = own.contains(rustix::thread::CapabilitySet::SYS_RESOURCE);
        assert_eq!(super::serve_disks(), allowed);
    }
}
