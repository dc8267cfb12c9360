//! One client's connection, on a thread of its own.

use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{Shutdown, shutdown};
use rustls::ServerConfig;

use super::clients::Visit;
use super::handshake::{ProtocolError, TlsState};
use super::outbox::Outbox;
use super::session::{Session, Wants};
use super::transport::{Transport, receive_waiting};
use crate::contained::contained;

/// How long a client may take to choose an export.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Serves a client until it or `socket` is at its end.
pub(super) fn serve(socket: Arc<OwnedFd>, visit: Arc<Visit>, tls: Option<Arc<ServerConfig>>) {
    let Ok(outbox) = Outbox::new(socket.clone(), visit.clients.budget.clone()) else {
        // Too many files are open to serve another client.
        let _ = shutdown(&socket, Shutdown::Both);
        return;
    };
    let outbox = Arc::new(outbox);
    let tls_state = match tls {
        Some(_) => TlsState::Required,
        None => TlsState::Plain,
    };
    let mut connection = Connection {
        session: Session::new(visit.clone(), tls_state, outbox.clone()),
        visit,
        socket,
        outbox,
        tls,
        transport: Transport::Plain,
        deadline: Instant::now() + HANDSHAKE,
    };
    // However it ends, there is no one left to be told.
    let _ = contained(|| connection.run());
    connection.close();
}

struct Connection {
    /// Ends when nothing else is left of the connection.
    visit: Arc<Visit>,
    socket: Arc<OwnedFd>,
    outbox: Arc<Outbox>,
    session: Session,
    tls: Option<Arc<ServerConfig>>,
    transport: Transport,
    /// The end of the handshake.
    deadline: Instant,
}

impl Connection {
    fn run(&mut self) -> io::Result<()> {
        loop {
            let wants = self.session.proceed()?;
            let unsent = self.transport.send(&self.socket, &self.outbox)?;
            match wants {
                Wants::Tls if self.outbox.await_settled() => self.encrypt()?,
                Wants::End if self.outbox.await_settled() => return Ok(()),
                Wants::Bytes if self.is_quiet() => {
                    let len = receive_waiting(&self.socket, self.session.space())?;
                    self.session.filled(len);
                }
                Wants::Bytes => {
                    let ready = self.transport.has_decrypted()
                        || self.wait(PollFlags::IN, unsent)?.contains(PollFlags::IN);
                    if ready {
                        self.receive()?;
                    }
                }
                _ => drop(self.wait(PollFlags::empty(), unsent)?),
            }
        }
    }

    /// Whether nothing can happen before the client sends more, which is then
    /// awaited in one call.
    fn is_quiet(&self) -> bool {
        self.transport.is_plain() && !self.session.in_handshake() && self.outbox.is_settled()
    }

    fn receive(&mut self) -> io::Result<()> {
        let len = self.transport.receive(&self.socket, self.session.space())?;
        self.session.filled(len);
        Ok(())
    }

    /// Waits until the client has sent what is wanted, takes what is `unsent`,
    /// or the bell rings. Gives what the socket is ready for.
    fn wait(&self, mut events: PollFlags, unsent: bool) -> io::Result<PollFlags> {
        events.set(PollFlags::OUT, unsent);
        let timeout = self.timeout(unsent)?;
        let mut ends = [
            PollFd::new(&self.socket, events),
            PollFd::from_borrowed_fd(self.outbox.bell(), PollFlags::IN),
        ];
        match poll(&mut ends, timeout.as_ref()) {
            Ok(0) if self.visit.clients.budget.is_awaited() => {
                return Err(ErrorKind::TimedOut.into());
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [ready, bell] = ends.map(|end| end.revents());
        if bell.contains(PollFlags::IN) {
            self.outbox.silence();
        }
        if ready.intersects(PollFlags::HUP | PollFlags::ERR) && !ready.contains(PollFlags::IN) {
            return Err(ErrorKind::ConnectionReset.into());
        }
        Ok(ready)
    }

    /// How long the client may do nothing.
    fn timeout(&self, unsent: bool) -> io::Result<Option<Timespec>> {
        if self.session.in_handshake() {
            return self.time_left().map(Some);
        }
        let is_its_turn = unsent || self.session.is_amid_write();
        let stalls = is_its_turn && self.outbox.is_in_the_way();
        let patience = self.visit.clients.patience;
        let patience = stalls.then(|| Timespec::try_from(patience));
        patience.transpose().map_err(io::Error::other)
    }

    /// What is left for the handshake.
    fn time_left(&self) -> io::Result<Timespec> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match left.is_zero() {
            true => Err(ErrorKind::TimedOut.into()),
            false => Timespec::try_from(left).map_err(io::Error::other),
        }
    }

    fn encrypt(&mut self) -> io::Result<()> {
        self.session.encrypted()?;
        let config = self.tls.clone().ok_or(ErrorKind::Unsupported)?;
        self.transport = Transport::encrypted(config, &self.outbox)?;
        Ok(())
    }

    fn close(&mut self) {
        self.transport.close(&self.socket);
        self.outbox.close();
        // Others may still hold the socket.
        let _ = shutdown(&self.socket, Shutdown::Both);
    }
}

impl From<ProtocolError> for io::Error {
    fn from(_: ProtocolError) -> Self {
        ErrorKind::InvalidData.into()
    }
}
