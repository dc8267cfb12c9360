//! Quantiles of latencies by order statistics.

use schemars::JsonSchema;
use serde::Serialize;

use crate::order::ranks;
use crate::trace::{Bin, at_rank};
use crate::{Figure, Verdict};

/// The quantiles of a table between its least and its largest latency.
pub(crate) const QUANTILES: [(&str, f64); 12] = [
    ("p1", 0.01),
    ("p5", 0.05),
    ("p10", 0.10),
    ("p25", 0.25),
    ("p50", 0.50),
    ("p75", 0.75),
    ("p90", 0.90),
    ("p95", 0.95),
    ("p98", 0.98),
    ("p99", 0.99),
    ("p99_9", 0.999),
    ("p99_99", 0.9999),
];

/// A row of a table of latencies.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Quantile {
    /// As a profile names it: `min`, `p99_9`, `max`.
    pub name: String,
    /// Its probability.
    pub probability: f64,
    /// The latency in nanoseconds.
    pub figure: Figure,
}

/// The latencies of IOs of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// In order.
    pub(crate) bins: Vec<Bin>,
    pub(crate) count: u64,
    /// How far a latency may lie from its bin, as a share of it.
    pub(crate) error: f64,
    /// Whether bins are percentiles.
    pub(crate) percentiles: bool,
}

impl Sample {
    pub(crate) fn new(bins: Vec<Bin>, error: f64, percentiles: bool) -> Self {
        let count = bins.iter().map(|bin| bin.count).sum();
        Self {
            bins,
            count,
            error,
            percentiles,
        }
    }

    /// A quantile with the limits that the sample gives it; no value if it only has others.
    pub(crate) fn quantile(&self, p: f64) -> (Option<f64>, Option<f64>, Option<f64>) {
        let (low, high) = ranks(self.count, p);
        let at = |rank| at_rank(&self.bins, rank) as f64;
        let rank = (p * self.count as f64).ceil().max(1.0) as u64;
        let low = match self.percentiles {
            true => low.and_then(|rank| self.below(rank)),
            false => low.map(at),
        };
        let value = match self.percentiles {
            true => self.percentile(rank),
            false => Some(at(rank)),
        };
        (
            value,
            low.map(|nanos| nanos * (1.0 - self.error)),
            high.map(|rank| at(rank) * (1.0 + self.error)),
        )
    }

    /// What the bin with a rank begins at.
    fn below(&self, rank: u64) -> Option<f64> {
        let (mut below, mut before) = (0, None);
        for bin in &self.bins {
            below += bin.count;
            if below >= rank {
                return before;
            }
            before = Some(bin.nanos as f64);
        }
        before
    }

    /// The percentile that a rank is that of, but for rounding: the end of a bin.
    fn percentile(&self, rank: u64) -> Option<f64> {
        let mut below = 0;
        let ends = self.bins.iter().map(|bin| {
            below += bin.count;
            (below.abs_diff(rank), bin.nanos)
        });
        let (off, nanos) = ends.min_by_key(|(off, _)| *off)?;
        (off <= 1).then_some(nanos as f64)
    }

    /// The table: what lies beyond the sample's ranks is that of `base`, within what was seen.
    pub(crate) fn table(&self, base: &[(f64, u64)]) -> Vec<Quantile> {
        let (first, most) = (self.at_end(0.0), self.at_end(1.0));
        // The first of percentiles is the shortest latency if it is that of one IO.
        let least = match self.bins.first() {
            Some(bin) if self.percentiles && bin.count > 1 => at(base, 0.0).min(first),
            _ => first,
        };
        let mut table = vec![self.end("min", 0.0, least)];
        let mut before = least;
        for (name, p) in QUANTILES {
            let (value, low, high) = self.quantile(p);
            let known = value.filter(|_| low.is_some() && high.is_some());
            // Between percentiles, these themselves bound it, or it would push up the next.
            let error = if self.percentiles { self.error } else { 0.0 };
            let within = |nanos: f64| {
                let from = low.map_or(least, |low| low / (1.0 - error));
                let to = high.map_or(most, |high| high / (1.0 + error));
                nanos.clamp(from, to.min(most).max(from))
            };
            let value = known.unwrap_or_else(|| within(at(base, p)));
            before = value.max(before);
            let why = match known {
                Some(_) => String::new(),
                None if self.percentiles => "not among the percentiles in the file".to_owned(),
                None => format!("needs {} IOs", needed(p)),
            };
            table.push(Quantile {
                name: name.to_owned(),
                probability: p,
                figure: Figure {
                    value: Some(before),
                    low,
                    high,
                    verdict: match known {
                        Some(_) => Verdict::Measured,
                        None => Verdict::Bounded,
                    },
                    ios: self.count,
                    why,
                },
            });
        }
        table.push(self.end("max", 1.0, most));
        table
    }

    fn at_end(&self, p: f64) -> f64 {
        let bin = match p {
            0.0 => self.bins.first(),
            _ => self.bins.last(),
        };
        bin.map_or(0.0, |bin| bin.nanos as f64)
    }

    /// What was seen bounds the least and the largest latency from one side only.
    fn end(&self, name: &str, p: f64, value: f64) -> Quantile {
        Quantile {
            name: name.to_owned(),
            probability: p,
            figure: Figure {
                value: Some(value),
                low: (p > 0.5).then_some(value),
                high: (p < 0.5).then_some(value),
                verdict: Verdict::Bounded,
                ios: self.count,
                why: "what was seen".to_owned(),
            },
        }
    }
}

/// The table of a profile, kept.
pub(crate) fn kept(base: &[(f64, u64)], ios: u64, why: &str) -> Vec<Quantile> {
    let row = |&(p, nanos): &(f64, u64)| Quantile {
        name: name(p),
        probability: p,
        figure: Figure {
            value: Some(nanos as f64),
            low: None,
            high: None,
            verdict: Verdict::Kept,
            ios,
            why: why.to_owned(),
        },
    };
    base.iter().map(row).collect()
}

/// A profile's name of a probability: `p99_9`.
fn name(p: f64) -> String {
    match p {
        0.0 => "min".to_owned(),
        1.0 => "max".to_owned(),
        p => {
            let percent = (p * 1e8).round() / 1e6;
            format!("p{percent}").replace('.', "_")
        }
    }
}

/// A quantile of a table, linear between its rows.
pub(crate) fn at(table: &[(f64, u64)], p: f64) -> f64 {
    let next = table.partition_point(|row| row.0 < p).min(table.len() - 1);
    let (b, high) = table[next];
    let (a, low) = table[next.saturating_sub(1)];
    if b <= a {
        return high as f64;
    }
    low as f64 + (high as f64 - low as f64) * (p - a) / (b - a)
}

/// The number of IOs that gives both bounds of a quantile.
fn needed(p: f64) -> u64 {
    let rarer = p.max(1.0 - p);
    (0.025_f64.ln() / rarer.ln()).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bins that end at percentiles of any number of IOs, rounded up or to the nearest.
    #[test]
    fn each_percentile_is_taken_at_its_own_level() {
        let levels = [0.0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0];
        for count in 20_000_u64..20_200 {
            for round in [f64::ceil, f64::round] {
                let ranks = levels.map(|p| (round(p * count as f64) as u64).max(1));
                let bins = (0..levels.len()).map(|place| Bin {
                    nanos: 1000 * (place as u64 + 1),
                    count: ranks[place] - if place > 0 { ranks[place - 1] } else { 0 },
                });
                let sample = Sample::new(bins.collect(), 0.0, true);
                for (place, p) in levels.iter().enumerate().skip(1).take(6) {
                    let (value, low, high) = sample.quantile(*p);
                    let nanos = |place: usize| Some(1000.0 * (place as f64 + 1.0));
                    assert_eq!(value, nanos(place), "p{p} of {count}");
                    assert_eq!(low, nanos(place - 1), "below p{p} of {count}");
                    assert_eq!(high, nanos(place + 1), "above p{p} of {count}");
                }
                assert_eq!(sample.quantile(0.75).0, None);
            }
        }
    }
}
