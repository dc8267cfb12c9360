//! The kernel's NBD client (`linux/nbd.h`).

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

const SET_SOCK: libc::Ioctl = 0xab00;
const SET_BLKSIZE: libc::Ioctl = 0xab01;
const DO_IT: libc::Ioctl = 0xab03;
const CLEAR_SOCK: libc::Ioctl = 0xab04;
const SET_SIZE_BLOCKS: libc::Ioctl = 0xab07;
const DISCONNECT: libc::Ioctl = 0xab08;
const SET_FLAGS: libc::Ioctl = 0xab0a;

/// Sets a device's block size, and its size in bytes, a multiple of that.
///
/// # Errors
/// If the kernel refuses.
pub fn set_size(device: &File, block: u64, size: u64) -> io::Result<()> {
    call(device, SET_BLKSIZE, block)?;
    call(device, SET_SIZE_BLOCKS, size / block)
}

/// Sets the transmission flags, which say what the server can do.
///
/// # Errors
/// If the kernel refuses.
pub fn set_flags(device: &File, flags: u16) -> io::Result<()> {
    call(device, SET_FLAGS, flags.into())
}

/// Adds a connection that has passed the handshake. The kernel keeps it.
///
/// # Errors
/// If the kernel refuses.
pub fn add_socket(device: &File, socket: OwnedFd) -> io::Result<()> {
    // The kernel holds the socket itself; this process need not.
    call(device, SET_SOCK, socket.as_raw_fd() as u64)?;
    drop(socket);
    Ok(())
}

/// Serves the device until it is disconnected; the kernel occupies this thread
/// until then.
///
/// # Errors
/// Whatever ended it.
pub fn run(device: &File) -> io::Result<()> {
    call(device, DO_IT, 0)
}

/// Ends the connections of a device.
///
/// # Errors
/// If there are none.
pub fn disconnect(device: &File) -> io::Result<()> {
    call(device, DISCONNECT, 0)
}

/// Forgets the connections of a device, so that it is free again.
///
/// # Errors
/// If the kernel refuses.
pub fn clear(device: &File) -> io::Result<()> {
    call(device, CLEAR_SOCK, 0)
}

fn call(device: &File, request: libc::Ioctl, argument: u64) -> io::Result<()> {
    // SAFETY: each of these requests takes a plain number, no pointer, and the
    // device is open for the length of the call.
    match unsafe { libc::ioctl(device.as_raw_fd(), request, argument) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
