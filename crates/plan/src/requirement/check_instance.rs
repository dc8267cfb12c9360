//! Whether the instances that a requirement names exist, are large enough, and contradict nothing.

use std::collections::BTreeSet;

use blockyard_catalog::Catalog;
use blockyard_model::units::MIB;
use blockyard_text::hint;
use blockyard_text::units::Size;

use crate::reason::Reason;
use crate::requirement::check::{Wrong, wrong};
use crate::requirement::choice::InstanceChoice;
use crate::requirement::preferences::Avoided;
use crate::requirement::schema::Requirement;

pub(crate) fn check_instance(
    it: &Requirement,
    catalog: &Catalog,
    avoided: Avoided,
) -> Result<(), Wrong> {
    let choice = &it.instance;
    for (place, family) in choice.families.iter().enumerate() {
        let mut all: Vec<&str> = catalog.instances().iter().map(|it| it.family()).collect();
        all.dedup();
        if !all.contains(&family.as_str()) {
            let message = format!("no family is called `{family}`{}", hint(family, all));
            return wrong(&format!("instance.families.{place}"), message);
        }
    }
    let Some(name) = &choice.instance_type else {
        return check_processors(choice, catalog, avoided);
    };
    let instance = catalog.instance(name);
    let instance = instance.or_else(|unknown| wrong("instance.type", unknown))?;
    if let Some(reason) = avoided.reason(instance) {
        let (key, why) = contradicted(&reason);
        return wrong(&format!("instance.{key}"), format!("`{name}` {why}"));
    }
    if let Some(built_for) = choice.architecture.map(|it| it.name())
        && built_for != instance.architecture()
    {
        let message = format!("`{built_for}`; `{name}` is {}", instance.architecture());
        return wrong("instance.architecture", message);
    }
    if choice.vcpu.is_some_and(|vcpu| vcpu > instance.vcpu()) {
        let message = format!("`{name}` has {}", instance.vcpu());
        return wrong("instance.vcpu", message);
    }
    if choice
        .memory
        .is_some_and(|memory| memory.bytes() > instance.memory_mib() * MIB)
    {
        let memory = Size::new(instance.memory_mib() * MIB);
        return wrong("instance.memory", format!("`{name}` has {memory}"));
    }
    if !choice.families.is_empty() && !choice.families.iter().any(|it| it == instance.family()) {
        return wrong("instance.families", format!("`{name}` is of none of them"));
    }
    Ok(())
}

/// Whether zones exist, and have the instance type that is there.
pub(crate) fn check_zones(it: &Requirement, catalog: &Catalog, region: &str) -> Result<(), Wrong> {
    let all = zones(catalog, region);
    for (place, zone) in it.zones.iter().enumerate() {
        if !all.is_empty() && !all.contains(&zone.as_str()) {
            let message = format!(
                "no zone of {region} has the id `{zone}`; known are {}",
                all.iter().copied().collect::<Vec<_>>().join(", ")
            );
            return wrong(&format!("zones.{place}"), message);
        }
    }
    let Some(name) = &it.instance.instance_type else {
        return Ok(());
    };
    let offered = catalog.zones(name, region);
    if offered.is_some_and(<[String]>::is_empty) {
        return wrong(
            "instance.type",
            format!("`{name}` is not offered in {region}"),
        );
    }
    let missing = it
        .zones
        .iter()
        .find(|zone| offered.is_some_and(|it| !it.contains(zone)));
    match (missing, offered) {
        (Some(zone), Some(offered)) => {
            let offered = offered.join(", ");
            let message = format!("`{name}` is not offered in {zone}, but in {offered}");
            wrong("instance.type", message)
        }
        _ => Ok(()),
    }
}

/// The ids of all zones of a region; nothing if they are not known.
pub(crate) fn zones<'a>(catalog: &'a Catalog, region: &str) -> BTreeSet<&'a str> {
    let instances = catalog.instances().iter();
    let offers = instances.filter_map(|it| catalog.zones(it.name(), region));
    offers.flatten().map(String::as_str).collect()
}

/// The key of a requirement that leaves an instance out, and what the instance is.
fn contradicted(reason: &Reason) -> (&'static str, String) {
    match reason {
        Reason::Purpose { purpose, .. } => match purpose.as_str() {
            "burstable" => ("burstable", "is burstable".into()),
            "HPC" => ("hpc", "is made for HPC".into()),
            other => ("accelerators", format!("has accelerators ({other})")),
        },
        _ => ("generation", "is of a previous generation".into()),
    }
}

/// Whether any instance is large enough.
fn check_processors(
    choice: &InstanceChoice,
    catalog: &Catalog,
    avoided: Avoided,
) -> Result<(), Wrong> {
    let (vcpu, memory) = (choice.vcpu.unwrap_or(0), choice.memory);
    let families = &choice.families;
    let named = catalog.instances().iter();
    let named = named.filter(|it| families.is_empty() || families.iter().any(|f| f == it.family()));
    let named: Vec<_> = named.collect();
    let reasons = named.iter().map(|it| avoided.reason(it));
    if let Some([reason, ..]) = reasons.collect::<Option<Vec<_>>>().as_deref() {
        let (key, why) = contradicted(reason);
        let message = format!("`{}`: each {why}", families.join(", "));
        return wrong(&format!("instance.{key}"), message);
    }
    let allowed = named.into_iter().filter(|it| {
        let built_for = choice.architecture.map(|it| it.name());
        built_for.is_none_or(|name| name == it.architecture()) && avoided.reason(it).is_none()
    });
    let allowed: Vec<_> = allowed.collect();
    let Some(most) = allowed.iter().max_by_key(|it| it.vcpu()) else {
        let message = "built for another architecture, all of them";
        return wrong("instance.families", message);
    };
    if most.vcpu() < vcpu {
        let message = format!("`{vcpu}`; the most is {}, of {}", most.vcpu(), most.name());
        return wrong("instance.vcpu", message);
    }
    let enough = allowed.iter().filter(|it| it.vcpu() >= vcpu);
    let Some((most, memory)) = enough.max_by_key(|it| it.memory_mib()).zip(memory) else {
        return Ok(());
    };
    if most.memory_mib() * MIB >= memory.bytes() {
        return Ok(());
    }
    let has = Size::new(most.memory_mib() * MIB);
    let message = format!("`{memory}`; the most is {has}, of {}", most.name());
    wrong("instance.memory", message)
}
