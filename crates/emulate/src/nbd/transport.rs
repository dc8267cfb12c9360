//! How bytes pass over a connection's socket: plain, or encrypted.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustls::{ServerConfig, ServerConnection};

use super::outbox::Outbox;

/// A socket's end, of which nothing waits for the client unless it says so.
#[derive(Debug)]
pub(super) enum Transport {
    /// Replies leave from the outbox.
    Plain,
    /// Replies are taken from the outbox and encrypted.
    Tls(Box<ServerConnection>),
}

impl Transport {
    /// Begins TLS on a connection whose outbox is empty.
    pub(super) fn encrypted(config: Arc<ServerConfig>, outbox: &Outbox) -> io::Result<Self> {
        let mut session = ServerConnection::new(config).map_err(io::Error::other)?;
        // What it holds is bounded by one piece of a reply.
        session.set_buffer_limit(None);
        outbox.encrypt();
        Ok(Self::Tls(Box::new(session)))
    }

    pub(super) fn is_plain(&self) -> bool {
        matches!(self, Self::Plain)
    }

    /// Sends what the client takes of what is to be sent. Says whether
    /// something is left.
    pub(super) fn send(&mut self, socket: &OwnedFd, outbox: &Outbox) -> io::Result<bool> {
        let Self::Tls(session) = self else {
            outbox.send_more();
            return Ok(outbox.is_stuck());
        };
        loop {
            while session.wants_write() {
                match session.write_tls(&mut Unwaiting(socket)) {
                    Ok(_) => {}
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                    Err(error) => return Err(error),
                }
            }
            match outbox.take(|piece| session.writer().write_all(piece)) {
                Some(written) => written?,
                None => return Ok(false),
            }
        }
    }

    /// Whether bytes are there that the socket no longer announces.
    pub(super) fn has_decrypted(&mut self) -> bool {
        match self {
            Self::Plain => false,
            Self::Tls(session) => session
                .process_new_packets()
                .is_ok_and(|state| state.plaintext_bytes_to_read() > 0),
        }
    }

    /// Receives what is there, 0 bytes if that is nothing.
    ///
    /// # Errors
    /// Also at the end of what the client sends.
    pub(super) fn receive(&mut self, socket: &OwnedFd, space: &mut [u8]) -> io::Result<usize> {
        let Self::Tls(session) = self else {
            return some(Unwaiting(socket).read(space));
        };
        loop {
            let there = some(session.reader().read(space))?;
            if there > 0 || some(session.read_tls(&mut Unwaiting(socket)))? == 0 {
                return Ok(there);
            }
            if let Err(error) = session.process_new_packets() {
                // Tells the client why, if it still listens.
                let _ = session.write_tls(&mut Unwaiting(socket));
                return Err(io::Error::other(error));
            }
        }
    }

    /// Says goodbye, if the client still listens.
    pub(super) fn close(&mut self, socket: &OwnedFd) {
        if let Self::Tls(session) = self {
            session.send_close_notify();
            let _ = session.write_tls(&mut Unwaiting(socket));
        }
    }
}

/// Waits for bytes on an unencrypted connection.
///
/// # Errors
/// Also at the end of what the client sends.
pub(super) fn receive_waiting(socket: &OwnedFd, space: &mut [u8]) -> io::Result<usize> {
    let received = recv(socket, space, RecvFlags::empty());
    some(received.map(|(_, len)| len).map_err(io::Error::from))
}

/// The end of a stream is an error here; nothing, for now, is not.
fn some(received: io::Result<usize>) -> io::Result<usize> {
    match received {
        Ok(0) => Err(ErrorKind::UnexpectedEof.into()),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
            Ok(0)
        }
        other => other,
    }
}

/// A socket that is read and written without waiting.
struct Unwaiting<'a>(&'a OwnedFd);

impl Read for Unwaiting<'_> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        Ok(recv(self.0, space, RecvFlags::DONTWAIT)?.1)
    }
}

impl Write for Unwaiting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        Ok(send(self.0, bytes, flags)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
