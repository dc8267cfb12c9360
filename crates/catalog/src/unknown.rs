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
        let hint = match (what, elsewhere(name)) {
            (Named::VolumeType | Named::Instance, Some(why)) => format!("; {why}"),
            _ => hint(name, known),
        };
        Self {
            what,
            name: name.to_owned(),
            hint,
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

/// Beginnings of names, in lower case, and whose they are.
const ELSEWHERE: [(&str, &str); 12] = [
    ("premium", "Azure"),
    ("standard_", "Azure"),
    ("standardssd", "Azure"),
    ("ultrassd", "Azure"),
    ("pd-", "Google Cloud"),
    ("hyperdisk", "Google Cloud"),
    ("local-ssd", "Google Cloud"),
    ("n1-", "Google Cloud"),
    ("n2-", "Google Cloud"),
    ("c3-", "Google Cloud"),
    ("e2-", "Google Cloud"),
    ("oci-", "Oracle Cloud"),
];

/// What to say of a name that another service has.
fn elsewhere(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    if let Some(instance) = name.strip_prefix("db.") {
        return Some(format!(
            "it is a DB instance class of RDS, whose limits are not in the catalog and are not \
             those of `{instance}`; leave out `host`, and only the volumes' limits hold"
        ));
    }
    if name.starts_with("aurora") {
        return Some("Aurora has no volumes, and is not modelled".into());
    }
    if name.starts_with("rds") {
        return Some("RDS has EBS volumes such as gp3; `blockyard import aws` reads which".into());
    }
    let known = ELSEWHERE.iter().find(|(begin, _)| name.starts_with(begin));
    known.map(|(_, whose)| format!("it is {whose}'s; so far only AWS's EBS and EC2 are modelled"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_services_are_told_apart_from_slips() {
        for (what, name, end) in [
            (
                Named::VolumeType,
                "Premium_LRS",
                "it is Azure's; so far only AWS's EBS and EC2 are modelled",
            ),
            (
                Named::VolumeType,
                "hyperdisk-balanced",
                "it is Google Cloud's; so far only AWS's EBS and EC2 are modelled",
            ),
            (
                Named::VolumeType,
                "aurora",
                "Aurora has no volumes, and is not modelled",
            ),
            (
                Named::Instance,
                "db.r6g.large",
                "it is a DB instance class of RDS, whose limits are not in the catalog and are not those of `r6g.large`; leave out `host`, and only the volumes' limits hold",
            ),
            (Named::VolumeType, "standard2", "did you mean `standard`?"),
            (Named::Region, "n2-east", "known are `standard`"),
        ] {
            let said = Unknown::new(what, name, ["standard"]).to_string();
            assert!(said.ends_with(&format!("; {end}")), "{said}");
        }
    }
}
