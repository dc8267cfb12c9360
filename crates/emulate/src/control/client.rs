//! A client that sends commands.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use super::Commands;
use super::request::Request;

/// A longer line is no command.
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

    /// Carries out the commands that have arrived. False if nothing more is to
    /// come: the client is gone, does not read its replies, or sends no lines.
    pub(super) fn serve(&mut self, commands: &dyn Commands) -> bool {
        let mut buffer = [0; 4096];
        match self.stream.read(&mut buffer) {
            Ok(0) => false,
            Ok(len) => self.take(&buffer[..len], commands).is_ok(),
            Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        }
    }

    fn take(&mut self, bytes: &[u8], commands: &dyn Commands) -> io::Result<()> {
        let mut pieces = bytes.split(|&byte| byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            self.line.extend_from_slice(piece);
            if self.line.len() > LINE_MAX {
                self.reply(Err(format!("a line of more than {LINE_MAX} bytes")))?;
                return Err(ErrorKind::InvalidData.into());
            }
            if pieces.peek().is_some() {
                let line = std::mem::take(&mut self.line);
                let request = Request::read(&line);
                self.reply(request.and_then(|request| request.run(commands)))?;
            }
        }
        Ok(())
    }

    /// A client that does not read its replies fills its own socket, and is
    /// dropped.
    fn reply(&mut self, result: Result<Value, String>) -> io::Result<()> {
        let reply = match result {
            Ok(value) => json!({"ok": value}),
            Err(message) => json!({"error": message}),
        };
        self.stream.write_all(format!("{reply}\n").as_bytes())
    }
}

impl AsFd for Client {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}
