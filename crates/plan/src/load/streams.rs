//! What a load asks of storage: streams of IO, for how long, and how they count in the units of
//! a volume type.

use blockyard_model::spec::{Applies, Unit};
use blockyard_model::units::{Bytes, KIB, MIB, Nanos};
use blockyard_model::workload::spec::Skew;

/// The bytes that lie together on one volume of a stripe: what LVM guides of databases use
/// (`lvcreate -I 4m`), and large enough that no usual IO is split.
pub const CHUNK: Bytes = 4 * MIB;

/// Sequential IOs of this size or more merge, as the model has it (docs/model.md).
const SMALLEST_MERGED: Bytes = 32 * KIB;

/// IOs of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Whether they are writes.
    pub write: bool,
    /// IOs a second.
    pub iops: u64,
    /// Bytes of each.
    pub io_size: Bytes,
    /// The share of them that continue where the last one ended, in 1/1000.
    pub sequential: u64,
    /// Which blocks random ones prefer; none if all are alike.
    pub skew: Option<Skew>,
}

/// How a load goes over time: it runs at its rates, and for a while at a multiple of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadProfile {
    /// How long the load lasts; none if it never ends.
    pub lasts: Option<Nanos>,
    /// When it is higher, if it ever is.
    pub peak: Option<Peak>,
}

/// A time of higher load, at the end of each period: then least is left of what was saved up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    /// The factor, in 1/1000.
    pub times: u64,
    /// How long.
    pub lasts: Nanos,
    /// How often it comes back.
    pub every: Nanos,
}

/// What one kind of volume counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counting {
    /// An IO counts once for each started unit of this size.
    pub unit: Bytes,
    /// Whether byte limits charge whole units.
    pub whole_units: bool,
    /// Whether it is a disk of the instance, whose limits over its volumes do not concern it.
    pub local: bool,
}

impl Stream {
    /// IOs a second, as a volume counts them.
    pub(crate) fn units(&self, counting: Counting) -> u64 {
        let sequential = self.iops * self.sequential / 1000;
        let random = self.iops - sequential;
        let each = self.io_size.div_ceil(counting.unit);
        // An IO whose size does not divide the chunk's lies on two volumes now and then.
        let split = match CHUNK.is_multiple_of(self.io_size) || self.io_size > CHUNK {
            true => 0,
            false => (self.iops * self.io_size).div_ceil(CHUNK),
        };
        let merged = match self.io_size >= SMALLEST_MERGED {
            true => (sequential * self.io_size).div_ceil(counting.unit),
            false => sequential * each,
        };
        random * each + merged + split
    }

    /// Bytes a second, as they are.
    pub(crate) fn bytes(&self) -> u64 {
        self.iops * self.io_size
    }

    /// What a limit of a volume counts of it a second.
    pub(crate) fn counted(&self, unit: Unit, applies: Applies, counting: Counting) -> u64 {
        let concerned = match applies {
            Applies::Both => true,
            Applies::Reads => !self.write,
            Applies::Writes => self.write,
        };
        match (concerned, unit) {
            (false, _) => 0,
            (true, Unit::Io) => self.units(counting),
            (true, Unit::Byte) if counting.whole_units => self.units(counting) * counting.unit,
            (true, Unit::Byte) => self.bytes(),
        }
    }

    /// What a limit of the instance over all its volumes counts of it a second.
    pub(crate) fn behind_host(&self, unit: Unit, counting: Counting) -> u64 {
        match unit {
            _ if counting.local => 0,
            Unit::Io => self.units(counting),
            Unit::Byte => self.bytes(),
        }
    }

    /// The same with `share`/1000 more left free of every limit.
    #[must_use]
    pub(crate) fn with_headroom(self, share: u64) -> Self {
        Self {
            iops: (self.iops * 1000).div_ceil(1000 - share.min(999)),
            ..self
        }
    }
}

impl LoadProfile {
    /// How many times its rates the load is at most, in 1/1000.
    pub(crate) fn highest(&self) -> u64 {
        self.peak.map_or(1000, |peak| peak.times.max(1000))
    }

    /// The phases of equal load in their order: how long, and how many times the load's rates
    /// in 1/1000. Of a load without end, without end; the last of one that ends may be cut.
    pub(crate) fn phases(&self) -> impl Iterator<Item = (Nanos, u64)> + '_ {
        let every = self.peak.map_or(DAY, |peak| peak.every.max(1));
        let high = self.peak.map_or(0, |peak| peak.lasts.min(every));
        let mut left = self.lasts;
        // A peak ends its period, and the load: there it finds least.
        let first = left.map_or(every, |lasts| match lasts % every {
            0 => every,
            rest => rest,
        });
        let mut length = first;
        let times = self.highest();
        let mut pending: Option<Nanos> = None;
        std::iter::from_fn(move || {
            if let Some(high) = pending.take() {
                return Some((high, times));
            }
            if left == Some(0) {
                return None;
            }
            if let Some(rest) = &mut left {
                *rest -= length.min(*rest);
            }
            let peak = high.min(length);
            let base = length - peak;
            length = every;
            pending = (peak > 0).then_some(peak);
            Some((base, 1000))
        })
    }
}

/// What instances' credits come back in, and peaks if nothing else is said.
pub(crate) const DAY: Nanos = 24 * 3_600 * 1_000_000_000;
