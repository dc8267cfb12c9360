//! How a map or a word stands for a variant of an enum.
//!
//! One rule, for every enum:
//! - A word is the variant with that name, without content.
//! - A map with the key `kind` is the variant that `kind` names; the other
//!   keys are its content.
//! - Any other map is the variant whose name is one of its keys; its content
//!   is the whole map, that key included: `{stripe: …, of: …}`.

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, VariantAccess, Visitor,
};

use super::de::{NodeReader, entry};
use super::fault::Fault;
use super::{Key, Node, Origin, Value};
use crate::nearest::{nearest, quoted_list};

/// The key whose value names a variant.
///
/// An enum that serde calls `kind` or `key` (`#[serde(rename = "kind")]`) is
/// always a map, whose variant its `kind` or one of its keys tells. The
/// distinction is for messages only: serde does not say what a variant holds.
const TAG: &str = "kind";
const BY_KEY: &str = "key";

/// A variant's name, where it was read, and its content.
pub(super) struct Choice<'a> {
    variant: &'a str,
    /// The tag's place, if a tag named the variant.
    tag: Option<&'a Origin>,
    content: NodeReader<'a>,
}

pub(super) fn choose<'a>(
    node: &'a Node,
    name: &str,
    variants: &'static [&'static str],
) -> Result<Choice<'a>, Fault> {
    match &node.value {
        Value::Scalar { text, .. } if name != TAG && name != BY_KEY => Ok(Choice {
            variant: text,
            tag: None,
            content: NodeReader { node, hidden: None },
        }),
        Value::Map(entries) => {
            if let Some((tag, place)) = entry(node, TAG) {
                return tagged(node, tag, place);
            }
            let mut keys = entries.iter().map(|(key, _)| key);
            match keys.find(|key| variants.contains(&key.name.as_str())) {
                Some(key) => Ok(Choice {
                    variant: &key.name,
                    tag: None,
                    content: NodeReader { node, hidden: None },
                }),
                None => Err(untold(entries, name, variants)),
            }
        }
        other => Err(Fault::new(format!(
            "expected {}, found {}",
            shape(name, variants),
            other.describe()
        ))),
    }
}

/// Why none of a map's keys tells a variant.
fn untold(entries: &[(Key, Node)], name: &str, variants: &'static [&'static str]) -> Fault {
    if name == TAG {
        let variants = quoted_list(variants);
        return Fault::new(format!("`{TAG}` is missing; expected one of {variants}"));
    }
    let misspelt = entries
        .iter()
        .find_map(|(key, _)| Some((key, nearest(&key.name, variants.iter().copied())?)));
    match misspelt {
        Some((key, known)) => Fault::new(format!("unknown key; did you mean `{known}`?"))
            .within(&key.name, &key.origin),
        None => Fault::new(format!("expected {}", shape(BY_KEY, variants))),
    }
}

fn shape(name: &str, variants: &[&str]) -> String {
    let variants = quoted_list(variants);
    match name {
        TAG => format!("a map whose `{TAG}` is one of {variants}"),
        BY_KEY => format!("a map with one of the keys {variants}"),
        _ => format!("one of {variants}"),
    }
}

fn tagged<'a>(node: &'a Node, tag: &'a Node, place: &'a Origin) -> Result<Choice<'a>, Fault> {
    let Value::Scalar { text, .. } = &tag.value else {
        let message = format!("expected a name, found {}", tag.value.describe());
        return Err(Fault::new(message).within(TAG, place));
    };
    Ok(Choice {
        variant: text,
        tag: Some(place),
        content: NodeReader {
            node,
            hidden: Some(TAG),
        },
    })
}

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = Fault;
    type Variant = Content<'de>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Content<'de>), Fault> {
        let name: StrDeserializer<'_, Fault> = self.variant.into_deserializer();
        let variant = seed.deserialize(name).map_err(|fault| match self.tag {
            Some(place) => fault.within(TAG, place),
            None => fault,
        })?;
        Ok((variant, Content(self.content)))
    }
}

/// What a variant holds.
pub(super) struct Content<'a>(NodeReader<'a>);

impl<'de> VariantAccess<'de> for Content<'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        let Value::Map(entries) = &self.0.node.value else {
            return Ok(());
        };
        match entries.iter().find(|(key, _)| key.name != TAG) {
            None => Ok(()),
            Some((key, _)) => {
                Err(<Fault as de::Error>::unknown_field(&key.name, &[])
                    .within(&key.name, &key.origin))
            }
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(self.0)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Fault> {
        self.0.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.0.deserialize_struct("", fields, visitor)
    }
}
