//! What an instance's limits were on a day.

use blockyard_text::Error;
use blockyard_text::units::Date;

use crate::Catalog;
use crate::amount::ByteUnit;
use crate::instance::{HostRate, Instance};
use crate::instance_table::{find, whole};
use crate::source::Source;
use crate::table::Table;

/// Limits on all network volumes of an instance, and since when they were seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// What the volumes can sustain.
    pub baseline: HostRate,
    /// What they reach while burst credits last; the baseline where they do not burst.
    pub maximum: HostRate,
    /// The first day on which a source shows these figures.
    pub observed: Date,
}

impl Levels {
    /// Whether they must be assumed for a day.
    #[must_use]
    pub fn is_assumed(&self, day: Option<Date>) -> bool {
        day.is_some_and(|day| day < self.observed)
    }
}

impl Instance {
    /// The limits that held on a day, or hold today; the earliest known for a day before them.
    /// None where none are published.
    #[must_use]
    pub fn levels(&self, day: Option<Date>) -> Option<Levels> {
        let (baseline, maximum) = self.rates?;
        let today = Levels {
            baseline,
            maximum,
            observed: self.observed,
        };
        let known = || self.earlier.iter().copied().chain([today]);
        let held = known().rfind(|levels| !levels.is_assumed(day));
        held.or_else(|| known().next())
    }

    /// The first day on which a source shows its figures of a day, or of today.
    #[must_use]
    pub fn observed(&self, day: Option<Date>) -> Date {
        self.levels(day)
            .map_or(self.observed, |levels| levels.observed)
    }
}

impl Catalog {
    /// Where an instance's figures of a day, or of today, are published.
    #[must_use]
    pub fn source_of(&self, instance: &Instance, day: Option<Date>) -> Option<&Source> {
        let is_today = instance.observed(day) == instance.observed;
        let (today, earlier) = (&instance.source, &self.rules.history);
        self.sources.get(if is_today { today } else { earlier })
    }
}

/// Adds the limits before today's, of `instance-history.csv`, whose source is `source`. An error
/// names the offending line.
pub(crate) fn add(instances: &mut [Instance], text: &str, source: &str) -> Result<(), Error> {
    let header = "type,observed,baseline_iops,baseline_mbps,maximum_iops,maximum_mbps";
    let table = Table::new("catalog/instance-history.csv", header, text);
    for (name, levels) in table.keyed(2, row)? {
        let Some(index) = find(instances, &name) else {
            continue;
        };
        let instance = &mut instances[index];
        if instance.rates == Some((levels.baseline, levels.maximum)) {
            (instance.observed, instance.source) = (levels.observed, source.to_owned());
        } else {
            instance.earlier.push(levels);
        }
    }
    Ok(())
}

fn row(cells: &[&str]) -> Result<(String, Levels), String> {
    let [
        name,
        observed,
        baseline_iops,
        baseline_mbps,
        maximum_iops,
        maximum_mbps,
    ] = cells
    else {
        return Err("expected 6 cells".into());
    };
    let rate = |iops: &str, mbps: &str| {
        let (iops, mbps) = (whole(iops)?, whole(mbps)?);
        let throughput = mbps * ByteUnit::Mb.bytes_per_s() / 8;
        Ok::<_, String>(HostRate {
            iops,
            mbps,
            throughput,
        })
    };
    let levels = Levels {
        baseline: rate(baseline_iops, baseline_mbps)?,
        maximum: rate(maximum_iops, maximum_mbps)?,
        observed: (observed.parse()).map_err(|_| format!("`{observed}` is not a day"))?,
    };
    Ok(((*name).to_owned(), levels))
}
