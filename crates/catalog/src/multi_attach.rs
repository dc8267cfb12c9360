//! Which volumes can be attached to several instances at once.

use std::fmt;

use blockyard_text::hint;
use serde::Deserialize;

use crate::Catalog;
use crate::host::HostKinds;
use crate::instance::Instance;
use crate::source::Sources;

/// Volume types that can be, behind a kind of hosts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MultiAttach {
    types: Vec<String>,
    host: String,
    source: String,
}

/// A volume cannot be attached to several instances; prints as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoMultiAttach<'a> {
    /// Its type.
    Type {
        /// The one that was asked for.
        asked: &'a str,
        /// Those that can.
        expected: &'a [String],
    },
    /// Not to this instance.
    Instance {
        /// The instance's type.
        asked: &'a str,
        /// What kind of instance it can.
        expected: String,
    },
}

impl MultiAttach {
    pub(crate) fn check(&self, kinds: &HostKinds, sources: &Sources) -> Result<(), String> {
        sources.check(&self.source)?;
        match kinds.contains_key(&self.host) {
            true => Ok(()),
            false => {
                let hint = hint(&self.host, kinds.keys().map(String::as_str));
                Err(format!("`{}` is not in `hosts`{hint}", self.host))
            }
        }
    }
}

impl Catalog {
    /// Checks that a volume of a type can be attached to this instance beside others.
    ///
    /// # Errors
    /// If the type or the instance does not allow it.
    pub fn multi_attach<'a>(
        &'a self,
        volume_type: &'a str,
        host: Option<&'a Instance>,
    ) -> Result<(), NoMultiAttach<'a>> {
        let rule = &self.volumes.multi_attach;
        if !rule.types.iter().any(|known| known == volume_type) {
            return Err(NoMultiAttach::Type {
                asked: volume_type,
                expected: &rule.types,
            });
        }
        match (self.volumes.hosts.get(&rule.host), host) {
            (Some(kind), Some(host)) if !kind.fits(Some(host)) => Err(NoMultiAttach::Instance {
                asked: host.name(),
                expected: kind.to_string(),
            }),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for NoMultiAttach<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { asked, expected } => {
                let expected = expected.join(" or ");
                write!(f, "EBS Multi-Attach needs {expected}, not {asked}")
            }
            Self::Instance { asked, expected } => {
                write!(f, "EBS Multi-Attach needs {expected}, not {asked}")
            }
        }
    }
}
