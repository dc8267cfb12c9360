//! Reads the tables of instance types.

use blockyard_text::Error;

use crate::instance::{
    Disks, Generation, HostRate, Instance, InstanceRules, NetworkRate, Purpose, Sighting,
};
use crate::table::Table;

const COLUMNS: &str = "type,vcpu,memory_mib,platform,baseline_iops,baseline_mbps,\
baseline_mb_per_s,maximum_iops,maximum_mbps,maximum_mb_per_s,disks,disk_gb,disk_kind,network_baseline_mbps,network_peak_mbps,attachments,architecture,generation,purpose";

/// Reads `instances.csv`. An error names the offending line.
pub(super) fn read(rules: &InstanceRules, types: &str) -> Result<Vec<Instance>, Error> {
    let types = Table::new("catalog/instances.csv", COLUMNS, types);
    types.rows(|cells| instance(rules, cells))
}

/// The index of the type called `name` among `instances`, which are sorted by
/// name.
pub(super) fn find(instances: &[Instance], name: &str) -> Option<usize> {
    let found = instances.binary_search_by(|instance| instance.name.as_str().cmp(name));
    found.ok()
}

fn instance(rules: &InstanceRules, cells: &[&str]) -> Result<Instance, String> {
    let [name, vcpu, memory, platform, rest @ ..] = cells else {
        return Err("expected 19 cells".into());
    };
    let [
        rest @ ..,
        network_baseline,
        network_peak,
        attachments,
        architecture,
        generation,
        purpose_name,
    ] = rest
    else {
        return Err("expected 19 cells".into());
    };
    let (rates, disks) = rest.split_at(6.min(rest.len()));
    let seen = |sighting: &&Sighting| sighting.types.iter().any(|one| one == name);
    let sighting = rules
        .sightings
        .iter()
        .filter(seen)
        .min_by_key(|sighting| sighting.date);
    Ok(Instance {
        name: (*name).to_owned(),
        vcpu: whole(vcpu)?,
        memory_mib: whole(memory)?,
        platform: match rules.platforms.iter().find(|known| known == platform) {
            Some(known) => known.clone(),
            None => return Err(format!("`{platform}` is not a platform")),
        },
        rates: match rates {
            ["", ..] => None,
            [bi, bb, bt, mi, mb, mt] => Some((host_rate(bi, bb, bt)?, host_rate(mi, mb, mt)?)),
            _ => return Err("expected 19 cells".into()),
        },
        disks: match disks {
            ["", ..] => None,
            [count, gb, kind] => Some(Disks {
                count: whole(count)?,
                gb: whole(gb)?,
                kind: (*kind).to_owned(),
            }),
            _ => return Err("expected 19 cells".into()),
        },
        earlier: Vec::new(),
        store: None,
        network: NetworkRate {
            baseline_mbps: whole(network_baseline)?,
            peak_mbps: whole(network_peak)?,
        },
        attachments: whole(attachments)?,
        architecture: (*architecture).to_owned(),
        generation: match *generation {
            "current" => Generation::Current,
            "previous" => Generation::Previous,
            other => return Err(format!("`{other}` is no generation")),
        },
        purpose: purpose(purpose_name)?,
        observed: sighting.map_or(rules.observed, |sighting| sighting.date),
        source: sighting
            .map_or(&rules.source, |sighting| &sighting.source)
            .clone(),
    })
}

fn purpose(name: &str) -> Result<Purpose, String> {
    Ok(match name {
        "" => Purpose::General,
        "burstable" => Purpose::Burstable,
        "gpu" => Purpose::Accelerated("GPU"),
        "inference" => Purpose::Accelerated("inference"),
        "training" => Purpose::Accelerated("training"),
        "fpga" => Purpose::Accelerated("FPGA"),
        "media" => Purpose::Accelerated("media"),
        "hpc" => Purpose::HighPerformance,
        "mac" => Purpose::Mac,
        other => return Err(format!("`{other}` is no purpose")),
    })
}

fn host_rate(iops: &str, mbps: &str, mb_per_s: &str) -> Result<HostRate, String> {
    Ok(HostRate {
        iops: whole(iops)?,
        mbps: whole(mbps)?,
        throughput: megabytes(mb_per_s)?,
    })
}

pub(super) fn whole(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not a whole number"))
}

/// `437.5` MB/s in bytes a second, exactly.
fn megabytes(text: &str) -> Result<u64, String> {
    let (units, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.len() > 6 {
        return Err(format!("`{text}` has more than six decimals"));
    }
    let bytes = format!("{units}{fraction:0<6}");
    whole(&bytes).map_err(|_| format!("`{text}` is not a number of MB/s"))
}
