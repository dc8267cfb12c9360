//! Memory for who serves a disk of its own machine.

/// Its number in `linux/prctl.h`.
const PR_SET_IO_FLUSHER: libc::c_int = 57;

/// Asks the kernel to treat this thread, and those that it starts, as a part
/// of the disks (`PR_SET_IO_FLUSHER`): to get memory it then never waits for
/// unwritten pages, which may be on their way to this very process. Whether it
/// was granted, which takes the capability `CAP_SYS_RESOURCE`.
pub fn serve_disks() -> bool {
    // SAFETY: the call takes plain numbers and changes how the kernel finds
    // memory for this thread, nothing else.
    unsafe { libc::prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0) == 0 }
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
