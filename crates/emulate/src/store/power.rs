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
pub(super) struct Epoch(u64);

impl Power {
    /// The epoch that goes on; `EIO` if the power is off.
    pub(super) fn epoch(&self) -> Result<Epoch, Errno> {
        match self.0.load(Ordering::SeqCst) {
            count if count % 2 == 0 => Ok(Epoch(count)),
            _ => Err(Errno::IO),
        }
    }

    /// `EIO` unless `epoch` still goes on.
    pub(super) fn check(&self, epoch: Epoch) -> Result<(), Errno> {
        match self.0.load(Ordering::SeqCst) == epoch.0 {
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
