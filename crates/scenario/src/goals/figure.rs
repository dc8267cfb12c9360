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
    /// Latency in the second with the highest p99, in seconds.
    WorstSecond(Latency),
    /// Transactions a second.
    Tps,
    /// Latency of transactions, in seconds.
    Transaction(Latency),
    /// Transactions that failed, were refused, or wait for an engine that has stopped.
    Undone,
    /// Transactions that clients had been told were committed, and that were lost.
    Lost,
    /// The longest time without a committed transaction, in seconds.
    Outage,
    /// Of a job on a mirror: the longest time in which nothing was done though something was due,
    /// in seconds.
    Unserved,
    /// Of a job on a mirror: bytes that were acknowledged, and that a takeover lost.
    LostBytes,
    /// When the job had done its amount, in seconds.
    Done,
    /// The share of the time in seconds whose p99 was above a number of nanoseconds.
    TimeAbove(u64),
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

const FIGURES: [(&str, Figure); 30] = [
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
    ("worst_second.mean", Figure::WorstSecond(Latency::Mean)),
    ("worst_second.p50", Figure::WorstSecond(Latency::P50)),
    ("worst_second.p95", Figure::WorstSecond(Latency::P95)),
    ("worst_second.p99", Figure::WorstSecond(Latency::P99)),
    ("worst_second.p99_9", Figure::WorstSecond(Latency::P99_9)),
    ("worst_second.max", Figure::WorstSecond(Latency::Max)),
    ("outage", Figure::Unserved),
    ("lost_bytes", Figure::LostBytes),
    ("done", Figure::Done),
    ("transactions.tps", Figure::Tps),
    ("transactions.errors", Figure::Undone),
    ("transactions.lost", Figure::Lost),
    ("transactions.outage", Figure::Outage),
    (
        "transactions.latency.mean",
        Figure::Transaction(Latency::Mean),
    ),
    (
        "transactions.latency.p50",
        Figure::Transaction(Latency::P50),
    ),
    (
        "transactions.latency.p95",
        Figure::Transaction(Latency::P95),
    ),
    (
        "transactions.latency.p99",
        Figure::Transaction(Latency::P99),
    ),
    (
        "transactions.latency.p99_9",
        Figure::Transaction(Latency::P99_9),
    ),
    (
        "transactions.latency.max",
        Figure::Transaction(Latency::Max),
    ),
];

/// The figure that has a latency of its own, between its parentheses.
const TIME_ABOVE: &str = "time_above";

impl Figure {
    pub(super) fn parse(name: &str) -> Result<Self, String> {
        if let Some(latency) = name.strip_prefix(TIME_ABOVE) {
            return time_above(latency);
        }
        let known = FIGURES.iter().find(|(known, _)| *known == name);
        known.map(|(_, figure)| *figure).ok_or_else(|| {
            let known = || FIGURES.iter().map(|(known, _)| *known);
            // The end of a name, `p99`, is no slip of the fingers.
            let longer = known().find(|known| known.rsplit('.').next() == Some(name));
            let hint = match longer {
                Some(longer) => format!("; did you mean `{longer}`?"),
                None => hint(name, known().chain(["time_above(5ms)"])),
            };
            let hint = match hint.is_empty() {
                true => "; known are `iops`, `latency.p99`, `errors` and others".to_owned(),
                false => hint,
            };
            format!("no figure is called `{}`{hint}", shorten(name))
        })
    }

    /// Whether it is of transactions, not of IO.
    #[must_use]
    pub fn is_of_transactions(self) -> bool {
        matches!(
            self,
            Self::Tps | Self::Transaction(_) | Self::Undone | Self::Lost | Self::Outage
        )
    }

    /// Whether it is of a job on a mirror, as a whole.
    pub(super) fn is_of_mirrors(self) -> bool {
        matches!(self, Self::Unserved | Self::LostBytes)
    }

    /// The value that a goal compares this figure with.
    pub(super) fn value(self, text: &str) -> Result<f64, String> {
        match self {
            Self::Latency(_)
            | Self::WorstSecond(_)
            | Self::Transaction(_)
            | Self::Outage
            | Self::Unserved
            | Self::Done => {
                let duration: Duration = text.parse()?;
                Ok(duration.nanos() as f64 / 1e9)
            }
            Self::TimeAbove(_) => share(text),
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
    /// seconds, a share of the time as a part of 1.
    #[must_use]
    pub fn print(self, value: f64) -> String {
        match self {
            Self::Latency(_)
            | Self::WorstSecond(_)
            | Self::Transaction(_)
            | Self::Outage
            | Self::Unserved
            | Self::Done => match value {
                0.0 => "0s".to_owned(),
                0.0..1.0 => format!("{:.3}ms", value * 1e3),
                _ => format!("{value:.3}s"),
            },
            Self::TimeAbove(_) => format!("{:.2}%", value * 1e2),
            Self::MibPerS | Self::Tps => format!("{value:.1}"),
            Self::Ios
            | Self::Bytes
            | Self::Iops
            | Self::Errors
            | Self::Undone
            | Self::Lost
            | Self::LostBytes => format!("{value:.0}"),
        }
    }
}

fn time_above(text: &str) -> Result<Figure, String> {
    let latency = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let Some(latency) = latency else {
        return Err(format!(
            "`{TIME_ABOVE}{}` has no latency; expected one in parentheses, as in \
             `{TIME_ABOVE}(5ms)`",
            shorten(text)
        ));
    };
    let latency: Duration = latency.trim().parse()?;
    Ok(Figure::TimeAbove(latency.nanos()))
}

/// A share of the time, as a part of 1.
fn share(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').map(str::trim_end);
    let is_decimal = |number: &&str| number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let percent = number
        .filter(is_decimal)
        .and_then(|n| n.parse::<f64>().ok());
    let share = percent.map(|percent| percent / 100.0);
    share.filter(|share| *share <= 1.0).ok_or_else(|| {
        format!(
            "`{}` is not a share of the time; expected 0% to 100%, as in `1%`",
            shorten(text)
        )
    })
}
