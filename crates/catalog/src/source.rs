//! Sources and dates: what every row of the catalog rests on.

use std::fmt;

use blockyard_text::hint;
use blockyard_text::units::Date;
use indexmap::IndexMap;
use serde::Deserialize;

/// A document or data set that figures were read from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its title, `EC2 user guide`.
    pub title: String,
    /// Its address.
    pub url: String,
    /// The date of the version that was read, as exactly as it is known.
    pub as_of: String,
}

/// Prints `EC2 user guide 2023-05-11`.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.title, self.as_of)
    }
}

/// All sources by key.
#[derive(Clone, Debug)]
pub(crate) struct Sources(pub(super) IndexMap<String, Source>);

impl Sources {
    /// The source with this key. A checked catalog has every key that it names.
    pub(crate) fn get(&self, key: &str) -> Option<&Source> {
        self.0.get(key)
    }

    /// The newest day on which any source was seen; a source dated by month
    /// only counts as of the month's last day.
    pub(super) fn newest(&self) -> Option<Date> {
        let days = self.0.values().filter_map(|source| {
            let exact = source.as_of.parse().ok();
            exact.or_else(|| Date::last_of_month(&source.as_of))
        });
        days.max()
    }

    pub(super) fn check(&self, key: &str) -> Result<(), String> {
        if self.0.contains_key(key) {
            return Ok(());
        }
        let hint = hint(key, self.0.keys().map(String::as_str));
        Err(format!("`{key}` is not in sources.yaml{hint}"))
    }
}

/// A source as a sentence cites it; nothing where there is none.
pub(crate) struct Cited<'a>(pub(crate) Option<&'a Source>);

impl fmt::Display for Cited<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |source| source.fmt(f))
    }
}

/// When a rule was seen, and when it held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The first day on which a source shows it.
    pub observed: Date,
    /// The day it came into force, where that is known.
    pub valid_from: Option<Date>,
    /// Its last day, if it has been replaced.
    pub valid_to: Option<Date>,
}

impl Period {
    /// The first day on which it is known to hold.
    #[must_use]
    pub fn start(&self) -> Date {
        self.valid_from.unwrap_or(self.observed)
    }

    /// Whether it is known to hold on a day; without a day, whether it is
    /// still in force.
    #[must_use]
    pub fn holds(&self, day: Option<Date>) -> bool {
        match day {
            Some(day) => self.start() <= day && self.valid_to.is_none_or(|last| day <= last),
            None => self.valid_to.is_none(),
        }
    }
}

/// Prints `2020-12-03 to 2025-09-29` or `2025-09-30 on`.
impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.valid_to {
            Some(last) => write!(f, "{} to {last}", self.start()),
            None => write!(f, "{} on", self.start()),
        }
    }
}
