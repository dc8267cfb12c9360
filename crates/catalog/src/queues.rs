//! The hardware queues that a host's driver makes for a volume.

use std::num::{NonZeroU8, NonZeroU32};

use blockyard_model::spec::Queues;

use serde::Deserialize;

use crate::grounds::Note;
use crate::host::HostKinds;
use crate::source::Sources;

/// The queues that volumes have on a kind of hosts, and what they rest on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueuesOf {
    /// The kind of hosts.
    pub(crate) host: String,
    count: NonZeroU8,
    /// Tags of each.
    tags: NonZeroU32,
    source: String,
    /// The measurements that show them.
    rows: Vec<String>,
    /// Why they are inferred rather than published.
    inferred: String,
}

impl QueuesOf {
    /// The queues.
    pub(crate) fn queues(&self) -> Queues {
        Queues {
            count: self.count,
            tags: self.tags,
        }
    }

    /// What they rest on, in words.
    pub(crate) fn note<'a>(&'a self, sources: &'a Sources) -> Note<'a> {
        Note::QueuesInferred {
            queues: self.queues(),
            reason: &self.inferred,
            rows: &self.rows,
            source: sources.get(&self.source),
        }
    }

    pub(crate) fn check(&self, kinds: &HostKinds, sources: &Sources) -> Result<(), String> {
        sources.check(&self.source)?;
        match kinds.get(&self.host) {
            Some(kind) if !kind.assumed => Ok(()),
            _ => Err(format!(
                "`{}` is not in `hosts`, or assumed where no host is stated",
                self.host
            )),
        }
    }
}
