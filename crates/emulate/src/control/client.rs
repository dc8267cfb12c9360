//! One who gives orders.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use super::Steered;
use super::request::Request;

/// A longer line is no order.
const LINE_MAX: usize = 64 << 10;

/// A connection with what has arrived of a line.
#[derive(Debug)]
pub(super) struct Client {
    stream: UnixStream,
    line: Vec<u8>,
}

impl Client {
    /// None if the system has no room for it.
    pub(super) fn new(stream: UnixStream) -> Option<Self> {
        stream.set_nonblocking(true).ok()?;
        Some(Self {
            stream,
            line: Vec::new(),
        })
    }

    /// Carries out the orders that have arrived. False if nothing more is to
    /// come: it is gone, does not take its answers, or sends no lines.
    pub(super) fn serve(&mut self, steered: &dyn Steered) -> bool {
        let mut buffer = [0; 4096];
        match self.stream.read(&mut buffer) {
            Ok(0) => false,
            Ok(len) => self.take(&buffer[..len], steered).is_ok(),
            Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        }
    }

    fn take(&mut self, bytes: &[u8], steered: &dyn Steered) -> io::Result<()> {
        let mut pieces = bytes.split(|&byte| byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            self.line.extend_from_slice(piece);
            if self.line.len() > LINE_MAX {
                self.answer(Err(format!("a line of more than {LINE_MAX} bytes")))?;
                return Err(ErrorKind::InvalidData.into());
            }
            if pieces.peek().is_some() {
                let line = std::mem::take(&mut self.line);
                let request = Request::read(&line);
                self.answer(request.and_then(|request| request.carry_out(steered)))?;
            }
        }
        Ok(())
    }

    /// A client that does not take its answers fills its own socket, and is
    /// left.
    fn answer(&mut self, outcome: Result<Value, String>) -> io::Result<()> {
        let answer = match outcome {
            Ok(value) => json!({"ok": value}),
            Err(message) => json!({"error": message}),
        };
        self.stream.write_all(format!("{answer}\n").as_bytes())
    }
}

impl AsFd for Client {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
