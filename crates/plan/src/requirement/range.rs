//! A number of a requirement: one value, or a range with what is most likely.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use blockyard_text::shorten;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// One value, or `{low, mid, high}` where it is not known for certain: `mid` is the most likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncertain<T> {
    /// Minimum.
    pub low: T,
    /// Most likely value.
    pub mid: T,
    /// Maximum.
    pub high: T,
}

impl<T: PartialEq> Uncertain<T> {
    /// Whether it is one value.
    pub fn is_certain(&self) -> bool {
        self.low == self.high
    }
}

impl<T: Copy> From<T> for Uncertain<T> {
    fn from(value: T) -> Self {
        Self {
            low: value,
            mid: value,
            high: value,
        }
    }
}

/// A range, as it is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Range<T> {
    /// Minimum.
    low: T,
    /// Most likely value.
    mid: T,
    /// Maximum.
    high: T,
}

/// By hand, since serde's untagged enums lose the place of an error.
impl<'de, T> Deserialize<'de> for Uncertain<T>
where
    T: Deserialize<'de> + FromStr<Err = String> + Copy + Ord + fmt::Display,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrRange(PhantomData))
    }
}

struct OneOrRange<T>(PhantomData<T>);

impl<'de, T> Visitor<'de> for OneOrRange<T>
where
    T: Deserialize<'de> + FromStr<Err = String> + Copy + Ord + fmt::Display,
{
    type Value = Uncertain<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value, or a map of `low`, `mid` and `high`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        let value: T = text.parse().map_err(E::custom)?;
        Ok(value.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let Range { low, mid, high } = Range::<T>::deserialize(MapAccessDeserializer::new(map))?;
        if low <= mid && mid <= high {
            return Ok(Uncertain { low, mid, high });
        }
        Err(de::Error::custom(format!(
            "low {low}, mid {mid}, high {high} do not rise; expected low <= mid <= high"
        )))
    }
}

impl<T: JsonSchema> JsonSchema for Uncertain<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Uncertain_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one = generator.subschema_for::<T>();
        let range = generator.subschema_for::<Range<T>>();
        schemars::json_schema!({"anyOf": [one, range]})
    }
}

/// IOs a second, written `60000` or `60000/s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Iops(pub u64);

/// The most IOs a second that a requirement may have: far beyond any instance, and small enough
/// that no product overflows.
const MOST_IOPS: u64 = 1_000_000_000;

impl FromStr for Iops {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shown = shorten(text);
        if text.ends_with("B/s") {
            return Err(format!(
                "`{shown}` is a throughput, not IOs a second; write `throughput: {shown}`"
            ));
        }
        let digits = text.strip_suffix("/s").unwrap_or(text);
        let number = digits.parse::<u64>().ok();
        match number.filter(|iops| (1..=MOST_IOPS).contains(iops)) {
            Some(iops) => Ok(Self(iops)),
            None => Err(format!(
                "`{shown}` is no number of IOs a second; expected 1 to 1000000000, as in `60000`"
            )),
        }
    }
}

impl fmt::Display for Iops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl<'de> Deserialize<'de> for Iops {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(de::Error::custom)
    }
}

impl JsonSchema for Iops {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Iops".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "IOs a second, as in `60000`",
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": MOST_IOPS},
                {"type": "string", "pattern": "^[0-9]+(/s)?$"},
            ],
        })
    }
}
