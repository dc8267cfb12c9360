//! What is asked of storage, and what it answers.

use crate::limits::LimitId;
use crate::units::{Bytes, MILLISECOND, Nanos};

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    /// Reads its bytes.
    Read,
    /// Writes its bytes. An EBS write is durable when it completes, so a
    /// write with FUA takes no longer.
    Write,
    /// Completes when all earlier writes to the device have; takes no tokens.
    Flush,
    /// Gives its bytes back. EBS ignores it: it completes at once and takes
    /// no tokens.
    Trim,
    /// Writes zeros; counted and timed as a write of its bytes.
    Zero,
    /// Writes its bytes to the journal of a file system, counted and timed as a write. It is a
    /// part of an fsync, which ends with a flush and is told of as one.
    Journal,
}

impl Op {
    /// Whether it moves bytes towards the volume.
    #[inline]
    pub fn writes(self) -> bool {
        matches!(self, Op::Write | Op::Zero | Op::Journal)
    }
}

/// A request to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Index of the device.
    pub device: usize,
    /// What to do.
    pub op: Op,
    /// First byte on the device; 0 for a flush.
    pub offset: Bytes,
    /// Bytes, at least 1 and within the device; 0 for a flush.
    pub len: Bytes,
    /// Index of the job that asks, for the account of who took the tokens.
    pub job: u16,
    /// Who submits it, among the job's processes or the service's clients: those between
    /// whom [`crate::spec::Discipline::Queues`] takes turns.
    pub submitter: u32,
}

/// How long after its arrival a request to a volume that has failed ends. It is assumed, and
/// more than nothing so that who asks again at once does not make time stand still.
const REFUSED_AFTER: Nanos = MILLISECOND;

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// When it completes.
    pub at: Nanos,
    /// How much later than its latency alone would have it.
    pub throttled: Nanos,
    /// The limit that it waited for longest; none if none throttled it.
    pub limit: Option<LimitId>,
    /// Whether its volume had failed: no data moved.
    pub failed: bool,
}

impl Reply {
    /// A reply at `at` that nothing throttled.
    #[inline]
    pub(crate) fn free(at: Nanos) -> Self {
        Self {
            at,
            throttled: 0,
            limit: None,
            failed: false,
        }
    }

    /// The reply of a request that comes at `now` to a volume that has failed, or to a mirror
    /// none of whose legs can serve it.
    pub(crate) fn refused(now: Nanos) -> Self {
        Self::failed(now + REFUSED_AFTER)
    }

    /// The reply of a request whose volume has failed at `at`.
    pub(crate) fn failed(at: Nanos) -> Self {
        Self {
            failed: true,
            ..Self::free(at)
        }
    }

    /// The reply of a request in two parts: a split request is done when its
    /// last part is, and was throttled by what throttled that.
    #[inline]
    pub(crate) fn later(self, other: Self) -> Self {
        let failed = self.failed || other.failed;
        let last = if other.at >= self.at { other } else { self };
        Self { failed, ..last }
    }
}
