//! Open loops that fell behind their schedule, and what is why.

use blockyard_model::workload::spec::{JobSpec, Load};
use blockyard_record::result::{self, RunResult, Total};
use serde::Serialize;

use crate::devices::Device;
use crate::id::LimitId;
use crate::limits::RateUnit;
use crate::loops::FELT;
use crate::waits::LimitWaits;

/// An open loop that fell behind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Behind {
    /// The job.
    pub job: String,
    /// When it began to fall behind, in seconds.
    pub from_s: f64,
    /// Until when it did: the end of the run, if it never kept up again.
    pub to_s: f64,
    /// IOs a second that were due then.
    pub due_per_s: f64,
    /// IOs a second that were served then.
    pub served_per_s: f64,
    /// How long what came due at its end had to wait, in seconds, if nothing was skipped and
    /// it went on as it did.
    pub wait_s: f64,
    /// Whether IOs that were too late were skipped.
    pub skips: bool,
    /// Why; none where no limit is seen, as on real storage.
    pub cause: Option<Cause>,
}

/// Why an open loop fell behind.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Cause {
    /// What its IOs waited for.
    Limit {
        /// The limit that they waited for longest, before they were issued and after.
        limit: LimitId,
        /// Its value over the volumes that they waited for; none where none is published.
        value: Option<(f64, RateUnit)>,
        /// From which value on it lets through all that is due.
        needed: Option<f64>,
        /// Limits that would not let through so much: what they need as well.
        also: Vec<Also>,
        /// Whether it takes more than that: jobs in closed loops wait for it too, and take
        /// what they get.
        at_least: bool,
    },
    /// As many were in flight as may be, at the storage's own latency.
    InFlight {
        /// How many.
        most: u32,
    },
}

/// A limit that stands in the way of what is due once another does not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Also {
    /// Which limit.
    pub limit: LimitId,
    /// From which value on it lets through all that is due, with its unit.
    pub needed: (f64, RateUnit),
}

/// The open loops of a run that fell behind, with what `waits` tell of limits.
pub(crate) fn behind(
    result: &RunResult,
    jobs: &[JobSpec],
    waits: &[LimitWaits],
    devices: &[Device],
) -> Vec<Behind> {
    let loops: Vec<_> = result
        .open_loop
        .iter()
        .filter_map(|open_loop| {
            let behind = open_loop.behind.as_ref()?;
            let limit = main_limit(open_loop, waits);
            Some((open_loop, behind, limit))
        })
        .collect();
    let closed = |job: &str| {
        let specs = jobs.iter().filter_map(JobSpec::as_access);
        let closed = |load: &Load| matches!(load, Load::Closed { .. });
        specs
            .filter(|spec| spec.name == job)
            .any(|spec| closed(&spec.load))
    };
    let cause = |open_loop: &result::OpenLoop, limit: Option<&LimitWaits>| {
        let Some(waits) = limit else {
            return in_flight(&open_loop.job, jobs).filter(|_| open_loop.own_lag_s > 0.0);
        };
        // While IOs wait for it all its tokens are taken, of which these are the job's: served
        // as much faster as more is due, it takes as many times as many.
        let own = loops
            .iter()
            .filter(|(_, _, limit)| limit.is_some_and(|limit| limit.limit == waits.limit));
        let own: Vec<_> = own
            .map(|(open_loop, behind, _)| {
                let more = behind.due / behind.served.max(1) as f64 - 1.0;
                (open_loop.job.as_str(), more)
            })
            .collect();
        let more: f64 = own.iter().map(|(job, more)| waits.took(job) * more).sum();
        let also = waits.others.iter().filter_map(|room| {
            let limit = &room.limit;
            let part = |(job, more): &(&str, f64)| took(&limit.limit, job, result, devices) * more;
            let times = 1.0 + own.iter().map(part).sum::<f64>();
            (room.in_force && room.times() < times).then(|| Also {
                limit: limit.limit.clone(),
                needed: (room.needed(times), limit.unit),
            })
        });
        Some(Cause::Limit {
            limit: waits.limit.clone(),
            value: waits.value,
            needed: waits.value.map(|(value, _)| value * (1.0 + more)),
            also: also.collect(),
            at_least: waits
                .jobs
                .iter()
                .any(|job| job.waited_s > 0.0 && closed(&job.job)),
        })
    };
    let found = loops.iter().map(|(open_loop, behind, limit)| {
        let seconds = behind.to_s - behind.from_s;
        let served_per_s = behind.served as f64 / seconds;
        Behind {
            job: open_loop.job.clone(),
            from_s: behind.from_s,
            to_s: behind.to_s,
            due_per_s: behind.due / seconds,
            served_per_s,
            wait_s: (behind.due - behind.served as f64) / served_per_s.max(1.0 / seconds),
            skips: open_loop.skipped > 0,
            cause: cause(open_loop, *limit),
        }
    });
    found.collect()
}

/// The share of what IO took of a limit that a job's did, as far as totals tell.
fn took(limit: &LimitId, job: &str, result: &RunResult, devices: &[Device]) -> f64 {
    let device_of = |total: &Total| devices.iter().find(|device| device.name == total.device);
    let passing = result.totals.iter().filter_map(|total| {
        let device = device_of(total).filter(|device| device.passes(limit))?;
        let took = device.takes(limit, total.ios, total.bytes) as f64;
        (total.op != "flush").then_some((total.job == job, took))
    });
    let (own, all) = passing.fold((0.0, 0.0), |(own, all), (is_own, took)| {
        (own + if is_own { took } else { 0.0 }, all + took)
    });
    if all == 0.0 { 0.0 } else { own / all }
}

/// The limit that a job's IOs waited for longest; none if the storage's own latency kept them
/// from being issued for longer, or they hardly waited.
fn main_limit<'a>(open_loop: &result::OpenLoop, waits: &'a [LimitWaits]) -> Option<&'a LimitWaits> {
    let waited_s = |waits: &LimitWaits| waits.waited_s(&open_loop.job).unwrap_or(0.0);
    let most = waits
        .iter()
        .max_by(|a, b| waited_s(a).total_cmp(&waited_s(b)))?;
    let of_limits: f64 = waits.iter().map(waited_s).sum();
    let lag_s = open_loop.lag_us.map_or(0.0, |us| us.mean / 1e6);
    let lag_s = lag_s * (open_loop.offered - open_loop.skipped) as f64;
    (of_limits > open_loop.own_lag_s && of_limits > FELT * lag_s).then_some(most)
}

fn in_flight(job: &str, jobs: &[JobSpec]) -> Option<Cause> {
    let mut specs = jobs.iter().filter_map(JobSpec::as_access);
    let spec = specs.find(|spec| spec.name == job)?;
    match spec.load {
        Load::Open {
            max_outstanding, ..
        } => Some(Cause::InFlight {
            most: max_outstanding,
        }),
        Load::Closed { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{access, open_loop, result, waits_of};

    fn cause(behind: &[Behind]) -> (Option<f64>, bool) {
        match &behind[0].cause {
            Some(Cause::Limit {
                needed, at_least, ..
            }) => (*needed, *at_least),
            other => panic!("{other:?}"),
        }
    }

    /// 2,000 a second due for ten seconds, 1,500 served.
    fn one() -> RunResult {
        let mut result = result();
        result.open_loop = vec![open_loop("reads", (20_000.0, 15_000))];
        result
    }

    #[test]
    fn what_is_due_and_served_is_told_with_what_it_takes() {
        let mut waits = waits_of("data", "iops", &[("reads", 9.0, 0.5), ("log", 1.0, 0.5)]);
        waits.value = Some((3000.0, RateUnit::Iops));
        let found = behind(&one(), &[], &[waits.clone()], &[]);
        assert_eq!(
            (found[0].due_per_s, found[0].served_per_s),
            (2000.0, 1500.0)
        );
        assert_eq!(found[0].wait_s, 5000.0 / 1500.0);
        // It takes 500 more of a limit of which it had half for 1,500.
        let (needed, at_least) = cause(&found);
        assert_eq!((needed.map(f64::round), at_least), (Some(3500.0), false));
        let found = behind(&one(), &[access("log", 1)], &[waits], &[]);
        assert!(cause(&found).1);
    }

    #[test]
    fn two_that_fall_behind_one_limit_need_more_of_it_together() {
        let mut both = one();
        both.open_loop.push(open_loop("others", (20_000.0, 15_000)));
        let jobs = [("reads", 5.0, 0.5), ("others", 5.0, 0.5)];
        let mut waits = waits_of("data", "iops", &jobs);
        waits.value = Some((3000.0, RateUnit::Iops));
        let found = behind(&both, &[], &[waits], &[]);
        assert_eq!(cause(&found).0.map(f64::round), Some(4000.0));
    }

    #[test]
    fn what_is_in_flight_may_be_why() {
        let mut result = one();
        result.open_loop[0].own_lag_s = 100.0;
        let waits = waits_of("data", "iops", &[("reads", 9.0, 1.0)]);
        let mut spec = access("reads", 1);
        let JobSpec::Access(reads) = &mut spec else {
            panic!("an access job")
        };
        reads.load = Load::Open {
            steps: vec![(0, 2000)],
            arrivals: blockyard_model::workload::spec::Arrivals::Even,
            max_outstanding: 2,
            latency_limit: None,
        };
        let found = behind(&result, &[spec], &[waits], &[]);
        assert_eq!(found[0].cause, Some(Cause::InFlight { most: 2 }));
    }

    #[test]
    fn real_storage_gives_no_cause() {
        assert_eq!(behind(&one(), &[], &[], &[])[0].cause, None);
        let mut kept_up = one();
        kept_up.open_loop[0].behind = None;
        assert_eq!(behind(&kept_up, &[], &[], &[]), []);
    }
}
