//! What would sustain a load that burst credits carry for now: volumes that are larger,
//! or gp3.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load;
use crate::schema::Device;
use blockyard_text::units::Size;

const GIB: u64 = 1 << 30;
/// No volume is larger, in GiB.
const MOST_GIB: u64 = 65_536;
/// What has no credits, and what it is provisioned in steps of.
const STEADY: &str = "gp3";
const STEP_IOPS: f64 = 100.0;
const STEP_MIB: f64 = 5.0;

/// Volumes in place of each of a device's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Carrier {
    /// Their type.
    #[serde(rename = "type")]
    pub volume_type: String,
    /// How many of them.
    pub volumes: u64,
    /// How large each is; none where that is as it was.
    pub gib: Option<u64>,
    /// What each is provisioned with, above what it has anyway.
    pub iops: Option<u64>,
    /// The same, in MiB/s.
    pub mib_per_s: Option<u64>,
}

/// What would carry `per_s` IOs, or bytes with `of_bytes`, a second on a device: nothing that is
/// known where its volumes are unlike.
#[must_use]
pub fn carrying(
    (text, file_name, sets): (&str, &str, &[String]),
    device: &str,
    (per_s, of_bytes): (f64, bool),
) -> Vec<Carrier> {
    let Ok(loaded) = load(text, file_name, sets) else {
        return Vec::new();
    };
    let mut path = format!("storage.{device}");
    let (volume, volumes) = match loaded.scenario.storage.get(device) {
        Some(Device::Volume(volume)) => (volume, 1),
        Some(Device::Stripe(stripe)) => match &*stripe.of {
            Device::Volume(volume) => {
                path.push_str(".of");
                (volume, u64::from(stripe.stripe.width.get()))
            }
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let enough = |changes: &[String]| {
        let sets: Vec<String> = sets.iter().chain(changes).cloned().collect();
        sustained((text, file_name, &sets), device, of_bytes).is_some_and(|rate| rate >= per_s)
    };
    let carrier = |volume_type: &str| Carrier {
        volume_type: volume_type.to_owned(),
        volumes,
        gib: None,
        iops: None,
        mib_per_s: None,
    };
    let with_gib = |gib: u64| enough(&[format!("{path}.size={gib}GiB")]);
    let now = volume.size.map_or(0, Size::bytes).div_ceil(GIB);
    let larger = least(now, with_gib).map(|gib| Carrier {
        gib: Some(gib),
        ..carrier(&volume.volume_type)
    });
    let plain = ["type=gp3", "iops=null", "throughput=null", "latency=null"];
    let mut changes = plain.map(|set| format!("{path}.{set}"));
    let each = per_s / volumes as f64;
    let steady = if enough(&changes) {
        Some(carrier(STEADY))
    } else if of_bytes {
        let mib = (each / f64::from(1 << 20) / STEP_MIB).ceil() * STEP_MIB;
        changes[2] = format!("{path}.throughput={mib}MiB/s");
        enough(&changes).then(|| Carrier {
            mib_per_s: Some(mib as u64),
            ..carrier(STEADY)
        })
    } else {
        let iops = (each / STEP_IOPS).ceil() * STEP_IOPS;
        changes[1] = format!("{path}.iops={iops}");
        enough(&changes).then(|| Carrier {
            iops: Some(iops as u64),
            ..carrier(STEADY)
        })
    };
    larger.into_iter().chain(steady).collect()
}

/// What a device's volumes together let through in the long run, in IOs or bytes a second.
fn sustained(
    (text, file_name, sets): (&str, &str, &[String]),
    device: &str,
    of_bytes: bool,
) -> Option<f64> {
    let resolved = load(text, file_name, sets).ok()?.resolve().ok()?;
    let counts = if of_bytes { "throughput" } else { "iops" };
    let part = format!("{device}.");
    let is_own = |owner: &str| owner == device || owner.starts_with(&part);
    let sum = |name: &str| {
        let own = resolved.limits.iter();
        let own = own.filter(|limit| is_own(&limit.owner) && limit.limit == name);
        let rates = own.filter_map(|limit| {
            let unit = match limit.unit.as_str() {
                "MiB/s" => f64::from(1 << 20),
                "MB/s" => 1e6,
                _ => 1.0,
            };
            Some(limit.value? * unit)
        });
        rates.reduce(|a, b| a + b)
    };
    let both = [sum(counts), sum(&format!("{counts}_credits"))];
    both.into_iter().flatten().reduce(f64::min)
}

/// The least size in GiB above `few` with which `is_enough`, of sizes that more is no worse than.
fn least(mut few: u64, is_enough: impl Fn(u64) -> bool) -> Option<u64> {
    let powers = (0..=16).map(|power| 1 << power).filter(|&gib| gib > few);
    let mut enough = powers
        .filter(|&gib| gib <= MOST_GIB)
        .find(|&gib| is_enough(gib))?;
    while enough - few > 1 {
        let middle = few.midpoint(enough);
        match is_enough(middle) {
            true => enough = middle,
            false => few = middle,
        }
    }
    Some(enough)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(storage: &str, load: (f64, bool)) -> Vec<String> {
        let text = format!(
            "name: t\nduration: 1s\nstorage: {{data: {storage}}}\n\
             workload: {{r: {{kind: ranread, on: data, file_size: 1GiB, processes: 1}}}}\n"
        );
        let found = carrying((&text, "test", &[]), "data", load);
        let said = |one: Carrier| {
            let Carrier {
                volume_type,
                volumes,
                gib,
                iops,
                mib_per_s,
            } = one;
            format!("{volumes} {volume_type} {gib:?} {iops:?} {mib_per_s:?}")
        };
        found.into_iter().map(said).collect()
    }

    #[test]
    fn gp2_needs_a_gib_for_three_iops() {
        assert_eq!(
            of("{type: gp2, size: 100GiB}", (1000.0, false)),
            ["1 gp2 Some(334) None None", "1 gp3 None None None"]
        );
        // Three volumes share it; and gp3 has no more than 3,000 unasked.
        assert_eq!(
            of(
                "{stripe: {width: 3, chunk: 64KiB}, of: {type: gp2, size: 100GiB}}",
                (9_050.0, false)
            ),
            ["3 gp2 Some(1006) None None", "3 gp3 None Some(3100) None"]
        );
    }

    #[test]
    fn st1_needs_a_tib_for_forty_mib() {
        let mib = f64::from(1 << 20);
        assert_eq!(
            of("{type: st1, size: 500GiB}", (120.0 * mib, true)),
            ["1 st1 Some(3072) None None", "1 gp3 None None None"]
        );
        assert_eq!(
            of("{type: sc1, size: 500GiB}", (240.0 * mib, true)),
            ["1 gp3 None None Some(240)"]
        );
    }
}
