//! The server, from its start to its stop.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use blockyard_text::said;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};
use rustls::ServerConfig;

use super::address::Address;
use super::clients::Clients;
use super::listener::Listener;
use super::probe;
use super::tls::Tls;
use crate::Error;
use crate::disk::Disk;

/// Between attempts to let clients in when the system has no room for them.
const PAUSE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// Serves disks as NBD exports, each under its name.
#[derive(Debug)]
pub(crate) struct Server {
    clients: Arc<Clients>,
    listener: Option<Arc<Listener>>,
    accepting: Option<JoinHandle<()>>,
    /// Ends the accepting thread.
    end: Arc<OwnedFd>,
    address: Address,
    tls: Option<Tls>,
}

impl Server {
    /// Listens at `at` and serves `disks` from then on; with `tls`, to clients
    /// that begin TLS. The first is also served without a name.
    ///
    /// # Errors
    /// If the address cannot be had, or is reached from other machines and
    /// there is no TLS.
    pub(crate) fn start(
        disks: Vec<Arc<Disk>>,
        at: &Address,
        tls: Option<&Tls>,
    ) -> Result<Self, Error> {
        let failed = |error: io::Error| Error::Failed(format!("{at}: {}", said(&error)));
        let listener = Arc::new(Listener::bind(at, tls.is_some())?);
        let end = eventfd(0, EventfdFlags::CLOEXEC).map_err(|error| failed(error.into()))?;
        let mut server = Self {
            clients: Clients::new(disks.into()),
            address: listener.address.clone(),
            listener: Some(listener.clone()),
            accepting: None,
            end: Arc::new(end),
            tls: tls.cloned(),
        };
        let (clients, end) = (server.clients.clone(), server.end.clone());
        let tls = tls.map(|tls| tls.0.clone());
        let accepting = thread::Builder::new()
            .name("nbd-accept".into())
            .spawn(move || accept(&listener.socket, &end, &clients, tls.as_ref()))
            .map_err(failed)?;
        server.accepting = Some(accepting);
        Ok(server)
    }

    /// Serves `disks` to nobody but who asks here ([`Server::connect`]).
    ///
    /// # Errors
    /// If the system has no more files.
    pub(crate) fn unlisted(disks: Vec<Arc<Disk>>) -> Result<Self, Error> {
        let end = eventfd(0, EventfdFlags::CLOEXEC);
        let failed = |error: Errno| Error::Failed(format!("an event: {}", said(&error.into())));
        let end = end.map_err(failed)?;
        Ok(Self {
            clients: Clients::new(disks.into()),
            listener: None,
            accepting: None,
            end: Arc::new(end),
            address: Address::Unix(std::path::PathBuf::new()),
            tls: None,
        })
    }

    /// A connection to an export, past the handshake, for the kernel.
    ///
    /// # Errors
    /// If the export is not there, or the system has no room for it.
    pub(crate) fn connect(&self, export: &str) -> io::Result<OwnedFd> {
        let (mut client, server) = UnixStream::pair()?;
        self.clients.admit(server.into(), None)?;
        probe::choose(&mut client, export.as_bytes())?;
        Ok(client.into())
    }

    /// How clients name an export.
    pub(crate) fn uri(&self, export: &str) -> String {
        self.address.uri(export, self.tls.is_some())
    }

    /// What the user should know of clients that were not let in.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.clients.warnings(Instant::now())
    }

    /// Ends all connections at once, as a power cut does. Clients may come
    /// back.
    pub(crate) fn disconnect_all(&self) {
        self.clients.disconnect_all();
    }

    /// Times `rounds` reads of 4 KiB from an export, one at a time, over a
    /// connection like a client's, but never encrypted.
    ///
    /// # Errors
    /// If this machine has no room for the connection, or the server stops.
    pub(crate) fn probe(&self, export: &str, rounds: usize) -> io::Result<Vec<Duration>> {
        let (client, server) = probe::pair(&self.address)?;
        self.clients.admit(server, None)?;
        probe::time_reads(client, export, rounds)
    }

    /// Ends all connections, lets no more in and removes the socket.
    pub(crate) fn stop(&mut self) {
        // It fails only where it has been written to 2^64 times.
        let _ = rustix::io::write(&self.end, &1_u64.to_ne_bytes());
        if let Some(accepting) = self.accepting.take() {
            // What it panicked with has been printed.
            let _ = accepting.join();
        }
        self.listener = None;
        self.clients.stop();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Lets clients in until the `end`.
fn accept(
    socket: &OwnedFd,
    end: &OwnedFd,
    clients: &Arc<Clients>,
    tls: Option<&Arc<ServerConfig>>,
) {
    loop {
        let mut ends = [
            PollFd::new(end, PollFlags::IN),
            PollFd::new(socket, PollFlags::IN),
        ];
        if poll(&mut ends, None).is_err() {
            continue;
        }
        if !ends[0].revents().is_empty() {
            return;
        }
        match accept_with(socket, SocketFlags::CLOEXEC) {
            Ok(client) => {
                // Who cannot be served is disconnected by that.
                let _ = clients.admit(client, tls.cloned());
            }
            Err(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => {
                let _ = poll(&mut [PollFd::new(end, PollFlags::IN)], Some(&PAUSE));
            }
            // The client was gone first.
            Err(_) => {}
        }
    }
}
