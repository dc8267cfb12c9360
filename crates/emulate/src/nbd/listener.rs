//! The socket at which clients arrive.

use std::fs;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, fchmod};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with,
};

use super::address::Address;
use crate::Error;

/// Clients that wait to be let in.
const BACKLOG: i32 = 128;

/// A listening socket; a unix socket's file goes when it is dropped.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) socket: OwnedFd,
    /// With the port that was chosen.
    pub(super) address: Address,
    file: Option<File>,
}

impl Listener {
    /// Listens at `address`; beyond this machine only if it is `encrypted`.
    ///
    /// # Errors
    /// If another server is there, the address is not this machine's, or the
    /// path is not a socket's.
    pub(super) fn bind(address: &Address, encrypted: bool) -> Result<Self, Error> {
        match address {
            Address::Unix(path) => {
                let socket = bind_unix(path)?;
                Ok(Self {
                    socket,
                    address: address.clone(),
                    file: File::at(path),
                })
            }
            Address::Tcp { host, port } => {
                let listener = bind_tcp(address, host, *port, encrypted)?;
                let bound = listener.local_addr();
                let port = bound.map_err(|error| refused(address, &error))?.port();
                Ok(Self {
                    socket: listener.into(),
                    address: Address::Tcp {
                        host: host.clone(),
                        port,
                    },
                    file: None,
                })
            }
        }
    }
}

fn bind_tcp(
    address: &Address,
    host: &str,
    port: u16,
    encrypted: bool,
) -> Result<TcpListener, Error> {
    let found = (host, port).to_socket_addrs();
    let found: Vec<SocketAddr> = found.map_err(|error| refused(address, &error))?.collect();
    let beyond = found.iter().find(|found| !found.ip().is_loopback());
    if let Some(beyond) = beyond
        && !encrypted
    {
        let why = format!(
            "{} is reached from other machines, which needs TLS certificates",
            beyond.ip()
        );
        return Err(refused(address, &why));
    }
    TcpListener::bind(&found[..]).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => refused(address, &"another server is there"),
        _ => refused(address, &error),
    })
}

/// What is left of a server that is gone is replaced.
fn bind_unix(path: &Path) -> Result<OwnedFd, Error> {
    match try_unix(path) {
        Err(Errno::ADDRINUSE) => {}
        bound => return bound.map_err(|error| refused_path(path, &error)),
    }
    let found = fs::symlink_metadata(path).map_err(|error| refused_path(path, &error))?;
    if !found.file_type().is_socket() {
        return Err(refused_path(path, &"a file that is no socket is there"));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
        Ok(_) => return Err(refused_path(path, &"another server is there")),
        Err(error) => return Err(refused_path(path, &error)),
    }
    fs::remove_file(path).map_err(|error| refused_path(path, &error))?;
    try_unix(path).map_err(|error| refused_path(path, &error))
}

fn try_unix(path: &Path) -> Result<OwnedFd, Errno> {
    let address = SocketAddrUnix::new(path)?;
    let (stream, flags) = (SocketType::STREAM, SocketFlags::CLOEXEC);
    let socket = socket_with(AddressFamily::UNIX, stream, flags, None)?;
    // Its file is made with this mode: nobody else can ever connect.
    fchmod(&socket, Mode::RUSR | Mode::WUSR)?;
    bind(&socket, &address)?;
    listen(&socket, BACKLOG)?;
    Ok(socket)
}

fn refused(address: &Address, why: &dyn std::fmt::Display) -> Error {
    Error::Input(format!("{address}: {why}"))
}

fn refused_path(path: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::Input(format!("{}: {why}", path.display()))
}

/// A socket's file.
#[derive(Debug)]
struct File {
    path: PathBuf,
    /// Its device and inode.
    id: (u64, u64),
}

impl File {
    fn at(path: &Path) -> Option<Self> {
        Some(Self {
            // Even if the current folder changes.
            path: std::path::absolute(path).ok()?,
            id: id(path)?,
        })
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // Another server's may be in its place by now.
        if id(&self.path) == Some(self.id) {
            // There is no one to tell; the next server replaces it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn id(path: &Path) -> Option<(u64, u64)> {
    let found = fs::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}
