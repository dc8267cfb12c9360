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
    /// Whether there are several of it, a stripe: then chunk by chunk is another's.
    pub striped: bool,
}

impl Counting {
    /// The same of so many.
    pub(crate) fn on(self, width: u32) -> Self {
        let striped = width > 1;
        Self { striped, ..self }
    }
}

impl Stream {
    /// IOs a second, as a volume counts them.
    pub(crate) fn units(&self, counting: Counting) -> u64 {
        whole(self.units_exactly(counting))
    }

    /// The same, which need not be a whole number.
    fn units_exactly(&self, counting: Counting) -> f64 {
        // An IO whose size does not divide the chunk's lies on two volumes now and then.
        let split = match CHUNK.is_multiple_of(self.io_size) || self.io_size > CHUNK {
            true => 0.0,
            false => self.bytes() as f64 / CHUNK as f64,
        };
        self.iops as f64 * self.units_of_one(counting) + split
    }

    /// How many units an IO begins, on average.
    fn units_of_one(&self, counting: Counting) -> f64 {
        let (io_size, unit) = (self.io_size, counting.unit);
        if self.sequential == 0 || io_size < SMALLEST_MERGED {
            return io_size.div_ceil(unit) as f64;
        }
        if self.sequential >= 1000 {
            return io_size as f64 / unit as f64;
        }
        // A random IO begins a run, which each sequential one continues. For a run to begin its
        // unit n, counted from 0, as many IOs must continue it as fill n units.
        let continues = self.sequential as f64 / 1000.0;
        let goes_on = |ios: u64| continues.powi(ios as i32);
        let filled = |n: u64| n * unit / io_size;
        // These repeat once a number of IOs fills a number of units exactly.
        let common = gcd(io_size, unit);
        let begun = (0..io_size / common).map(|n| goes_on(filled(n)));
        let mut begun = begun.sum::<f64>() / (1.0 - goes_on(unit / common));
        if counting.striped {
            // It begins anywhere in a chunk, and anew with the next one, on another volume.
            let chunk = (CHUNK / io_size).max(1);
            let within = (0..).map(filled).take_while(|ios| *ios < chunk);
            let within = within.map(|ios| goes_on(ios) * (chunk - ios) as f64);
            let reached = continues * (1.0 - goes_on(chunk)) / (1.0 - continues);
            begun = (within.sum::<f64>() + reached * begun) / chunk as f64;
        }
        (1.0 - continues) * begun
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
            (true, Unit::Byte) if counting.whole_units => {
                whole(self.units_exactly(counting) * counting.unit as f64)
            }
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

/// A number of at least so many; a fraction more than a whole number comes from rounding.
fn whole(amount: f64) -> u64 {
    (amount - 1e-6).ceil() as u64
}

/// The greatest common divisor.
fn gcd(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use blockyard_model::random;
    use blockyard_model::streams::Streams;

    use super::*;

    /// A second of a stream on so many volumes, as the model counts it.
    fn modelled(stream: &Stream, unit: Bytes, width: u64) -> f64 {
        let mut volumes = vec![Streams::new(unit.ilog2(), true); width as usize];
        let mut random = random::Stream::new(1, "places");
        let mut place = 0;
        let counted = (0..stream.iops).map(|_| {
            if random.below(1000) >= stream.sequential {
                place = random.below(1 << 24) * stream.io_size;
            }
            let (chunk, within) = (place / CHUNK, place % CHUNK);
            let volume = &mut volumes[(chunk % width) as usize];
            let offset = chunk / width * CHUNK + within;
            place += stream.io_size;
            volume.follow(offset, stream.io_size, stream.write).ios
        });
        counted.sum::<u64>() as f64
    }

    fn reads(iops: u64, io_size: Bytes, sequential: u64) -> Stream {
        Stream {
            write: false,
            iops,
            io_size,
            sequential,
            skew: None,
        }
    }

    fn counting(unit: Bytes, striped: bool) -> Counting {
        Counting {
            unit,
            whole_units: true,
            local: false,
            striped,
        }
    }

    #[test]
    fn what_follows_a_random_io_fills_its_unit_first() {
        for (unit, width) in [(256 * KIB, 1), (256 * KIB, 4), (MIB, 1), (MIB, 4)] {
            for io_size in [8, 32, 64, 128, 256, 512, 1024].map(|it| it * KIB) {
                for sequential in [0, 100, 500, 700, 900, 990, 1000] {
                    let stream = reads(400_000, io_size, sequential);
                    let found = stream.units_exactly(counting(unit, width > 1));
                    let off = found / modelled(&stream, unit, width) - 1.0;
                    assert!(off.abs() < 0.02, "{stream:?}, {width} of {unit}: {off}");
                }
            }
        }
    }

    #[test]
    fn bytes_in_whole_units_need_be_no_whole_units_a_second() {
        let stream = reads(69, 64 * KIB, 1000);
        let of = |unit| stream.counted(unit, Applies::Both, counting(MIB, false));
        assert_eq!((of(Unit::Io), of(Unit::Byte)), (5, stream.bytes()));
    }
}
