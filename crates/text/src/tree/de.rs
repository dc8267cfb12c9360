//! serde over the tree, so that every error has its place.
//!
//! Rules that hold for every type:
//! - A scalar has no type of its own; the field asks for a number, a boolean
//!   or text. A type that takes text or a map sees any scalar as text.
//! - Where a list is expected, a scalar is a list of one.
//! - A null is an absent optional value.
//! - [`super::enums`] says how a map becomes an enum.
//!
//! `flatten` and untagged enums must not be used by types read through here:
//! serde buffers their content, and its places are lost.

use serde::Deserializer;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::fault::Fault;
use super::{Key, Node, Origin, Value, enums, scalar};
use crate::Error;
use crate::nearest::quoted_list;

/// Reads a `T` from the tree.
///
/// # Errors
/// The first key or value that does not fit `T`, with its place, its path
/// from `node` down, and what was expected.
pub fn from_node<T: DeserializeOwned>(node: &Node) -> Result<T, Error> {
    T::deserialize(NodeReader { node, hidden: None }).map_err(|f| f.into_error(&node.origin))
}

/// Offers one node to serde.
#[derive(Clone, Copy)]
pub(super) struct NodeReader<'a> {
    pub(super) node: &'a Node,
    /// A key that is already consumed: the tag that chose an enum's variant.
    pub(super) hidden: Option<&'static str>,
}

impl<'a> NodeReader<'a> {
    fn text(self) -> Result<&'a str, Fault> {
        match &self.node.value {
            Value::Scalar { text, .. } => Ok(text),
            other => Err(Fault::new(format!(
                "expected text, found {}",
                other.describe()
            ))),
        }
    }

    fn entries(self, fields: &[&str]) -> Result<Entries<'a>, Fault> {
        match &self.node.value {
            Value::Map(entries) => Ok(Entries {
                rest: entries.iter(),
                hidden: self.hidden,
                value: None,
            }),
            other if fields.is_empty() => Err(Fault::new(format!(
                "expected a map, found {}",
                other.describe()
            ))),
            other => Err(Fault::new(format!(
                "expected a map of {}, found {}",
                quoted_list(fields),
                other.describe()
            ))),
        }
    }
}

/// One method for each integer type: the range is checked here, so that the
/// message can state it.
macro_rules! whole_numbers {
    ($($method:ident $visit:ident $type:ty,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            let (min, max) = (i128::from(<$type>::MIN), i128::from(<$type>::MAX));
            let number = scalar::whole(self.node, min, max).map_err(Fault::new)?;
            let number = <$type>::try_from(number).map_err(|e| Fault::new(e.to_string()))?;
            visitor.$visit(number)
        }
    )*};
}

impl<'de> Deserializer<'de> for NodeReader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.node.value {
            Value::Null => visitor.visit_unit(),
            Value::Scalar { text, .. } => visitor.visit_str(text),
            Value::List(_) => self.deserialize_seq(visitor),
            Value::Map(_) => self.deserialize_map(visitor),
        }
    }

    whole_numbers! {
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_f64(scalar::decimal(self.node).map_err(Fault::new)?)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_bool(scalar::boolean(self.node).map_err(Fault::new)?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.node.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match &self.node.value {
            Value::List(items) => visitor.visit_seq(Items::new(items)),
            Value::Scalar { .. } => visitor.visit_seq(One(Some(self.node))),
            other => Err(Fault::new(format!(
                "expected a list, found {}",
                other.describe()
            ))),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(self.entries(&[])?)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_map(self.entries(fields)?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_enum(enums::choose(self.node, name, variants)?)
    }

    forward_to_deserialize_any! {
        i128 u128 f32 char bytes byte_buf unit unit_struct tuple tuple_struct
        identifier ignored_any
    }
}

/// The entries of a map.
struct Entries<'a> {
    rest: std::slice::Iter<'a, (Key, Node)>,
    hidden: Option<&'static str>,
    /// The entry whose key serde has taken.
    value: Option<&'a (Key, Node)>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        let hidden = self.hidden;
        let Some(entry) = self.rest.find(|(key, _)| Some(key.name.as_str()) != hidden) else {
            return Ok(None);
        };
        self.value = Some(entry);
        let name: StrDeserializer<'_, Fault> = entry.0.name.as_str().into_deserializer();
        seed.deserialize(name)
            .map(Some)
            .map_err(|fault| fault.within(&entry.0.name, &entry.0.origin))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let Some((key, node)) = self.value.take() else {
            return Err(Fault::new("a value was asked for before its key"));
        };
        seed.deserialize(NodeReader { node, hidden: None })
            .map_err(|fault| fault.within(&key.name, node.place_under(Some(key))))
    }
}

/// The items of a list.
struct Items<'a> {
    items: std::iter::Enumerate<std::slice::Iter<'a, Node>>,
}

impl<'a> Items<'a> {
    fn new(items: &'a [Node]) -> Self {
        Self {
            items: items.iter().enumerate(),
        }
    }
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let Some((index, node)) = self.items.next() else {
            return Ok(None);
        };
        seed.deserialize(NodeReader { node, hidden: None })
            .map(Some)
            .map_err(|fault| fault.within(index.to_string(), &node.origin))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// A scalar in place of a list.
struct One<'a>(Option<&'a Node>);

impl<'de> SeqAccess<'de> for One<'de> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        self.0
            .take()
            .map(|node| seed.deserialize(NodeReader { node, hidden: None }))
            .transpose()
    }
}

/// The place of a node under an optional key, for the enum reader.
pub(super) fn entry<'a>(node: &'a Node, name: &str) -> Option<(&'a Node, &'a Origin)> {
    node.child(name)
        .map(|(key, child)| (child, child.place_under(key)))
}
