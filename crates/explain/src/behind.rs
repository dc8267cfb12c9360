//! Open loops that fell behind their schedule, and what is why.

use blockyard_model::workload::spec::{AccessSpec, JobSpec, Load};
use blockyard_record::result;
use serde::Serialize;

use crate::id::LimitId;
use crate::limits::RateUnit;
use crate::needed::{Also, Measured};
use crate::network::{crosses_link, link_holds};
use crate::waits::{FELT, JobWait, LimitWaits};

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
    /// it went on as it did; where an event was behind it and was made up for, no longer than
    /// anything did.
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
    /// Something happened that kept all of it from being served.
    Event {
        /// What.
        what: String,
    },
    /// As many were in flight as may be, at the storage's own latency.
    InFlight {
        /// How many.
        most: u32,
    },
}

/// The open loops of a run that fell behind, with what `waits` tell of limits.
pub(crate) fn behind(run: Measured<'_>, waits: &[LimitWaits]) -> Vec<Behind> {
    let loops: Vec<_> = run
        .result
        .open_loop
        .iter()
        .filter_map(|open_loop| {
            let behind = open_loop.behind.as_ref()?;
            let limit = main_limit(open_loop, waits);
            Some((open_loop, behind, limit))
        })
        .collect();
    let closed = |job: &JobWait| {
        let mut specs = run.jobs.iter();
        let own = specs.find(|spec| spec.name() == job.job);
        own.is_some_and(|spec| spec.as_access().is_none_or(is_closed))
    };
    // More in flight would only wait for the link.
    let links = link_holds(run.result, run.result.duration_s - run.seconds);
    let held_by_link = |job: &str| {
        let mut own = run.result.totals.iter().filter(|total| total.job == job);
        !links.is_empty() && own.any(|total| crosses_link(run.result, total))
    };
    let cause = |open_loop: &result::OpenLoop, limit: Option<&LimitWaits>| {
        let Some(waits) = limit else {
            let own_lag = open_loop.own_lag_s > 0.0 && !held_by_link(&open_loop.job);
            return in_flight(&open_loop.job, run.jobs).filter(|_| own_lag);
        };
        let own = loops
            .iter()
            .filter(|(_, _, limit)| limit.is_some_and(|limit| limit.limit == waits.limit));
        let own: Vec<_> = own
            .map(|(open_loop, behind, _)| (open_loop.job.as_str(), *behind))
            .collect();
        let (needed, also) = run.needed(waits, &own);
        Some(Cause::Limit {
            limit: waits.limit.clone(),
            value: waits.value,
            needed,
            also,
            at_least: waits
                .jobs
                .iter()
                .any(|job| job.waited_s > 0.0 && closed(job)),
        })
    };
    let found = loops.iter().map(|(open_loop, behind, limit)| {
        let seconds = behind.to_s - behind.from_s;
        let served_per_s = behind.served as f64 / seconds;
        let wait_s = (behind.due - behind.served as f64) / served_per_s.max(1.0 / seconds);
        let waited_s = open_loop.lag_us.map_or(f64::MAX, |us| us.max / 1e6);
        let made_up = behind.to_s < run.result.duration_s && !run.result.events.is_empty();
        Behind {
            job: open_loop.job.clone(),
            from_s: behind.from_s,
            to_s: behind.to_s,
            due_per_s: behind.due / seconds,
            served_per_s,
            wait_s: if made_up {
                wait_s.min(waited_s)
            } else {
                wait_s
            },
            skips: open_loop.skipped > 0,
            cause: by_event(run.result, behind).or_else(|| cause(open_loop, *limit)),
        }
    });
    found.collect()
}

/// The event that is why nothing was served: what waits for a limit afterwards waits because of it.
fn by_event(run: &result::RunResult, behind: &result::Behind) -> Option<Cause> {
    const ALL: f64 = 0.95;
    // It shows at the end of the interval at the earliest.
    const BEFORE_S: f64 = 1.0;
    let missed = behind.due - behind.served as f64;
    let lasted_s = behind.to_s - behind.from_s;
    let mut events = run.events.iter().filter(|event| {
        let outage_s = event.effect.map_or(0.0, |effect| effect.outage_s);
        let during = event.t_s >= behind.from_s - BEFORE_S && event.t_s < behind.to_s;
        during && outage_s >= ALL * lasted_s
    });
    let event = events.next_back().filter(|_| missed >= ALL * behind.due)?;
    Some(Cause::Event {
        what: event.what.clone(),
    })
}

fn is_closed(spec: &AccessSpec) -> bool {
    matches!(spec.load, Load::Closed { .. })
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
    use blockyard_record::result::RunResult;

    use crate::testing::{access, device, limit, open_loop, result, total, volume, waits_of};

    fn cause(behind: &[Behind]) -> (Option<f64>, bool) {
        match &behind[0].cause {
            Some(Cause::Limit {
                needed, at_least, ..
            }) => (*needed, *at_least),
            other => panic!("{other:?}"),
        }
    }

    /// 2,000 a second due for ten seconds, 1,500 served, as others were: the 3,000 that the
    /// volume did.
    fn one() -> RunResult {
        let mut result = result();
        result.open_loop = vec![open_loop("reads", (20_000.0, 15_000))];
        let total = |job| total(job, "data", "read", 45_000, 1000.0);
        result.totals = vec![total("reads"), total("others")];
        result.volumes = vec![volume("data", 90_000, 90_000 * 8192)];
        result
    }

    fn told(result: &RunResult, jobs: &[JobSpec], waits: &[LimitWaits]) -> Vec<Behind> {
        let run = Measured {
            result,
            jobs,
            devices: &[device("data", &["data"])],
            seconds: 30.0,
        };
        behind(run, waits)
    }

    #[test]
    fn what_is_due_and_served_is_told_with_what_it_takes() {
        let mut waits = waits_of("data", "iops", &[("reads", 9.0, 0.5), ("log", 1.0, 0.5)]);
        waits.value = Some((3000.0, RateUnit::Iops));
        let found = told(&one(), &[], &[waits.clone()]);
        assert_eq!(
            (found[0].due_per_s, found[0].served_per_s),
            (2000.0, 1500.0)
        );
        assert_eq!(found[0].wait_s, 5000.0 / 1500.0);
        // It takes 500 more of a limit of which it had half for 1,500.
        let (needed, at_least) = cause(&found);
        assert_eq!((needed.map(f64::round), at_least), (Some(3500.0), false));
        let found = told(&one(), &[access("log", 1)], &[waits]);
        assert!(cause(&found).1);
    }

    #[test]
    fn what_else_would_let_through_less_is_told_with_what_it_takes() {
        let mut waits = waits_of("data", "iops", &[("reads", 9.0, 0.5), ("log", 1.0, 0.5)]);
        waits.value = Some((3000.0, RateUnit::Iops));
        // 3,500 IOs of 8 KiB are 27.3 MiB.
        waits.beside = vec![
            limit("data", "throughput", 25.0, "MiB/s"),
            limit("host", "iops", 3600.0, "IOPS"),
        ];
        let found = told(&one(), &[], &[waits]);
        let Some(Cause::Limit { also, .. }) = &found[0].cause else {
            panic!("{found:?}")
        };
        let [only] = &also[..] else {
            panic!("{also:?}")
        };
        assert_eq!(only.limit, limit("data", "throughput", 1.0, "MiB/s").limit);
        assert_eq!((only.needed.0 * 10.0).round(), 273.0);
    }

    #[test]
    fn what_is_due_in_the_step_with_most_is_what_it_takes() {
        let mut waits = waits_of("data", "iops", &[("reads", 9.0, 1.0)]);
        waits.value = Some((1500.0, RateUnit::Iops));
        let mut result = one();
        result.totals.truncate(1);
        result.volumes = vec![volume("data", 45_000, 45_000 * 8192)];
        let mut spec = access("reads", 1);
        let JobSpec::Access(reads) = &mut spec else {
            panic!("an access job")
        };
        reads.load = Load::Open {
            steps: vec![(0, 100), (20_000_000_000, 1600), (25_000_000_000, 2400)],
            arrivals: blockyard_model::workload::spec::Arrivals::Even,
            max_outstanding: 1024,
            latency_limit: None,
        };
        let found = told(&result, &[spec], &[waits]);
        assert_eq!(cause(&found).0.map(f64::round), Some(2400.0));
    }

    #[test]
    fn two_that_fall_behind_one_limit_need_more_of_it_together() {
        let mut both = one();
        both.open_loop.push(open_loop("others", (20_000.0, 15_000)));
        let jobs = [("reads", 5.0, 0.5), ("others", 5.0, 0.5)];
        let mut waits = waits_of("data", "iops", &jobs);
        waits.value = Some((3000.0, RateUnit::Iops));
        let found = told(&both, &[], &[waits]);
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
        let found = told(&result, &[spec], &[waits]);
        assert_eq!(found[0].cause, Some(Cause::InFlight { most: 2 }));
    }

    #[test]
    fn real_storage_gives_no_cause() {
        assert_eq!(told(&one(), &[], &[])[0].cause, None);
        let mut kept_up = one();
        kept_up.open_loop[0].behind = None;
        assert_eq!(told(&kept_up, &[], &[]), []);
    }
}
