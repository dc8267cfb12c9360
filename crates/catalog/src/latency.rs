//! Named latency profiles, each value with what it rests on.

use blockyard_model::spec::{LatencySpec, QuantileTable, SlowState};
use blockyard_text::units::{Duration, Size};
use indexmap::IndexMap;
use serde::Deserialize;

use crate::Catalog;
use crate::source::{Source, Sources};

/// A profile as `latency.yaml` has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileText {
    read: Stated<IndexMap<String, Duration>>,
    write: Stated<IndexMap<String, Duration>>,
    /// Both or neither.
    sequential_read: Option<Stated<IndexMap<String, Duration>>>,
    sequential_write: Option<Stated<IndexMap<String, Duration>>>,
    base_size: Stated<Size>,
    per_kib: Stated<Duration>,
    slow: Stated<Vec<SlowText>>,
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

/// How a value was obtained.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Somebody measured it.
    Measured,
    /// The provider states it.
    Published,
    /// It was chosen to make the model agree with what was published or
    /// measured.
    Fitted,
    /// Nobody states it.
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
pub struct Profile {
    /// What the model draws from.
    pub spec: LatencySpec,
    /// What each value rests on, in the file's order.
    grounds: Vec<Grounds>,
}

/// What a value of a profile rests on.
#[derive(Clone, Debug)]
pub struct Grounds {
    /// The value's name, `per_kib`.
    pub field: &'static str,
    /// How it was obtained.
    pub basis: Basis,
    /// From what, or why.
    pub why: String,
    /// Key of the source.
    source: Option<String>,
}

impl Profile {
    /// What each value rests on, in the file's order.
    #[must_use]
    pub fn grounds(&self) -> &[Grounds] {
        &self.grounds
    }
}

impl Grounds {
    /// The source, if there is one.
    #[must_use]
    pub fn source<'a>(&self, catalog: &'a Catalog) -> Option<&'a Source> {
        catalog.sources.get(self.source.as_ref()?)
    }
}

impl ProfileText {
    pub(super) fn profile(&self, sources: &Sources) -> Result<Profile, String> {
        let mut grounds = vec![
            self.read.grounds("read", sources)?,
            self.write.grounds("write", sources)?,
        ];
        let sequential = match (&self.sequential_read, &self.sequential_write) {
            (None, None) => None,
            (Some(read), Some(write)) => {
                grounds.push(read.grounds("sequential_read", sources)?);
                grounds.push(write.grounds("sequential_write", sources)?);
                let read = quantiles(&read.value).map_err(|m| format!("sequential_read: {m}"))?;
                let write =
                    quantiles(&write.value).map_err(|m| format!("sequential_write: {m}"))?;
                Some([read, write])
            }
            _ => {
                return Err("expected `sequential_read` and `sequential_write`, or neither".into());
            }
        };
        grounds.extend([
            self.base_size.grounds("base_size", sources)?,
            self.per_kib.grounds("per_kib", sources)?,
            self.slow.grounds("slow", sources)?,
        ]);
        let slow = self.slow.value.iter().map(SlowText::state);
        Ok(Profile {
            spec: LatencySpec {
                read: quantiles(&self.read.value).map_err(|m| format!("read: {m}"))?,
                write: quantiles(&self.write.value).map_err(|m| format!("write: {m}"))?,
                sequential,
                base_size: self.base_size.value.bytes(),
                per_kib: self.per_kib.value.nanos(),
                slow: slow
                    .collect::<Result<_, _>>()
                    .map_err(|m| format!("slow: {m}"))?,
            },
            grounds,
        })
    }
}

impl<T> Stated<T> {
    fn grounds(&self, field: &'static str, sources: &Sources) -> Result<Grounds, String> {
        match &self.source {
            Some(key) => sources.check(key)?,
            None if self.basis == Basis::Assumed => {}
            None => return Err(format!("{field}: `{}` needs a `source`", self.basis.name())),
        }
        Ok(Grounds {
            field,
            basis: self.basis,
            why: self.why.clone(),
            source: self.source.clone(),
        })
    }
}

impl Basis {
    /// Its name, `measured`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Published => "published",
            Self::Fitted => "fitted",
            Self::Assumed => "assumed",
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
