//! A price that nobody has stated.

use std::fmt;

use super::term::Term;
use crate::db_classes::PREFIX;

/// What a price was wanted for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// An hour of an instance type.
    Instance {
        /// `r5b.24xlarge`.
        name: String,
        /// How it is paid for.
        term: Term,
        /// The terms for which a price is known.
        known: Vec<Term>,
    },
    /// A volume type's capacity.
    Capacity(String),
    /// Provisioned IOPS of a volume type.
    Iops(String),
    /// Provisioned throughput of a volume type.
    Throughput(String),
    /// Snapshots.
    Snapshots,
    /// Traffic between the zones of a region.
    CrossZone,
}

/// No price is known; prints how to supply one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoPrice {
    /// What was to be priced.
    pub wanted: Wanted,
    /// Where.
    pub region: String,
}

impl fmt::Display for NoPrice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let region = &self.region;
        write!(f, "no price is known of {} in {region}", self.wanted)?;
        if let Wanted::Instance { known, .. } = &self.wanted
            && !known.is_empty()
        {
            let known: Vec<&str> = known.iter().map(|term| term.name()).collect();
            write!(f, " (known: {})", known.join(", "))?;
        }
        if let Wanted::Instance { name, .. } = &self.wanted
            && name.starts_with(PREFIX)
        {
            return f
                .write_str("; RDS's prices, also those of its storage, are not in the catalog");
        }
        let entry = self.wanted.entry();
        write!(
            f,
            "; state it in a price file: `prices: [{{region: {region}, observed: DAY, \
             source: TEXT, {entry}}}]`"
        )?;
        match &self.wanted {
            // AWS publishes these elsewhere.
            Wanted::CrossZone
            | Wanted::Instance {
                term: Term::SavingsPlan,
                ..
            } => Ok(()),
            _ => f.write_str(", or import AWS's price list with `blockyard prices import`"),
        }
    }
}

impl std::error::Error for NoPrice {}

/// Prints what it is, `r5.large reserved for one year, all upfront`.
impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instance { name, term, .. } => write!(f, "{name} {term}"),
            Self::Capacity(name) => write!(f, "{name} volumes"),
            Self::Iops(name) => write!(f, "{name} volumes' IOPS"),
            Self::Throughput(name) => write!(f, "{name} volumes' throughput"),
            Self::Snapshots => f.write_str("snapshots"),
            Self::CrossZone => f.write_str("traffic between zones"),
        }
    }
}

impl Wanted {
    /// The entry of a price file that would state it.
    fn entry(&self) -> String {
        match self {
            Self::Instance { name, term, .. } => {
                format!("instances: [{{type: {name}, {}: PRICE}}]", term.key())
            }
            Self::Capacity(name) => format!("volumes: [{{type: {name}, capacity: PRICE}}]"),
            Self::Iops(name) => {
                format!("volumes: [{{type: {name}, iops: [{{above: NUMBER, price: PRICE}}]}}]")
            }
            Self::Throughput(name) => format!(
                "volumes: [{{type: {name}, throughput: [{{above: 125MiB/s, price: PRICE}}]}}]"
            ),
            Self::Snapshots => "snapshots: PRICE".into(),
            Self::CrossZone => "cross_zone: PRICE".into(),
        }
    }
}
