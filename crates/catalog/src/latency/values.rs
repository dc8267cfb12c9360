//! The values of a profile, each checked when it is read.

use std::fmt;

use blockyard_model::spec::{PerKib, QuantileTable, SlowState};
use blockyard_text::units::Duration;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The longest latency of a profile, and the most for one KiB: beyond any storage, and
/// short enough that no product in the model overflows.
const LONGEST: Duration = Duration::new(100_000_000_000);
const MOST_PER_KIB: Duration = Duration::new(1_000_000);

/// Latency quantiles by name: `min`, `p1`, `p50`, `p99_9`, `max`. Latencies rise with the names; in
/// between they are interpolated linearly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "IndexMap<String, Duration>")]
pub struct Quantiles(IndexMap<String, Duration>);

impl TryFrom<IndexMap<String, Duration>> for Quantiles {
    type Error = String;

    fn try_from(text: IndexMap<String, Duration>) -> Result<Self, String> {
        let mut last: Option<(&str, f64, Duration)> = None;
        for (name, &latency) in &text {
            let probability = probability(name)?;
            if latency > LONGEST {
                return Err(format!(
                    "{name} of `{latency}` is too long; expected at most {LONGEST}"
                ));
            }
            if let Some((before, lower, shorter)) = last {
                if probability <= lower {
                    return Err(format!("`{name}` stands after `{before}`; expected rising"));
                }
                if latency < shorter {
                    return Err(format!(
                        "{name} of `{latency}` is below the {shorter} of {before}; expected rising"
                    ));
                }
            }
            last = Some((name, probability, latency));
        }
        let ends = (text.keys().next(), text.keys().last());
        if ends != (Some(&"min".to_owned()), Some(&"max".to_owned())) {
            return Err("expected quantiles from `min` to `max`".into());
        }
        Ok(Self(text))
    }
}

impl Quantiles {
    /// The quantiles with their names, in rising order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Duration)> {
        self.0
            .iter()
            .map(|(name, latency)| (name.as_str(), *latency))
    }

    pub(super) fn table(&self) -> QuantileTable {
        // The names were checked when they were read.
        let point = |(name, latency): (&str, Duration)| Some((probability(name).ok()?, latency));
        let points = self.iter().filter_map(point);
        points
            .map(|(share, latency)| (share, latency.nanos()))
            .collect()
    }
}

/// `p99_9` is 0.999, `min` 0 and `max` 1.
fn probability(name: &str) -> Result<f64, String> {
    let percent = match name {
        "min" => Some(0.0),
        "max" => Some(100.0),
        _ => name
            .strip_prefix('p')
            .and_then(|percent| percent.replace('_', ".").parse().ok())
            .filter(|percent: &f64| (0.0..100.0).contains(percent) && *percent > 0.0),
    };
    percent.map(|percent| percent / 100.0).ok_or_else(|| {
        format!("`{name}` is not a quantile; expected `min`, `p50`, `p99_9` or `max`")
    })
}

/// What an IO takes longer for each KiB beyond the size that the quantiles are for: one
/// duration, or one for reads and one for writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slope {
    /// Of a read.
    pub read: Duration,
    /// Of a write.
    pub write: Duration,
}

/// One duration for reads, one for writes.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Slope")]
struct Each {
    /// Of a read.
    read: Duration,
    /// Of a write.
    write: Duration,
}

impl Slope {
    pub(super) fn per_kib(self) -> PerKib {
        PerKib {
            read: self.read.nanos(),
            write: self.write.nanos(),
        }
    }
}

impl Serialize for Slope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { read, write } = *self;
        if read == write {
            return read.serialize(serializer);
        }
        Each { read, write }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Slope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let slope = deserializer.deserialize_any(OneOrEach)?;
        let steepest = slope.read.max(slope.write);
        if steepest > MOST_PER_KIB {
            return Err(de::Error::custom(format!(
                "`{steepest}` is too long for a KiB; expected at most {MOST_PER_KIB}"
            )));
        }
        Ok(slope)
    }
}

struct OneOrEach;

impl<'de> Visitor<'de> for OneOrEach {
    type Value = Slope;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration, or a map of `read` and `write`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Slope, E> {
        let both = text.parse().map_err(E::custom)?;
        Ok(Slope {
            read: both,
            write: both,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Slope, A::Error> {
        let Each { read, write } = Each::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Slope { read, write })
    }
}

impl JsonSchema for Slope {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Slope".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let both = generator.subschema_for::<Duration>();
        let each = generator.subschema_for::<Each>();
        schemars::json_schema!({"anyOf": [both, each]})
    }

    fn inline_schema() -> bool {
        true
    }
}

/// A state that a volume passes through in turn, which multiplies its latencies; default: none.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowPhase {
    /// Factor of latencies.
    pub times: Factor,
    /// Mean duration of the state, exponentially distributed.
    pub mean: Stay,
}

/// A factor above 0, at most 1000, in steps of 0.001.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "f64")]
pub struct Factor(f64);

impl TryFrom<f64> for Factor {
    type Error = String;

    fn try_from(factor: f64) -> Result<Self, String> {
        if !(0.001..=1000.0).contains(&factor) {
            return Err(format!(
                "`{factor}` is out of range; expected 0.001 to 1000"
            ));
        }
        Ok(Self(factor))
    }
}

impl Factor {
    /// In 1/1000.
    #[must_use]
    pub fn permille(self) -> u32 {
        (self.0 * 1000.0).round() as u32
    }
}

/// A time above 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Duration")]
pub struct Stay(Duration);

impl TryFrom<Duration> for Stay {
    type Error = String;

    fn try_from(stay: Duration) -> Result<Self, String> {
        if stay.nanos() == 0 {
            return Err("`0s` is no stay; expected a time above 0".into());
        }
        Ok(Self(stay))
    }
}

impl SlowPhase {
    pub(super) fn state(self) -> SlowState {
        SlowState {
            multiplier_permille: self.times.permille(),
            mean: self.mean.0.nanos(),
        }
    }
}
