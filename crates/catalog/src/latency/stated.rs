//! A value together with what it rests on.

use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer, StrDeserializer};
use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How a value was obtained.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Somebody measured it.
    Measured,
    /// The provider states it.
    Published,
    /// Chosen so that the model agrees with what was published or measured.
    Fitted,
    /// Nobody states it.
    Assumed,
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

/// A value and what it rests on. Written as a map with the key `value`, or as
/// the value alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated<T> {
    /// How the value was obtained.
    pub basis: Option<Basis>,
    /// The document that it comes from; in the catalog a key of `sources.yaml`.
    pub source: Option<String>,
    /// Ids of the measurements it comes from.
    pub rows: Vec<String>,
    /// How it follows from these, or why it was chosen.
    pub why: Option<String>,
    /// The value.
    pub value: T,
}

/// A value with its provenance.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Grounded<T> {
    /// How the value was obtained.
    #[serde(skip_serializing_if = "Option::is_none")]
    basis: Option<Basis>,
    /// The document it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// Ids of the measurements it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rows: Vec<String>,
    /// How it follows from these, or why it was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// The value, as it would stand alone.
    value: T,
}

const KEYS: [&str; 5] = ["basis", "source", "rows", "why", "value"];

impl<T> From<T> for Stated<T> {
    fn from(value: T) -> Self {
        Self {
            basis: None,
            source: None,
            rows: Vec::new(),
            why: None,
            value,
        }
    }
}

impl<T: Serialize + Clone> Serialize for Stated<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self {
            basis,
            source,
            rows,
            why,
            value,
        } = self.clone();
        if basis.is_none() && source.is_none() && rows.is_empty() && why.is_none() {
            return value.serialize(serializer);
        }
        let grounded = Grounded {
            basis,
            source,
            rows,
            why,
            value,
        };
        grounded.serialize(serializer)
    }
}

/// By hand, since serde's untagged enums lose the place of an error.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Stated<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueOrGrounded(PhantomData))
    }
}

struct ValueOrGrounded<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ValueOrGrounded<T> {
    type Value = Stated<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Stated<T>, E> {
        T::deserialize(StrDeserializer::new(text)).map(Stated::from)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Stated<T>, A::Error> {
        T::deserialize(SeqAccessDeserializer::new(items)).map(Stated::from)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Stated<T>, A::Error> {
        let first: Option<String> = entries.next_key()?;
        let grounded = first.as_deref().is_some_and(|key| KEYS.contains(&key));
        let map = MapAccessDeserializer::new(Peeked { first, entries });
        if !grounded {
            return T::deserialize(map).map(Stated::from);
        }
        let Grounded {
            basis,
            source,
            rows,
            why,
            value,
        } = Grounded::deserialize(map)?;
        Ok(Stated {
            basis,
            source,
            rows,
            why,
            value,
        })
    }
}

/// A map whose first key has been read.
struct Peeked<A> {
    first: Option<String>,
    entries: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Peeked<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            // The map knew the key's place when it was read, and gives it no more.
            Some(key) => seed
                .deserialize(StrDeserializer::new(&key))
                .map(Some)
                .map_err(|e: A::Error| de::Error::custom(format!("`{key}`: {e}"))),
            None => self.entries.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.entries.next_value_seed(seed)
    }
}

/// In the schema, what a value rests on is described once, whatever the value is.
impl<T: JsonSchema> JsonSchema for Stated<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Stated_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let value = generator.subschema_for::<T>();
        let grounded = generator.subschema_for::<Grounded<Anything>>();
        schemars::json_schema!({"anyOf": [value, grounded]})
    }
}

/// Any value, in the schema.
struct Anything;

impl JsonSchema for Anything {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Anything".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({})
    }
}
