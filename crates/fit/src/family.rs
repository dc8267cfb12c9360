//! How much slower than the profile to start from a host is, by one of its volumes.
//!
//! What differs between hosts, regions and years is one factor for all volumes of a host
//! (docs/model.md), so that one measured volume moves the profiles of all of its volume types.

use schemars::JsonSchema;
use serde::Serialize;

use crate::fitted::{Base, LEAST};
use crate::quantiles::{Quantile, Sample, at};
use crate::trace::{Kind, Op};
use crate::{Figure, Verdict};

/// Standard deviations that 95 % lie within.
const DEVIATIONS: f64 = 1.96;

/// Median latencies as multiples of those of the profile to start from.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Family {
    /// That of reads.
    pub read: Figure,
    /// That of writes.
    pub write: Figure,
    /// That of the host: the geometric mean of those of both that were measured.
    pub host: Figure,
}

/// The factors, by the tables for IOs of `size` bytes, and by `all` IOs: those that a limit held
/// took no less than the storage's own latency, which bounds it from above.
pub(crate) fn family(
    [read, write]: [&[Quantile]; 2],
    size: u64,
    all: &[(Kind, Sample)],
    base: &Base,
) -> Family {
    let of = |op, table| measured(op, table, size, base).unwrap_or_else(|| bounded(op, all, base));
    let (read, write) = (of(Op::Read, read), of(Op::Write, write));
    Family {
        host: host(&read, &write, base.volume_spread),
        read,
        write,
    }
}

/// By the median of IOs that no limit held.
fn measured(op: Op, table: &[Quantile], size: u64, base: &Base) -> Option<Figure> {
    let median = table.iter().find(|row| row.probability == 0.5)?;
    let figure = &median.figure;
    let times = |nanos: Option<f64>| Some(nanos? / expected(base, op, size));
    (figure.verdict == Verdict::Measured).then(|| Figure {
        value: times(figure.value),
        low: times(figure.low),
        high: times(figure.high),
        verdict: Verdict::Measured,
        ios: figure.ios,
        why: "medians".to_owned(),
    })
}

/// By the median of all IOs, most of which a limit may have held.
fn bounded(op: Op, all: &[(Kind, Sample)], base: &Base) -> Figure {
    let of = all
        .iter()
        .filter(|(kind, sample)| kind.op == op && sample.count >= LEAST);
    let highs = of.filter_map(|(kind, sample)| {
        let (_, _, high) = sample.quantile(0.5);
        Some((high? / expected(base, op, kind.bytes?), sample.count))
    });
    match highs.min_by(|(one, _), (other, _)| one.total_cmp(other)) {
        Some((high, ios)) => Figure {
            value: Some(high.min(1.0)),
            low: None,
            high: Some(high),
            verdict: Verdict::Bounded,
            ios,
            why: "a limit may have made these IOs wait".to_owned(),
        },
        None => kept(format!("fewer than {LEAST} IOs")),
    }
}

fn host(read: &Figure, write: &Figure, volume_spread: f64) -> Figure {
    let with = |verdict| move |figure: &&&Figure| figure.verdict == verdict;
    let both = [read, write];
    let of: Vec<&Figure> = both
        .iter()
        .filter(with(Verdict::Measured))
        .copied()
        .collect();
    if of.is_empty() {
        let mut bounds: Vec<&Figure> = both
            .iter()
            .filter(with(Verdict::Bounded))
            .copied()
            .collect();
        bounds.sort_by(|one, other| {
            one.high
                .partial_cmp(&other.high)
                .unwrap_or(one.ios.cmp(&other.ios))
        });
        return bounds.first().map_or_else(
            || kept("no IO to go by".to_owned()),
            |least| (*least).clone(),
        );
    }
    let values = of.iter().filter_map(|figure| figure.value);
    let product: f64 = values.product();
    let lows = of.iter().filter_map(|figure| figure.low);
    let highs = of.iter().filter_map(|figure| figure.high);
    let chance = DEVIATIONS * volume_spread;
    Figure {
        value: Some(product.powf(1.0 / of.len() as f64)),
        // Reads and writes may differ by more than chance: both lie within. And another volume of
        // the host would have given another factor.
        low: lows.reduce(f64::min).map(|low| low * (1.0 - chance)),
        high: highs.reduce(f64::max).map(|high| high * (1.0 + chance)),
        verdict: Verdict::Measured,
        ios: of.iter().map(|figure| figure.ios).sum(),
        why: match of.len() {
            1 => "of one operation, and how much volumes of a host differ".to_owned(),
            _ => "of reads and writes, and how much volumes of a host differ".to_owned(),
        },
    }
}

/// The median of the profile to start from, for IOs of so many bytes, in nanoseconds.
fn expected(base: &Base, op: Op, bytes: u64) -> f64 {
    let table = match op {
        Op::Read => &base.read,
        Op::Write => &base.write,
    };
    let beyond = bytes.saturating_sub(base.base_size) as f64 / 1024.0;
    at(table, 0.5) + beyond * base.per_kib[op as usize]
}

fn kept(why: String) -> Figure {
    Figure {
        value: Some(1.0),
        low: None,
        high: None,
        verdict: Verdict::Kept,
        ios: 0,
        why,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantiles;
    use crate::trace::Bin;

    fn base() -> Base {
        let table = vec![(0.0, 200_000), (0.5, 500_000), (1.0, 800_000)];
        Base {
            read: table.clone(),
            write: table,
            base_size: 16 << 10,
            per_kib: [1_000.0; 2],
            slow: Vec::new(),
            volume_spread: 0.02,
        }
    }

    fn held(op: Op, bytes: u64, nanos: u64) -> (Kind, Sample) {
        let bytes = Some(bytes);
        let bins = vec![Bin {
            nanos,
            count: 1_000,
        }];
        (Kind { op, bytes }, Sample::new(bins, 0.0, false))
    }

    /// Reads and writes that a limit held, of two sizes.
    #[test]
    fn what_a_limit_held_bounds_the_factor_from_above() {
        let base = base();
        let none = quantiles::kept(&base.read, 0, "");
        let all = [
            held(Op::Read, 16 << 10, 1_500_000),
            held(Op::Write, 16 << 10, 400_000),
            held(Op::Write, 516 << 10, 600_000),
        ];
        let found = family([&none, &none], 16 << 10, &all, &base);
        let verdict = |figure: &Figure| (figure.verdict, figure.value, figure.low, figure.high);
        let bounded = |value, high| (Verdict::Bounded, Some(value), None, Some(high));
        assert_eq!(verdict(&found.read), bounded(1.0, 3.0));
        // 500 KiB more take 0.5 ms more.
        assert_eq!(verdict(&found.write), bounded(0.6, 0.6));
        assert_eq!(found.host, found.write);
    }

    #[test]
    fn without_an_io_the_factor_is_kept() {
        let base = base();
        let none = quantiles::kept(&base.read, 0, "");
        let found = family([&none, &none], 16 << 10, &[], &base);
        assert_eq!(found.host.verdict, Verdict::Kept);
        assert_eq!(found.host.value, Some(1.0));
    }
}
