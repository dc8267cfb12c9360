//! The bottleneck of each job: what made its IO wait most.

use blockyard_record::result::Total;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bottleneck::Bottleneck;
use crate::waits::links_and_events::{EventHold, JobHeld, LinkHold};
use crate::waits::{LimitWaits, Waited, latency_s};
use blockyard_record::thresholds::FELT;

/// A job's waiting for limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Held {
    /// The job.
    pub job: String,
    /// The share of all latency of its IOs that they waited for limits; 0 without IO.
    pub waited: f64,
    /// Whether that is felt: less of it would hardly be noticed.
    pub felt: bool,
    /// The limits that they waited for, the one with most first.
    pub limits: Vec<Waited>,
    /// The bottleneck, if that is felt: the first of `limits`, a link or an event.
    pub by: Option<Bottleneck>,
    /// The share of all latency of its IOs that they waited for that, for all limits together; 0
    /// without one.
    pub by_waited: f64,
}

/// What made jobs wait beside limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OtherWaits<'a> {
    pub(crate) links: &'a [LinkHold],
    pub(crate) events: &'a [EventHold],
}

impl OtherWaits<'_> {
    /// The one of these that a job waited for most, with the share of its latency.
    pub(crate) fn most(&self, job: &str) -> Option<(Bottleneck, f64)> {
        let of = |jobs: &[JobHeld]| Some(jobs.iter().find(|own| own.job == job)?.waited);
        let links = self.links.iter().enumerate().filter_map(|(place, hold)| {
            let waited = of(&hold.jobs)?;
            Some((Bottleneck::Link { place }, waited))
        });
        let events = self.events.iter().filter_map(|hold| {
            let event = hold.event;
            Some((Bottleneck::Event { event }, of(&hold.jobs)?))
        });
        links.chain(events).max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Each job that did IO, in the order of `totals`.
pub(crate) fn held(totals: &[Total], waits: &[LimitWaits], others: OtherWaits<'_>) -> Vec<Held> {
    let mut found: Vec<Held> = Vec::new();
    for total in totals.iter().filter(|total| total.ios > 0) {
        if found.iter().all(|held| held.job != total.job) {
            found.push(of_job(&total.job, totals, waits, others));
        }
    }
    found
}

fn of_job(job: &str, totals: &[Total], waits: &[LimitWaits], others: OtherWaits<'_>) -> Held {
    let mut limits: Vec<_> = waits
        .iter()
        .filter_map(|waits| {
            Some(Waited {
                limit: waits.limit.clone(),
                share: waits.waited_s(job)?,
            })
        })
        .collect();
    let waited_s = limits.iter().fold(0.0, |sum, waited| sum + waited.share);
    limits.iter_mut().for_each(|limit| limit.share /= waited_s);
    limits.sort_by(|a, b| b.share.total_cmp(&a.share));
    let whole_s = latency_s(totals.iter().filter(|total| total.job == job));
    let waited = if whole_s == 0.0 {
        0.0
    } else {
        waited_s / whole_s
    };
    let felt = waited >= FELT;
    let (by, by_waited) = match (others.most(job), limits.first()) {
        (Some((by, share)), _) if share > waited => (Some(by), share),
        (_, Some(Waited { limit, .. })) if felt => {
            let limit = limit.clone();
            (Some(Bottleneck::Limit { limit }), waited)
        }
        _ => (None, 0.0),
    };
    Held {
        job: job.to_owned(),
        waited,
        felt,
        limits,
        by,
        by_waited,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{total, waits_of};

    #[test]
    fn a_job_is_held_back_by_its_own_waits() {
        let totals = [
            total("readers", "data", "read", 1000, 1000.0),
            total("log", "wal", "write", 1000, 1000.0),
            total("log", "wal", "flush", 1000, 1000.0),
        ];
        let waits = [
            waits_of("data", "iops", &[("readers", 0.6, 0.5), ("log", 0.0, 0.5)]),
            waits_of("host", "iops", &[("readers", 0.2, 0.5), ("log", 0.1, 0.5)]),
        ];
        let none = OtherWaits {
            links: &[],
            events: &[],
        };
        let [readers, log] = &held(&totals, &waits, none)[..] else {
            panic!("expected two jobs")
        };
        assert_eq!((readers.waited * 100.0).round(), 80.0);
        assert_eq!((readers.limits[0].share * 100.0).round(), 75.0);
        assert_eq!((log.limits.len(), (log.waited * 100.0).round()), (1, 5.0));
        assert!(log.limits[0].limit.is_host());
        assert!(readers.felt && log.felt);
        let light = [waits_of("data", "iops", &[("readers", 0.04, 1.0)])];
        assert!(!held(&totals, &light, none)[0].felt);
    }
}
