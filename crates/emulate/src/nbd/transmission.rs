//! The second phase of a connection: requests are done as they come, and
//! answered when the model says.

use std::sync::Arc;

use blockyard_model::storage::Op;
use rustix::io::Errno;

use super::handshake::{Broken, Terms};
use super::input::Input;
use super::outbox::{Outbox, Reserved};
use super::reply::{self, Form};
use super::request::{self, Command, Request};
use super::wire::PAYLOAD_MAX;
use crate::answer::{Answer, Asked, Outcome, Ready};

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
    terms: Terms,
    outbox: Arc<Outbox>,
    /// A long write that is still arriving.
    long: Option<Long>,
    /// Replies that are due.
    ready: Vec<Ready>,
    /// Bytes that were moved for them.
    moved: usize,
}

#[derive(Debug)]
struct Long {
    request: Request,
    payload: Vec<u8>,
    filled: usize,
}

impl Transmission {
    pub(super) fn new(terms: Terms, outbox: Arc<Outbox>) -> Self {
        Self {
            terms,
            outbox,
            long: None,
            ready: Vec::new(),
            moved: 0,
        }
    }

    /// Where the next bytes go, if not into the input.
    pub(super) fn space(&mut self) -> Option<&mut [u8]> {
        let long = self.long.as_mut()?;
        let space = &mut long.payload[long.filled..];
        (!space.is_empty()).then_some(space)
    }

    /// `len` bytes came into [`Transmission::space`]. False if that was none.
    pub(super) fn filled(&mut self, len: usize) -> bool {
        match &mut self.long {
            Some(long) if long.filled < long.payload.len() => {
                long.filled += len;
                true
            }
            _ => false,
        }
    }

    /// Does the requests that are there, and sends the replies that are due.
    pub(super) fn proceed(&mut self, input: &mut Input) -> Result<Stop, Broken> {
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
    fn next(&mut self, input: &mut Input) -> Result<Option<Stop>, Broken> {
        if let Some(long) = &self.long {
            if long.filled < long.payload.len() {
                return Ok(Some(Stop::Bytes));
            }
            let Some(reserved) = self.outbox.reserve(reply::SIMPLE_SIZE) else {
                return Ok(Some(Stop::Room));
            };
            if let Some(Long {
                request, payload, ..
            }) = self.long.take()
            {
                self.handle(request, &payload, reserved);
            }
            return Ok(None);
        }
        let Some(header) = input.data().first_chunk::<{ Request::SIZE }>() else {
            return Ok(Some(Stop::Bytes));
        };
        let request = Request::parse(header).ok_or(Broken)?;
        if request.command == request::DISCONNECT {
            return Ok(Some(Stop::End));
        }
        let len = request.payload();
        if len > PAYLOAD_MAX as usize {
            return Err(Broken);
        }
        if len > LONG {
            self.begin_long(request, len, input);
            return Ok(None);
        }
        let end = Request::SIZE + len;
        let Some(payload) = input.data().get(Request::SIZE..end) else {
            return Ok(Some(Stop::Bytes));
        };
        let Some(reserved) = self.outbox.reserve(self.reply_size(&request)) else {
            return Ok(Some(Stop::Room));
        };
        self.handle(request, payload, reserved);
        input.consume(end);
        Ok(None)
    }

    fn begin_long(&mut self, request: Request, len: usize, input: &mut Input) {
        let mut payload = vec![0; len];
        let there = &input.data()[Request::SIZE..];
        let filled = there.len().min(len);
        payload[..filled].copy_from_slice(&there[..filled]);
        input.consume(Request::SIZE + filled);
        self.long = Some(Long {
            request,
            payload,
            filled,
        });
    }

    fn command(&self, request: &Request) -> Result<Command, Errno> {
        request.command(self.terms.disk.size(), self.terms.contexts)
    }

    fn reply_size(&self, request: &Request) -> usize {
        match self.command(request) {
            Ok(Command::Read) => self.read_form().before_data() + request.len as usize,
            _ => reply::SIMPLE_SIZE,
        }
    }

    fn read_form(&self) -> Form {
        match self.terms.structured {
            true => Form::Structured,
            false => Form::Simple,
        }
    }

    /// Does `request`. Its bytes move at once; the answer waits, except where
    /// no storage is asked.
    fn handle(&mut self, request: Request, payload: &[u8], mut reserved: Reserved) {
        let arrival = self.terms.disk.now();
        self.moved += reserved.bytes.len() + payload.len();
        let command = self.command(&request);
        let outcome = command.and_then(|command| {
            let bytes = &mut reserved.bytes;
            self.move_bytes(command, &request, payload, bytes)
        });
        let answer = self.reply(&request, reserved);
        let Some(op) = command.ok().and_then(Command::op) else {
            self.ready.push(Ready { answer, outcome });
            return;
        };
        let (offset, len) = match op {
            Op::Flush => (0, 0),
            _ => (request.offset, request.len.into()),
        };
        let asked = Asked {
            arrival,
            op,
            offset,
            len,
        };
        let disk = &self.terms.disk;
        if command.is_ok_and(Command::is_durable) {
            disk.hold_until_durable(asked, outcome, answer);
        } else {
            self.ready.extend(disk.hold(asked, outcome, answer));
        }
    }

    /// Moves what `command` moves; what it finds is written to `reply`.
    fn move_bytes(
        &self,
        command: Command,
        request: &Request,
        payload: &[u8],
        reply: &mut Vec<u8>,
    ) -> Outcome {
        let store = self.terms.disk.store();
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

    fn reply(&self, request: &Request, reserved: Reserved) -> Box<Reply> {
        let has_data = matches!(request.command, request::READ | request::BLOCK_STATUS);
        Box::new(Reply {
            outbox: self.outbox.clone(),
            reserved,
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
            self.outbox.together(|| ready.for_each(Ready::send));
        } else if let Some(ready) = self.ready.pop() {
            ready.send();
        }
    }
}

/// A reply that waits for its time.
struct Reply {
    outbox: Arc<Outbox>,
    reserved: Reserved,
    cookie: u64,
    form: Form,
    /// On success, the reply is written already.
    has_data: bool,
}

impl Answer for Reply {
    fn send(mut self: Box<Self>, outcome: Outcome) {
        if outcome.is_err() || !self.has_data {
            let bytes = &mut self.reserved.bytes;
            self.form.write_outcome(bytes, self.cookie, outcome);
        }
        self.outbox.send(self.reserved);
    }
}
