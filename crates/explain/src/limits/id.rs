//! Which limit: of which owner, and of which kind.

use blockyard_model::spec::{Applies, Unit};
use blockyard_record::limit_names::LimitKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::owners::Owners;

/// Whose limit it is, with the volumes of a device together.
///
/// Written as [`Fields`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "Fields", try_from = "Fields")]
pub enum Owner {
    /// That of the host of this name, over all volumes behind it.
    Host(String),
    /// That of each volume of the device of this name, of a mirror on both legs.
    Device(String),
    /// That of each volume of one leg of a mirror, where the limits of its legs differ.
    Leg {
        /// The mirror.
        device: String,
        /// The leg's name within it.
        leg: String,
    },
}

/// A limit of a device's volumes, of those of a leg of it, or of a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LimitId {
    /// Whose it is.
    #[serde(flatten)]
    pub owner: Owner,
    /// What it counts, of which requests, and whether it is of credits.
    #[serde(flatten)]
    pub kind: LimitKind,
}

impl LimitId {
    /// The limit that a result calls `limit` and says to be of `owner`, one of `owners`.
    ///
    /// # Errors
    /// A line that says so if no limit is called `limit`.
    pub(crate) fn named(owner: &str, limit: &str, owners: &Owners) -> Result<Self, String> {
        Self::of(owners.named(owner), limit)
    }

    pub(crate) fn of(owner: Owner, limit: &str) -> Result<Self, String> {
        let kind = LimitKind::named(limit).ok_or_else(|| {
            format!("`{limit}` is no limit; expected a name as `iops` or `throughput_credits`")
        })?;
        Ok(Self { owner, kind })
    }

    /// Of IOs and their bytes what it counts.
    pub(crate) fn counted(&self, ios: u64, bytes: u64) -> u64 {
        match self.kind.counts {
            Unit::Io => ios,
            Unit::Byte => bytes,
        }
    }

    /// The name of the host whose it is; none of a device's.
    pub(crate) fn host(&self) -> Option<&str> {
        match &self.owner {
            Owner::Host(name) => Some(name),
            Owner::Device(_) | Owner::Leg { .. } => None,
        }
    }

    /// Whether it is a host's.
    pub(crate) fn is_host(&self) -> bool {
        self.host().is_some()
    }

    /// Whether it is of the device `name`, or of a leg of it.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        match &self.owner {
            Owner::Host(_) => false,
            Owner::Device(device) | Owner::Leg { device, .. } => device == name,
        }
    }

    /// Whether it is of one leg of a mirror alone.
    pub(crate) fn is_legs(&self) -> bool {
        matches!(self.owner, Owner::Leg { .. })
    }

    /// Whether some request passes both this limit and `other`.
    pub(crate) fn shares_requests(&self, other: &Self) -> bool {
        !matches!(
            (self.kind.applies, other.kind.applies),
            (Applies::Reads, Applies::Writes) | (Applies::Writes, Applies::Reads)
        )
    }
}

/// An [`Owner`] as it is written.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Fields {
    /// The device over whose volumes it is; none for a host's.
    device: Option<String>,
    /// The leg of that, of a mirror whose legs have unlike limits; none where it is of all of it.
    leg: Option<String>,
    /// The host over whose volumes it is, `host` if it has no name; none for a device's.
    host: Option<String>,
}

impl From<Owner> for Fields {
    fn from(owner: Owner) -> Self {
        let (device, leg, host) = match owner {
            Owner::Host(name) => (None, None, Some(name)),
            Owner::Device(name) => (Some(name), None, None),
            Owner::Leg { device, leg } => (Some(device), Some(leg), None),
        };
        Self { device, leg, host }
    }
}

impl TryFrom<Fields> for Owner {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        match (fields.device, fields.leg, fields.host) {
            (None, None, Some(name)) => Ok(Self::Host(name)),
            (Some(name), None, None) => Ok(Self::Device(name)),
            (Some(device), Some(leg), None) => Ok(Self::Leg { device, leg }),
            _ => Err("expected a device, a device and its leg, or a host"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::limit_id as named;

    #[test]
    fn what_is_no_limit_is_said() {
        let error = LimitId::named("data", "speed", &Owners::with_hosts(&[])).unwrap_err();
        assert!(error.starts_with("`speed` is no limit"), "{error}");
    }

    #[test]
    fn reads_do_not_pass_the_limits_of_writes() {
        let id = |limit| named("data", limit);
        assert!(!id("read_iops").shares_requests(&id("write_iops")));
        assert!(id("read_iops").shares_requests(&id("read_throughput")));
        assert!(id("read_iops").shares_requests(&id("iops")));
    }

    #[test]
    fn an_id_is_written_field_by_field() {
        let written = |owner, limit| serde_json::to_string(&named(owner, limit)).unwrap();
        assert_eq!(
            written("data.3", "read_iops"),
            r#"{"device":"data","leg":null,"host":null,"counts":"ios","applies":"reads","credits":false,"network":false}"#
        );
        assert_eq!(
            written("host", "throughput_credits"),
            r#"{"device":null,"leg":null,"host":"host","counts":"bytes","applies":"both","credits":true,"network":false}"#
        );
    }
}
