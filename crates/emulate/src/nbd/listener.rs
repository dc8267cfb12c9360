//! The socket at which clients arrive.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::os::fd::OwnedFd;

use blockyard_text::said;

use super::address::Address;
use crate::Error;
use crate::socket::{SocketFile, listen_at};

/// A listening socket; a unix socket's file goes when it is dropped.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) socket: OwnedFd,
    /// With the port that was chosen.
    pub(super) address: Address,
    /// Removed with it.
    _file: Option<SocketFile>,
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
                let (socket, file) = listen_at(path)?;
                Ok(Self {
                    socket,
                    address: address.clone(),
                    _file: Some(file),
                })
            }
            Address::Tcp { host, port } => {
                let listener = bind_tcp(address, host, *port, encrypted)?;
                let bound = listener.local_addr();
                let port = bound
                    .map_err(|error| refused(address, &said(&error)))?
                    .port();
                Ok(Self {
                    socket: listener.into(),
                    address: Address::Tcp {
                        host: host.clone(),
                        port,
                    },
                    _file: None,
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
    let found: Vec<SocketAddr> = found
        .map_err(|error| refused(address, &said(&error)))?
        .collect();
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
        ErrorKind::AddrInUse => refused(address, "another server is there"),
        _ => refused(address, &said(&error)),
    })
}

fn refused(address: &Address, why: &str) -> Error {
    Error::Input(format!("{address}: {why}"))
}
