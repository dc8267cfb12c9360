//! What is asked of storage, and what it answers.

use core::num::NonZeroU16;

use crate::event_queue::NEVER;
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
    /// part of an fsync, which ends with a flush and is reported as one.
    Journal,
}

impl Op {
    /// Whether it moves bytes towards the volume.
    #[inline]
    pub fn writes(self) -> bool {
        matches!(self, Op::Write | Op::Zero | Op::Journal)
    }

    /// Whether it is about its whole device, rather than bytes of it.
    #[inline]
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Op::Flush | Op::Trim)
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
    /// Who asks, for the account of who took the tokens.
    pub requester: Requester,
    /// Who submits it, among the job's processes or the service's clients: those between
    /// whom [`crate::spec::Discipline::PerSubmitter`] takes turns.
    pub submitter: u32,
}

/// Who asks for IO: a job, or a mirror that brings a leg up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Requester(
    /// The job's number plus one: so a request takes no more room than with a bare number.
    Option<NonZeroU16>,
);

impl Requester {
    /// A mirror that copies to a leg what it lacks: no job.
    pub const RESYNC: Self = Self(None);

    /// The number of the job; none of a resync.
    #[inline]
    pub fn job(self) -> Option<usize> {
        self.0.map(|one_more| usize::from(one_more.get() - 1))
    }
}

impl From<u16> for Requester {
    /// The job of this number, which is less than `u16::MAX`.
    #[inline]
    fn from(job: u16) -> Self {
        Self(Some(NonZeroU16::MIN.saturating_add(job)))
    }
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
    /// The reply of a request whose end is not known.
    pub(crate) const NEVER: Self = Self {
        at: NEVER,
        throttled: 0,
        limit: None,
        failed: false,
    };

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

    /// Whether it is of a request that nothing throttled and that did what was asked.
    #[inline]
    pub(crate) fn is_free(&self) -> bool {
        self.throttled == 0 && self.limit.is_none() && !self.failed
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
