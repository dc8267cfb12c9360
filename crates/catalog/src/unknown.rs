//! A name that the catalog does not know.

use std::fmt;

use blockyard_text::hint;

/// What a name in the catalog stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A volume type, `gp3`.
    VolumeType,
    /// An instance type, `r5n.24xlarge`.
    Instance,
    /// A latency profile.
    Profile,
    /// A file system.
    FileSystem,
    /// A transactional engine.
    Engine,
    /// A region, `us-east-1`.
    Region,
    /// How an instance is paid for, `on-demand`.
    Term,
}

/// No entry has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What was looked for.
    pub what: Named,
    /// The name that was asked for.
    pub name: String,
    /// How the message ends: the nearest name, or all names if they are few.
    hint: String,
}

impl Unknown {
    /// Compares `name` with every known one, which is affordable only in an
    /// error.
    pub(crate) fn new<'a>(
        what: Named,
        name: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self {
            what,
            name: name.to_owned(),
            hint: hint(name, known),
        }
    }
}

/// Prints ``no volume type is called `gp33`; did you mean `gp3`?``.
impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            Named::VolumeType => "volume type",
            Named::Instance => "instance type",
            Named::Profile => "latency profile",
            Named::FileSystem => "file system",
            Named::Engine => "engine",
            Named::Region => "region",
            Named::Term => "term",
        };
        write!(f, "no {what} is called `{}`{}", self.name, self.hint)?;
        match (self.what, self.hint.is_empty()) {
            (Named::Region, true) => f.write_str("; expected one of AWS's, such as `us-east-1`"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Unknown {}
