//! Sources and dates: what every row of the catalog rests on.

use indexmap::IndexMap;
use serde::Deserialize;

use crate::nearest::hint;
use crate::units::Date;

/// A document or data set that figures were read from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Source {
    title: String,
    url: String,
    /// The date of what was read, as exactly as it is known.
    as_of: String,
}

/// All sources by key.
#[derive(Clone, Debug)]
pub(crate) struct Sources(pub(super) IndexMap<String, Source>);

impl Sources {
    /// How text cites a source: `EC2 user guide 2023-05-11`. Keys are checked
    /// when the catalog is read, so that an unknown one stands for itself.
    pub(crate) fn cite(&self, key: &str) -> String {
        match self.0.get(key) {
            Some(source) => format!("{} {}", source.title, source.as_of),
            None => key.to_owned(),
        }
    }

    /// The citation with its address.
    pub(crate) fn cite_in_full(&self, key: &str) -> String {
        match self.0.get(key) {
            Some(source) => format!("{} {} <{}>", source.title, source.as_of, source.url),
            None => key.to_owned(),
        }
    }

    /// The newest day on which any source was seen; of one that is dated by its
    /// month only, the month's last.
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

/// When a rule was seen, and when it held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Period {
    /// The first day on which a source shows it.
    pub(crate) observed: Date,
    /// The day it came into force, where that is known.
    pub(crate) valid_from: Option<Date>,
    /// Its last day, where it has been replaced.
    pub(crate) valid_to: Option<Date>,
}

impl Period {
    /// The first day on which it is known to hold.
    pub(crate) fn start(&self) -> Date {
        self.valid_from.unwrap_or(self.observed)
    }

    /// Whether it is known to hold on a day; without a day, whether it is
    /// still in force.
    pub(crate) fn holds(&self, day: Option<Date>) -> bool {
        match day {
            Some(day) => self.start() <= day && self.valid_to.is_none_or(|last| day <= last),
            None => self.valid_to.is_none(),
        }
    }
}

/// Prints `2020-12-03 to 2025-09-29` or `2025-09-30 on`.
impl std::fmt::Display for Period {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.valid_to {
            Some(last) => write!(f, "{} to {last}", self.start()),
            None => write!(f, "{} on", self.start()),
        }
    }
}
