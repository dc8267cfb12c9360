//! The latency of an IO that no limit delays: a quantile table, a part that
//! grows with size, a factor by which the volume differs from others of its
//! kind, and a slow component in which it wanders.

mod quantiles;
mod slow;
mod spread;

use alloc::format;
use alloc::sync::Arc;

use self::quantiles::Quantiles;
use self::slow::Slow;
use crate::random::Stream;
use crate::spec::{LatencySpec, PerKib};
use crate::units::{Bytes, KIB, Nanos};

/// Draws the latencies of one volume.
#[derive(Clone, Debug)]
pub(crate) struct Latency {
    tables: Arc<Tables>,
    base_size: Bytes,
    per_kib: PerKib,
    /// The volume's own factor, in 1/2^[`spread::SHIFT`].
    factor: u64,
    slow: Slow,
    random: Stream,
}

/// The tables of a profile. Volumes of one profile share them, which keeps
/// them in the processor's first-level cache.
#[derive(Debug)]
pub(crate) struct Tables {
    read: Quantiles,
    write: Quantiles,
}

impl Tables {
    /// The tables of `spec`.
    pub(crate) fn new(spec: &LatencySpec) -> Self {
        Self {
            read: Quantiles::new(&spec.read),
            write: Quantiles::new(&spec.write),
        }
    }
}

impl Latency {
    /// The latency of the volume called `volume`, by a profile and its tables.
    pub(crate) fn new(spec: &LatencySpec, tables: Arc<Tables>, seed: u64, volume: &str) -> Self {
        Self {
            tables,
            base_size: spec.base_size,
            per_kib: spec.per_kib,
            factor: spread::draw(
                spec.spread_permille,
                &mut Stream::new(seed, &format!("volume/{volume}/spread")),
            ),
            slow: Slow::new(
                &spec.slow,
                Stream::new(seed, &format!("volume/{volume}/slow")),
            ),
            random: Stream::new(seed, &format!("volume/{volume}/latency")),
        }
    }

    /// The latency of an IO of `len` bytes that arrives at `now`. Times must
    /// not fall from call to call.
    #[inline]
    pub(crate) fn draw(&mut self, now: Nanos, write: bool, len: Bytes) -> Nanos {
        let (table, per_kib) = if write {
            (&self.tables.write, self.per_kib.write)
        } else {
            (&self.tables.read, self.per_kib.read)
        };
        let mut latency = table.draw(&mut self.random);
        if len > self.base_size {
            latency += (len - self.base_size) * per_kib / KIB;
        }
        self.slow.apply(now, spread::apply(self.factor, latency))
    }
}
