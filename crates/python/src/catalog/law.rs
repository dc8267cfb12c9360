//! The laws of limits' rates in words.

use std::fmt;

use blockyard_catalog::{Amount, Catalog, DiskRate, LimitRule, Rate};
use blockyard_text::grouped;

/// `iops_credits: 3 IOPS per 1GiB, at least 100 IOPS; below 1000GiB`.
pub(super) fn limit(catalog: &Catalog, limit: &LimitRule) -> String {
    let mut text = format!("{}: {}", limit.name, Law(&limit.rate));
    if let Some(size) = limit.below {
        text += &format!("; below {size}");
    }
    if let Some(cap) = &limit.max_unless
        && let Some(kind) = catalog.host_kind(&cap.host)
    {
        text += &format!("; at most {} without {}", cap.rate, kind.word());
    }
    text
}

/// A law, to be printed: `3 IOPS per 1GiB, at least 100 IOPS`.
struct Law<'a>(&'a Rate);

impl fmt::Display for Law<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Rate::Fixed { fixed } => write!(f, "{fixed}"),
            Rate::Provisioned { .. } => f.write_str("as provisioned"),
            Rate::PerSize {
                per_size,
                each,
                min,
                max,
            } => {
                write!(f, "{per_size} per {each}")?;
                bounds(f, *min, *max)
            }
            Rate::PerIops {
                per_iops,
                each,
                max,
            } => {
                match each {
                    1 => write!(f, "{per_iops} per provisioned IOPS")?,
                    _ => write!(f, "{per_iops} per {} provisioned IOPS", grouped(*each))?,
                }
                bounds(f, None, *max)
            }
            Rate::BySize { by_size } => {
                for step in by_size {
                    match step.up_to {
                        Some(size) => write!(f, "{} up to {size}, ", step.rate)?,
                        None => write!(f, "{} above", step.rate)?,
                    }
                }
                Ok(())
            }
            Rate::LargestOf { largest_of } => {
                for (index, rate) in largest_of.iter().enumerate() {
                    let joint = if index == 0 { "" } else { "; or, if larger, " };
                    write!(f, "{joint}{}", Law(rate))?;
                }
                Ok(())
            }
            Rate::InstanceStore {
                instance_store: DiskRate::Reads | DiskRate::Writes,
            } => f.write_str("the instance's, shared by its disks"),
            Rate::InstanceStore { .. } => {
                f.write_str("in proportion to the disk's IOPS, by family")
            }
        }
    }
}

fn bounds(f: &mut fmt::Formatter<'_>, min: Option<Amount>, max: Option<Amount>) -> fmt::Result {
    if let Some(min) = min {
        write!(f, ", at least {min}")?;
    }
    if let Some(max) = max {
        write!(f, ", at most {max}")?;
    }
    Ok(())
}
