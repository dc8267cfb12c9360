//! One volume: counts what it is sent, draws latencies, and says when what its
//! limits let through completes.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use crate::latency::{Latency, Origin, Tables};
use crate::layout::Extent;
use crate::limits::LimitId;
use crate::request::{Reply, Request, Requester};
use crate::spec::{Applies, LatencySpec, VolumeSpec};
use crate::streams::{Followed, Streams};
use crate::throttle::Cost;
use crate::units::{Bytes, Nanos};

/// A part of a request that falls on one volume.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) volume: usize,
    pub(crate) offset: Bytes,
    pub(crate) len: Bytes,
    pub(crate) write: bool,
    pub(crate) requester: Requester,
    pub(crate) submitter: u32,
}

impl Part {
    /// The part of `request` that falls on `extent`.
    #[inline]
    pub(crate) fn of(request: &Request, extent: &Extent) -> Self {
        Self {
            volume: extent.volume,
            offset: extent.offset,
            len: extent.len,
            write: request.op.writes(),
            requester: request.requester,
            submitter: request.submitter,
        }
    }
}

/// How a part waited in the guest, until its volume had room for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queueing {
    pub(crate) time: Nanos,
    /// The limit that kept the volume full, if one did.
    pub(crate) limit: Option<LimitId>,
}

impl Queueing {
    /// Not at all.
    pub(crate) const NONE: Self = Self {
        time: 0,
        limit: None,
    };
}

/// A volume.
#[derive(Clone, Debug)]
pub(crate) struct Volume {
    streams: Streams,
    latency: Latency,
    /// The limits that can throttle its IO, and for how long each did in the running period.
    throttled: Vec<(LimitId, Nanos)>,
}

impl Volume {
    /// The volume of `spec`, from `origin`, whose IO `limits` can throttle.
    pub(crate) fn new(
        spec: &VolumeSpec,
        tables: Arc<Tables>,
        origin: Origin,
        limits: impl Iterator<Item = LimitId>,
    ) -> Self {
        Self {
            streams: Streams::new(spec.io_unit.ilog2(), spec.latency.sequential.is_some()),
            latency: Latency::new(&spec.latency, tables, origin),
            throttled: limits.map(|limit| (limit, 0)).collect(),
        }
    }

    /// Its latencies are others from now on.
    pub(crate) fn set_latency(&mut self, latency: &LatencySpec, tables: Arc<Tables>) {
        self.latency.set(latency, tables);
    }

    /// What a part takes from limits, and whether it continues a stream.
    #[inline]
    pub(crate) fn count(&mut self, part: &Part) -> (Cost, bool) {
        let Followed { ios, sequential } = self.streams.follow(part.offset, part.len, part.write);
        let cost = Cost {
            ios,
            bytes: part.len,
            write: part.write,
        };
        (cost, sequential)
    }

    /// When a part is done that has all its tokens at `now`: only then is it sent to the device.
    #[inline]
    pub(crate) fn done(&mut self, now: Nanos, cost: &Cost, sequential: bool) -> Nanos {
        now + self.latency.draw(now, cost.write, cost.bytes, sequential)
    }

    /// How a part ends that is done `at` a time, having `waited` for its tokens, longest for
    /// those of `limit`, and before that in the guest: a limit that holds it up in the volume is
    /// what kept the volume full as well.
    pub(crate) fn reply(
        &mut self,
        at: Nanos,
        waited: Nanos,
        queued: Queueing,
        limit: Option<LimitId>,
    ) -> Reply {
        let limit = limit.or(queued.limit);
        let throttled = waited + limit.map_or(0, |_| queued.time);
        if throttled == 0 {
            return Reply::free(at);
        }
        let mut limits = self.throttled.iter_mut();
        if let Some((_, sum)) = limits.find(|(id, _)| Some(*id) == limit) {
            *sum += throttled;
        }
        Reply {
            at,
            throttled,
            limit,
            failed: false,
        }
    }

    /// For how long each limit throttled its IO since the last call.
    pub(crate) fn take_throttled(&mut self) -> Vec<Nanos> {
        let mut taken = vec![0; self.throttled.len()];
        for (taken, throttled) in taken.iter_mut().zip(&mut self.throttled) {
            core::mem::swap(taken, &mut throttled.1);
        }
        taken
    }
}

/// The lines in which a volume's IO waits: one for all, or one for reads and one for writes.
///
/// Limits on reads alone must not make writes wait in line, so where none is for both there
/// are two. A limit for both is one bucket, which the two could not reach in the order of
/// their arrival.
pub(crate) fn lines(spec: &VolumeSpec) -> &'static [Applies] {
    let mut limits = spec.limits.iter();
    if spec.limits.is_empty() || limits.any(|limit| limit.applies == Applies::Both) {
        return &[Applies::Both];
    }
    &[Applies::Reads, Applies::Writes]
}
