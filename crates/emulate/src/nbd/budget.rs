//! How much memory requests and replies may take that are under way, over all
//! connections.
//!
//! Each connection has [`OWN`] bytes to itself, so that what others do never
//! keeps it from small requests. What it has beyond that it takes from
//! [`COMMON`], in the order of asking: nobody overtakes a large request. A
//! connection that has to wait holds nothing that others wait for but replies that its
//! client has to read, and a client that does not read them is cut off (see `connection`).

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What each connection has to itself, in bytes.
pub(super) const OWN: usize = 2 << 20;
/// What all share, in bytes: four of the largest requests.
pub(super) const COMMON: usize = 128 << 20;

/// What connections share.
#[derive(Debug)]
pub(super) struct Budget(Mutex<Common>);

#[derive(Debug)]
struct Common {
    free: usize,
    /// The bells of those who wait, in the order of asking.
    line: VecDeque<Arc<OwnedFd>>,
}

impl Budget {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(Common {
            free: COMMON,
            line: VecDeque::new(),
        })))
    }

    /// Whether somebody waits for what others have.
    pub(super) fn is_awaited(&self) -> bool {
        !self.lock().line.is_empty()
    }

    /// Bytes that nobody has.
    #[cfg(test)]
    pub(super) fn free(&self) -> usize {
        self.lock().free
    }

    /// How many wait.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.lock().line.len()
    }

    fn lock(&self) -> MutexGuard<'_, Common> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Common {
    /// Takes `len` bytes for the connection of `bell`, or has it stand in line.
    fn take(&mut self, len: usize, bell: &Arc<OwnedFd>) -> bool {
        let place = self.line.iter().position(|other| Arc::ptr_eq(other, bell));
        let is_next = place.unwrap_or(self.line.len()) == 0;
        if len > 0 && !(is_next && len <= self.free) {
            if place.is_none() {
                self.line.push_back(bell.clone());
            }
            return false;
        }
        self.free -= len;
        self.leave(bell);
        true
    }

    /// Whoever is next then may find room.
    fn leave(&mut self, bell: &Arc<OwnedFd>) {
        self.line.retain(|other| !Arc::ptr_eq(other, bell));
        self.call_next();
    }

    fn call_next(&self) {
        if let Some(next) = self.line.front() {
            ring(next);
        }
    }
}

/// What one connection has of a budget; given back when dropped.
#[derive(Debug)]
pub(super) struct Share {
    budget: Arc<Budget>,
    /// Rung when it may be this connection's turn.
    bell: Arc<OwnedFd>,
    used: usize,
    in_line: bool,
}

impl Share {
    pub(super) fn new(budget: Arc<Budget>, bell: Arc<OwnedFd>) -> Self {
        Self {
            budget,
            bell,
            used: 0,
            in_line: false,
        }
    }

    /// Bytes that the connection has.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// Whether some of them are of what all share.
    pub(super) fn is_beyond_own(&self) -> bool {
        self.used > OWN
    }

    /// Takes `len` bytes more. If they are not to be had now, the bell rings
    /// when it is worth another attempt.
    pub(super) fn take(&mut self, len: usize) -> bool {
        let more = beyond_own(self.used + len) - beyond_own(self.used);
        if more > 0 || self.in_line {
            self.in_line = !self.budget.lock().take(more, &self.bell);
        }
        if !self.in_line {
            self.used += len;
        }
        !self.in_line
    }

    /// Wakes the connection's thread.
    pub(super) fn ring(&self) {
        ring(&self.bell);
    }

    /// Gives back `len` bytes of those that were taken.
    pub(super) fn give_back(&mut self, len: usize) {
        let left = self.used - len;
        let less = beyond_own(self.used) - beyond_own(left);
        self.used = left;
        if less > 0 {
            let mut common = self.budget.lock();
            common.free += less;
            common.call_next();
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.give_back(self.used);
        if self.in_line {
            self.budget.lock().leave(&self.bell);
        }
    }
}

fn beyond_own(used: usize) -> usize {
    used.saturating_sub(OWN)
}

/// Wakes the thread that waits for `bell`.
pub(super) fn ring(bell: &OwnedFd) {
    // It fails only where it has been rung 2^64 times.
    let _ = rustix::io::write(bell, &1_u64.to_ne_bytes());
}
