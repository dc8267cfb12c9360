//! The seeds of each combination.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The most seeds of a combination.
const MOST: u64 = 100_000;

/// The seeds of each combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// So many, from the scenario's own on.
    Count(u64),
    /// These.
    These(Vec<u64>),
}

impl Seeds {
    pub(crate) fn check(&self) -> Result<(), String> {
        let count = match self {
            Self::Count(count) => *count,
            Self::These(seeds) => seeds.len() as u64,
        };
        match count {
            0 => Err("none; expected at least one".to_owned()),
            1..=MOST => Ok(()),
            _ => Err(format!("{count}; expected at most {MOST}")),
        }
    }

    /// The seeds, for a scenario whose own is `first`.
    pub(crate) fn all(&self, first: u64) -> Vec<u64> {
        match self {
            Self::Count(count) => (0..*count)
                .map(|further| first.wrapping_add(further))
                .collect(),
            Self::These(seeds) => seeds.clone(),
        }
    }
}

/// By hand, since a scalar would else be a list of one.
impl<'de> Deserialize<'de> for Seeds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CountOrList)
    }
}

struct CountOrList;

impl<'de> Visitor<'de> for CountOrList {
    type Value = Seeds;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of seeds or a list of them")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Seeds, E> {
        text.parse().map(Seeds::Count).map_err(|_| {
            E::custom(format!(
                "`{text}` is not a number of seeds; expected a whole number or a list"
            ))
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Seeds, A::Error> {
        let mut seeds = Vec::new();
        while let Some(seed) = items.next_element()? {
            seeds.push(seed);
        }
        Ok(Seeds::These(seeds))
    }
}

impl JsonSchema for Seeds {
    fn schema_name() -> Cow<'static, str> {
        "Seeds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({
            "anyOf": [
                {"type": "integer", "minimum": 1},
                {"type": "array", "items": {"type": "integer", "minimum": 0}},
            ],
        })
    }
}
