//! The layout of a scenario as JSON, for what writes it in the form of other tools: what is bought
//! for which host, what LVM makes of it, and what lies where.

use blockyard_catalog::{Catalog, Instance};
use blockyard_model::spec::{LimitSpec, Unit};
use blockyard_model::units::SECOND;
use blockyard_scenario::schema::{self, Job, MirrorMember, NameOr, RanWrite, Scenario};
use blockyard_scenario::{Loaded, Resolved};
use blockyard_text::units::{Duration, Size};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

/// How large the IO is by which a host's IOPS are counted as throughput: the unit of EBS's SSDs.
const LARGE_IO: u64 = 256 << 10;

/// The layout at the start: sizes in bytes, throughputs in bytes a second. Volumes that events add
/// are left out.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Layout {
    /// The scenario's name.
    name: String,
    /// Its hosts.
    hosts: Vec<Host>,
    /// Its volumes, in their order on the devices.
    volumes: Vec<Volume>,
    /// Its devices.
    devices: Vec<Device>,
    /// Its clusters.
    clusters: Vec<Cluster>,
    /// The files of the jobs, and of members of their mirrors.
    files: Vec<Files>,
    /// How many events may change it later.
    events: usize,
    /// How often a volume may be modified.
    modifications: Modifications,
}

/// How often a volume may be modified while it is in use; what is not limited is none.
#[derive(Serialize, JsonSchema)]
struct Modifications {
    /// Seconds that must pass between two.
    apart_s: Option<u64>,
    /// At most this number ..
    most: Option<u32>,
    /// .. in any time of this many seconds.
    within_s: Option<u64>,
}

/// A host.
#[derive(Serialize, JsonSchema)]
struct Host {
    /// Its name.
    name: String,
    /// Its instance type; none where the scenario does not state it.
    instance: Option<String>,
    /// Its zone; none likewise.
    zone: Option<String>,
    /// How many volumes the type takes beside its root volume; none without a type.
    attachments: Option<u64>,
    /// The architecture of its processors; none likewise.
    architecture: Option<String>,
    /// `nitro`, `xen` or `metal`; none likewise.
    platform: Option<String>,
    /// Bytes a second of all its volumes that it sustains; none where nothing limits them.
    sustained: Option<u64>,
}

/// A volume as it is ordered.
#[derive(Serialize, JsonSchema)]
struct Volume {
    /// Its name.
    name: String,
    /// The device that it is of.
    device: String,
    /// The host that it is attached to.
    host: String,
    /// Its type.
    #[serde(rename = "type")]
    volume_type: String,
    /// Its size.
    size: u64,
    /// Provisioned IOPS; none where the type provisions none.
    iops: Option<u64>,
    /// Provisioned throughput; none likewise.
    throughput: Option<u64>,
    /// Bytes a second of large sequential IO that its limits sustain, without bursts; none where
    /// nothing limits it.
    sustained: Option<u64>,
    /// Seconds for which a modification to it is optimised.
    optimising_s: u64,
    /// Whether it is a disk of the instance, which comes with that.
    local: bool,
    /// Whether anyone sells it: `unlimited` is only for tests.
    sold: bool,
}

/// A device of the scenario.
#[derive(Serialize, JsonSchema)]
struct Device {
    /// Its name.
    name: String,
    /// Its size.
    size: u64,
    /// What it is made of.
    layout: Tree,
}

/// What a device is made of: one of a volume, a stripe, parts one after another and a mirror.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Tree {
    /// A volume.
    Volume {
        /// Its place in `volumes`.
        volume: usize,
    },
    /// Equal parts, striped.
    Stripe {
        /// The parts.
        stripe: Vec<Tree>,
        /// Bytes on one before the next one's turn.
        chunk: u64,
    },
    /// Parts one after another.
    Linear {
        /// The parts.
        linear: Vec<Tree>,
    },
    /// Copies.
    Mirror {
        /// The legs by name.
        mirror: IndexMap<String, Tree>,
    },
}

/// Hosts that share devices, which one of them uses at a time.
#[derive(Serialize, JsonSchema)]
struct Cluster {
    /// Its name.
    name: String,
    /// The hosts.
    nodes: Vec<String>,
    /// The devices.
    disks: Vec<String>,
    /// Whether the devices are attached to all of them.
    multi_attach: bool,
}

/// What a job, or a member of its mirror, has on which device.
#[derive(Serialize, JsonSchema)]
struct Files {
    /// The job.
    job: String,
    /// What kind of job it is.
    kind: &'static str,
    /// The device of each file by its role; what is not named lies with the data.
    on: IndexMap<&'static str, String>,
    /// The member of the job's mirror; none is the job itself.
    member: Option<String>,
    /// How a database's server is configured; none of other jobs.
    settings: Option<Settings>,
}

/// How the server of a database under updates is configured.
#[derive(Serialize, JsonSchema)]
struct Settings {
    /// The size of the database.
    size: u64,
    /// The size of a block.
    block: u64,
    /// The size of the cache.
    cache: u64,
    /// WIJ writes in flight.
    asyncwij: u32,
    /// The size of the WIJ.
    wij_size: u64,
    /// The size of a journal file.
    journal_size: u64,
    /// Write daemons.
    daemons: u32,
    /// IOs in flight of all of them.
    outstanding: u32,
    /// IOs in flight of each.
    per_daemon: u32,
}

/// The layout of a scenario at its start.
pub(crate) fn of(loaded: &Loaded, resolved: &Resolved) -> Layout {
    let scenario = &loaded.scenario;
    let mut volumes = Vec::new();
    let devices = scenario.storage.iter().zip(&resolved.storage.devices);
    let devices = devices.map(|((name, device), spec)| Device {
        name: name.clone(),
        size: spec.size,
        layout: tree(device, name, resolved, &mut volumes),
    });
    let clusters = scenario.clusters.iter().map(|(name, cluster)| Cluster {
        name: name.clone(),
        nodes: cluster.nodes.clone(),
        disks: cluster.disks.clone(),
        multi_attach: cluster.multi_attach,
    });
    let jobs = scenario.workload.iter();
    Layout {
        name: scenario.name.clone(),
        hosts: hosts(scenario, resolved),
        devices: devices.collect(),
        volumes,
        clusters: clusters.collect(),
        files: jobs.flat_map(|(name, job)| files(name, job)).collect(),
        events: scenario.events.len(),
        modifications: modifications(scenario),
    }
}

fn modifications(scenario: &Scenario) -> Modifications {
    let catalog = Catalog::get().ok();
    let rule = catalog.and_then(|catalog| catalog.modification_rule(scenario.as_of));
    let counted = rule.and_then(|rule| rule.most_within());
    Modifications {
        apart_s: rule.and_then(|rule| rule.apart()).map(seconds),
        most: counted.map(|(most, _)| most.get()),
        within_s: counted.map(|(_, within)| seconds(within)),
    }
}

/// A time in whole seconds, the last one begun.
fn seconds(time: Duration) -> u64 {
    time.nanos().div_ceil(SECOND)
}

/// Bytes a second that all limits sustain, if each IO has `io_unit` bytes.
fn sustained(limits: &[LimitSpec], io_unit: u64) -> Option<u64> {
    let rates = limits.iter().map(|limit| match limit.unit {
        Unit::Io => limit.rate.saturating_mul(io_unit),
        Unit::Byte => limit.rate,
    });
    rates.min()
}

fn hosts(scenario: &Scenario, resolved: &Resolved) -> Vec<Host> {
    let written = scenario.hosts.values().chain(&scenario.host);
    let mut instances = written.map(|host| host.instance.as_str());
    let hosts = resolved.storage.hosts.iter().zip(&resolved.zones.of_hosts);
    let named = hosts.map(|(host, zone)| {
        let instance = instances.next();
        Host {
            name: host.name.clone(),
            instance: instance.map(str::to_owned),
            zone: zone.map(|zone| resolved.zones.names[zone].clone()),
            attachments: instance.and_then(attachments),
            architecture: instance.and_then(|it| Some(known(it)?.architecture().to_owned())),
            platform: instance.and_then(|it| Some(known(it)?.platform().to_owned())),
            sustained: sustained(&host.limits, LARGE_IO),
        }
    });
    named.collect()
}

/// How many volumes an instance takes beside its root volume.
fn attachments(instance: &str) -> Option<u64> {
    Some(known(instance)?.attachments().saturating_sub(1))
}

fn known(instance: &str) -> Option<&'static Instance> {
    Catalog::get().ok()?.instance(instance).ok()
}

/// A device as a tree; its volumes are added to those found so far, and named by their indices.
fn tree(device: &schema::Device, name: &str, resolved: &Resolved, found: &mut Vec<Volume>) -> Tree {
    match device {
        schema::Device::Volume(_) => {
            let index = found.len();
            found.push(volume(index, name, resolved));
            Tree::Volume { volume: index }
        }
        schema::Device::Stripe(stripe) => {
            let width = stripe.stripe.width.get();
            let parts = (0..width).map(|_| tree(&stripe.of, name, resolved, found));
            Tree::Stripe {
                stripe: parts.collect(),
                chunk: stripe.stripe.chunk.bytes(),
            }
        }
        schema::Device::Linear(linear) => {
            let parts = linear.linear.iter();
            let parts = parts.map(|part| tree(part, name, resolved, found));
            Tree::Linear {
                linear: parts.collect(),
            }
        }
        schema::Device::Mirror(mirror) => {
            let legs = mirror.mirror.legs.iter();
            let legs = legs.map(|(leg, of)| (leg.clone(), tree(of, name, resolved, found)));
            Tree::Mirror {
                mirror: legs.collect(),
            }
        }
    }
}

/// Volume number `index`, of the device called `device`.
fn volume(index: usize, device: &str, resolved: &Resolved) -> Volume {
    let spec = &resolved.storage.volumes[index];
    let bought = &resolved.bought.volumes[index];
    let throughput = bought.provisioned.throughput;
    Volume {
        name: spec.name.clone(),
        device: device.to_owned(),
        host: resolved.storage.hosts[spec.host].name.clone(),
        volume_type: bought.volume_type.clone(),
        size: bought.provisioned.size.bytes(),
        iops: bought.provisioned.iops,
        throughput: throughput.map(|rate| rate.bytes_per_s()),
        sustained: sustained(&spec.limits, spec.io_unit),
        optimising_s: optimising(bought.provisioned.size),
        local: bought.local,
        sold: bought.sold,
    }
}

/// Seconds for which a volume of this size is optimised.
fn optimising(size: Size) -> u64 {
    Catalog::get().map_or(0, |catalog| seconds(catalog.optimising(size).0))
}

/// Which files a job has on which devices, and those of members of its mirror.
fn files(name: &str, job: &Job) -> Vec<Files> {
    let files = |kind, on| Files {
        job: name.to_owned(),
        kind,
        on,
        member: None,
        settings: None,
    };
    match job {
        Job::RanRead(job) => {
            vec![files("ranread", [("database", job.on.clone())].into())]
        }
        Job::AccessSpec(job) => {
            vec![files("access_spec", [("file", job.on.clone())].into())]
        }
        Job::RanWrite(job) => databases(name, job),
        Job::Oltp(job) => {
            let on = match &job.on {
                NameOr::Name(device) => [("data", device.clone())].into(),
                NameOr::Given(roles) => {
                    let all = [
                        ("data", Some(&roles.data)),
                        ("log", roles.log.as_ref()),
                        ("doublewrite", roles.doublewrite.as_ref()),
                        ("binlog", roles.binlog.as_ref()),
                    ];
                    let named = all.into_iter();
                    named
                        .filter_map(|(role, on)| Some((role, on?.clone())))
                        .collect()
                }
            };
            vec![files("oltp", on)]
        }
    }
}

/// A database and its mirror's, with what their servers are configured with.
fn databases(name: &str, job: &RanWrite) -> Vec<Files> {
    let mirror = job.mirror.as_deref();
    let others = mirror.into_iter().flat_map(|mirror| {
        let backup = ("backup", &mirror.backup);
        let far = mirror.asynchronous.iter();
        std::iter::once(backup).chain(far.map(|(name, member)| (name.as_str(), member)))
    });
    let others = others.map(|(member, of)| (Some(member), MirrorMember::roles(of)));
    let members = std::iter::once((None, job.roles())).chain(others);
    members
        .map(|(member, [data, wij, journal])| Files {
            job: name.to_owned(),
            kind: "ranwrite",
            on: [("database", data), ("wij", wij), ("journal", journal)]
                .map(|(role, (_, device))| (role, device.to_owned()))
                .into(),
            member: member.map(str::to_owned),
            settings: Some(Settings {
                size: job.file_size.bytes(),
                block: job.block.bytes(),
                cache: job.cache.bytes(),
                asyncwij: job.wij.asyncwij,
                wij_size: job.wij.file_size.bytes(),
                journal_size: job.journal.file_size.bytes(),
                daemons: job.wdparm.daemons.get(),
                outstanding: job.wdparm.outstanding.get(),
                per_daemon: job.wdparm.per_daemon.get(),
            }),
        })
        .collect()
}
