//! Fields that are one of a few words.

use serde::de::{Deserialize, Deserializer, Error};

/// What [`super::Total::op`] can be.
pub(super) const OPS: [&str; 4] = ["read", "write", "flush", "trim"];

/// What [`super::Target::kind`] can be.
pub(super) const KINDS: [&str; 4] = ["file", "block device", "nbd export", "null"];

/// What [`super::MirrorTotal::state`] can be.
pub const STATES: [&str; 5] = ["in sync", "degraded", "resyncing", "frozen", "split brain"];

pub(super) fn op<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    one_of(&OPS, from)
}

pub(super) fn kind<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    one_of(&KINDS, from)
}

pub(super) fn state<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    one_of(&STATES, from)
}

fn one_of<'de, D: Deserializer<'de>>(words: &[&str], from: D) -> Result<String, D::Error> {
    let word = String::deserialize(from)?;
    if words.contains(&word.as_str()) {
        return Ok(word);
    }
    let expected = match words {
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
        [] => "nothing".into(),
    };
    Err(D::Error::custom(format!("`{word}`; expected {expected}")))
}
