//! Kinds of hosts, which rows and limits name: predicates over the columns of the table
//! of instances.

use std::borrow::Cow;
use std::fmt;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::instance::Instance;

/// A kind of hosts. A host is of the kind if each attribute that the kind states has one
/// of the stated values.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostKind {
    /// What such hosts are called, `Nitro`. A kind without this is called by its
    /// families.
    pub called: Option<String>,
    /// The platforms that run such hosts; empty if that does not matter.
    #[serde(default)]
    pub platform: Vec<String>,
    /// The families of such hosts, `r5b`; empty if that does not matter.
    #[serde(default)]
    pub family: Vec<String>,
    /// Whether a host that is not stated is assumed to be of this kind.
    #[serde(default)]
    pub assumed: bool,
}

/// All kinds by name.
pub(crate) type HostKinds = IndexMap<String, HostKind>;

impl HostKind {
    /// Whether a host is of this kind.
    #[must_use]
    pub fn fits(&self, host: Option<&Instance>) -> bool {
        let states = |values: &[String], value: &str| {
            values.is_empty() || values.iter().any(|known| known == value)
        };
        host.map_or(self.assumed, |host| {
            states(&self.platform, host.platform()) && states(&self.family, host.family())
        })
    }

    /// What such hosts are called, `Nitro`; their families if nothing else.
    #[must_use]
    pub fn word(&self) -> Cow<'_, str> {
        match &self.called {
            Some(called) => called.into(),
            None => self.family.join(", ").into(),
        }
    }

    /// Checks that it states at least one attribute, and only known platforms.
    pub(crate) fn check(&self, platforms: &[String]) -> Result<(), String> {
        if self.platform.is_empty() && self.family.is_empty() {
            return Err("expected `platform` or `family`".into());
        }
        if self.family.is_empty() && self.called.is_none() {
            return Err("a kind without `family` needs `called`".into());
        }
        match self.platform.iter().find(|one| !platforms.contains(one)) {
            Some(odd) => Err(format!("`{odd}` is not a platform of instances.yaml")),
            None => Ok(()),
        }
    }
}

/// Prints `a Nitro instance` or `an instance of the families c7g, r5b`.
impl fmt::Display for HostKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.called, self.family.as_slice()) {
            (Some(called), _) => write!(f, "a {called} instance"),
            (None, [family]) => write!(f, "an instance of the family {family}"),
            (None, many) => write!(f, "an instance of the families {}", many.join(", ")),
        }
    }
}
