//! The layout of a scenario as JSON, for what writes it in the form of other tools: what is bought
//! for which host, what LVM makes of it, and what lies where.

use blockyard_catalog::Catalog;
use blockyard_scenario::schema::{Device, Job, MirrorMember, NameOr, RanWrite, Scenario};
use blockyard_scenario::{Loaded, Resolved};
use serde_json::{Map, Value, json};

/// The layout at the start: hosts, volumes, devices, clusters, and the files of the jobs. Sizes
/// are in bytes, throughputs in bytes a second. Volumes that events add are left out.
pub(crate) fn text_of(loaded: &Loaded, resolved: &Resolved) -> String {
    let scenario = &loaded.scenario;
    let mut volumes = Vec::new();
    let devices = scenario.storage.iter().zip(&resolved.storage.devices);
    let devices: Vec<_> = devices
        .map(|((name, device), spec)| {
            let layout = layout(device, name, resolved, &mut volumes);
            json!({"name": name, "size": spec.size, "layout": layout})
        })
        .collect();
    let clusters = scenario.clusters.iter().map(|(name, cluster)| {
        json!({
            "name": name,
            "nodes": cluster.nodes,
            "disks": cluster.disks,
            "multi_attach": cluster.multi_attach,
        })
    });
    json!({
        "name": scenario.name,
        "hosts": hosts(scenario, resolved),
        "volumes": volumes,
        "devices": devices,
        "clusters": clusters.collect::<Vec<_>>(),
        "files": scenario.workload.iter().flat_map(|(name, job)| files(name, job)).collect::<Vec<_>>(),
        "events": scenario.events.len(),
    })
    .to_string()
}

fn hosts(scenario: &Scenario, resolved: &Resolved) -> Vec<Value> {
    let written = scenario.hosts.values().chain(&scenario.host);
    let mut instances = written.map(|host| host.instance.as_str());
    let hosts = resolved.storage.hosts.iter().zip(&resolved.zones.of_hosts);
    let named = hosts.map(|(host, zone)| {
        let zone = zone.map(|zone| resolved.zones.names[zone].as_str());
        let instance = instances.next();
        let attachments = instance.and_then(attachments);
        json!({"name": host.name, "instance": instance, "zone": zone, "attachments": attachments})
    });
    named.collect()
}

/// How many volumes an instance takes beside its root volume.
fn attachments(instance: &str) -> Option<u64> {
    let found = Catalog::get().ok()?.instance(instance).ok()?;
    Some(found.attachments().saturating_sub(1))
}

/// A device as a tree; its volumes are added to those found so far, and named by their indices.
fn layout(device: &Device, name: &str, resolved: &Resolved, found: &mut Vec<Value>) -> Value {
    match device {
        Device::Volume(_) => {
            let index = found.len();
            found.push(volume(index, name, resolved));
            json!({"volume": index})
        }
        Device::Stripe(stripe) => {
            let width = stripe.stripe.width.get();
            let parts = (0..width).map(|_| layout(&stripe.of, name, resolved, found));
            json!({"stripe": parts.collect::<Vec<_>>(), "chunk": stripe.stripe.chunk.bytes()})
        }
        Device::Linear(linear) => {
            let parts = linear.linear.iter();
            let parts = parts.map(|part| layout(part, name, resolved, found));
            json!({"linear": parts.collect::<Vec<_>>()})
        }
        Device::Mirror(mirror) => {
            let legs = mirror.mirror.legs.iter();
            let legs = legs.map(|(leg, of)| (leg.clone(), layout(of, name, resolved, found)));
            json!({"mirror": legs.collect::<Map<_, _>>()})
        }
    }
}

/// Volume number `index`, of the device called `device`.
fn volume(index: usize, device: &str, resolved: &Resolved) -> Value {
    let spec = &resolved.storage.volumes[index];
    let bought = &resolved.bought.volumes[index];
    json!({
        "name": spec.name,
        "device": device,
        "host": resolved.storage.hosts[spec.host].name,
        "type": bought.volume_type,
        "size": bought.provisioned.size.bytes(),
        "iops": bought.provisioned.iops,
        "throughput": bought.provisioned.throughput.map(|rate| rate.bytes_per_s()),
        "local": bought.local,
        "sold": bought.sold,
    })
}

/// Which files a job has on which devices, and those of members of its mirror.
fn files(name: &str, job: &Job) -> Vec<Value> {
    match job {
        Job::RanRead(job) => {
            vec![json!({"job": name, "kind": "ranread", "on": {"database": job.on}})]
        }
        Job::AccessSpec(job) => {
            vec![json!({"job": name, "kind": "access_spec", "on": {"file": job.on}})]
        }
        Job::RanWrite(job) => databases(name, job),
        Job::Oltp(job) => {
            let on = match &job.on {
                NameOr::Name(device) => json!({"data": device}),
                // What is not named lies with the data.
                NameOr::Given(roles) => json!(roles),
            };
            vec![json!({"job": name, "kind": "oltp", "on": on})]
        }
    }
}

/// A database and its mirror's, with what their servers are configured with.
fn databases(name: &str, job: &RanWrite) -> Vec<Value> {
    let mirror = job.mirror.as_deref();
    let others = mirror.into_iter().flat_map(|mirror| {
        let backup = ("backup", &mirror.backup);
        let far = mirror.asynchronous.iter();
        std::iter::once(backup).chain(far.map(|(name, member)| (name.as_str(), member)))
    });
    let others = others.map(|(member, of)| (Some(member), MirrorMember::roles(of)));
    let members = std::iter::once((None, job.roles())).chain(others);
    members
        .map(|(member, [data, wij, journal])| {
            json!({
                "job": name,
                "kind": "ranwrite",
                "member": member,
                "on": {"database": data.1, "wij": wij.1, "journal": journal.1},
                "size": job.file_size.bytes(),
                "block": job.block.bytes(),
                "cache": job.cache.bytes(),
                "asyncwij": job.wij.asyncwij,
                "wij_size": job.wij.file_size.bytes(),
                "journal_size": job.journal.file_size.bytes(),
                "daemons": job.wdparm.daemons,
                "outstanding": job.wdparm.outstanding,
                "per_daemon": job.wdparm.per_daemon,
            })
        })
        .collect()
}
