//! Puts trees together: one file's values in another's place.

use super::{Node, Value, segments};

impl Node {
    /// The node at a dotted path.
    #[must_use]
    pub fn at(&self, path: &str) -> Option<&Self> {
        segments(path).try_fold(self, |node, segment| Some(node.child(segment)?.1))
    }

    /// Makes it a text, from the same place.
    pub fn set_text(&mut self, text: String) {
        self.value = Value::Scalar { text, quoted: true };
    }

    /// Puts `node`, which keeps its own places, where `path` leads. Without effect if
    /// nothing stands there.
    pub fn replace(&mut self, path: &str, node: Self) {
        let found = segments(path).try_fold(self, |node, segment| match &mut node.value {
            Value::Map(entries) => {
                let mut entries = entries.iter_mut();
                let (_, child) = entries.find(|(key, _)| key.name == segment)?;
                Some(child)
            }
            Value::List(items) => items.get_mut(segment.parse::<usize>().ok()?),
            Value::Null | Value::Scalar { .. } => None,
        });
        if let Some(place) = found {
            *place = node;
        }
    }

    /// Gives a map what it does not have of the entries of `base`, which keep their places.
    pub fn complete_from(&mut self, base: Self) {
        if let (Value::Map(mine), Value::Map(theirs)) = (&mut self.value, base.value) {
            for (key, node) in theirs {
                if mine.iter().all(|(known, _)| known.name != key.name) {
                    mine.push((key, node));
                }
            }
        }
    }

    /// Takes the entry `key` out of a map.
    pub fn remove(&mut self, key: &str) {
        if let Value::Map(entries) = &mut self.value {
            entries.retain(|(known, _)| known.name != key);
        }
    }
}
