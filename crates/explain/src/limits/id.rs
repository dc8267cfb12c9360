//! Which limit: of which owner, and of which kind.

use blockyard_model::spec::{Applies, Unit};
use blockyard_record::limit_names::LimitKind;
use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::limits::owners::Owners;

/// Whose limit it is, with the volumes of a device together.
#[derive(Clone, Debug, PartialEq, Eq)]
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
///
/// Serialised as `device` (none for a host's), `leg` (none where it is no leg's alone), `host`
/// (none for a device's), `counts` (`ios` or `bytes`), `applies` (`both`, `reads` or `writes`),
/// `credits` and `network`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
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

impl Serialize for Owner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (device, leg, host) = match self {
            Self::Host(name) => (None, None, Some(name)),
            Self::Device(name) => (Some(name), None, None),
            Self::Leg { device, leg } => (Some(device), Some(leg), None),
        };
        let mut fields = serializer.serialize_struct("Owner", 3)?;
        fields.serialize_field("device", &device)?;
        fields.serialize_field("leg", &leg)?;
        fields.serialize_field("host", &host)?;
        fields.end()
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
