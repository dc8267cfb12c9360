//! What a stage let through, and how long requests waited there.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::limits::LimitId;
use crate::request::Requester;
use crate::units::{Bytes, Nanos};

/// What was served in one period.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// IOs as counted against limits: split and merged.
    pub ios: u64,
    /// Bytes moved.
    pub bytes: Bytes,
    /// Time for which each limit throttled IOs: the host's limits first, then the volume's
    /// own, in the order of [`crate::storage::Limits::over`].
    pub throttled: Vec<Nanos>,
    /// Tokens that a job or a resync took of a limit while it made requests wait.
    pub contended: BTreeMap<(LimitId, Requester), u64>,
    /// Credit balances at the period's end, in percent, by limit.
    pub balances: BTreeMap<LimitId, f64>,
}

impl Counted {
    /// Adds what another stage of the same owner let through in the same period.
    pub(crate) fn add(&mut self, other: Self) {
        self.ios += other.ios;
        self.bytes += other.bytes;
        for (who, tokens) in other.contended {
            *self.contended.entry(who).or_default() += tokens;
        }
        self.balances.extend(other.balances);
    }
}
