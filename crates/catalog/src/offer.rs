//! A volume type, and what it offers on a day behind a host.

use std::fmt;

use blockyard_model::spec::{Discipline, Queues};
use blockyard_text::units::{Date, Size};

use crate::Catalog;
use crate::bound::Remedy;
use crate::discipline::Named;
use crate::grounds::{Assumption, Note};
use crate::host::HostKind;
use crate::instance::Instance;
use crate::limits::{Ask, Limits};
use crate::refusal::Refusal;
use crate::source::{Period, Source};
use crate::volume::VolumeRow;

/// A volume type of the catalog.
#[derive(Clone, Copy)]
pub struct VolumeType<'a> {
    pub(crate) name: &'a str,
    /// In the order in which they are tried.
    pub(crate) rows: &'a [VolumeRow],
    pub(crate) catalog: &'a Catalog,
}

/// The rule of a volume type that holds on a day behind a host.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'a> {
    pub(crate) of: VolumeType<'a>,
    pub(crate) row: &'a VolumeRow,
    /// The day that was asked for; `None` for today.
    pub(crate) day: Option<Date>,
    /// The host that was asked for, if one was.
    pub(crate) host: Option<&'a Instance>,
}

/// Prints the name alone, not the catalog.
impl fmt::Debug for VolumeType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VolumeType").field(&self.name).finish()
    }
}

impl<'a> VolumeType<'a> {
    /// Its name, `gp3`.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// What holds behind a host on a day, or today if no day is given: the first rule
    /// that fits both. For a day before every known rule, the earliest one that fits the
    /// host.
    ///
    /// # Errors
    /// If the type was announced after the day, or is not available for the host.
    pub fn offer(
        &self,
        host: Option<&'a Instance>,
        day: Option<Date>,
    ) -> Result<Offer<'a>, Refusal<'a>> {
        self.check_launched(day)?;
        let fitting = || self.rows.iter().filter(|row| self.fits(row, host));
        let row = fitting()
            .find(|row| row.period().holds(day))
            .or_else(|| fitting().min_by_key(|row| row.period().start()))
            .ok_or(Refusal::NotForHost {
                volume_type: self.name,
            })?;
        Ok(self.with(row, host, day))
    }

    /// The limits of a volume of this type: [`VolumeType::offer`] and [`Offer::limits`]
    /// in one.
    ///
    /// # Errors
    /// Those of both.
    pub fn limits(
        &self,
        ask: &Ask,
        host: Option<&'a Instance>,
        day: Option<Date>,
    ) -> Result<Limits<'a>, Refusal<'a>> {
        self.offer(host, day)?.limits(ask)
    }

    /// What holds on a day, for all kinds of hosts: the rules of that day, or the
    /// earliest if it precedes all of them. Without a day, all rules that ever held.
    ///
    /// # Errors
    /// If the type was announced after the day.
    pub fn offers(&self, day: Option<Date>) -> Result<Vec<Offer<'a>>, Refusal<'a>> {
        self.check_launched(day)?;
        let holding = |row: &&VolumeRow| day.is_none() || row.period().holds(day);
        let mut rows: Vec<&VolumeRow> = self.rows.iter().filter(holding).collect();
        if rows.is_empty() {
            rows.extend(self.rows.iter().min_by_key(|row| row.period().start()));
        }
        Ok(rows.iter().map(|row| self.with(row, None, day)).collect())
    }

    /// The provisioned IOPS of the type that an account may have in a region by default,
    /// and the source; none where no figure is known.
    #[must_use]
    pub fn default_quota(&self) -> Option<(u64, Option<&'a Source>)> {
        let quotas = &self.catalog.quotas;
        let iops = *quotas.iops.get(self.name)?;
        Some((iops, self.catalog.sources.get(&quotas.source)))
    }

    /// The bytes of the type that an account may have in a region by default; none where no figure
    /// is known.
    #[must_use]
    pub fn default_storage_quota(&self) -> Option<Size> {
        self.catalog.quotas.storage.get(self.name).copied()
    }

    /// How many of a million volumes of the type fail in a year at most; none where nothing is
    /// published.
    #[must_use]
    pub fn annual_failures(&self) -> Option<u64> {
        let failures = self.catalog.volumes.failures.get(self.name)?;
        Some(failures.per_million)
    }

    fn with(&self, row: &'a VolumeRow, host: Option<&'a Instance>, day: Option<Date>) -> Offer<'a> {
        Offer {
            of: *self,
            row,
            day,
            host,
        }
    }

    fn check_launched(&self, day: Option<Date>) -> Result<(), Refusal<'a>> {
        match (self.catalog.volumes.launched.get(self.name), day) {
            (Some(launch), Some(day)) if day < launch.day => Err(Refusal::NotLaunched {
                volume_type: self.name,
                day,
                launched: launch.day,
                source: self.catalog.sources.get(&launch.source),
            }),
            _ => Ok(()),
        }
    }

    /// The kind of host that a row is for, if it is not for all.
    fn kind(&self, row: &VolumeRow) -> Option<&'a HostKind> {
        self.catalog.volumes.hosts.get(row.host.as_ref()?)
    }

    fn fits(&self, row: &VolumeRow, host: Option<&Instance>) -> bool {
        self.kind(row).is_none_or(|kind| kind.fits(host))
    }
}

impl<'a> Offer<'a> {
    /// The volume type.
    #[must_use]
    pub fn volume_type(&self) -> VolumeType<'a> {
        self.of
    }

    /// The rule: what may be provisioned, and which limits follow.
    #[must_use]
    pub fn row(&self) -> &'a VolumeRow {
        self.row
    }

    /// The kind of host that the rule is for, if it is not for all.
    #[must_use]
    pub fn host_kind(&self) -> Option<&'a HostKind> {
        self.of.kind(self.row)
    }

    /// When the rule was seen and held.
    #[must_use]
    pub fn period(&self) -> Period {
        self.row.period()
    }

    /// The source that says most about the rule; none if the rule claims nothing.
    #[must_use]
    pub fn source(&self) -> Option<&'a Source> {
        self.of.catalog.sources.get(self.row.source())
    }

    /// In which order the volume's limits serve what waits, and what that rests on; nothing
    /// where it is `fifo` for want of anything known.
    #[must_use]
    pub fn discipline(&self) -> (Discipline, Option<Note<'a>>) {
        let order = self.row.discipline;
        let catalog = self.of.catalog;
        let grounds = catalog.volumes.disciplines.get(&Named(order));
        (order, grounds.map(|grounds| grounds.note(&catalog.sources)))
    }

    /// The hardware queues that the host's driver makes for the volume, where what they have no
    /// tags for enters out of turn, and what they rest on.
    #[must_use]
    pub fn queues(&self) -> Option<(Queues, Note<'a>)> {
        let catalog = self.of.catalog;
        let (volumes, sources) = (&catalog.volumes, &catalog.sources);
        let mut entries = volumes.queues.iter().filter(|_| !self.row.local);
        let fits = |kind: &HostKind| kind.fits(self.host);
        let entry = entries.find(|entry| volumes.hosts.get(&entry.host).is_some_and(fits))?;
        Some((entry.queues(), entry.note(sources)))
    }

    /// All sources of the rule.
    pub fn sources(&self) -> impl Iterator<Item = &'a Source> {
        let sources = &self.of.catalog.sources;
        self.row.sources.iter().filter_map(|key| sources.get(key))
    }

    /// What must be assumed for this rule to hold, if anything.
    #[must_use]
    pub fn assumptions(&self) -> Vec<Assumption<'a>> {
        let undocumented = self.row.assumed_on(self.day).map(Assumption::Undocumented);
        let mut all: Vec<_> = undocumented.into_iter().collect();
        let period = self.period();
        if let Some(day) = self.day.filter(|day| !period.holds(Some(*day))) {
            let observed = period.start();
            all.push(Assumption::EarlyRule { observed, day });
        }
        if let (None, Some(taken_for)) = (self.host, self.host_kind()) {
            all.push(Assumption::NoHost { taken_for });
        }
        all
    }

    /// What else must be chosen so that a row that `allows` the figure applies: another
    /// day if there is one for this host, otherwise another host on this day.
    pub(crate) fn remedy(&self, allows: impl Fn(&VolumeRow) -> bool) -> Option<Remedy<'a>> {
        let start = self.period().start();
        let others = || self.of.rows.iter().filter(|row| allows(row));
        let same_host = others().filter(|row| self.of.fits(row, self.host));
        let other_day = same_host
            .min_by_key(|row| row.period().start())
            .and_then(|row| {
                let period = row.period();
                match period.valid_to {
                    Some(last) if last < start => Some(Remedy::DayUpTo(last)),
                    _ if period.start() > start => Some(Remedy::DayFrom(period.start())),
                    _ => None,
                }
            });
        other_day.or_else(|| {
            let mut today = others().filter(|row| row.period().holds(self.day));
            today.next().map(|row| Remedy::Host(self.of.kind(row)))
        })
    }
}
