//! A unix socket that belongs to one server alone.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use blockyard_text::said;
use rustix::fs::{Mode, fchmod};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with,
};

use crate::Error;

/// Clients that wait to be let in.
const BACKLOG: i32 = 128;

/// Listens at `path`, for this user alone. Replaces the socket of a server that is gone. The
/// file is removed when the second value is dropped.
///
/// # Errors
/// If another server is there, or a file that is no socket.
pub(crate) fn listen_at(path: &Path) -> Result<(OwnedFd, SocketFile), Error> {
    let socket = match attempt(path) {
        Err(Errno::ADDRINUSE) => {
            remove_stale(path)?;
            attempt(path)
        }
        bound => bound,
    };
    let socket = socket.map_err(|error| unusable(path, error))?;
    let file = SocketFile {
        // Even if the current folder changes.
        path: std::path::absolute(path).map_err(|error| unusable(path, error))?,
        id: id(path),
    };
    Ok((socket, file))
}

fn attempt(path: &Path) -> Result<OwnedFd, Errno> {
    let address = SocketAddrUnix::new(path)?;
    let (stream, flags) = (SocketType::STREAM, SocketFlags::CLOEXEC);
    let socket = socket_with(AddressFamily::UNIX, stream, flags, None)?;
    // Its file is made with this mode: nobody else can ever connect.
    fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
    bind(&socket, &address)?;
    listen(&socket, BACKLOG)?;
    Ok(socket)
}

fn remove_stale(path: &Path) -> Result<(), Error> {
    let found = fs::symlink_metadata(path).map_err(|error| unusable(path, error))?;
    if !found.file_type().is_socket() {
        return Err(refused(path, "a file that is no socket is there"));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
        Ok(_) => return Err(refused(path, "another server is there")),
        Err(error) => return Err(unusable(path, error)),
    }
    fs::remove_file(path).map_err(|error| unusable(path, error))
}

fn unusable(path: &Path, error: impl Into<io::Error>) -> Error {
    refused(path, &said(&error.into()))
}

fn refused(path: &Path, why: &str) -> Error {
    Error::Input(format!("{}: {why}", path.display()))
}

/// A socket's file; removed when this is dropped.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    /// Its device and inode.
    id: Option<(u64, u64)>,
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // Another server's may be in its place by now.
        if self.id.is_some() && id(&self.path) == self.id {
            // There is no one to tell; the next server replaces it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn id(path: &Path) -> Option<(u64, u64)> {
    let found = fs::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}
