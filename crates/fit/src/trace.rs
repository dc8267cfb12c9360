//! What was measured, as windows of time.

use blockyard_model::units::Nanos;
use serde::Serialize;

/// What an IO does. Nothing else has a latency that a profile could give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// It reads.
    Read,
    /// It writes.
    Write,
}

/// IOs whose latencies can be compared: of one operation and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// What they do.
    pub op: Op,
    /// The size of each; none if they differ, or their latencies are not the storage's alone.
    /// Then they count against limits and say nothing of latency.
    pub bytes: Option<u64>,
}

/// Equal latencies, or latencies in a bucket of a histogram. Of a trace that knows percentiles
/// only, latencies up to a percentile, and above the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The latency, the middle of the bucket, or the percentile.
    pub nanos: Nanos,
    /// How many.
    pub count: u64,
}

/// What was done of one kind in a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Of which kind.
    pub kind: Kind,
    /// IOs that completed.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The sum of their latencies.
    pub sum: u128,
    /// Their latencies, rising; empty where only `sum` is known.
    pub bins: Vec<Bin>,
}

/// A stretch of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// When it begins.
    pub start: Nanos,
    /// How long it is, above 0.
    pub length: Nanos,
    /// What completed in it.
    pub parts: Vec<Part>,
}

impl Window {
    /// The IOs that completed.
    pub(crate) fn ios(&self) -> u64 {
        self.parts.iter().map(|part| part.ios).sum()
    }

    /// How many IOs were in flight on average, by Little's law.
    pub(crate) fn in_flight(&self) -> f64 {
        let sum: u128 = self.parts.iter().map(|part| part.sum).sum();
        sum as f64 / self.length as f64
    }

    /// Its length in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.length as f64 / 1e9
    }
}

/// What was measured without a break, by one clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Its windows in the order of time; none overlaps another.
    pub windows: Vec<Window>,
    /// How far a latency may lie from its bin, as a share of it: 0 of single IOs.
    pub error: f64,
    /// Whether it knows no more of latencies than some percentiles.
    pub percentiles: bool,
}

impl Trace {
    /// All kinds of IO in it, each once, in order.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        let parts = self.windows.iter().flat_map(|window| &window.parts);
        let mut kinds: Vec<_> = parts.map(|part| part.kind).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    }

    /// The latencies of a kind in the windows that are `clear`.
    pub(crate) fn clear_bins<'a>(
        &'a self,
        clear: &'a [bool],
        kind: Kind,
    ) -> impl Iterator<Item = &'a Bin> {
        let windows = self.windows.iter().zip(clear).filter(|(_, clear)| **clear);
        let parts = windows.flat_map(|(window, _)| &window.parts);
        parts
            .filter(move |part| part.kind == kind)
            .flat_map(|part| &part.bins)
    }
}

/// Brings bins together and in order.
pub(crate) fn merged<'a>(bins: impl Iterator<Item = &'a Bin>) -> Vec<Bin> {
    let mut all: Vec<Bin> = bins.copied().collect();
    all.sort_unstable_by_key(|bin| bin.nanos);
    all.dedup_by(|next, kept| {
        let same = next.nanos == kept.nanos;
        if same {
            kept.count += next.count;
        }
        same
    });
    all
}

/// The latency of rank `rank`, from 1, of `bins` in order; the last one's beyond.
pub(crate) fn at_rank(bins: &[Bin], rank: u64) -> Nanos {
    let mut below = 0;
    for bin in bins {
        below += bin.count;
        if below >= rank {
            return bin.nanos;
        }
    }
    bins.last().map_or(0, |bin| bin.nanos)
}
