//! Replies on their way to a client that may not be reading them.

use std::collections::VecDeque;
use std::io::IoSlice;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendFlags, Shutdown, send, sendmsg, shutdown};

/// Requests of one connection that are not answered yet.
pub(super) const REQUESTS_MAX: usize = 1024;
/// Bytes of their replies.
pub(super) const BYTES_MAX: usize = 64 << 20;

/// Replies that one call sends: the kernel takes 1,024 pieces at most.
const TOGETHER: usize = 256;
/// Buffers that are kept for later replies, and the most that one may hold.
const SPARES: usize = 64;
const SPARE_SIZE: usize = 64 << 10;

/// A place in the outbox, with the buffer for the reply.
#[derive(Debug)]
pub(super) struct Reserved {
    /// As long as asked for; what it holds is arbitrary.
    pub(super) bytes: Vec<u8>,
    /// What it counts as.
    len: usize,
}

/// The replies of one connection. Any thread may send; none waits for the
/// client. What its socket does not take at once, the connection's own thread
/// sends later.
#[derive(Debug)]
pub(super) struct Outbox {
    socket: Arc<OwnedFd>,
    /// Wakes the connection's thread.
    bell: OwnedFd,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Reserved>,
    /// Bytes of the first in the queue that are sent.
    sent: usize,
    requests: usize,
    bytes: usize,
    spares: Vec<Vec<u8>>,
    /// More follow at once: they are sent together.
    corked: bool,
    /// The connection's thread encrypts, so it alone may send.
    encrypted: bool,
    /// The connection's thread waits for a request to be answered.
    awaited: bool,
    closed: bool,
}

impl Outbox {
    pub(super) fn new(socket: Arc<OwnedFd>) -> Result<Self, Errno> {
        Ok(Self {
            socket,
            bell: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            state: Mutex::default(),
        })
    }

    /// Rung when the connection's thread has something to do.
    pub(super) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// What the bell rang for is being seen to.
    pub(super) fn silence(&self) {
        // It fails only where it has not rung.
        let _ = rustix::io::read(&self.bell, &mut [0; 8]);
    }

    /// Room for a reply of `len` bytes; none before others are answered.
    pub(super) fn reserve(&self, len: usize) -> Option<Reserved> {
        let mut state = self.lock();
        state.awaited =
            state.requests >= REQUESTS_MAX || (state.bytes > 0 && state.bytes + len > BYTES_MAX);
        if state.awaited {
            return None;
        }
        state.requests += 1;
        state.bytes += len;
        let mut bytes = state.spares.pop().unwrap_or_default();
        bytes.resize(len, 0);
        Some(Reserved { bytes, len })
    }

    /// Sends what no request asked for.
    pub(super) fn say(&self, bytes: Vec<u8>) {
        self.lock().requests += 1;
        self.send(Reserved { bytes, len: 0 });
    }

    /// Sends a reply, or what of it does not have to wait.
    pub(super) fn send(&self, reply: Reserved) {
        let mut state = self.lock();
        if state.closed {
            return;
        }
        state.queue.push_back(reply);
        if state.corked {
            return;
        }
        // Behind others, it has to wait as they do.
        if state.queue.len() == 1 && !state.encrypted {
            self.send_queued(&mut state);
        }
        if !state.queue.is_empty() || state.awaited {
            self.ring();
        }
    }

    /// Has what `send` sends meanwhile go out together.
    pub(super) fn together(&self, send: impl FnOnce()) {
        self.lock().corked = true;
        send();
        self.lock().corked = false;
        self.send_more();
    }

    /// Sends what waited, as far as the client reads.
    pub(super) fn send_more(&self) {
        let mut state = self.lock();
        if !state.encrypted {
            self.send_queued(&mut state);
        }
    }

    /// From now on only [`Outbox::take`] takes replies out.
    pub(super) fn encrypt(&self) {
        self.lock().encrypted = true;
    }

    /// Gives the next reply to `take`, if there is one.
    pub(super) fn take<T>(&self, take: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let mut state = self.lock();
        let taken = state.queue.front().map(|reply| take(&reply.bytes))?;
        state.done_with_first();
        Some(taken)
    }

    /// Whether replies wait for the client to read others.
    pub(super) fn is_stuck(&self) -> bool {
        !self.lock().queue.is_empty()
    }

    /// Whether every request is answered and every reply sent, so that nothing
    /// happens until the client asks again.
    pub(super) fn is_settled(&self) -> bool {
        self.lock().requests == 0
    }

    /// The same; if not, rings when another reply is sent.
    pub(super) fn await_settled(&self) -> bool {
        let mut state = self.lock();
        state.awaited = state.requests > 0;
        !state.awaited
    }

    /// The client is gone: what is or will be sent to it is dropped.
    pub(super) fn close(&self) {
        self.lock().close();
    }

    fn send_queued(&self, state: &mut State) {
        while !state.queue.is_empty() {
            match self.send_some(state) {
                Ok(sent) => state.sent(sent),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => {
                    state.close();
                    // Its thread, which may be receiving, learns of it so.
                    let _ = shutdown(&self.socket, Shutdown::Both);
                }
            }
        }
    }

    fn send_some(&self, state: &State) -> Result<usize, Errno> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        if let [only] = state.queue.as_slices().0
            && state.queue.len() == 1
        {
            return send(&self.socket, &only.bytes[state.sent..], flags);
        }
        let mut pieces = [IoSlice::new(&[]); TOGETHER];
        let count = state.queue.len().min(TOGETHER);
        for (piece, reply) in pieces.iter_mut().zip(&state.queue) {
            *piece = IoSlice::new(&reply.bytes);
        }
        pieces[0].advance(state.sent);
        let mut nothing_else = SendAncillaryBuffer::default();
        sendmsg(&self.socket, &pieces[..count], &mut nothing_else, flags)
    }

    fn ring(&self) {
        // It fails only where it has been rung 2^64 times.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn sent(&mut self, bytes: usize) {
        self.sent += bytes;
        while let Some(first) = self.queue.front()
            && first.bytes.len() <= self.sent
        {
            self.sent -= first.bytes.len();
            self.done_with_first();
        }
    }

    fn done_with_first(&mut self) {
        if let Some(Reserved { bytes, len }) = self.queue.pop_front() {
            self.requests -= 1;
            self.bytes -= len;
            if self.spares.len() < SPARES && bytes.capacity() <= SPARE_SIZE {
                self.spares.push(bytes);
            }
        }
    }

    fn close(&mut self) {
        self.closed = true;
        self.queue.clear();
        self.spares.clear();
        self.sent = 0;
    }
}
