//! Burst credits: what is left of them, and how long that lasts.

use blockyard_model::spec::{StorageSpec, Unit};
use blockyard_record::result::{RunResult, VolumeTotal};
use blockyard_scenario::{Carrier, carrying};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::id::{LimitId, Owner};
use crate::limits::owners::Owners;
use crate::limits::{Limit, RateUnit, limits};
use crate::storage::equal_volumes::EqualVolumes;
use crate::waits::series::WaitSeries;

/// The credits of a volume, of the equal volumes of a stripe, or of a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Credits {
    /// The limit whose credits they are.
    pub limit: LimitId,
    /// The volumes; none of a host's.
    pub volumes: Vec<String>,
    /// What was left at the end, in percent; of several volumes, of the emptiest.
    pub left_pct: f64,
    /// How many seconds after the end nothing would be left, at the pace of the run's second
    /// half; 0 if nothing was, none if they last: they did not run down, or come back in time.
    pub last_s: Option<f64>,
    /// What is left then, over these volumes, with its unit.
    pub then: Option<(f64, RateUnit)>,
    /// How many seconds after the end they come back at once; none if they only flow in.
    pub back_s: Option<f64>,
    /// What would sustain what IO takes of them, where they run down: volumes in place of the
    /// device's own. Empty where that is not known, or was not looked for.
    pub carried_by: Vec<Carrier>,
}

/// A device of which a volume had used up its credits, or a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsedUp {
    /// The device, or the host.
    #[serde(flatten)]
    pub owner: Owner,
    /// The end of the first interval in which IO waited for credits, in seconds.
    pub by_s: f64,
}

/// All credits: the hosts' last.
///
/// # Errors
/// A line that names what is no limit.
pub(crate) fn credits(
    result: &RunResult,
    storage: &StorageSpec,
    equal_volumes: &EqualVolumes,
    owners: &Owners,
) -> Result<Vec<Credits>, String> {
    let mut found: Vec<Credits> = Vec::new();
    for total in &result.volumes {
        for name in total.burst_balance_pct.keys() {
            let limit = LimitId::named(&total.name, name, owners)?;
            let volumes = equal_volumes.group(&total.name);
            let one = of_one(result, total, name, limit, volumes, owners, None)?;
            let known = found
                .iter_mut()
                .find(|known| known.limit == one.limit && known.volumes == one.volumes);
            match known {
                Some(known) if known.left_pct <= one.left_pct => {}
                Some(known) => *known = one,
                None => found.push(one),
            }
        }
    }
    for total in &result.hosts {
        for name in total.burst_balance_pct.keys() {
            let limit = LimitId::named(&total.name, name, owners)?;
            let own = storage.hosts.iter().filter(|host| host.name == total.name);
            let mut own = own.flat_map(|host| &host.limits);
            let spec = own.find(|spec| spec.name == *name);
            let every = spec.and_then(|spec| spec.top_up).map(|top_up| top_up.every);
            let every_s = every.map(|every| every as f64 / 1e9);
            found.push(of_one(
                result,
                total,
                name,
                limit,
                Vec::new(),
                owners,
                every_s,
            )?);
        }
    }
    Ok(found)
}

/// The credits of `total` of the limit `name`, which come back at each multiple of `every_s`.
fn of_one(
    result: &RunResult,
    total: &VolumeTotal,
    name: &str,
    limit: LimitId,
    volumes: Vec<String>,
    owners: &Owners,
    every_s: Option<f64>,
) -> Result<Credits, String> {
    let over = limits(&result.resolved, owners, |volume| {
        volumes.iter().any(|own| own == volume)
    })?;
    let left_pct = total.burst_balance_pct[name];
    let pace_s = total.burst_balance_lasts_s.get(name).copied();
    let back_s = every_s.map(|every| every - result.duration_s % every);
    Ok(Credits {
        then: over
            .iter()
            .find(|own| own.limit == limit)
            .map(|own| (own.value, own.unit)),
        last_s: match (back_s, every_s) {
            (Some(back_s), Some(every_s)) => {
                pace_s.and_then(|lasts_s| with_top_ups(lasts_s, left_pct, back_s, every_s))
            }
            _ => pace_s,
        },
        limit,
        volumes,
        left_pct,
        back_s,
        carried_by: Vec::new(),
    })
}

/// Looks for what would sustain what IO takes of `credits` that run down: `scenario` is what was
/// run, as text with overrides, and `limits` those that have a value.
pub(crate) fn add_carriers(
    credits: &mut [Credits],
    limits: &[Limit],
    scenario: (&str, &str, &[String]),
) {
    for own in credits {
        let (Owner::Device(device), true) = (&own.limit.owner, own.last_s > Some(0.0)) else {
            continue;
        };
        let limit = limits.iter().find(|limit| limit.limit == own.limit);
        let used = limit.and_then(|limit| Some((limit.used?.mean * limit.unit.per_s(), limit)));
        if let Some((per_s, limit)) = used {
            let of_bytes = limit.limit.kind.counts == Unit::Byte;
            own.carried_by = carrying(scenario, device, (per_s, of_bytes));
        }
    }
}

/// When credits end that would last for `lasts_s` and are full again after `back_s`, and then
/// every `every_s`; none if they always last until then.
fn with_top_ups(lasts_s: f64, left_pct: f64, back_s: f64, every_s: f64) -> Option<f64> {
    if lasts_s < back_s {
        return Some(lasts_s);
    }
    let full_s = lasts_s / left_pct * 100.0;
    (full_s < every_s).then_some(back_s + full_s)
}

/// When each host, and the first volume of each device, had used up its credits, in that order.
pub(crate) fn used_up(series: &[WaitSeries], interval_s: f64) -> Vec<UsedUp> {
    let mut found: Vec<UsedUp> = Vec::new();
    for waits in series.iter().filter(|waits| waits.limit.kind.credits) {
        let owner = waits.limit.owner.clone();
        let known = found.iter().any(|one| one.owner == owner);
        if let (false, Some(first)) = (known, waits.t_s.first()) {
            let by_s = first + interval_s;
            found.push(UsedUp { owner, by_s });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{gp3, owners, resolved, result, scenario, series, volume};

    fn with(name: &str, limit: &str, left_pct: f64, lasts_s: Option<f64>) -> VolumeTotal {
        let mut total = volume(name, 0, 0);
        total.burst_balance_pct.insert(limit.to_owned(), left_pct);
        let lasts_s = lasts_s.map(|s| (limit.to_owned(), s));
        total.burst_balance_lasts_s.extend(lasts_s);
        total
    }

    #[test]
    fn equal_volumes_of_a_stripe_have_the_balance_of_the_emptiest() {
        let stripe = "storage:
  data: {stripe: {width: 2, chunk: 64KiB}, of: {type: gp2, size: 100GiB}}
";
        let storage = scenario(stripe).storage;
        let mut result = result();
        result.resolved = vec![
            resolved("data.0", "iops_credits", 300.0, "IOPS"),
            resolved("data.1", "iops_credits", 300.0, "IOPS"),
        ];
        result.volumes = vec![
            with("data.0", "iops_credits", 60.0, Some(70.0)),
            with("data.1", "iops_credits", 50.0, Some(60.0)),
        ];
        let found = credits(&result, &storage, &EqualVolumes::of(&storage), &owners()).unwrap();
        let [data] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!((data.left_pct, data.last_s), (50.0, Some(60.0)));
        assert_eq!(data.then, Some((600.0, RateUnit::Iops)));
        assert_eq!(data.volumes, ["data.0", "data.1"]);
    }

    #[test]
    fn what_comes_back_in_time_lasts() {
        let lasts = |lasts_s| with_top_ups(lasts_s, 50.0, 1000.0, 86_400.0);
        assert_eq!(lasts(900.0), Some(900.0));
        // Full again after 1,000 s, and used up 3,000 s later.
        assert_eq!(lasts(1500.0), Some(4000.0));
        assert_eq!(lasts(50_000.0), None);
    }

    #[test]
    fn an_instances_credits_are_told_beside_volumes() {
        let mut storage = gp3();
        storage.hosts[0].limits[0].name = "iops_credits".to_owned();
        storage.hosts[0].limits[0].top_up = Some(blockyard_model::spec::TopUp {
            every: 86_400_000_000_000,
            kept: 1,
        });
        let mut result = result();
        result.hosts = vec![with("host", "iops_credits", 90.0, Some(270.0))];
        let found = credits(&result, &storage, &EqualVolumes::of(&storage), &owners()).unwrap();
        assert!(found[0].limit.is_host());
        assert_eq!(
            (found[0].last_s, found[0].back_s),
            (Some(270.0), Some(86_370.0))
        );
    }

    #[test]
    fn credits_are_used_up_once_io_waits_for_them() {
        let found = used_up(
            &[
                series("data.1", "iops", &[(1.0, 1.0)]),
                series("data.1", "iops_credits", &[(5.0, 1.0), (6.0, 1.0)]),
                series("host", "iops_credits", &[(3.0, 1.0)]),
                series("data.1", "throughput_credits", &[(9.0, 1.0)]),
            ],
            1.0,
        );
        let told: Vec<_> = found
            .iter()
            .map(|one| (one.owner.clone(), one.by_s))
            .collect();
        let (data, host) = ("data".to_owned(), "host".to_owned());
        assert_eq!(told, [(Owner::Device(data), 6.0), (Owner::Host(host), 4.0)]);
    }
}
