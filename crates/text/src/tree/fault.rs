//! The error that serde passes up through the tree. On its way it collects the
//! place and the path; at the top it becomes an [`Error`].

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use super::{Origin, shorten};
use crate::Error;
use crate::nearest::hint;

/// An error on its way up from the value that caused it.
#[derive(Debug)]
pub(super) struct Fault {
    message: String,
    /// The innermost known place.
    place: Option<Origin>,
    /// Keys and indexes, innermost first.
    path: Vec<String>,
}

impl Fault {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            place: None,
            path: Vec::new(),
        }
    }

    /// The same fault, now known to lie within the entry `segment` at `place`.
    pub(super) fn within(mut self, segment: impl Into<String>, place: &Origin) -> Self {
        self.path.push(segment.into());
        self.place.get_or_insert_with(|| place.clone());
        self
    }

    pub(super) fn into_error(self, top: &Origin) -> Error {
        let path: Vec<&str> = self.path.iter().rev().map(String::as_str).collect();
        let place = self.place.unwrap_or_else(|| top.clone());
        Error::new(place, path.join("."), self.message)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {expected}, found {}", describe(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match found {
            // The `NonZero` types ask for "a nonzero u32".
            Unexpected::Unsigned(0) => Self::new("`0` is not allowed; expected at least 1"),
            _ => Self::new(format!(
                "{} is not allowed; expected {expected}",
                describe(found)
            )),
        }
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        if field == "true" && known.contains(&"on") {
            return Self::new(
                "unknown key; programs that write YAML 1.1, such as PyYAML, read `on` as true and \
                 write it so; expected `on`, or `\"on\"`, which such programs keep",
            );
        }
        let hint = renamed(field, known).unwrap_or_else(|| hint(field, known.iter().copied()));
        Self::new(format!("unknown key{hint}"))
    }

    fn unknown_variant(variant: &str, known: &'static [&'static str]) -> Self {
        let hint = renamed(variant, known).unwrap_or_else(|| hint(variant, known.iter().copied()));
        Self::new(format!("`{}` is not known{hint}", shorten(variant)))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("`{field}` is missing"))
    }
}

/// Words that had another name in earlier versions, with the name that they have now.
const RENAMED: [(&str, &str); 2] = [("classes", "per_direction"), ("queues", "per_submitter")];

/// What to write in place of a word of an earlier version, where the new one is `known`.
fn renamed(word: &str, known: &[&str]) -> Option<String> {
    let mut names = RENAMED.iter();
    let (_, now) = names.find(|(old, now)| *old == word && known.contains(now))?;
    Some(format!("; it is called `{now}` now"))
}

fn describe(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Str(text) => format!("`{}`", shorten(text)),
        Unexpected::Unsigned(number) => format!("`{number}`"),
        Unexpected::Signed(number) => format!("`{number}`"),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a map".to_owned(),
        Unexpected::Unit => "no value".to_owned(),
        other => other.to_string(),
    }
}
