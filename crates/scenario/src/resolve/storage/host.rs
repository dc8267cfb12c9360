//! The limits of an instance on all its volumes together.

use blockyard_catalog::{Catalog, HostLimits, Instance, Source};
use blockyard_model::spec::LimitSpec;

use super::limit::{Owner, ResolvedLimit};
use super::rests_on::assumed_of;
use crate::resolve::Invalid;
use crate::schema::Scenario;
use crate::units::Percent;

/// The scenario's instance and its limits.
#[derive(Default)]
pub(super) struct Host<'a> {
    /// The instance; none where the scenario has no `host`.
    pub(super) instance: Option<&'a Instance>,
    /// Its limits for the model.
    pub(super) specs: Vec<LimitSpec>,
    /// Its limits for results.
    pub(super) limits: Vec<ResolvedLimit>,
    /// What is assumed of them, each thing once.
    pub(super) assumed: Vec<String>,
}

/// How full the host's short buckets are at the start: it has rested.
const FULL: Percent = Percent::new(1000);

/// The scenario's instance and its limits. Without `host` there are none; for
/// an instance without published figures there are no limits, and one entry for
/// results that says so.
pub(super) fn resolve<'a>(scenario: &Scenario, catalog: &'a Catalog) -> Result<Host<'a>, Invalid> {
    let Some(host) = &scenario.host else {
        return Ok(Host::default());
    };
    let instance = catalog
        .instance(&host.instance)
        .map_err(|unknown| Invalid::new("host.instance", unknown))?;
    let found = catalog.host_limits(instance, scenario.as_of);
    let Some(limits) = &found.limits else {
        let limit = unpublished(&found);
        return Ok(Host {
            instance: Some(instance),
            assumed: vec![limit.note.clone()],
            limits: vec![limit],
            specs: Vec::new(),
        });
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
    let (specs, resolved) = resolved.unzip();
    Ok(Host {
        instance: Some(instance),
        specs,
        limits: resolved,
        assumed: assumed_of(limits, &[]),
    })
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
