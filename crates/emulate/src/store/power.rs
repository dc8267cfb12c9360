//! Whether a disk has power.

use std::sync::atomic::{AtomicU64, Ordering};

use rustix::io::Errno;

/// The power of a disk: how often it went and came back.
#[derive(Debug, Default)]
pub(super) struct Power(
    /// Odd while it is off.
    AtomicU64,
);

/// A span of time in which the power stays on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Session(u64);

impl Power {
    /// The session that goes on; `EIO` if the power is off.
    pub(super) fn session(&self) -> Result<Session, Errno> {
        match self.0.load(Ordering::SeqCst) {
            count if count % 2 == 0 => Ok(Session(count)),
            _ => Err(Errno::IO),
        }
    }

    /// `EIO` unless `session` still goes on.
    pub(super) fn still(&self, session: Session) -> Result<(), Errno> {
        match self.0.load(Ordering::SeqCst) == session.0 {
            true => Ok(()),
            false => Err(Errno::IO),
        }
    }

    /// Turns it off. False if it was.
    pub(super) fn cut(&self) -> bool {
        self.turn(0)
    }

    /// Turns it on again.
    pub(super) fn restore(&self) {
        self.turn(1);
    }

    fn turn(&self, from: u64) -> bool {
        let next = |count| (count % 2 == from).then_some(count + 1);
        let turned = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, next);
        turned.is_ok()
    }
}
