//! A value of an axis, as `--set` takes it.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A value of any kind, as YAML on one line: `3000`, `gp3`, `[1, 2]`, `{type: gp3}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct AxisValue(pub String);

impl fmt::Display for AxisValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for AxisValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Flow).map(Self)
    }
}

/// Writes what it visits as YAML.
struct Flow;

impl<'de> Visitor<'de> for Flow {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<String, E> {
        Ok("null".to_owned())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Ok(scalar(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<String, A::Error> {
        let mut texts = Vec::new();
        while let Some(AxisValue(text)) = items.next_element()? {
            texts.push(text);
        }
        Ok(format!("[{}]", texts.join(", ")))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<String, A::Error> {
        let mut texts = Vec::new();
        while let Some((key, AxisValue(value))) = entries.next_entry::<String, _>()? {
            texts.push(format!("{}: {value}", scalar(&key)));
        }
        Ok(format!("{{{}}}", texts.join(", ")))
    }
}

/// Text as YAML, in quotes only where it would be read as something else.
pub(crate) fn scalar(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._/%+-".contains(c);
    let begins = |c: char| c.is_alphanumeric() || "./".contains(c);
    match text.chars().all(plain) && text.starts_with(begins) {
        true => text.to_owned(),
        // What JSON quotes, YAML reads.
        false => serde_json::Value::from(text).to_string(),
    }
}

impl JsonSchema for AxisValue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "AxisValue".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({})
    }
}
