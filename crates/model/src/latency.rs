//! The latency of an IO that no limit delays: a quantile table, a part that
//! grows with size, and a slow component in which a volume wanders.

mod quantiles;
mod slow;

use alloc::format;
use alloc::sync::Arc;

use self::quantiles::Quantiles;
use self::slow::Slow;
use crate::random::Stream;
use crate::spec::LatencySpec;
use crate::units::{Bytes, KIB, Nanos};

/// Draws the latencies of one volume.
#[derive(Clone, Debug)]
pub(crate) struct Latency {
    tables: Arc<Tables>,
    base_size: Bytes,
    per_kib: Nanos,
    slow: Slow,
    random: Stream,
}

/// The tables of a profile. Volumes of one profile share them, which keeps
/// them in the processor's first-level cache.
#[derive(Debug)]
pub(crate) struct Tables {
    read: Quantiles,
    write: Quantiles,
    /// Of reads and writes that continue a stream, where these are others.
    sequential: Option<[Quantiles; 2]>,
}

impl Tables {
    /// The tables of `spec`.
    pub(crate) fn new(spec: &LatencySpec) -> Self {
        Self {
            read: Quantiles::new(&spec.read),
            write: Quantiles::new(&spec.write),
            sequential: (spec.sequential.as_ref())
                .map(|tables| tables.each_ref().map(|table| Quantiles::new(table))),
        }
    }
}

impl Latency {
    /// The latency of the volume numbered `volume`, by a profile and its tables.
    pub(crate) fn new(spec: &LatencySpec, tables: Arc<Tables>, seed: u64, volume: usize) -> Self {
        Self {
            tables,
            base_size: spec.base_size,
            per_kib: spec.per_kib,
            slow: Slow::new(
                &spec.slow,
                Stream::new(seed, &format!("volume/{volume}/slow")),
            ),
            random: Stream::new(seed, &format!("volume/{volume}/latency")),
        }
    }

    /// The latency of an IO of `len` bytes that arrives at `now`, and continues a stream or
    /// not. Times must not fall from call to call.
    #[inline]
    pub(crate) fn draw(&mut self, now: Nanos, write: bool, len: Bytes, sequential: bool) -> Nanos {
        let tables = &self.tables;
        let table = match &tables.sequential {
            Some(tables) if sequential => &tables[usize::from(write)],
            _ if write => &tables.write,
            _ => &tables.read,
        };
        let mut latency = table.draw(&mut self.random);
        if len > self.base_size {
            latency += (len - self.base_size) * self.per_kib / KIB;
        }
        self.slow.apply(now, latency)
    }
}
