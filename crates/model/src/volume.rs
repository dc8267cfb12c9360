//! One volume: counts and merges what it is sent, draws latencies, and says when what its
//! limits let through completes.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use crate::latency::{Latency, Tables};
use crate::layout::Extent;
use crate::limits::LimitId;
use crate::request::{Reply, Request};
use crate::spec::{Applies, VolumeSpec};
use crate::throttle::Cost;
use crate::units::{Bytes, Nanos};

/// A part of a request that falls on one volume.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) volume: usize,
    pub(crate) offset: Bytes,
    pub(crate) len: Bytes,
    pub(crate) write: bool,
    pub(crate) job: u16,
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
            job: request.job,
            submitter: request.submitter,
        }
    }
}

/// A volume.
#[derive(Clone, Debug)]
pub(crate) struct Volume {
    unit_bits: u32,
    latency: Latency,
    newest: Newest,
    /// The limits that can throttle its IO, and for how long each did in the running period.
    throttled: Vec<(LimitId, Nanos)>,
}

/// The part submitted last, which a sequential one may join.
#[derive(Clone, Copy, Debug, Default)]
struct Newest {
    number: u64,
    end: Bytes,
    write: bool,
    /// Bytes in its open unit; 0 if the unit is full.
    filled: Bytes,
    /// Whether it still waits for tokens.
    waits: bool,
}

impl Volume {
    /// The volume of `spec`, number `index` of the storage, whose IO `limits` can throttle.
    pub(crate) fn new(
        (index, spec): (usize, &VolumeSpec),
        tables: Arc<Tables>,
        seed: u64,
        limits: impl Iterator<Item = LimitId>,
    ) -> Self {
        Self {
            unit_bits: spec.io_unit.ilog2(),
            latency: Latency::new(&spec.latency, tables, seed, index),
            newest: Newest::default(),
            throttled: limits.map(|limit| (limit, 0)).collect(),
        }
    }

    /// What a part takes from limits, and its number, by which [`Volume::granted`] knows it.
    ///
    /// A part that continues the newest one, in the same direction, while
    /// that still waits for tokens, fills up its open unit before it starts
    /// another.
    #[inline]
    pub(crate) fn count(&mut self, part: &Part) -> (Cost, u64) {
        let newest = &mut self.newest;
        let joins = newest.waits && part.offset == newest.end && part.write == newest.write;
        let filled = if joins { newest.filled } else { 0 };
        let total = filled + part.len;
        let within = (1 << self.unit_bits) - 1;
        let ios = ((total + within) >> self.unit_bits) - u64::from(filled > 0);
        *newest = Newest {
            number: newest.number + 1,
            end: part.offset + part.len,
            write: part.write,
            filled: total & within,
            waits: true,
        };
        let cost = Cost {
            ios,
            bytes: part.len,
            write: part.write,
        };
        (cost, newest.number)
    }

    /// When a part that the volume takes at `now` is done, if nothing makes it wait.
    #[inline]
    pub(crate) fn ready(&mut self, now: Nanos, part: &Part) -> Nanos {
        now + self.latency.draw(now, part.write, part.len)
    }

    /// Nothing can join the part called `number` any more: it has its tokens.
    #[inline]
    pub(crate) fn granted(&mut self, number: u64) {
        if self.newest.number == number {
            self.newest.waits = false;
        }
    }

    /// Nothing can join anything that was admitted before.
    pub(crate) fn cut_off(&mut self) {
        self.newest.waits = false;
    }

    /// How a part ends that has all its tokens at `now`, having waited longest for `limit`,
    /// and before that for `queued` in the guest: a limit that holds it up in the volume is
    /// what kept the volume full as well.
    pub(crate) fn reply(
        &mut self,
        now: Nanos,
        ready: Nanos,
        queued: Nanos,
        limit: Option<LimitId>,
    ) -> Reply {
        let at = now.max(ready);
        let throttled = at - ready + limit.map_or(0, |_| queued);
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
