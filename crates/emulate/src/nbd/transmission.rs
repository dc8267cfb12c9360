//! The second phase of a connection: requests are done as they come, and
//! answered when the model says.

use std::sync::{Arc, Weak};

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;
use rustix::io::Errno;

use super::handshake::{Negotiated, ProtocolError};
use super::input::Input;
use super::outbox::{Outbox, Place, Reserved};
use super::reply::{self, Form};
use super::request::{self, Command, Request};
use super::wire::PAYLOAD_MAX;
use crate::request::{DueReply, IoRequest, IoResult, Responder};

/// Bytes of requests that are done before their replies go out together: more
/// would keep the first of them waiting.
const TOGETHER: usize = 128 << 10;

/// Writes longer than this come straight into a buffer of their own.
const LONG: usize = Input::SIZE - Request::SIZE;

/// Why no more requests are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// More has to arrive.
    Bytes,
    /// Others have to be answered before.
    Room,
    /// The client is done.
    End,
}

#[derive(Debug)]
pub(super) struct Transmission {
    negotiated: Negotiated,
    outbox: Arc<Outbox>,
    /// A long write that is still arriving.
    long: Option<Long>,
    /// Replies that are due.
    ready: Vec<DueReply>,
    /// Bytes that were moved for them.
    moved: usize,
}

#[derive(Debug)]
struct Long {
    request: Request,
    /// The payload, for now.
    reserved: Reserved,
    filled: usize,
}

impl Long {
    fn is_there(&self) -> bool {
        self.filled == self.reserved.bytes.len()
    }
}

/// A request whose bytes have moved.
#[derive(Debug)]
struct Moved {
    arrival: Nanos,
    request: Request,
    /// None if it cannot be done.
    command: Option<Command>,
    result: IoResult,
}

impl Transmission {
    pub(super) fn new(negotiated: Negotiated, outbox: Arc<Outbox>) -> Self {
        Self {
            negotiated,
            outbox,
            long: None,
            ready: Vec::new(),
            moved: 0,
        }
    }

    /// Where the next bytes go, if not into the input.
    pub(super) fn space(&mut self) -> Option<&mut [u8]> {
        let long = self.long.as_mut()?;
        let space = &mut long.reserved.bytes[long.filled..];
        (!space.is_empty()).then_some(space)
    }

    /// Whether the client has begun a long write and not sent all of it.
    pub(super) fn is_amid_write(&self) -> bool {
        self.long.as_ref().is_some_and(|long| !long.is_there())
    }

    /// `len` bytes came into [`Transmission::space`]. False if that was none.
    pub(super) fn filled(&mut self, len: usize) -> bool {
        match &mut self.long {
            Some(long) if !long.is_there() => {
                long.filled += len;
                true
            }
            _ => false,
        }
    }

    /// Does the requests that are there, and sends the replies that are due.
    pub(super) fn proceed(&mut self, input: &mut Input) -> Result<Stop, ProtocolError> {
        loop {
            let stop = self.next(input)?;
            if stop.is_some() || self.moved >= TOGETHER {
                self.send_ready();
            }
            if let Some(stop) = stop {
                return Ok(stop);
            }
        }
    }

    /// Does one request, or says why it cannot.
    fn next(&mut self, input: &mut Input) -> Result<Option<Stop>, ProtocolError> {
        if self.is_amid_write() {
            return Ok(Some(Stop::Bytes));
        }
        if let Some(long) = self.long.take() {
            self.do_long(long);
            return Ok(None);
        }
        let Some(header) = input.data().first_chunk::<{ Request::SIZE }>() else {
            return Ok(Some(Stop::Bytes));
        };
        let request = Request::parse(header).ok_or(ProtocolError)?;
        if request.command == request::DISCONNECT {
            return Ok(Some(Stop::End));
        }
        let len = request.payload();
        if len > PAYLOAD_MAX as usize {
            return Err(ProtocolError);
        }
        if len > LONG {
            let begun = self.begin_long(request, len, input);
            return Ok((!begun).then_some(Stop::Room));
        }
        let end = Request::SIZE + len;
        let Some(payload) = input.data().get(Request::SIZE..end) else {
            return Ok(Some(Stop::Bytes));
        };
        let Some(mut reserved) = self.outbox.reserve(self.reply_size(&request)) else {
            return Ok(Some(Stop::Room));
        };
        let moved = self.carry_out(request, payload, &mut reserved.bytes);
        self.reply_when_due(moved, reserved);
        input.consume(end);
        Ok(None)
    }

    /// Makes room for a long write; false if there is none yet.
    fn begin_long(&mut self, request: Request, len: usize, input: &mut Input) -> bool {
        let Some(mut reserved) = self.outbox.reserve(len) else {
            return false;
        };
        let there = &input.data()[Request::SIZE..];
        let filled = there.len().min(len);
        reserved.bytes[..filled].copy_from_slice(&there[..filled]);
        input.consume(Request::SIZE + filled);
        self.long = Some(Long {
            request,
            reserved,
            filled,
        });
        true
    }

    /// Its payload is gone before others hear of the room.
    fn do_long(&mut self, long: Long) {
        let mut reserved = long.reserved;
        let payload = std::mem::take(&mut reserved.bytes);
        let moved = self.carry_out(long.request, &payload, &mut reserved.bytes);
        drop(payload);
        self.outbox.shrink(&mut reserved, reply::SIMPLE_SIZE);
        self.reply_when_due(moved, reserved);
    }

    fn command(&self, request: &Request) -> Result<Command, Errno> {
        request.command(self.negotiated.disk.size(), self.negotiated.contexts)
    }

    fn reply_size(&self, request: &Request) -> usize {
        match self.command(request) {
            Ok(Command::Read) => self.read_form().before_data() + request.len as usize,
            Ok(Command::Status { one }) => reply::status_size(one),
            _ => reply::SIMPLE_SIZE,
        }
    }

    fn read_form(&self) -> Form {
        match self.negotiated.structured {
            true => Form::Structured,
            false => Form::Simple,
        }
    }

    /// Moves the bytes of `request`, which has arrived now.
    fn carry_out(&mut self, request: Request, payload: &[u8], reply: &mut Vec<u8>) -> Moved {
        let arrival = self.negotiated.disk.now();
        self.moved += reply.len() + payload.len();
        let command = self.command(&request);
        let result = command.and_then(|command| self.move_bytes(command, &request, payload, reply));
        Moved {
            arrival,
            request,
            command: command.ok(),
            result,
        }
    }

    /// Has the reply wait for the model, except where no storage was asked.
    fn reply_when_due(&mut self, moved: Moved, reserved: Reserved) {
        let Moved {
            arrival,
            request,
            command,
            result,
        } = moved;
        let responder = self.responder(&request, reserved);
        let Some(op) = command.and_then(Command::op) else {
            self.ready.push(DueReply { responder, result });
            return;
        };
        let (offset, len) = match op {
            Op::Flush => (0, 0),
            _ => (request.offset, request.len.into()),
        };
        let io = IoRequest {
            arrival,
            op,
            offset,
            len,
        };
        let disk = &self.negotiated.disk;
        if command.is_some_and(Command::is_durable) {
            disk.hold_until_durable(io, result, responder);
        } else {
            self.ready.extend(disk.hold(io, result, responder));
        }
    }

    /// Moves what `command` moves; what it finds is written to `reply`.
    fn move_bytes(
        &self,
        command: Command,
        request: &Request,
        payload: &[u8],
        reply: &mut Vec<u8>,
    ) -> IoResult {
        let store = self.negotiated.disk.store();
        let (offset, len) = (request.offset, u64::from(request.len));
        match command {
            Command::Read => {
                let form = self.read_form();
                form.write_before_data(reply, request.cookie, offset);
                store.read(offset, &mut reply[form.before_data()..])
            }
            Command::Write { .. } => store.write(offset, payload),
            Command::Flush => Ok(()),
            Command::Trim { .. } => store.trim(offset, len),
            Command::Zero { keep, .. } => store.zero(offset, len, keep),
            Command::Status { one } => {
                let extents = store.extents(offset, len)?;
                reply::write_status(reply, request.cookie, &extents, one);
                Ok(())
            }
        }
    }

    fn responder(&self, request: &Request, reserved: Reserved) -> Box<Reply> {
        let has_data = matches!(request.command, request::READ | request::BLOCK_STATUS);
        Box::new(Reply {
            outbox: Arc::downgrade(&self.outbox),
            place: self.outbox.hold(reserved),
            cookie: request.cookie,
            form: if has_data {
                self.read_form()
            } else {
                Form::Simple
            },
            has_data,
        })
    }

    fn send_ready(&mut self) {
        self.moved = 0;
        if self.ready.len() > 1 {
            let ready = self.ready.drain(..);
            self.outbox.together(|| ready.for_each(DueReply::send));
        } else if let Some(ready) = self.ready.pop() {
            ready.send();
        }
    }
}

/// A reply that waits for its time, if the client does as long.
struct Reply {
    outbox: Weak<Outbox>,
    place: Place,
    cookie: u64,
    form: Form,
    /// On success, the reply is written already.
    has_data: bool,
}

impl Responder for Reply {
    fn send(self: Box<Self>, result: IoResult) {
        let Some(outbox) = self.outbox.upgrade() else {
            return;
        };
        outbox.send(self.place, |bytes| {
            if result.is_err() || !self.has_data {
                self.form.write_result(bytes, self.cookie, result);
            }
        });
    }
}
