//! How often a volume may be modified while it is in use, and how long that takes.

use std::fmt;
use std::num::NonZeroU32;

use blockyard_text::units::{Date, Duration, Size};
use serde::Deserialize;

use crate::Catalog;
use crate::source::{Cited, Source, Sources};

/// `modifications.yaml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Modifications {
    rules: Vec<Rule>,
    optimising: Optimising,
}

/// How often a volume may be modified.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// Its first day; none for the oldest.
    valid_from: Option<Date>,
    /// Its last day; none for the newest.
    valid_to: Option<Date>,
    /// The least time between two.
    apart: Option<Duration>,
    /// At most this number ..
    most: Option<NonZeroU32>,
    /// .. in any time of this length.
    within: Option<Duration>,
    source: String,
    /// What of it is not published.
    inferred: Option<String>,
}

/// How long a modification takes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Optimising {
    /// So long ..
    time: Duration,
    /// .. for a volume of this size.
    size: Size,
    source: String,
    /// Why it is inferred.
    inferred: String,
}

/// The rule of a day on how often a volume may be modified.
#[derive(Clone, Copy, Debug)]
pub struct ModificationRule<'a> {
    rule: &'a Rule,
    source: Option<&'a Source>,
}

/// A modification that comes too soon; prints as one line.
#[derive(Clone, Copy, Debug)]
pub struct TooOften<'a> {
    by: ModificationRule<'a>,
    /// How long after the one before it.
    after: Duration,
}

impl Catalog {
    /// How often a volume may be modified on a day; without a day, by the newest rule.
    #[must_use]
    pub fn modification_rule(&self, day: Option<Date>) -> Option<ModificationRule<'_>> {
        let holds = |rule: &&Rule| match day {
            Some(day) => {
                rule.valid_from.is_none_or(|first| first <= day)
                    && rule.valid_to.is_none_or(|last| day <= last)
            }
            None => rule.valid_to.is_none(),
        };
        let rule = self.modifications.rules.iter().find(holds)?;
        Some(ModificationRule {
            rule,
            source: self.sources.get(&rule.source),
        })
    }

    /// How long a volume of this size is in the optimising state of a modification, and what
    /// that rests on.
    #[must_use]
    pub fn optimising(&self, size: Size) -> (Duration, String) {
        let Optimising {
            time,
            size: each,
            source,
            inferred,
        } = &self.modifications.optimising;
        let nanos = u128::from(time.nanos()) * u128::from(size.bytes()) / u128::from(each.bytes());
        let nanos = u64::try_from(nanos).unwrap_or(u64::MAX);
        let source = Cited(self.sources.get(source));
        (Duration::new(nanos), format!("{inferred} ({source})"))
    }
}

impl<'a> ModificationRule<'a> {
    /// The least time between two modifications of a volume, if any must pass.
    #[must_use]
    pub fn apart(&self) -> Option<Duration> {
        self.rule.apart
    }

    /// At most this number of modifications of a volume in any time of this length, if they are
    /// counted.
    #[must_use]
    pub fn most_within(&self) -> Option<(NonZeroU32, Duration)> {
        self.rule.most.zip(self.rule.within)
    }

    /// Checks a modification `at` a time, after those at the times `before`, which rise.
    ///
    /// # Errors
    /// If it is one too many, or too soon after the last.
    pub fn check(&self, before: &[Duration], at: Duration) -> Result<(), TooOften<'a>> {
        let since = |one: Duration| at.nanos().saturating_sub(one.nanos());
        let last = before.last().map_or(u64::MAX, |&last| since(last));
        let too_soon = self.rule.apart.is_some_and(|apart| last < apart.nanos());
        let too_many = self.most_within().is_some_and(|it| {
            let recent = before.iter().filter(|&&one| since(one) < it.1.nanos());
            recent.count() as u64 >= u64::from(it.0.get())
        });
        match too_soon || too_many {
            true => Err(TooOften {
                by: *self,
                after: Duration::new(last),
            }),
            false => Ok(()),
        }
    }
}

/// Prints `comes 5m after the last; 6h must lie between two (EC2 API reference 2024)`.
impl fmt::Display for TooOften<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { by, after } = self;
        let source = Cited(by.source);
        let day = by.rule.valid_from.map(|day| format!(" from {day} on"));
        let day = day.unwrap_or_default();
        match (by.rule.apart, by.rule.most, by.rule.within) {
            (Some(apart), ..) => write!(
                f,
                "comes {after} after the last modification of the volume; {apart} must lie \
                 between two ({source})"
            ),
            (None, Some(most), Some(within)) => write!(
                f,
                "one modification of the volume too many; at most {most} are allowed in any \
                 {within}{day} ({source})"
            ),
            _ => write!(f, "too often"),
        }
    }
}

impl Modifications {
    /// Checks the sources, and that each rule limits something. An error has the path within
    /// the file.
    pub(crate) fn check(&self, sources: &Sources) -> Result<(), (String, String)> {
        for (index, rule) in self.rules.iter().enumerate() {
            let at = |message| (format!("rules.{index}"), message);
            sources.check(&rule.source).map_err(at)?;
            let limits = rule.apart.is_some() || rule.most.is_some() && rule.within.is_some();
            if !limits {
                let message = "expected `apart`, or `most` and `within`";
                return Err(at(message.into()));
            }
            if rule.inferred.as_ref().is_some_and(String::is_empty) {
                return Err(at("`inferred` is empty".into()));
            }
        }
        let optimising = &self.optimising;
        sources
            .check(&optimising.source)
            .map_err(|message| ("optimising".into(), message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(times: &[u64]) -> Vec<Duration> {
        times
            .iter()
            .map(|hours| Duration::new(hours * 3_600_000_000_000))
            .collect()
    }

    fn refusal(day: Option<&str>, before: &[u64], at: u64) -> Option<String> {
        let day = day.map(|day| day.parse().unwrap());
        let rule = Catalog::get().unwrap().modification_rule(day).unwrap();
        let refused = rule.check(&hours(before), hours(&[at])[0]);
        refused.err().map(|refused| refused.to_string())
    }

    #[test]
    fn until_2025_six_hours_lie_between_two() {
        let day = Some("2025-12-31");
        assert_eq!(refusal(day, &[], 0), None);
        assert_eq!(refusal(day, &[0], 6), None);
        assert_eq!(
            refusal(day, &[0, 6], 11).unwrap(),
            "comes 5h after the last modification of the volume; 6h must lie between two \
             (EC2 API reference (China), ModifyVolume before 2026)"
        );
    }

    #[test]
    fn from_2026_on_four_are_allowed_in_a_day() {
        for day in [Some("2026-01-01"), None] {
            assert_eq!(refusal(day, &[0, 1, 2], 3), None);
            assert_eq!(refusal(day, &[0, 1, 2, 3], 24), None);
            assert_eq!(
                refusal(day, &[0, 1, 2, 3], 23).unwrap(),
                "one modification of the volume too many; at most 4 are allowed in any 24h \
                 from 2026-01-01 on (EC2 API reference, ModifyVolume 2026)"
            );
        }
    }

    #[test]
    fn a_larger_volume_is_optimised_for_longer() {
        let catalog = Catalog::get().unwrap();
        let takes = |size: &str| catalog.optimising(size.parse().unwrap()).0;
        assert_eq!(takes("1TiB"), hours(&[6])[0]);
        assert_eq!(takes("2TiB"), hours(&[12])[0]);
    }
}
