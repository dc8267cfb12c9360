//! Replies on their way to a client that may not be reading them.

use std::collections::VecDeque;
use std::io::IoSlice;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendFlags, Shutdown, send, sendmsg, shutdown};

use super::budget::{Budget, Share, ring};

/// Requests of one connection that are not answered yet.
pub(super) const REQUESTS_MAX: usize = 1024;
/// Bytes of them and their replies.
pub(super) const BYTES_MAX: usize = 64 << 20;

/// Replies that one call sends: the kernel takes 1,024 pieces at most.
const TOGETHER: usize = 256;
/// Bytes that are taken at once to be encrypted.
const PIECE: usize = 64 << 10;
/// Buffers that are kept for later replies: how many, the most that one may
/// hold, and all of them together.
const SPARES: usize = 64;
const SPARE_SIZE: usize = 64 << 10;
const SPARES_SIZE: usize = 512 << 10;

/// Room for a request or its reply.
#[derive(Debug)]
pub(super) struct Reserved {
    /// As long as asked for; what it holds is arbitrary.
    pub(super) bytes: Vec<u8>,
    /// What it counts as.
    len: usize,
}

/// Where a reply waits for its time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(usize);

/// The replies of one connection. Any thread may send; none waits for the
/// client. What its socket does not take at once, the connection's own thread
/// sends later.
#[derive(Debug)]
pub(super) struct Outbox {
    socket: Arc<OwnedFd>,
    /// Wakes the connection's thread.
    bell: Arc<OwnedFd>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Replies that wait for their time, and the places that are free. They
    /// are kept here and not by who sends them, so that they go with the
    /// connection.
    held: Vec<Option<Reserved>>,
    places: Vec<usize>,
    queue: VecDeque<Reserved>,
    /// Bytes of the first in the queue that are sent.
    sent: usize,
    requests: usize,
    /// Bytes of requests and replies; spares do not count.
    share: Share,
    spares: Vec<Vec<u8>>,
    /// What they hold.
    spare_bytes: usize,
    /// More follow at once: they are sent together.
    corked: bool,
    /// The connection's thread encrypts, so it alone may send.
    encrypted: bool,
    /// The connection's thread waits for a request to be answered.
    awaited: bool,
    closed: bool,
}

impl Outbox {
    pub(super) fn new(socket: Arc<OwnedFd>, budget: Arc<Budget>) -> Result<Self, Errno> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let bell = Arc::new(bell);
        let share = Share::new(budget, bell.clone());
        Ok(Self {
            socket,
            bell,
            state: Mutex::new(State::new(share)),
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

    /// Room for `len` bytes of a request or its reply; none before others are
    /// answered, here or on other connections.
    pub(super) fn reserve(&self, len: usize) -> Option<Reserved> {
        let mut state = self.lock();
        let used = state.share.used();
        let is_full = state.requests >= REQUESTS_MAX || (used > 0 && used + len > BYTES_MAX);
        state.awaited = is_full || !state.share.take(len);
        if state.awaited {
            return None;
        }
        state.requests += 1;
        let mut bytes = state.spares.pop().unwrap_or_default();
        state.spare_bytes -= bytes.capacity();
        bytes.resize(len, 0);
        Some(Reserved { bytes, len })
    }

    /// Keeps only `len` bytes of what was reserved: a request's payload is
    /// done with before its reply.
    pub(super) fn shrink(&self, reserved: &mut Reserved, len: usize) {
        self.lock().share.give_back(reserved.len - len);
        reserved.len = len;
    }

    /// Keeps a reply until its time.
    pub(super) fn hold(&self, reply: Reserved) -> Place {
        self.lock().hold(reply)
    }

    /// Sends what no request asked for.
    pub(super) fn say(&self, bytes: Vec<u8>) {
        let mut state = self.lock();
        state.requests += 1;
        let place = state.hold(Reserved { bytes, len: 0 });
        drop(state);
        self.send(place, |_| {});
    }

    /// Sends the reply that is held at `place`, once `finish` has been at it,
    /// or what of it does not have to wait.
    pub(super) fn send(&self, place: Place, finish: impl FnOnce(&mut Vec<u8>)) {
        let mut state = self.lock();
        let Some(mut reply) = state.release(place) else {
            return;
        };
        finish(&mut reply.bytes);
        state.queue.push_back(reply);
        if state.corked {
            return;
        }
        // Behind others, it has to wait as they do.
        if state.queue.len() == 1 && !state.encrypted {
            self.send_queued(&mut state);
        }
        if !state.queue.is_empty() {
            ring(&self.bell);
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

    /// Gives the next piece of the replies to `take`, if there is one.
    pub(super) fn take<T>(&self, take: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let mut state = self.lock();
        let left = &state.queue.front()?.bytes[state.sent..];
        let piece = &left[..left.len().min(PIECE)];
        let (len, taken) = (piece.len(), take(piece));
        state.sent(len);
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

    /// Whether others may wait for the client to take or send what it has
    /// room for here.
    pub(super) fn is_in_the_way(&self) -> bool {
        self.lock().share.is_beyond_own()
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn new(share: Share) -> Self {
        Self {
            held: Vec::new(),
            places: Vec::new(),
            queue: VecDeque::new(),
            sent: 0,
            requests: 0,
            share,
            spares: Vec::new(),
            spare_bytes: 0,
            corked: false,
            encrypted: false,
            awaited: false,
            closed: false,
        }
    }

    fn hold(&mut self, reply: Reserved) -> Place {
        if self.closed {
            self.share.give_back(reply.len);
            // Nothing is there, nor will be.
            return Place(0);
        }
        let place = self.places.pop().unwrap_or(self.held.len());
        self.held
            .resize_with(self.held.len().max(place + 1), || None);
        self.held[place] = Some(reply);
        Place(place)
    }

    /// Nothing if the client is gone.
    fn release(&mut self, Place(place): Place) -> Option<Reserved> {
        let reply = self.held.get_mut(place)?.take()?;
        self.places.push(place);
        Some(reply)
    }

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
            let size = bytes.capacity();
            let is_kept = self.spares.len() < SPARES && size <= SPARE_SIZE;
            if is_kept && self.spare_bytes + size <= SPARES_SIZE {
                self.spare_bytes += size;
                self.spares.push(bytes);
            } else {
                drop(bytes);
            }
            self.share.give_back(len);
            if self.awaited {
                self.share.ring();
            }
        }
    }

    fn close(&mut self) {
        self.closed = true;
        self.sent = 0;
        (self.spares, self.spare_bytes) = (Vec::new(), 0);
        let held = std::mem::take(&mut self.held);
        for reply in held.into_iter().flatten().chain(self.queue.drain(..)) {
            drop(reply.bytes);
            self.share.give_back(reply.len);
        }
    }
}
