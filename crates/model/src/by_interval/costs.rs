//! What an IO takes on its way, as the mean over the places where it can lie.

use alloc::vec;
use alloc::vec::Vec;

use crate::latency::Latency;
use crate::limits::{Limits, Owner};
use crate::spec::{Layout, LimitSpec, Region, StorageSpec, Unit, VolumeSpec};
use crate::units::Bytes;

/// Most places that are tried of a row of a stripe.
const MOST_PLACES: u64 = 1024;

/// What IO passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along<'a> {
    pub(super) spec: &'a StorageSpec,
    pub(super) limits: &'a Limits,
    pub(super) latencies: &'a [Latency],
}

/// What an IO of one size takes.
#[derive(Clone, Debug)]
pub(super) struct Costs {
    /// By volume that it can touch.
    pub(super) volumes: Vec<OnVolume>,
    /// Tokens of a read and of a write, by the limit's number.
    pub(super) limits: Vec<(usize, [f64; 2])>,
    /// Where it goes, by volume.
    pub(super) ways: Vec<Way>,
    /// How long a read and a write take that no limit delays, in nanoseconds.
    pub(super) latency: [f64; 2],
}

/// The way to a volume.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The share of an IO's parts that take it.
    pub(super) share: f64,
    /// The numbers of the limits on it.
    pub(super) limits: Vec<usize>,
}

/// What it takes of a volume.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OnVolume {
    pub(super) volume: usize,
    /// Parts that it is split into there.
    parts: f64,
    /// The same counted in the volume's units.
    pub(super) ios: f64,
    pub(super) bytes: f64,
}

/// The costs of a random IO of `size` bytes in `file`, on a layout of volumes, stripes and those
/// one after another.
pub(super) fn costs(along: &Along<'_>, file: Region, size: Bytes) -> Costs {
    let spec = along.spec;
    let mut by_volume = vec![OnVolume::default(); spec.volumes.len()];
    let layout = &spec.devices[file.device].layout;
    add(
        layout,
        (file.offset, file.size),
        size,
        1.0,
        &spec.volumes,
        &mut by_volume,
    );
    let numbered = by_volume.into_iter().enumerate();
    let volumes = numbered.map(|(volume, own)| OnVolume { volume, ..own });
    let volumes: Vec<_> = volumes.filter(|own| own.ios > 0.0).collect();
    let parts: f64 = volumes.iter().map(|own| own.parts).sum();
    let mean = |write: bool| {
        let of = |own: &OnVolume| {
            let len = (own.bytes / own.parts) as Bytes;
            along.latencies[own.volume].mean(write, len) * own.parts / parts
        };
        volumes.iter().map(of).sum()
    };
    Costs {
        latency: [mean(false), mean(true)],
        limits: tokens(along, &volumes),
        ways: volumes.iter().map(|own| way(along, own, parts)).collect(),
        volumes,
    }
}

/// The limits on the way to a volume, of IO in so many parts.
fn way(along: &Along<'_>, own: &OnVolume, parts: f64) -> Way {
    let spec = &along.spec.volumes[own.volume];
    let host = along.limits.of(Owner::Host(spec.host));
    let host = host.filter(|_| spec.behind_host);
    let limits = along.limits.of(Owner::Volume(own.volume)).chain(host);
    Way {
        share: own.parts / parts,
        limits: limits.map(|limit| limit.index()).collect(),
    }
}

/// What IO takes of every limit on its way.
fn tokens(along: &Along<'_>, volumes: &[OnVolume]) -> Vec<(usize, [f64; 2])> {
    let mut found: Vec<(usize, [f64; 2])> = Vec::new();
    for own in volumes {
        let spec = &along.spec.volumes[own.volume];
        let whole = own.ios * spec.io_unit as f64;
        let of_volume = if spec.whole_units { whole } else { own.bytes };
        let mut add = |owner, limits: &[LimitSpec], bytes: f64| {
            for (limit, spec) in along.limits.of(owner).zip(limits) {
                let amount = match spec.unit {
                    Unit::Io => own.ios,
                    Unit::Byte => bytes,
                };
                let each =
                    [false, true].map(|write| if spec.applies.to(write) { amount } else { 0.0 });
                let place = found.iter().position(|it| it.0 == limit.index());
                match place {
                    Some(place) => (0..2).for_each(|op| found[place].1[op] += each[op]),
                    None => found.push((limit.index(), each)),
                }
            }
        };
        add(Owner::Volume(own.volume), &spec.limits, of_volume);
        if spec.behind_host {
            let host = &along.spec.hosts[spec.host];
            add(Owner::Host(spec.host), &host.limits, own.bytes);
        }
    }
    found
}

/// Adds what an IO of `size` takes in `range` (begin and length) of a layout, `weight` times.
fn add(
    layout: &Layout,
    range: (Bytes, Bytes),
    size: Bytes,
    weight: f64,
    specs: &[VolumeSpec],
    found: &mut [OnVolume],
) {
    let (begin, len) = range;
    if let Layout::Linear { parts } = layout {
        let mut start = 0;
        for (part, size_of_part) in parts {
            let end = start + size_of_part;
            let (from, to) = (begin.max(start), (begin + len).min(end));
            if from < to {
                let share = (to - from) as f64 / len as f64;
                add(
                    part,
                    (from - start, to - from),
                    size,
                    weight * share,
                    specs,
                    found,
                );
            }
            start = end;
        }
        return;
    }
    // After a row of the stripe the places repeat.
    let row = row(layout);
    let period = row / common(row, size);
    let places = period.min((len / size).max(1));
    let tried = places.min(MOST_PLACES);
    let each = weight / tried as f64;
    for place in 0..tried {
        let offset = begin + place * places / tried * size;
        layout.extents(offset, size, &mut |extent| {
            let own = &mut found[extent.volume];
            own.parts += each;
            own.ios += each * extent.len.div_ceil(specs[extent.volume].io_unit) as f64;
            own.bytes += each * extent.len as f64;
        });
    }
}

/// Bytes after which the volumes of a layout have their turns again.
fn row(layout: &Layout) -> Bytes {
    match layout {
        Layout::Stripe { chunk, parts } => {
            let of_part = parts.iter().map(row).max().unwrap_or(1);
            chunk.max(&of_part) * parts.len() as u64
        }
        _ => 1,
    }
}

/// The greatest common divisor.
fn common(a: Bytes, b: Bytes) -> Bytes {
    if b == 0 { a } else { common(b, a % b) }
}
