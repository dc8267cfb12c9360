//! The latency of an IO that no limit delays: a quantile table, a part that
//! grows with size, factors by which the host and the volume differ from others of their
//! kind, and a slow component in which it wanders.

mod origin;
mod quantiles;
mod slow;
mod spread;

use alloc::sync::Arc;

pub(crate) use self::origin::Origin;
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
    /// The host's factor times the volume's own, in 1/2^[`spread::SHIFT`].
    factor: u64,
    slow: Slow,
    random: Stream,
    origin: Origin,
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
    /// The latency of a volume by a profile and its tables.
    pub(crate) fn new(spec: &LatencySpec, tables: Arc<Tables>, origin: Origin) -> Self {
        Self {
            tables,
            base_size: spec.base_size,
            per_kib: spec.per_kib,
            factor: origin.factor(spec),
            slow: Slow::new(&spec.slow, origin.stream("slow")),
            random: origin.stream("latency"),
            origin,
        }
    }

    /// The volume has another profile from now on, with these tables.
    pub(crate) fn set(&mut self, spec: &LatencySpec, tables: Arc<Tables>) {
        *self = Self {
            random: self.random.clone(),
            ..Self::new(spec, tables, self.origin)
        };
    }

    /// The latency of an IO of `len` bytes that arrives at `now`, and continues a stream or
    /// not. Times must not fall from call to call.
    // Forced: it has two call sites, one of them the path of every IO.
    #[inline(always)]
    pub(crate) fn draw(&mut self, now: Nanos, write: bool, len: Bytes, sequential: bool) -> Nanos {
        let tables = &self.tables;
        let (table, per_kib) = if write {
            (&tables.write, self.per_kib.write)
        } else {
            (&tables.read, self.per_kib.read)
        };
        let table = match &tables.sequential {
            Some(tables) if sequential => &tables[usize::from(write)],
            _ => table,
        };
        let mut latency = table.draw(&mut self.random);
        if len > self.base_size {
            latency += (len - self.base_size) * per_kib / KIB;
        }
        self.slow.apply(now, spread::apply(self.factor, latency))
    }

    /// The mean of what [`draw`](Self::draw) gives for random IOs of `len` bytes, over a long
    /// time, in nanoseconds.
    pub(crate) fn mean(&self, write: bool, len: Bytes) -> f64 {
        let (table, per_kib) = if write {
            (&self.tables.write, self.per_kib.write)
        } else {
            (&self.tables.read, self.per_kib.read)
        };
        let beyond = len.saturating_sub(self.base_size) * per_kib / KIB;
        (table.mean() + beyond as f64) * spread::ratio(self.factor) * self.slow.mean()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::units::MILLISECOND;

    fn spec(per_kib: PerKib, spreads: [u32; 2]) -> LatencySpec {
        LatencySpec {
            read: vec![(0.0, 300_000), (1.0, 900_000)],
            write: vec![(0.0, 500_000), (1.0, 700_000)],
            sequential: None,
            base_size: 16 * KIB,
            per_kib,
            spread_permille: spreads[0],
            volume_spread_permille: spreads[1],
            slow: vec![],
        }
    }

    /// Volume number `volume` of host number `host`, whose factor is stated or drawn.
    fn origin(volume: usize, host: usize, stated_permille: Option<u32>) -> Origin {
        Origin {
            seed: 7,
            volume,
            host,
            stated_permille,
        }
    }

    fn drawn(spec: &LatencySpec, origin: Origin, ios: &[(bool, Bytes)]) -> Vec<Nanos> {
        let mut latency = Latency::new(spec, Arc::new(Tables::new(spec)), origin);
        let times = (0..).map(|io| io * MILLISECOND);
        times
            .zip(ios)
            .map(|(now, (write, len))| latency.draw(now, *write, *len, false))
            .collect()
    }

    proptest! {
        /// The same, written down the obvious way: the factors of host and volume times the
        /// quantile at the drawn probability and the part for the size.
        #[test]
        fn a_latency_is_the_factor_times_quantile_and_size(
            read in 0_u64..5_000,
            write in 0_u64..5_000,
            spreads in [0_u32..=1000, 0_u32..=1000],
            stated in prop::option::of(100_u32..5_000),
            ios in prop::collection::vec((any::<bool>(), 512_u64..4 << 20), 1..50),
        ) {
            let spec = spec(PerKib { read, write }, spreads);
            let mut random = Stream::new(7, "volume/0/latency");
            let by = |permille, stream| {
                let drawn = spread::draw(permille, &mut Stream::new(7, stream));
                drawn as f64 / f64::from(1_u32 << spread::SHIFT)
            };
            let of_host = match stated {
                Some(permille) => f64::from(permille) / 1000.0,
                None => by(spreads[0], "host/3/factor"),
            };
            let factor = of_host * by(spreads[1], "volume/0/spread");
            for ((write, len), latency) in ios.iter().zip(drawn(&spec, origin(0, 3, stated), &ios)) {
                let (table, per_kib) = match write {
                    true => (&spec.write, spec.per_kib.write),
                    false => (&spec.read, spec.per_kib.read),
                };
                let (low, high) = (table[0].1 as f64, table[1].1 as f64);
                let beyond = len.saturating_sub(spec.base_size) as f64 / KIB as f64;
                let plain = low + (high - low) * random.unit() + beyond * per_kib as f64;
                // Each of three steps rounds to whole nanoseconds, and factors to a millionth.
                let error = (latency as f64 - plain * factor).abs();
                let rounded = 3.0 * (1.0 + factor) + 3e-6 * plain * (1.0 + factor);
                prop_assert!(error <= rounded, "{latency} for {}", plain * factor);
            }
        }
    }

    static READS: [(bool, Bytes); 20_000] = [(false, 4 * KIB); 20_000];

    fn mean(drawn: &[Nanos]) -> f64 {
        drawn.iter().sum::<u64>() as f64 / drawn.len() as f64
    }

    #[test]
    fn a_volume_keeps_its_factor() {
        let spec = spec(0.into(), [0, 400]);
        let [one, other] = [0, 1].map(|volume| drawn(&spec, origin(volume, 0, None), &READS));
        let early_and_late = mean(&one[..10_000]) / mean(&one[10_000..]);
        assert!((early_and_late - 1.0).abs() < 0.02, "{early_and_late}");
        let between = mean(&one) / mean(&other);
        assert!((between - 1.0).abs() > 0.05, "{between}");
    }

    #[test]
    fn volumes_of_a_host_share_its_factor_and_those_of_another_have_its() {
        let spec = spec(0.into(), [400, 0]);
        let of = |volume, host| mean(&drawn(&spec, origin(volume, host, None), &READS));
        let alike = of(0, 0) / of(1, 0);
        assert!((alike - 1.0).abs() < 0.02, "{alike}");
        assert!((1..4).any(|host| (of(0, host) / of(0, 0) - 1.0).abs() > 0.1));
    }
}
