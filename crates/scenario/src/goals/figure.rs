//! The figures of a result that goals can name.

use blockyard_text::hint;
use blockyard_text::shorten;

use crate::units::Duration;

/// A figure of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// IOs.
    Ios,
    /// Bytes.
    Bytes,
    /// IOs a second.
    Iops,
    /// MiB a second.
    MibPerS,
    /// Failed IOs.
    Errors,
    /// Latency, in seconds.
    Latency(Latency),
}

/// A statistic of the latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    /// Mean.
    Mean,
    /// Median.
    P50,
    /// 95th percentile.
    P95,
    /// 99th percentile.
    P99,
    /// 99.9th percentile.
    P99_9,
    /// Longest.
    Max,
}

const FIGURES: [(&str, Figure); 11] = [
    ("iops", Figure::Iops),
    ("mib_per_s", Figure::MibPerS),
    ("ios", Figure::Ios),
    ("bytes", Figure::Bytes),
    ("errors", Figure::Errors),
    ("latency.mean", Figure::Latency(Latency::Mean)),
    ("latency.p50", Figure::Latency(Latency::P50)),
    ("latency.p95", Figure::Latency(Latency::P95)),
    ("latency.p99", Figure::Latency(Latency::P99)),
    ("latency.p99_9", Figure::Latency(Latency::P99_9)),
    ("latency.max", Figure::Latency(Latency::Max)),
];

impl Figure {
    pub(super) fn parse(name: &str) -> Result<Self, String> {
        let known = FIGURES.iter().find(|(known, _)| *known == name);
        known.map(|(_, figure)| *figure).ok_or_else(|| {
            let hint = hint(name, FIGURES.iter().map(|(known, _)| *known));
            format!("no figure is called `{}`{hint}", shorten(name))
        })
    }

    /// The value that a goal compares this figure with.
    pub(super) fn value(self, text: &str) -> Result<f64, String> {
        match self {
            Self::Latency(_) => {
                let duration: Duration = text.parse()?;
                Ok(duration.nanos() as f64 / 1e9)
            }
            _ => {
                let decimal = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
                let number = text.parse().ok().filter(|_| decimal);
                number.ok_or_else(|| {
                    format!(
                        "`{}` is not a number; expected one without unit, as in `60000`",
                        shorten(text)
                    )
                })
            }
        }
    }

    /// A value of this figure for people to read; a latency's is given in
    /// seconds.
    #[must_use]
    pub fn print(self, value: f64) -> String {
        match self {
            Self::Latency(_) => format!("{:.3}ms", value * 1e3),
            Self::MibPerS => format!("{value:.1}"),
            Self::Ios | Self::Bytes | Self::Iops | Self::Errors => format!("{value:.0}"),
        }
    }
}
