//! Named latency profiles, each value with what it rests on.

use blockyard_model::spec::{LatencySpec, QuantileTable, SlowState};
use indexmap::IndexMap;
use serde::Deserialize;

use super::source::Sources;
use crate::units::{Duration, Size};

/// A profile as `latency.yaml` has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileText {
    read: Stated<IndexMap<String, Duration>>,
    write: Stated<IndexMap<String, Duration>>,
    base_size: Stated<Size>,
    per_kib: Stated<Duration>,
    slow: Stated<Vec<SlowText>>,
    unfairness: Stated<f64>,
}

/// A value and what it rests on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stated<T> {
    basis: Basis,
    source: Option<String>,
    why: String,
    value: T,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Basis {
    Measured,
    Published,
    Fitted,
    Assumed,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SlowText {
    times: f64,
    mean: Duration,
}

/// A latency profile.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    /// What the model draws from.
    pub(crate) spec: LatencySpec,
    /// The mean extra delay of a delayed IO as a share of the time a limit
    /// held it, in 1/1000, where several queues use a volume.
    pub(crate) unfairness_permille: u32,
    /// What each value rests on, in the file's order.
    pub(crate) basis: Vec<String>,
}

impl ProfileText {
    pub(super) fn profile(&self, sources: &Sources) -> Result<Profile, String> {
        let basis = vec![
            self.read.basis("read", sources)?,
            self.write.basis("write", sources)?,
            self.base_size.basis("base_size", sources)?,
            self.per_kib.basis("per_kib", sources)?,
            self.slow.basis("slow", sources)?,
            self.unfairness.basis("unfairness", sources)?,
        ];
        let slow = self.slow.value.iter().map(SlowText::state);
        Ok(Profile {
            spec: LatencySpec {
                read: quantiles(&self.read.value).map_err(|m| format!("read: {m}"))?,
                write: quantiles(&self.write.value).map_err(|m| format!("write: {m}"))?,
                base_size: self.base_size.value.bytes(),
                per_kib: self.per_kib.value.nanos(),
                slow: slow
                    .collect::<Result<_, _>>()
                    .map_err(|m| format!("slow: {m}"))?,
            },
            unfairness_permille: permille(self.unfairness.value)
                .map_err(|m| format!("unfairness: {m}"))?,
            basis,
        })
    }
}

impl<T> Stated<T> {
    fn basis(&self, field: &str, sources: &Sources) -> Result<String, String> {
        let word = match self.basis {
            Basis::Measured => "measured",
            Basis::Published => "published",
            Basis::Fitted => "fitted",
            Basis::Assumed => "assumed",
        };
        match &self.source {
            Some(key) => {
                sources.check(key)?;
                let source = sources.cite(key);
                Ok(format!("{field} {word}: {} ({source})", self.why))
            }
            None if self.basis == Basis::Assumed => Ok(format!("{field} {word}: {}", self.why)),
            None => Err(format!("{field}: `{word}` needs a `source`")),
        }
    }
}

impl SlowText {
    fn state(&self) -> Result<SlowState, String> {
        let multiplier_permille = permille(self.times)?;
        if multiplier_permille == 0 || self.mean.nanos() == 0 {
            return Err("`times` and `mean` must be above 0".into());
        }
        Ok(SlowState {
            multiplier_permille,
            mean: self.mean.nanos(),
        })
    }
}

/// A factor in 1/1000.
fn permille(factor: f64) -> Result<u32, String> {
    if !(0.0..=1000.0).contains(&factor) {
        return Err(format!("{factor} is out of range; expected 0 to 1000"));
    }
    Ok((factor * 1000.0).round() as u32)
}

/// Checks that a table rises, from `min` to `max`.
fn quantiles(text: &IndexMap<String, Duration>) -> Result<QuantileTable, String> {
    let table: QuantileTable = text
        .iter()
        .map(|(name, latency)| Ok((probability(name)?, latency.nanos())))
        .collect::<Result<_, String>>()?;
    let rises = table
        .windows(2)
        .all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1);
    let ends = (table.first().map(|p| p.0), table.last().map(|p| p.0));
    if !rises || ends != (Some(0.0), Some(1.0)) {
        return Err("expected latencies that rise from `min` to `max`".into());
    }
    Ok(table)
}

/// `p99_9` is 0.999, `min` 0 and `max` 1.
fn probability(name: &str) -> Result<f64, String> {
    let percent = match name {
        "min" => Some(0.0),
        "max" => Some(100.0),
        _ => name
            .strip_prefix('p')
            .and_then(|percent| percent.replace('_', ".").parse().ok())
            .filter(|percent: &f64| (0.0..=100.0).contains(percent)),
    };
    percent.map(|percent| percent / 100.0).ok_or_else(|| {
        format!("`{name}` is not a quantile; expected `min`, `p50`, `p99_9` or `max`")
    })
}
