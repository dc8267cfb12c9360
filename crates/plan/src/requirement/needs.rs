//! A requirement in plain numbers, none of them uncertain.

use std::sync::Arc;

use blockyard_model::units::{Bytes, Nanos, SECOND};
use blockyard_text::units::Date;

use crate::load::hottest::Placement;
use crate::load::profile::LoadProfile;
use crate::load::streams::Stream;
use crate::requirement::copies::Copies;
use crate::requirement::growth::{Growth, Horizon};
use crate::requirement::preferences::{Avoided, Quotas};
use crate::search::volumes::Steps;

/// What storage and instance must provide.
#[derive(Clone, Debug, PartialEq)]
pub struct Needs {
    /// Bytes of data at the horizon, without the journal.
    pub size: Bytes,
    /// Bytes of data today, where they grow, and how; none where they do not.
    pub growing: Option<Growing>,
    /// What of each file system stays free, in 1/1000.
    pub free_space: u64,
    /// The IO to the data; of a load by interval that of the busiest.
    pub data: Vec<Stream>,
    /// A journal, if there is one.
    pub journal: Option<Journal>,
    /// For how long, and how much higher at its peak.
    pub load_profile: LoadProfile,
    /// Latencies that must hold.
    pub latency: Vec<LatencyGoal>,
    /// The most failures of a million layouts in a year; none if that does not matter.
    pub failures: Option<u64>,
    /// Which instances have a copy of the data.
    pub copies: Copies,
    /// What is to be left free of each limit, in 1/1000.
    pub headroom: u64,
    /// What the account may have of each volume type.
    pub quotas: Quotas,
    /// The most data and journal volumes on an instance; none if all that can be attached.
    pub at_most: Option<u32>,
    /// Attachments that stay free, beside the root volume's.
    pub spare_attachments: u32,
    /// What figures are rounded up to.
    pub steps: Steps,
    /// The share of seeds in which goals must hold when a layout is simulated, in 1/1000.
    pub probability: u64,
    /// Where skewed files lie on a stripe; none of a load without skew.
    pub placement: Option<Arc<Placement>>,
}

/// Data that grows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growing {
    /// Bytes today.
    pub today: Bytes,
    /// By how much in a year.
    pub growth: Growth,
    /// Until when the layout is to do.
    pub horizon: Horizon,
}

/// A journal (redo, WAL): written in sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    /// Bytes.
    pub size: Bytes,
    /// Its IO.
    pub stream: Stream,
    /// Whether it lies on volumes of its own; none if the cheaper is to be taken.
    pub apart: Option<bool>,
}

/// A quantile of a latency that must not be exceeded.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyGoal {
    /// Of which IO.
    pub of: Of,
    /// The quantile's name, `p99`.
    pub quantile: &'static str,
    /// The share of IOs that it is the longest latency of.
    pub at: f64,
    /// Maximum.
    pub most: Nanos,
}

/// Which IO a latency goal is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Reads of data.
    Read,
    /// Writes of data.
    Write,
    /// Writes of the journal.
    Journal,
}

impl Of {
    /// Its name, `read`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Journal => "journal",
        }
    }
}

/// What may be bought; the same in every sample of an uncertain requirement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The day whose limits hold; none for today.
    pub day: Option<Date>,
    /// The one instance type that is there, if it is.
    pub instance: Option<String>,
    /// What programs are built for, by the catalog's name; none if that does not matter.
    pub architecture: Option<&'static str>,
    /// Minimum vCPUs.
    pub vcpu: u64,
    /// Minimum memory in MiB.
    pub memory_mib: u64,
    /// Families of instances; empty if that does not matter.
    pub families: Vec<String>,
    /// Volume types; empty if that does not matter.
    pub volume_types: Vec<String>,
    /// Whether what is stored may be lost when the instance stops, as on its own disks.
    pub local: bool,
    /// The region whose offers count; none if that does not matter.
    pub region: Option<String>,
    /// Zones in which the type must be offered, by their ids.
    pub zones: Vec<String>,
    /// In how many zones it must be offered at least.
    pub fewest_zones: usize,
    /// Kinds of instances that are left out.
    pub avoided: Avoided,
}

impl Needs {
    /// The streams of the data, and beside them those of the journal if `with_journal`, with
    /// headroom.
    pub(crate) fn streams(&self, with_journal: bool) -> Vec<Stream> {
        self.beside_journal(&self.data, with_journal)
    }

    /// The same of each mix of the load.
    pub(crate) fn mixes(&self, with_journal: bool) -> Vec<Vec<Stream>> {
        match &self.load_profile.demand {
            None => vec![self.streams(with_journal)],
            Some(demand) => {
                let mixes = demand.mixes.iter();
                mixes
                    .map(|mix| self.beside_journal(mix, with_journal))
                    .collect()
            }
        }
    }

    /// The same of the journal alone, which does not change with the mix.
    pub(crate) fn journal_mixes(&self) -> Vec<Vec<Stream>> {
        let mixes = self
            .load_profile
            .demand
            .as_ref()
            .map_or(1, |it| it.mixes.len());
        vec![self.journal_stream(); mixes]
    }

    /// The stream of the journal, if there is one, with headroom.
    pub(crate) fn journal_stream(&self) -> Vec<Stream> {
        self.beside_journal(&[], true)
    }

    fn beside_journal(&self, data: &[Stream], with_journal: bool) -> Vec<Stream> {
        let journal = self.journal.iter().filter(|_| with_journal);
        let all = data.iter().copied().chain(journal.map(|it| it.stream));
        all.map(|stream| stream.with_headroom(self.headroom))
            .collect()
    }

    /// What `of` gives of a second of each stream, over a month; of the journal's too.
    pub(crate) fn in_a_month(&self, of: impl Fn(&Stream) -> u64) -> u64 {
        self.over_month(|mix| mix.iter().map(&of).sum())
    }

    /// What `a_second` gives of a second of a mix of streams with the journal's, over a month.
    pub(crate) fn over_month(&self, a_second: impl Fn(&[Stream]) -> u64) -> u64 {
        let journal = self.journal.as_ref().map(|it| it.stream);
        let a_second = |data: &[Stream]| {
            let all: Vec<_> = data.iter().copied().chain(journal).collect();
            a_second(&all)
        };
        let all = match &self.load_profile.demand {
            Some(demand) => demand.over_month(a_second),
            None => u128::from(a_second(&self.data)) * self.load_profile.a_month() / 1000,
        };
        u64::try_from(all / u128::from(SECOND)).unwrap_or(u64::MAX)
    }

    /// The file system for all data, and for the journal if `with_journal`: with what stays free.
    pub(crate) fn file_system(&self, with_journal: bool) -> Bytes {
        let journal = self.journal.as_ref().filter(|_| with_journal);
        self.with_free_space(self.size + journal.map_or(0, |it| it.size))
    }

    /// The file system for files of so many bytes.
    pub(crate) fn with_free_space(&self, bytes: Bytes) -> Bytes {
        (bytes * 1000).div_ceil(1000 - self.free_space.min(900))
    }

    /// The same with the load in thousandths; sizes stay.
    #[must_use]
    pub fn scaled(&self, permille: u64) -> Self {
        let scale = |stream: &Stream| Stream {
            iops: (stream.iops * permille / 1000).max(1),
            ..*stream
        };
        let demand = self.load_profile.demand.as_ref();
        Self {
            data: self.data.iter().map(scale).collect(),
            load_profile: LoadProfile {
                demand: demand.map(|it| Arc::new(it.map(scale))),
                ..self.load_profile.clone()
            },
            journal: self.journal.as_ref().map(|journal| Journal {
                stream: scale(&journal.stream),
                ..journal.clone()
            }),
            copies: self.copies.scaled(permille),
            ..self.clone()
        }
    }
}
