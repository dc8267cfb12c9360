//! How many requests a volume takes from a host at once, where what is beyond them enters out
//! of turn.

use std::num::NonZeroU32;

use serde::Deserialize;

use crate::grounds::Note;
use crate::host::HostKinds;
use crate::source::Sources;

/// The queue depth that volumes have behind a kind of hosts, and what it rests on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueueDepth {
    /// The kind of hosts.
    pub(crate) host: String,
    /// Requests.
    pub(crate) depth: NonZeroU32,
    source: String,
    /// The measurements that show it.
    rows: Vec<String>,
    /// Why it is inferred rather than published.
    inferred: String,
}

impl QueueDepth {
    /// What it rests on, in words.
    pub(crate) fn note<'a>(&'a self, sources: &'a Sources) -> Note<'a> {
        Note::QueueDepthInferred {
            depth: self.depth,
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
