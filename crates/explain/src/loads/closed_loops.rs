//! Closed loops that no limit throttled, and what would make them do more.

use blockyard_model::workload::spec::{AccessSpec, JobSpec, Load};
use blockyard_record::result::RunResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::id::LimitId;
use crate::limits::{Limit, RateUnit};
use crate::storage::devices::Device;
use crate::waits::held::OtherWaits;
use crate::waits::{LimitWaits, latency_s};
use blockyard_record::thresholds::FELT;

/// IOs that limits count in parts are larger than what they count by more than this factor.
const SPLIT: f64 = 1.02;

/// From this share of a job's latency on a link holds it up, rather than take its time as the
/// storage does.
const HELD: f64 = 0.25;

/// A job whose IO hardly waited: an IO takes its time, whatever is bought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClosedLoop {
    /// The job.
    pub job: String,
    /// The mean latency of its IOs, in seconds.
    pub mean_s: f64,
    /// The share of its latency that it waited for limits.
    pub waited: f64,
    /// With how many processes it would reach a limit; none if it does with those it has,
    /// or that cannot be said.
    pub reach: Option<Reach>,
}

/// How a job that is alone would reach a limit (Little's law).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reach {
    /// With this number of processes, at the latency that it has.
    pub processes: u64,
    /// The lowest limit over its device.
    pub limit: LimitId,
    /// Its value, with its unit.
    pub value: (f64, RateUnit),
}

/// The closed loops among `jobs` that hardly waited, for limits or `others`; `limits` are
/// those in force.
pub(crate) fn closed_loops(
    jobs: &[JobSpec],
    result: &RunResult,
    waits: &[LimitWaits],
    others: OtherWaits<'_>,
    limits: &[Limit],
    devices: &[Device],
) -> Vec<ClosedLoop> {
    let totals = &result.totals;
    let held = |job: &str| others.most(job).is_some_and(|(_, share)| share >= HELD);
    let found = jobs.iter().filter_map(JobSpec::as_access);
    let found = found.filter_map(|spec| {
        let Load::Closed { steps, outstanding } = &spec.load else {
            return None;
        };
        let own = || totals.iter().filter(|total| total.job == spec.name);
        let whole_s = latency_s(own());
        let of_job = waits.iter().flat_map(|limit| &limit.jobs);
        let waited_s: f64 = of_job
            .filter(|job| job.job == spec.name)
            .map(|job| job.waited_s)
            .sum();
        if whole_s == 0.0 || waited_s >= FELT * whole_s || held(&spec.name) {
            return None;
        }
        let mean_s = whole_s / own().map(|total| total.ios).sum::<u64>() as f64;
        let most = steps.iter().map(|step| step.1).max().unwrap_or(0);
        let alone = totals.iter().all(|total| total.job == spec.name);
        let reach = alone
            .then(|| {
                reach(
                    spec,
                    (mean_s + spec.think as f64 / 1e9) / f64::from(*outstanding),
                    limits,
                    devices,
                )
            })
            .flatten();
        Some(ClosedLoop {
            job: spec.name.clone(),
            mean_s,
            waited: waited_s / whole_s,
            reach: reach.filter(|reach| reach.processes > most.into()),
        })
    });
    found.collect()
}

/// With how many processes, which take `each_s` for an IO, a job reaches the lowest limit.
fn reach(spec: &AccessSpec, each_s: f64, limits: &[Limit], devices: &[Device]) -> Option<Reach> {
    let device = devices.get(spec.file.device)?;
    device
        .io_bytes()
        .filter(|size| spec.block as f64 <= SPLIT * size)?;
    let above = limits.iter().filter(|limit| device.passes(&limit.limit));
    let ios = above.filter_map(|limit| Some((device.ios_of(limit)?.0, limit)));
    let (ios, lowest) = ios.min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Reach {
        processes: (ios * each_s).ceil() as u64,
        limit: lowest.limit.clone(),
        value: (lowest.value, lowest.unit),
    })
}

#[cfg(test)]
mod tests {
    use blockyard_record::result::Total;

    use super::*;
    use crate::testing::{access, device, limit, result, total};

    /// A job of two processes at 1 ms an IO under 3,000 IOPS.
    fn found(waits: &[LimitWaits], totals: &[Total]) -> Vec<ClosedLoop> {
        let limits = [
            limit("data", "iops", 3000.0, "IOPS"),
            limit("data", "throughput", 125.0, "MiB/s"),
        ];
        let mut data = device("data", &["data"]);
        data.legs[0].counted = (1, 8192);
        let run = RunResult {
            totals: totals.to_vec(),
            ..result()
        };
        closed_loops(
            &[access("readers", 2)],
            &run,
            waits,
            OtherWaits {
                links: &[],
                events: &[],
            },
            &limits,
            &[data],
        )
    }

    #[test]
    fn processes_that_reach_a_limit_follow_from_the_latency() {
        let totals = [total("readers", "data", "read", 1000, 1000.0)];
        let [only] = &found(&[], &totals)[..] else {
            panic!("expected one loop")
        };
        assert_eq!((only.mean_s, only.waited), (1e-3, 0.0));
        assert_eq!(only.reach.as_ref().unwrap().processes, 3);
    }

    #[test]
    fn processes_that_are_there_are_not_proposed() {
        let totals = [total("readers", "data", "read", 1000, 300.0)];
        assert_eq!(found(&[], &totals)[0].reach, None);
    }

    #[test]
    fn what_several_jobs_would_reach_is_not_said() {
        let totals = [
            total("readers", "data", "read", 1000, 1000.0),
            total("others", "data", "read", 1000, 1000.0),
        ];
        assert_eq!(found(&[], &totals)[0].reach, None);
    }

    #[test]
    fn a_loop_that_waited_is_held_back() {
        let totals = [total("readers", "data", "read", 1000, 1000.0)];
        let waits = crate::testing::waits_of("data", "iops", &[("readers", 0.06, 1.0)]);
        assert_eq!(found(&[waits], &totals), []);
    }
}
