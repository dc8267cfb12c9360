//! Open loops that fell behind, and why.

use std::collections::BTreeMap;

use blockyard_model::workload::spec::{AccessSpec, JobSpec, Load};
use blockyard_record::result::{self, RunResult, Total};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bottleneck::Bottleneck;
use crate::limits::RateUnit;
use crate::limits::id::LimitId;
use crate::loads::needs::{Also, Measured};
use crate::waits::held::OtherWaits;
use crate::waits::links_and_events::{EventHold, FULL};
use crate::waits::{JobWait, LimitWaits, latency_s};
use blockyard_record::thresholds::{FELT, MOST};

/// Legs of a mirror that counted no less than this share of the other's IOs counted alike.
const ALIKE: f64 = 0.95;

/// An open loop that fell behind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// IOs a second that failed then.
    pub failed_per_s: f64,
    /// How long what came due at its end had to wait, in seconds, if nothing was skipped; where
    /// the run ended before, if it went on as it did, and after an event no longer than
    /// anything waited to be issued.
    pub wait_s: f64,
    /// Whether what came due at its end mostly failed then.
    pub then_failed: bool,
    /// Whether IOs that were too late were skipped.
    pub skips: bool,
    /// Why; none where no limit is seen, as on real storage.
    pub cause: Option<Bottleneck>,
    /// Where a limit is why: what it takes to serve all that is due.
    pub takes: Option<Takes>,
}

/// What it takes of limits to serve all that is due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Takes {
    /// The value of the limit that is why, over the volumes that its IOs waited for; none where
    /// none is published.
    pub value: Option<(f64, RateUnit)>,
    /// From which value on it lets through all that is due.
    pub needed: Option<f64>,
    /// Limits that would not let through so much: what they need as well.
    pub also: Vec<Also>,
    /// Whether it takes more than that: jobs in closed loops wait for it too, and take what they
    /// get.
    pub at_least: bool,
}

/// The open loops of a run that fell behind, with their waits for limits and for `others`.
pub(crate) fn behind(
    run: Measured<'_>,
    waits: &[LimitWaits],
    others: OtherWaits<'_>,
) -> Vec<Behind> {
    let loops: Vec<_> = run
        .result
        .open_loop
        .iter()
        .filter_map(|open_loop| {
            let behind = open_loop.behind.as_ref()?;
            let main = main_cause(run.result, open_loop, waits, others)
                .or_else(|| in_flight(open_loop, run.jobs));
            Some((open_loop, behind, main))
        })
        .collect();
    let closed = |job: &JobWait| {
        let mut specs = run.jobs.iter();
        let own = specs.find(|spec| spec.name() == job.job);
        own.is_some_and(|spec| spec.as_access().is_none_or(is_closed))
    };
    let takes = |main: &Bottleneck| {
        let Bottleneck::Limit { limit } = main else {
            return None;
        };
        let waits = waits.iter().find(|waits| waits.limit == *limit)?;
        let own = loops
            .iter()
            .filter(|(_, _, other)| other.as_ref() == Some(main));
        let own: Vec<_> = own
            .map(|(open_loop, behind, _)| (open_loop.job.as_str(), *behind))
            .collect();
        let (needed, also) = match legs_differ(run, &waits.limit) {
            true => (None, Vec::new()),
            false => run.needed(waits, &own),
        };
        // One that lets through all that is due was short of tokens for a while alone.
        let short = waits
            .value
            .zip(needed)
            .is_none_or(|((value, _), needed)| needed > value);
        let (needed, also) = if short {
            (needed, also)
        } else {
            (None, Vec::new())
        };
        Some(Takes {
            value: waits.value,
            needed,
            also,
            at_least: link_is_next(run.result, &own, others)
                || waits
                    .jobs
                    .iter()
                    .any(|job| job.waited_s > 0.0 && closed(job)),
        })
    };
    let found = loops.iter().map(|(open_loop, behind, main)| {
        let seconds = behind.to_s - behind.from_s;
        let ended = (behind.served + behind.failed) as f64;
        // What waits at the end is known; by the schedule chance is left out.
        let is_end = behind.to_s >= run.result.duration_s && open_loop.backlog > 0;
        let missing = match is_end {
            true => open_loop.backlog as f64,
            false => behind.due - ended,
        };
        let wait_s = missing * seconds / ended.max(1.0);
        let waited_s = open_loop.lag_us.map_or(f64::MAX, |us| us.max / 1e6);
        let made_up = behind.to_s < run.result.duration_s && !run.result.events.is_empty();
        let cause = by_event(run.result, behind).or_else(|| main.clone());
        Behind {
            takes: cause.as_ref().and_then(takes),
            cause,
            job: open_loop.job.clone(),
            from_s: behind.from_s,
            to_s: behind.to_s,
            due_per_s: behind.due / seconds,
            served_per_s: behind.served as f64 / seconds,
            failed_per_s: behind.failed as f64 / seconds,
            wait_s: match behind.waited_s {
                Some(waited_s) => waited_s,
                None if made_up => wait_s.min(waited_s),
                None => wait_s,
            },
            then_failed: behind.then_failed,
            skips: open_loop.skipped > 0,
        }
    });
    found.collect()
}

/// Whether a limit is of both legs of a mirror, which did not count alike, or of one that kept a
/// log: what it lets through of a job cannot be told from what volumes counted.
fn legs_differ(run: Measured<'_>, limit: &LimitId) -> bool {
    let of = |it: &&result::MirrorTotal| limit.is_of(&it.device);
    let Some(mirror) = run.result.mirrors.iter().find(of) else {
        return false;
    };
    let mut legs: BTreeMap<&str, u64> = BTreeMap::new();
    for total in &run.result.volumes {
        let mut parts = total.name.split('.');
        if let (Some(device), Some(leg)) = (parts.next(), parts.next())
            && device == mirror.device
        {
            *legs.entry(leg).or_default() += total.ios;
        }
    }
    let (least, most) = (legs.values().min(), legs.values().max());
    let alike = least
        .zip(most)
        .is_some_and(|(&least, &most)| least as f64 >= ALIKE * most as f64);
    (!alike && !limit.is_legs()) || mirror.log_writes > 0
}

/// Whether an event lasted for most of the time in which a loop fell behind, and held it.
fn covers(result: &RunResult, open_loop: &result::OpenLoop, hold: &EventHold) -> bool {
    let (Some(behind), Some(event)) = (&open_loop.behind, result.events.get(hold.event)) else {
        return false;
    };
    let until = event.until_s.unwrap_or(result.duration_s);
    let both = until.min(behind.to_s) - event.t_s.max(behind.from_s);
    let holds = hold.jobs.iter().any(|held| held.job == open_loop.job);
    holds && both >= 0.5 * (behind.to_s - behind.from_s)
}

/// Whether a link would hold up what is due of these loops.
fn link_is_next(
    result: &RunResult,
    behind: &[(&str, &result::Behind)],
    others: OtherWaits<'_>,
) -> bool {
    let mirrored = |total: &Total| result.mirrors.iter().any(|it| it.device == total.device);
    let crosses = |job: &str| {
        let mut own = result.totals.iter().filter(|total| total.job == job);
        own.any(mirrored)
    };
    let full = |behind: &result::Behind| {
        let times = behind.due / behind.served.max(1) as f64;
        let mut links = result.links.iter();
        let mut networks = result.host_networks.iter();
        links.any(|link| link.utilisation * times >= FULL)
            || networks.any(|of| of.sent.max(of.received) * times >= FULL)
    };
    let mut behind = behind.iter();
    behind.any(|(job, behind)| crosses(job) && (full(behind) || others.most(job).is_some()))
}

/// The event that is why nothing was served for so long that most of what is missing came due then:
/// what waits for a limit afterwards waits because of it.
fn by_event(run: &result::RunResult, behind: &result::Behind) -> Option<Bottleneck> {
    const ALL: f64 = 0.95;
    // It shows at the end of the interval at the earliest.
    const BEFORE_S: f64 = 1.0;
    let missed = behind.due - behind.served as f64;
    let is_whole = missed >= ALL * behind.due;
    let unserved = if is_whole {
        behind.due
    } else {
        behind.unserved
    };
    let unserved_s = (behind.to_s - behind.from_s) * unserved / behind.due;
    let mut events = run.events.iter().enumerate().filter(|(_, event)| {
        let outage_s = event.effect.map_or(0.0, |effect| effect.outage_s);
        let during = event.t_s >= behind.from_s - BEFORE_S && event.t_s < behind.to_s;
        during && outage_s >= ALL * unserved_s
    });
    let last = events.next_back().filter(|_| unserved >= MOST * missed);
    last.map(|(event, _)| Bottleneck::Event { event })
}

fn is_closed(spec: &AccessSpec) -> bool {
    matches!(spec.load, Load::Closed { .. })
}

/// What made a job's IOs wait longest; none if the storage's own latency kept them from being
/// issued for longer, or they hardly waited.
fn main_cause(
    result: &RunResult,
    open_loop: &result::OpenLoop,
    waits: &[LimitWaits],
    others: OtherWaits<'_>,
) -> Option<Bottleneck> {
    let job = &open_loop.job;
    let waited_s = |waits: &LimitWaits| waits.waited_s(job).unwrap_or(0.0);
    let of_limits: f64 = waits.iter().map(waited_s).sum();
    let whole_s = latency_s(result.totals.iter().filter(|total| total.job == *job));
    let other = others.most(job);
    let of_other = other.as_ref().map_or(0.0, |(_, share)| share * whole_s);
    let lag_s = open_loop.lag_us.map_or(0.0, |us| us.mean / 1e6);
    let lag_s = lag_s * (open_loop.offered - open_loop.skipped) as f64;
    if let Some(event) = others
        .events
        .iter()
        .find(|hold| covers(result, open_loop, hold))
    {
        return Some(Bottleneck::Event { event: event.event });
    }
    let held_s = of_limits + of_other;
    if held_s <= open_loop.own_lag_s || held_s <= FELT * lag_s {
        return None;
    }
    match other {
        Some((by, _)) if of_other > of_limits => Some(by),
        _ => {
            let most = waits
                .iter()
                .max_by(|a, b| waited_s(a).total_cmp(&waited_s(b)))?;
            let limit = most.limit.clone();
            Some(Bottleneck::Limit { limit })
        }
    }
}

/// The bound of its own that kept an open loop from issuing IOs.
fn in_flight(open_loop: &result::OpenLoop, jobs: &[JobSpec]) -> Option<Bottleneck> {
    let mut specs = jobs.iter().filter_map(JobSpec::as_access);
    let spec = specs.find(|spec| spec.name == open_loop.job && open_loop.own_lag_s > 0.0)?;
    match spec.load {
        Load::Open {
            max_outstanding, ..
        } => Some(Bottleneck::InFlight {
            most: max_outstanding,
        }),
        Load::Closed { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use blockyard_record::result::{Event, EventEffect};
    use blockyard_scenario::EventKind;

    use crate::testing::{access, device, limit, open_loop, result, total, volume, waits_of};

    fn cause(behind: &[Behind]) -> (Option<f64>, bool) {
        match &behind[0].takes {
            Some(takes) => (takes.needed, takes.at_least),
            None => panic!("{behind:?}"),
        }
    }

    /// 2,000 a second due for ten seconds, 1,500 served, as others were: the 3,000 that the
    /// volume did.
    fn one() -> RunResult {
        let mut result = result();
        result.open_loop = vec![open_loop("reads", 20_000.0, 15_000)];
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
        let others = OtherWaits {
            links: &[],
            events: &[],
        };
        behind(run, waits, others)
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
        let mut ended = one();
        let behind = ended.open_loop[0].behind.as_mut();
        behind.expect("it fell behind").waited_s = Some(7.5);
        assert_eq!(told(&ended, &[], &[waits.clone()])[0].wait_s, 7.5);
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
        let Some(Takes { also, .. }) = &found[0].takes else {
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

    /// Of the 5,000 IOs that are missing so many came due while nothing was served.
    #[test]
    fn an_outage_is_why_if_most_of_what_is_missing_came_due_in_it() {
        let mut waits = waits_of("data", "iops", &[("reads", 9.0, 0.5), ("log", 1.0, 0.5)]);
        waits.value = Some((3000.0, RateUnit::Iops));
        let cause = |unserved: f64, outage_s: f64| {
            let mut result = one();
            let behind = result.open_loop[0].behind.as_mut();
            behind.expect("it fell behind").unserved = unserved;
            let mut event = Event::noted(22.0, EventKind::Fail, None, "a fails".to_owned());
            event.effect = Some(EventEffect {
                outage_s,
                recovered_s: None,
                failed_ios: 0,
                iops_before: None,
                iops_during: None,
                iops_after: None,
            });
            result.events.push(event);
            told(&result, &[], &[waits.clone()])[0].cause.clone()
        };
        let limit = Some(Bottleneck::Limit {
            limit: waits.limit.clone(),
        });
        assert_eq!(cause(4000.0, 2.0), Some(Bottleneck::Event { event: 0 }));
        assert_eq!(cause(4000.0, 1.0), limit, "a shorter one is not why");
        assert_eq!(cause(2000.0, 1.0), limit, "nor if more came due otherwise");
    }

    #[test]
    fn two_that_fall_behind_one_limit_need_more_of_it_together() {
        let mut both = one();
        both.open_loop.push(open_loop("others", 20_000.0, 15_000));
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
        assert_eq!(found[0].cause, Some(Bottleneck::InFlight { most: 2 }));
    }

    #[test]
    fn real_storage_gives_no_cause() {
        assert_eq!(told(&one(), &[], &[])[0].cause, None);
        let mut kept_up = one();
        kept_up.open_loop[0].behind = None;
        assert_eq!(told(&kept_up, &[], &[]), []);
    }
}
