//! A YAML document as a tree whose every node knows where it came from.
//!
//! Three steps use it: [`parse`] reads a file, [`Node::set`] applies
//! `--set path=value`, and [`from_node`] runs serde over the result, so that
//! every error names its place. Scalars stay text until a type asks for them:
//! the field, not YAML, decides what `16000` means.

mod de;
mod emit;
mod enums;
mod fault;
mod graft;
mod meant;
mod read;
mod scalar;
mod ser;
mod set;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

pub use de::from_node;
pub use read::{parse, parse_made};
pub use ser::to_node;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file.
    File {
        /// The name as the user gave it.
        file: Arc<str>,
        /// From 1.
        line: usize,
        /// From 1, in characters.
        column: usize,
    },
    /// A `--set` on the command line.
    Set,
    /// The schema's default.
    Default,
}

/// Prints `b080.yaml:17`, `--set` or `default`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, line, .. } => write!(f, "{file}:{line}"),
            Self::Set => f.write_str("--set"),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The value.
    pub(crate) value: Value,
    /// Where it stands.
    pub origin: Origin,
}

/// A YAML value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Nothing, `null` or `~`.
    Null,
    /// Text, a number or a quantity: the requested type decides.
    Scalar {
        /// The text, without quotes.
        text: String,
        /// Whether it was quoted or in a block, and so can only be text.
        quoted: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A map in the document's order, without duplicate keys.
    Map(Vec<(Key, Node)>),
}

/// A map's key and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// The key.
    pub(crate) name: String,
    /// Where it stands.
    pub(crate) origin: Origin,
}

impl Node {
    /// Where the value at a dotted path stands; for a path that is not in the
    /// tree (a default), where its nearest existing parent stands.
    ///
    /// For maps and lists that is the place of their key, which is what a
    /// reader looks for.
    #[must_use]
    pub fn locate(&self, path: &str) -> Origin {
        let (mut node, mut place) = (self, &self.origin);
        for segment in segments(path) {
            let Some((key, child)) = node.child(segment) else {
                break;
            };
            place = child.place_under(key);
            node = child;
        }
        place.clone()
    }

    /// Where errors about this node point, given the key that it belongs to.
    fn place_under<'a>(&'a self, key: Option<&'a Key>) -> &'a Origin {
        match (&self.value, key) {
            (Value::Scalar { .. }, _) | (_, None) => &self.origin,
            (_, Some(key)) => &key.origin,
        }
    }

    fn child(&self, segment: &str) -> Option<(Option<&Key>, &Node)> {
        match &self.value {
            Value::Map(entries) => entries
                .iter()
                .find(|(key, _)| key.name == segment)
                .map(|(key, node)| (Some(key), node)),
            Value::List(items) => {
                let index: usize = segment.parse().ok()?;
                items.get(index).map(|node| (None, node))
            }
            Value::Null | Value::Scalar { .. } => None,
        }
    }
}

impl Value {
    /// How an error names the value: the scalar in backticks, or its shape.
    fn describe(&self) -> String {
        match self {
            Self::Null => "no value".to_owned(),
            Self::Scalar { text, .. } => format!("`{}`", shorten(text)),
            Self::List(_) => "a list".to_owned(),
            Self::Map(_) => "a map".to_owned(),
        }
    }
}

fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('.').filter(|segment| !segment.is_empty())
}

/// At most 60 characters, so that an error stays readable.
pub fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
