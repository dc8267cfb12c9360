//! The rule of a volume type that applies on a day behind a host.

use super::instance::Instance;
use super::source::Sources;
use super::volume::{HostRule, VolumeRow};
use crate::units::Date;

/// A volume type's row for a day and a host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VolumeRule<'a> {
    pub(super) name: &'a str,
    /// All rows of the type, to say which of them would allow more.
    rows: &'a [VolumeRow],
    pub(super) row: &'a VolumeRow,
    day: Option<Date>,
    pub(super) host: Option<&'a Instance>,
    sources: &'a Sources,
}

impl<'a> VolumeRule<'a> {
    /// The first row that fits the host and the day; if the day precedes all
    /// observations, the earliest row that fits the host. `None` if there is
    /// no row for the host, which a checked catalog always has.
    pub(super) fn choose(
        name: &'a str,
        rows: &'a [VolumeRow],
        day: Option<Date>,
        host: Option<&'a Instance>,
        sources: &'a Sources,
    ) -> Option<Self> {
        let fitting = || rows.iter().filter(|row| row.host.fits(host));
        let row = fitting()
            .find(|row| row.period().holds(day))
            .or_else(|| fitting().min_by_key(|row| row.period().start()))?;
        Some(Self {
            name,
            rows,
            row,
            day,
            host,
            sources,
        })
    }

    /// The row.
    pub(crate) fn row(&self) -> &'a VolumeRow {
        self.row
    }

    /// How text cites the rule's source.
    pub(crate) fn source(&self) -> String {
        self.sources.cite(self.row.source())
    }

    /// What is assumed by choosing this row, in words; empty where nothing is.
    pub(crate) fn assumptions(&self) -> Vec<String> {
        let mut reasons: Vec<String> = self.row.assumed.iter().cloned().collect();
        let period = self.row.period();
        if let Some(day) = self.day.filter(|day| !period.holds(Some(*day))) {
            let start = period.start();
            reasons.push(format!("rule first observed {start} is used for {day}"));
        }
        if self.host.is_none() && self.row.host != HostRule::Any {
            reasons.push("no host is stated; a Nitro instance is assumed".into());
        }
        reasons
    }

    /// `gp3 allows … on 2022-11-10 (rule of …, source)`.
    pub(super) fn allows(&self, what: &str) -> String {
        let variant = match &self.row.variant {
            Some(variant) => format!(" {variant}"),
            None => String::new(),
        };
        let day = match self.day {
            Some(day) => format!(" on {day}"),
            None => String::new(),
        };
        let (name, period, source) = (self.name, self.row.period(), self.source());
        format!("{name}{variant} allows {what}{day} (rule of {period}, {source})")
    }

    /// The refusal of a value out of range, and what would allow it.
    pub(super) fn beyond(
        &self,
        allowed: &str,
        asked: &str,
        fits: impl Fn(&VolumeRow) -> bool,
    ) -> String {
        let allows = self.allows(allowed);
        match self.remedy(fits) {
            Some(remedy) => format!("{allows}; {asked} needs {remedy}"),
            None => format!("{allows}, not {asked}"),
        }
    }

    /// What else has to be chosen so that a row that `fits` applies: another
    /// day if this host then gets one, else another host on this day.
    fn remedy(&self, fits: impl Fn(&VolumeRow) -> bool) -> Option<String> {
        let start = self.row.period().start();
        let others = || self.rows.iter().filter(|row| fits(row));
        let same_host = others().filter(|row| row.host.fits(self.host));
        let other_day = same_host
            .min_by_key(|row| row.period().start())
            .and_then(|row| {
                let period = row.period();
                match period.valid_to {
                    Some(last) if last < start => Some(format!("as_of {last} or earlier")),
                    _ if period.start() > start => {
                        Some(format!("as_of {} or later", period.start()))
                    }
                    _ => None,
                }
            });
        other_day.or_else(|| {
            let mut today = others().filter(|row| row.period().holds(self.day));
            today.next().map(|row| row.host.to_string())
        })
    }
}
