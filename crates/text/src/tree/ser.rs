//! Turns a value back into a tree; each node takes its origin from the tree
//! that the value was read from.

use serde::Serialize;
use serde_json::Value as Json;

use super::{Key, Node, Origin, Value};

/// The tree of `value`. A node that is also in `source` has its origin from
/// there; the others are defaults.
///
/// # Errors
/// `value` has a map whose keys are not text, or its own serialisation fails.
pub fn to_node<T: Serialize>(value: &T, source: &Node) -> Result<Node, serde_json::Error> {
    Ok(convert(serde_json::to_value(value)?, Some(source)))
}

fn convert(json: Json, source: Option<&Node>) -> Node {
    let child = |segment: &str| source.and_then(|node| node.child(segment));
    let value = match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => plain(flag.to_string()),
        Json::Number(number) => plain(number.to_string()),
        Json::String(text) => Value::Scalar { text, quoted: true },
        Json::Array(items) => {
            let items = items.into_iter().enumerate();
            let convert = |(index, item)| convert(item, child(&format!("{index}")).map(|c| c.1));
            Value::List(items.map(convert).collect())
        }
        Json::Object(entries) => {
            let entries = entries.into_iter().map(|(name, value)| {
                let found = child(&name);
                let origin = found.and_then(|(key, _)| key).map(|key| &key.origin);
                let origin = origin.cloned().unwrap_or(Origin::Default);
                (Key { name, origin }, convert(value, found.map(|c| c.1)))
            });
            Value::Map(entries.collect())
        }
    };
    let origin = source.map_or(Origin::Default, |node| node.origin.clone());
    Node { value, origin }
}

fn plain(text: String) -> Value {
    Value::Scalar {
        text,
        quoted: false,
    }
}
