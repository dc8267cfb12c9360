//! The EBS limits of an instance.

use blockyard_model::spec::{Applies, LimitSpec, Unit};

use super::limit::{ByteUnit, Grounds, ResolvedLimit, level};
use crate::catalog::{Catalog, Instance, in_time};
use crate::resolve::Invalid;
use crate::schema::Scenario;

/// Limits for the model, and the same with what they rest on.
type HostLimits<'a> = (Option<&'a Instance>, Vec<LimitSpec>, Vec<ResolvedLimit>);

/// The scenario's instance and its limits. Without `host`, none; an instance
/// without published figures has no limits and one entry that says so.
pub(super) fn resolve<'a>(
    scenario: &Scenario,
    catalog: &'a Catalog,
) -> Result<HostLimits<'a>, Invalid> {
    let Some(host) = &scenario.host else {
        return Ok((None, Vec::new(), Vec::new()));
    };
    let instance = catalog
        .instance(&host.instance)
        .map_err(|message| Invalid::new("host.instance", message))?;
    let source = catalog.sources().cite(instance.source());
    let Some((baseline, maximum)) = instance.ebs() else {
        return Ok((
            Some(instance),
            Vec::new(),
            vec![unpublished(instance, source)],
        ));
    };

    let mut assumptions = Vec::new();
    if let Some(day) = scenario
        .as_of
        .filter(|day| !instance.period().holds(Some(*day)))
    {
        let start = instance.period().start();
        assumptions.push(format!("figures first observed {start} are used for {day}"));
    }
    assumptions.extend(catalog.outdated(scenario.as_of));
    let rules = catalog.instance_rules();
    let full = host.burst_balance.permille();
    let mut limits = Vec::new();
    let mut resolved = Vec::new();
    let mut add = |spec: LimitSpec, note: String| {
        let grounds = Grounds {
            source: source.clone(),
            assumptions: assumptions.clone(),
            notes: vec![note],
        };
        resolved.push(ResolvedLimit::new("host", &spec, ByteUnit::Mb, grounds));
        limits.push(spec);
    };
    for (name, unit, baseline, maximum) in [
        ("iops", Unit::Io, baseline.iops, maximum.iops),
        (
            "throughput",
            Unit::Byte,
            baseline.throughput,
            maximum.throughput,
        ),
    ] {
        let depth = in_time(maximum, rules.short.time);
        let short = limit(name.to_owned(), unit, maximum, depth, 1000);
        add(short, rules.short.note(catalog.sources()));
        if baseline < maximum {
            let depth = in_time(maximum - baseline, rules.burst.time);
            let mut credits = limit(format!("{name}_credits"), unit, baseline, depth, full);
            credits.credits = true;
            add(credits, rules.burst.note(catalog.sources()));
        }
    }
    Ok((Some(instance), limits, resolved))
}

fn limit(name: String, unit: Unit, rate: u64, depth: u64, full_permille: u64) -> LimitSpec {
    let depth = depth.max(1);
    LimitSpec {
        name,
        unit,
        applies: Applies::Both,
        rate: rate.max(1),
        depth,
        level: level(depth, full_permille),
        credits: false,
    }
}

fn unpublished(instance: &Instance, source: String) -> ResolvedLimit {
    ResolvedLimit {
        owner: "host".to_owned(),
        limit: "iops and throughput".to_owned(),
        value: None,
        unit: String::new(),
        depth: None,
        source,
        assumed: true,
        note: format!(
            "no published limit for {}; none is applied",
            instance.name()
        ),
    }
}
