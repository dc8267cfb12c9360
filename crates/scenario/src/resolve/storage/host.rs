//! The limits of an instance on all its volumes together.

use blockyard_catalog::{Catalog, HostLimits, Instance, Source};
use blockyard_model::spec::LimitSpec;

use super::limit::{Owner, ResolvedLimit};
use crate::resolve::Invalid;
use crate::schema::Scenario;
use crate::units::Percent;

/// The scenario's instance, its limits for the model, and its limits for
/// results.
type Host<'a> = (Option<&'a Instance>, Vec<LimitSpec>, Vec<ResolvedLimit>);

/// How full the host's short buckets are at the start: it has rested.
const FULL: Percent = Percent::new(1000);

/// The scenario's instance and its limits. Without `host` there are none; for
/// an instance without published figures there are no limits, and one entry for
/// results that says so.
pub(super) fn resolve<'a>(scenario: &Scenario, catalog: &'a Catalog) -> Result<Host<'a>, Invalid> {
    let Some(host) = &scenario.host else {
        return Ok((None, Vec::new(), Vec::new()));
    };
    let instance = catalog
        .instance(&host.instance)
        .map_err(|unknown| Invalid::new("host.instance", unknown))?;
    let found = catalog.host_limits(instance, scenario.as_of);
    let Some(limits) = &found.limits else {
        return Ok((Some(instance), Vec::new(), vec![unpublished(&found)]));
    };
    let owner = Owner {
        name: "host",
        source: found.source,
        stated_in: found.stated_in,
    };
    let resolved = limits.iter().map(|limit| {
        let full = if limit.credits {
            host.burst_balance
        } else {
            FULL
        };
        owner.resolve(limit, full)
    });
    let (specs, limits) = resolved.unzip();
    Ok((Some(instance), specs, limits))
}

fn unpublished(found: &HostLimits<'_>) -> ResolvedLimit {
    ResolvedLimit {
        owner: "host".to_owned(),
        limit: "iops and throughput".to_owned(),
        value: None,
        unit: String::new(),
        depth: None,
        source: found.source.map_or_else(String::new, Source::to_string),
        assumed: true,
        note: format!(
            "no published limit for {}; none is applied",
            found.instance.name()
        ),
    }
}
