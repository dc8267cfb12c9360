//! What a change is of: two changes of the same cannot be made at once.

use blockyard_explain::{LimitId, Owner};
use blockyard_model::spec::Unit;

use super::{Amount, Change};

/// What a change is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Aspect<'a> {
    /// How many volumes a device has.
    Volumes(&'a str),
    /// An amount of a device's volumes.
    Amount(&'a str, Amount),
    /// The type of a device's volumes, with all amounts.
    Type(&'a str),
    /// The instance of a host.
    Instance(Option<&'a str>),
    /// A setting of what a job replicates to, or of a mirror.
    Setting(&'a str, &'a str),
    /// How many nodes a job replicates to.
    Nodes(&'a str),
}

impl Change {
    pub(super) fn aspects(&self) -> Vec<Aspect<'_>> {
        match self {
            Self::Volumes { device, .. } => vec![Aspect::Volumes(device)],
            Self::Iops { device, .. } => vec![Aspect::Amount(device, Amount::Iops)],
            Self::Size { device, .. } => vec![Aspect::Amount(device, Amount::Size)],
            Self::Throughput { device, .. } => vec![Aspect::Amount(device, Amount::Throughput)],
            Self::Parts { device, parts } => {
                let amounts = parts.iter().map(|part| Aspect::Amount(device, part.of));
                amounts.collect()
            }
            Self::Instance { host, .. } => vec![Aspect::Instance(host.as_deref())],
            Self::Setting { job, key, .. } => vec![Aspect::Setting(job, key)],
            Self::Node { job, .. } => vec![Aspect::Nodes(job)],
            Self::Type { device, .. } | Self::Journal { device, .. } => vec![Aspect::Type(device)],
        }
    }
}

impl Aspect<'_> {
    /// Whether one change of this would undo another of `other`.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Type(one), Self::Type(of) | Self::Amount(of, _))
            | (Self::Amount(one, _), Self::Type(of)) => one == of,
            // One without the other may be refused: `semi_sync`, and its `timeout`.
            (Self::Setting(one, key), Self::Setting(of, other)) => {
                one == of && (key.starts_with(other) || other.starts_with(key))
            }
            (one, other) => one == other,
        }
    }

    /// Whether it is of what a job replicates to, or of a mirror.
    pub(super) fn is_of_replication(&self) -> bool {
        matches!(self, Self::Setting(..) | Self::Nodes(_))
    }

    /// The device that it is of; none of a host.
    pub(super) fn device(&self) -> Option<&str> {
        match self {
            Self::Volumes(of) | Self::Amount(of, _) | Self::Type(of) => Some(of),
            Self::Instance(_) | Self::Setting(..) | Self::Nodes(_) => None,
        }
    }

    /// Whether more of it is more of a limit, or does without it.
    pub(super) fn relieves(&self, limit: &LimitId) -> bool {
        match (self, &limit.owner) {
            (Self::Instance(name), Owner::Host(host)) => name.is_none_or(|name| name == host),
            (_, Owner::Host(_)) | (Self::Setting(..) | Self::Nodes(_), _) => false,
            (_, Owner::Device(name) | Owner::Leg { device: name, .. }) => {
                let counts = match self {
                    Self::Amount(_, Amount::Iops) => limit.kind.counts == Unit::Io,
                    Self::Amount(_, Amount::Throughput) => limit.kind.counts == Unit::Byte,
                    _ => true,
                };
                counts && self.device() == Some(name)
            }
        }
    }
}
