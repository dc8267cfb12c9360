//! What latency a volume type gives IOs that wait for nothing: quantiles over all its streams,
//! and the goals that these miss.

use blockyard_model::spec::{LatencySpec, QuantileTable};
use blockyard_model::units::{KIB, Nanos};

use crate::load::streams::Stream;
use crate::market::Variant;
use crate::reason::Reason;
use crate::requirement::needs::{Needs, Of};

/// A share of IOs, the table of their latencies and what is added for their size.
struct Part<'a> {
    weight: f64,
    table: &'a QuantileTable,
    added: f64,
}

/// The latency that a share `at` of the IOs does not exceed, over the `streams`; none without
/// any. Each volume's own factor is left out: its mean is 1.
fn quantile<'a>(
    spec: &LatencySpec,
    streams: impl Iterator<Item = &'a Stream>,
    at: f64,
) -> Option<Nanos> {
    let mut parts = Vec::new();
    for stream in streams.filter(|stream| stream.iops > 0) {
        let (table, per_kib) = match stream.write {
            false => (&spec.read, spec.per_kib.read),
            true => (&spec.write, spec.per_kib.write),
        };
        let beyond = stream.io_size.saturating_sub(spec.base_size);
        let added = (beyond * per_kib / KIB) as f64;
        let of = |share: u64| stream.iops as f64 * share as f64 / 1000.0;
        let following = spec.sequential.as_ref();
        let following = following.map_or(table, |tables| &tables[usize::from(stream.write)]);
        for (table, share) in [
            (following, stream.sequential),
            (table, 1000 - stream.sequential),
        ] {
            if share > 0 {
                let weight = of(share);
                parts.push(Part {
                    weight,
                    table,
                    added,
                });
            }
        }
    }
    let all: f64 = parts.iter().map(|part| part.weight).sum();
    let below = |latency: f64| {
        let of = parts.iter();
        of.map(|part| part.weight * share_below(part.table, latency - part.added))
            .sum::<f64>()
            / all
    };
    let longest = parts
        .iter()
        .map(|part| part.table.last().map_or(0.0, |(_, most)| *most as f64) + part.added);
    let (mut low, mut high) = (0.0, longest.reduce(f64::max)?);
    // To a nanosecond: the longest is 100 s, 2^37 ns.
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        match below(middle) >= at {
            true => high = middle,
            false => low = middle,
        }
    }
    Some(high.round() as Nanos)
}

/// The share of a table's latencies that are at most `latency`.
fn share_below(table: &QuantileTable, latency: f64) -> f64 {
    let above = table.partition_point(|(_, known)| (*known as f64) <= latency);
    match (above.checked_sub(1).map(|at| table[at]), table.get(above)) {
        (None, _) => 0.0,
        (Some(_), None) => 1.0,
        (Some((share, from)), Some(&(next, to))) => {
            share + (next - share) * (latency - from as f64) / (to - from) as f64
        }
    }
}

/// The first latency goal that volumes of a variant miss although nothing waits.
pub(crate) fn missed(variant: &Variant<'_>, needs: &Needs, of: &[Of]) -> Option<Reason> {
    let goals = needs.latency.iter().filter(|goal| of.contains(&goal.of));
    let mut missed = goals.filter_map(|goal| {
        let estimate = estimate(variant, needs, goal.of, goal.at)?;
        (estimate > goal.most).then(|| Reason::Latency {
            of: goal.of.name().to_owned(),
            quantile: goal.quantile.to_owned(),
            goal_us: goal.most as f64 / 1e3,
            estimate_us: estimate as f64 / 1e3,
        })
    });
    missed.next()
}

/// A quantile of the latency on volumes of a variant where nothing waits, in nanoseconds.
pub(crate) fn estimate(variant: &Variant<'_>, needs: &Needs, of: Of, at: f64) -> Option<u64> {
    let spec = &variant.profile.spec;
    match of {
        Of::Journal => quantile(spec, needs.journal.iter().map(|it| &it.stream), at),
        of => {
            let data = needs.data.iter();
            quantile(spec, data.filter(|it| it.write == (of == Of::Write)), at)
        }
    }
}

#[cfg(test)]
mod tests {
    use blockyard_catalog::Catalog;

    use super::*;

    #[test]
    fn one_stream_has_the_quantiles_of_its_table() {
        let catalog = Catalog::get().unwrap();
        let gp3 = &catalog.profile("gp3").unwrap().spec;
        let read = Stream {
            write: false,
            iops: 100,
            io_size: 8192,
            sequential: 0,
            skew: None,
        };
        let of = |streams: &[Stream], at| quantile(gp3, streams.iter(), at).unwrap();
        assert_eq!(of(&[read], 0.99), 1_080_000);
        assert_eq!(of(&[read], 0.5), 560_000);
        // 48 KiB beyond the base size, at 200 ns each.
        let large = Stream {
            io_size: 65536,
            ..read
        };
        assert_eq!(of(&[large], 0.5), 569_600);
        // Of two streams, between both.
        let write = Stream {
            write: true,
            ..read
        };
        let both = of(&[read, write], 0.5);
        assert!((560_000..700_000).contains(&both), "{both}");
        assert_eq!(quantile(gp3, [].iter(), 0.5), None);
    }
}
