//! Whether anyone else uses a file or a table of open files.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Its number in `linux/kcmp.h`.
const KCMP_FILES: libc::c_int = 2;

/// What `fcntl` takes to choose the signal of a lease (`linux/fcntl.h`).
const F_SETSIG: libc::c_int = 10;

/// Whether anything but this handle, which must be open for reading only, may
/// write to an open file: another process or thread, a mapping, a device, under
/// whatever name. The kernel answers for all of them at once, and does not say
/// which it is.
///
/// # Errors
/// If the kernel cannot tell: the file system has no leases, or the file
/// belongs to another user.
pub fn is_written_elsewhere(file: &File) -> io::Result<bool> {
    // If anyone opens the file while the lease is held, the kernel signals this
    // process: with a signal that does nothing.
    set(file, F_SETSIG, libc::SIGURG)?;
    match set(file, libc::F_SETLEASE, libc::F_RDLCK) {
        Ok(()) => set(file, libc::F_SETLEASE, libc::F_UNLCK).map(|()| false),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(true),
        Err(error) => Err(error),
    }
}

fn set(file: &File, command: libc::c_int, value: libc::c_int) -> io::Result<()> {
    // SAFETY: these commands take a plain number, and the file is open for the
    // length of the call.
    match unsafe { libc::fcntl(file.as_raw_fd(), command, value) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Whether two threads share their table of open files. Also false where the
/// kernel does not say.
pub fn share_files(one: u32, other: u32) -> bool {
    let (one, other) = (one as libc::pid_t, other as libc::pid_t);
    // SAFETY: the call takes plain numbers and compares.
    unsafe { libc::syscall(libc::SYS_kcmp, one, other, KCMP_FILES, 0, 0) == 0 }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use super::*;

    #[test]
    fn a_writer_is_known_however_it_hides() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let writer = File::create(&path).unwrap();
        let reader = File::open(&path).unwrap();
        // Not every file system has leases.
        let Ok(written) = is_written_elsewhere(&reader) else {
            return;
        };
        assert!(written);
        drop(writer);
        assert!(!is_written_elsewhere(&reader).unwrap());
        // The lease was given up: nobody has to wait for it.
        OpenOptions::new().write(true).open(&path).unwrap();
    }

    #[test]
    fn the_threads_of_a_process_share_its_files() {
        let own = std::process::id();
        // Where the kernel has the call at all.
        let known = share_files(own, own);
        let (done, wait) = std::sync::mpsc::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let number = rustix::thread::gettid().as_raw_nonzero().get();
            tell.send(number as u32).unwrap();
            let _ = wait.recv();
        });
        assert_eq!(share_files(own, told.recv().unwrap()), known);
        assert!(!share_files(own, 1) || own == 1);
        drop(done);
        thread.join().unwrap();
    }
}
