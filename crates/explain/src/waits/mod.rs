//! What IOs waited for: the limits of a result, with the volumes of a device or leg together.

pub(crate) mod held;
pub(crate) mod links_and_events;
pub(crate) mod load_steps;
pub(crate) mod series;

use blockyard_model::spec::StorageSpec;
use blockyard_record::result::{LimitTotal, Total};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::id::LimitId;
use crate::limits::owners::Owners;
use crate::limits::{Limit, RateUnit};
use crate::raising::Raising;

/// A limit's share of all waiting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Waited {
    /// Which limit.
    pub limit: LimitId,
    /// Its share of the time that IOs waited for any limit.
    pub share: f64,
}

/// Which limits IOs waited for, from (owner, limit, time waited) as results of runs on `storage`
/// have them; the one with most first. Empty if no time was waited.
///
/// # Errors
/// A line that names what is no limit.
pub fn waited<'a>(
    times: impl IntoIterator<Item = (&'a str, &'a str, f64)>,
    storage: &StorageSpec,
) -> Result<Vec<Waited>, String> {
    let owners = Owners::of(storage);
    let mut found: Vec<Waited> = Vec::new();
    for (owner, limit, time) in times {
        let id = LimitId::named(owner, limit, &owners)?;
        match found.iter_mut().find(|known| known.limit == id) {
            Some(known) => known.share += time,
            None => found.push(Waited {
                limit: id,
                share: time,
            }),
        }
    }
    let whole: f64 = found.iter().map(|waited| waited.share).sum();
    found.retain(|waited| waited.share > 0.0);
    found.iter_mut().for_each(|waited| waited.share /= whole);
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    Ok(found)
}

/// A limit that IOs waited for, and whose these were.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitWaits {
    /// Which limit.
    pub limit: LimitId,
    /// The volumes of the device or leg whose IOs waited, with all that are alike in a stripe; none
    /// of a host's.
    pub volumes: Vec<String>,
    /// The limit over these volumes, in `unit`; none where none is published.
    pub value: Option<(f64, RateUnit)>,
    /// Its share of the time that IOs waited for any limit, before they were issued or after.
    pub share: f64,
    /// Job by job.
    pub jobs: Vec<JobWait>,
    /// The share of the tokens that mirrors took to bring legs up to date, of those granted to
    /// IOs that waited.
    pub resync_took: f64,
    /// The load steps in which the waits were felt, by number. None where jobs share the
    /// storage, the load has no steps, or no table tells when.
    pub felt_in: Option<Vec<usize>>,
    /// The share of the waits in intervals in which write daemons wrote the database;
    /// none unless several jobs waited.
    pub while_database_written: Option<f64>,
    /// What raising it would bring; none where that would hardly be felt.
    pub raising: Option<Raising>,
    /// The limits in force that its IO passes beside it.
    #[serde(skip)]
    pub(crate) beside: Vec<Limit>,
}

/// A job's part in the waits for a limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobWait {
    /// The job.
    pub job: String,
    /// How long its IOs waited, in seconds summed over IOs; in an open loop also before they
    /// were issued, as others that waited for it held all that may be in flight.
    pub waited_s: f64,
    /// The share of the tokens that its IOs took, of those granted to IOs that waited.
    pub took: f64,
}

impl LimitWaits {
    /// How long IOs of a job waited for it, in seconds; none if they did not.
    pub(crate) fn waited_s(&self, job: &str) -> Option<f64> {
        let own = self.jobs.iter().find(|own| own.job == job)?;
        (own.waited_s > 0.0).then_some(own.waited_s)
    }

    /// The share of its tokens that a job took.
    pub(crate) fn took(&self, job: &str) -> f64 {
        let own = self.jobs.iter().find(|own| own.job == job);
        own.map_or(0.0, |own| own.took)
    }
}

/// How long IOs waited for a limit, before they were issued and after, in seconds.
pub(crate) fn waited_s(total: &LimitTotal) -> f64 {
    total.throttled_s + total.lag_s
}

/// The limits of a result with these `owners` that IOs waited for, the one with most first; with
/// their totals alone.
///
/// # Errors
/// A line that names what is no limit.
pub(crate) fn waits(totals: &[LimitTotal], owners: &Owners) -> Result<Vec<LimitWaits>, String> {
    let mut groups: Vec<(LimitId, Vec<&LimitTotal>)> = Vec::new();
    for (index, total) in totals.iter().enumerate() {
        if total.throttled_s <= 0.0 {
            continue;
        }
        let id = LimitId::named(&total.owner, &total.limit, owners)
            .map_err(|error| format!("limits[{index}].limit: {error}"))?;
        match groups.iter_mut().find(|(known, _)| *known == id) {
            Some((_, group)) => group.push(total),
            None => groups.push((id, vec![total])),
        }
    }
    let whole_s: f64 = totals.iter().map(waited_s).sum();
    let group = |(id, totals)| of_group(id, totals, whole_s);
    let mut found: Vec<_> = groups.into_iter().map(group).collect();
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    Ok(found)
}

fn of_group(limit: LimitId, totals: Vec<&LimitTotal>, whole_s: f64) -> LimitWaits {
    let waited_ios: u64 = totals.iter().map(|total| total.throttled_ios).sum();
    let mut jobs: Vec<JobWait> = Vec::new();
    let mut resync_took = 0.0;
    for total in &totals {
        // The volumes of a device are alike, so each weighs as much as it let wait.
        let weight = total.throttled_ios as f64 / waited_ios.max(1) as f64;
        resync_took += total.resync_took.unwrap_or(0.0) * weight;
        for part in &total.jobs {
            let took = part.took * weight;
            match jobs.iter_mut().find(|known| known.job == part.job) {
                Some(known) => {
                    known.waited_s += part.throttled_s + part.lag_s;
                    known.took += took;
                }
                None => jobs.push(JobWait {
                    job: part.job.clone(),
                    waited_s: part.throttled_s + part.lag_s,
                    took,
                }),
            }
        }
    }
    let mut volumes: Vec<_> = totals
        .iter()
        .filter(|_| !limit.is_host())
        .map(|total| total.owner.clone())
        .collect();
    volumes.sort();
    LimitWaits {
        limit,
        volumes,
        value: None,
        share: totals.iter().map(|total| waited_s(total)).sum::<f64>() / whole_s,
        jobs,
        resync_took,
        felt_in: None,
        while_database_written: None,
        raising: None,
        beside: Vec::new(),
    }
}

/// All latencies, summed over IOs, in seconds.
pub(crate) fn latency_s<'a>(totals: impl IntoIterator<Item = &'a Total>) -> f64 {
    let timed = totals
        .into_iter()
        .filter_map(|total| Some(total.ios as f64 * total.mean()? / 1e6));
    timed.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{limit_total, owners, scenario};

    #[test]
    fn volumes_of_a_device_wait_together() {
        let totals = [
            limit_total(
                "data.1",
                "iops",
                30,
                6.0,
                0.6,
                &[("a", 6.0, 1.0), ("b", 0.0, 0.0)],
            ),
            limit_total(
                "host",
                "iops",
                5,
                3.0,
                0.3,
                &[("a", 1.0, 0.5), ("b", 2.0, 0.5)],
            ),
            limit_total(
                "data.0",
                "iops",
                10,
                1.0,
                0.1,
                &[("a", 0.5, 0.6), ("b", 0.5, 0.4)],
            ),
            limit_total("data.0", "throughput", 0, 0.0, 0.0, &[]),
        ];
        let found = waits(&totals, &owners()).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].volumes, ["data.0", "data.1"]);
        assert_eq!((found[0].share * 10.0).round(), 7.0);
        let [a, b] = &found[0].jobs[..] else {
            panic!("{:?}", found[0].jobs)
        };
        assert_eq!((a.waited_s, b.waited_s), (6.5, 0.5));
        assert_eq!((a.took, b.took), (0.9, 0.1));
        assert!(found[1].limit.is_host() && found[1].volumes.is_empty());
    }

    #[test]
    fn shares_are_of_all_waiting() {
        let hosts = "hosts: {app: {instance: m5.large}, backup: {instance: m5.large}}
storage: {data: {stripe: {width: 2, chunk: 64KiB}, of: {type: gp3, size: 10GiB}, host: app}}
";
        let storage = scenario(hosts).storage;
        let times = [
            ("backup", "iops", 1.0),
            ("data.0", "iops", 1.0),
            ("data.1", "iops", 2.0),
            ("data.1", "throughput", 0.0),
        ];
        let found = waited(times, &storage).unwrap();
        let shares: Vec<_> = found.iter().map(|waited| waited.share).collect();
        assert_eq!(shares, [0.75, 0.25]);
        assert!(found[0].limit.is_of("data"));
        assert_eq!(found[1].limit.host(), Some("backup"));
        assert_eq!(waited([("data", "iops", 0.0)], &storage).unwrap(), []);
    }
}
