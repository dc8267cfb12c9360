//! DB instance classes of RDS: an EC2 type's figures below a bandwidth of their own.

use blockyard_text::Error;
use blockyard_text::units::Date;
use serde::Deserialize;

use crate::instance::{HostRate, Instance};
use crate::instance_table::find;
use crate::source::Sources;
use crate::table::Table;

/// How the names of classes begin.
pub(crate) const PREFIX: &str = "db.";

/// What `rds.yaml` says of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClassRules {
    /// Source of the table.
    source: String,
    /// The table's date.
    observed: Date,
    /// What it leaves open.
    pub(crate) assumed: String,
}

impl ClassRules {
    pub(crate) fn check(&self, sources: &Sources) -> Result<(), String> {
        sources.check(&self.source)
    }
}

/// Reads `db-classes.csv`: each class as the instance type below it, with the bandwidth that RDS
/// publishes. An error names the offending line.
pub(crate) fn read(
    rules: &ClassRules,
    text: &str,
    instances: &[Instance],
) -> Result<Vec<Instance>, Error> {
    let table = Table::new("catalog/db-classes.csv", "class,max_mbps,bursts", text);
    table.rows(|cells| {
        let [name, mbps, bursts] = cells else {
            return Err("expected 3 cells".into());
        };
        let below = name
            .strip_prefix(PREFIX)
            .ok_or("expected a name such as `db.r5.large`")?;
        let below = find(instances, below).ok_or_else(|| format!("no instance type `{below}`"))?;
        let mbps: u64 = mbps
            .parse()
            .map_err(|_| format!("`{mbps}` is not a whole number"))?;
        let rates = instances[below].rates.map(|(baseline, maximum)| {
            let maximum = HostRate {
                iops: maximum.iops,
                mbps,
                throughput: mbps * 1_000_000 / 8,
            };
            let bursts = *bursts == "1";
            let sustained = HostRate {
                iops: baseline.iops,
                mbps: baseline.mbps.min(mbps),
                throughput: baseline.throughput.min(maximum.throughput),
            };
            (if bursts { sustained } else { maximum }, maximum)
        });
        Ok(Instance {
            name: (*name).to_owned(),
            rates,
            earlier: Vec::new(),
            observed: rules.observed,
            source: rules.source.clone(),
            ..instances[below].clone()
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::Catalog;

    #[test]
    fn a_class_has_a_bandwidth_of_its_own() {
        let catalog = Catalog::get().unwrap();
        let figures = |name| {
            let found = catalog.instance(name).unwrap();
            (found.baseline().unwrap(), found.maximum().unwrap())
        };
        let (baseline, maximum) = figures("db.t3.micro");
        assert_eq!((baseline.mbps, maximum.mbps), (87, 1536));
        assert_eq!(figures("t3.micro").1.mbps, 2085);
        // Without a star its maximum holds always.
        let (baseline, maximum) = figures("db.m5.8xlarge");
        assert_eq!(baseline, maximum);
        assert_eq!(catalog.instance("db.r5b.large").unwrap().family(), "r5b");
        assert!(
            catalog
                .instances()
                .iter()
                .all(|it| !it.name().starts_with("db."))
        );
    }

    #[test]
    fn what_is_taken_from_ec2_is_said() {
        let catalog = Catalog::get().unwrap();
        let class = catalog.instance("db.r5.large").unwrap();
        let found = catalog.host_limits(class, None);
        let limits = found.limits.unwrap();
        assert!(limits.iter().all(|limit| !limit.assumptions.is_empty()));
        assert!(found.source.is_some());
    }

    #[test]
    fn a_class_that_is_not_known_is_no_instance() {
        let error = Catalog::get()
            .unwrap()
            .instance("db.r99.large")
            .unwrap_err();
        assert!(
            error.to_string().contains("a DB instance class of RDS"),
            "{error}"
        );
    }
}
