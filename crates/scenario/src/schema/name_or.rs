//! A name of something, or the thing itself.

use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Either a name (text) or what a name would stand for (a map).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "NameOr_{T}")]
pub enum NameOr<T> {
    /// A name.
    Name(String),
    /// The thing itself.
    Given(T),
}

/// By hand, since serde's untagged enums lose the place of an error.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for NameOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrMap(PhantomData))
    }
}

struct TextOrMap<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for TextOrMap<T> {
    type Value = NameOr<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name or a map")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<NameOr<T>, E> {
        Ok(NameOr::Name(name.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NameOr<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(NameOr::Given)
    }
}
