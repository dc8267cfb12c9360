//! The names of limits in results, in tables and for `steer`.
//!
//! One rule: `OWNER.LIMIT`, as in `data.0.iops`, `host.iops_credits` and, of a host that has a
//! name, `primary.iops`. Where a volume is named beside it, the volume's own limits go without
//! their owner. No device is called as a host is, so a name has one owner.

use std::fmt;

use blockyard_model::spec::{Applies, HostSpec, Unit};
use blockyard_model::storage::{self, LimitInfo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whose limit it is, as results and tables name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner<'a> {
    /// The host of this name, over all volumes behind it.
    Host(&'a str),
    /// The volume of this name.
    Volume(&'a str),
}

impl<'a> Owner<'a> {
    /// The owner that is called `name`, of a storage with these hosts.
    pub fn named(name: &'a str, hosts: &[String]) -> Self {
        match hosts.iter().any(|host| host == name) {
            true => Self::Host(name),
            false => Self::Volume(name),
        }
    }

    /// The owner and the limit of a name that stands beside `volume`.
    pub fn beside_volume(volume: &'a str, name: &'a str) -> (Self, &'a str) {
        match name.split_once('.') {
            Some((host, limit)) => (Self::Host(host), limit),
            None => (Self::Volume(volume), name),
        }
    }
}

/// What the owners of a storage's limits are called.
#[derive(Clone, Copy, Debug)]
pub struct OwnerNames<'a> {
    /// Its hosts, in their order.
    pub hosts: &'a [String],
    /// Its volumes, in their order.
    pub volumes: &'a [String],
}

impl<'a> OwnerNames<'a> {
    /// Whose limit it is: the volume's or the host's name.
    pub fn owner(&self, info: &LimitInfo) -> &'a str {
        match self.of(info) {
            Owner::Host(name) | Owner::Volume(name) => name,
        }
    }

    /// Whose limit it is.
    pub fn of(&self, info: &LimitInfo) -> Owner<'a> {
        match info.owner {
            storage::Owner::Host(host) => Owner::Host(&self.hosts[host]),
            storage::Owner::Volume(volume) => Owner::Volume(&self.volumes[volume]),
        }
    }

    /// A limit's name with its owner: `data.0.iops`, `host.iops`.
    pub fn full_name(&self, info: &LimitInfo) -> String {
        format!("{}.{}", self.owner(info), info.name)
    }

    /// A limit's name where its volume is named beside it: `iops`, `host.iops`.
    pub fn beside_volume(&self, info: &LimitInfo) -> String {
        match self.of(info) {
            Owner::Host(_) => self.full_name(info),
            Owner::Volume(_) => info.name.clone(),
        }
    }
}

/// The device of a volume: `data` of `data.0.1`. No device has a dot in its name.
pub fn device_of(volume: &str) -> &str {
    volume.split_once('.').map_or(volume, |(device, _)| device)
}

/// The leg of a mirror's volume: `near` of `data.near.0`. None of a device that is one volume.
pub fn leg_of(volume: &str) -> Option<&str> {
    volume.split('.').nth(1)
}

/// What a limit's name within its owner says of it.
///
/// Written, and read again, as [`Fields`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Fields", into = "Fields")]
pub struct LimitKind {
    /// What it counts.
    pub counts: Unit,
    /// Which requests it applies to.
    pub applies: Applies,
    /// Whether it is the rate at which burst credits flow in, which is all that
    /// is left once they are used up.
    pub credits: bool,
    /// Whether it is that of a network over which links go too.
    pub network: bool,
}

impl LimitKind {
    /// The kind of the limit `name`: `iops`, `read_iops`, `throughput_credits`.
    /// None if no limit is called so.
    pub fn named(name: &str) -> Option<Self> {
        let (applies, rest) = applies(name);
        let (rest, credits) = match rest.strip_suffix("_credits") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let counts = match rest {
            "iops" => Unit::Io,
            "throughput" | HostSpec::NETWORK => Unit::Byte,
            _ => return None,
        };
        Some(Self {
            counts,
            applies,
            credits,
            network: rest == HostSpec::NETWORK,
        })
    }

    /// The kind of a limit of the model.
    pub fn of(info: &LimitInfo) -> Self {
        Self {
            counts: info.unit,
            applies: applies(&info.name).0,
            credits: info.credits,
            network: info.name == HostSpec::NETWORK,
        }
    }
}

/// The name that [`LimitKind::named`] reads.
impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let applies = match self.applies {
            Applies::Both => "",
            Applies::Reads => "read_",
            Applies::Writes => "write_",
        };
        let counts = match self.counts {
            _ if self.network => HostSpec::NETWORK,
            Unit::Io => "iops",
            Unit::Byte => "throughput",
        };
        let credits = if self.credits { "_credits" } else { "" };
        write!(f, "{applies}{counts}{credits}")
    }
}

/// A [`LimitKind`] as it is written.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Fields {
    /// What it counts.
    counts: Counted,
    /// Which requests it applies to.
    applies: AppliesTo,
    /// Whether it is the rate at which burst credits flow in, all that is left without them.
    credits: bool,
    /// Whether it is the host's network, over which links go too.
    #[serde(default)]
    network: bool,
}

/// What a limit counts.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Counted {
    /// IOs, in the volume's units.
    Ios,
    /// Bytes.
    Bytes,
}

/// Which requests a limit applies to.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AppliesTo {
    /// Reads and writes, which share it.
    Both,
    /// Reads only.
    Reads,
    /// Writes only.
    Writes,
}

impl From<LimitKind> for Fields {
    fn from(kind: LimitKind) -> Self {
        Self {
            counts: match kind.counts {
                Unit::Io => Counted::Ios,
                Unit::Byte => Counted::Bytes,
            },
            applies: match kind.applies {
                Applies::Both => AppliesTo::Both,
                Applies::Reads => AppliesTo::Reads,
                Applies::Writes => AppliesTo::Writes,
            },
            credits: kind.credits,
            network: kind.network,
        }
    }
}

impl From<Fields> for LimitKind {
    fn from(fields: Fields) -> Self {
        Self {
            counts: match fields.counts {
                Counted::Ios => Unit::Io,
                Counted::Bytes => Unit::Byte,
            },
            applies: match fields.applies {
                AppliesTo::Both => Applies::Both,
                AppliesTo::Reads => Applies::Reads,
                AppliesTo::Writes => Applies::Writes,
            },
            credits: fields.credits,
            network: fields.network,
        }
    }
}

/// Which requests a limit's name says that it applies to, and the rest of the name.
fn applies(name: &str) -> (Applies, &str) {
    match name.split_once('_') {
        Some(("read", rest)) => (Applies::Reads, rest),
        Some(("write", rest)) => (Applies::Writes, rest),
        _ => (Applies::Both, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str) -> Option<(Unit, Applies, bool)> {
        LimitKind::named(name).map(|kind| (kind.counts, kind.applies, kind.credits))
    }

    #[test]
    fn a_name_says_what_a_limit_is() {
        assert_eq!(kind("iops"), Some((Unit::Io, Applies::Both, false)));
        assert_eq!(kind("read_iops"), Some((Unit::Io, Applies::Reads, false)));
        assert_eq!(
            kind("write_throughput"),
            Some((Unit::Byte, Applies::Writes, false))
        );
        assert_eq!(
            kind("throughput_credits"),
            Some((Unit::Byte, Applies::Both, true))
        );
        for wrong in ["", "iop", "credits", "read_", "iops and throughput"] {
            assert_eq!(kind(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_kind_is_read_as_it_is_written() {
        for name in [
            "iops",
            "read_iops",
            "write_throughput",
            "throughput_credits",
        ] {
            let kind = LimitKind::named(name).unwrap();
            let text = serde_json::to_string(&kind).unwrap();
            assert_eq!(serde_json::from_str::<LimitKind>(&text).unwrap(), kind);
            assert_eq!(kind.to_string(), name);
        }
    }

    #[test]
    fn a_name_says_whose_limit_it_is() {
        let beside = |name| Owner::beside_volume("data.0", name);
        assert_eq!(beside("iops"), (Owner::Volume("data.0"), "iops"));
        assert_eq!(beside("host.iops"), (Owner::Host("host"), "iops"));
        assert_eq!(beside("backup.iops"), (Owner::Host("backup"), "iops"));
        let hosts = ["primary".to_owned(), "backup".to_owned()];
        let named = |name| Owner::named(name, &hosts);
        assert_eq!(named("backup"), Owner::Host("backup"));
        assert_eq!(named("data.0.11"), Owner::Volume("data.0.11"));
        assert_eq!(named("host"), Owner::Volume("host"));
    }
}
