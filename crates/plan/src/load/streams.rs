//! What a load asks of storage: streams of IO, and how they count in the units of a volume type.

use blockyard_model::spec::{Applies, Unit};
use blockyard_model::units::{Bytes, KIB, MIB};
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
