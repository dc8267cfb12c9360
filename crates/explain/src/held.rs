//! What held each job back.

use blockyard_record::result::Total;
use serde::Serialize;

use crate::waits::{FELT, LimitWaits, Waited, latency_s};

/// A job's waiting for limits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Held {
    /// The job.
    pub job: String,
    /// The share of all latency of its IOs that they waited for limits; 0 without IO.
    pub waited: f64,
    /// Whether that is felt: less of it would hardly be noticed.
    pub felt: bool,
    /// The limits that they waited for, the one with most first.
    pub limits: Vec<Waited>,
}

/// Each job that did IO, in the order of `totals`.
pub(crate) fn held(totals: &[Total], waits: &[LimitWaits]) -> Vec<Held> {
    let mut found: Vec<Held> = Vec::new();
    for total in totals.iter().filter(|total| total.ios > 0) {
        if found.iter().all(|held| held.job != total.job) {
            found.push(of_job(&total.job, totals, waits));
        }
    }
    found
}

fn of_job(job: &str, totals: &[Total], waits: &[LimitWaits]) -> Held {
    let mut limits: Vec<_> = waits
        .iter()
        .filter_map(|waits| {
            Some(Waited {
                limit: waits.limit.clone(),
                share: waits.waited_s(job)?,
            })
        })
        .collect();
    let waited_s: f64 = limits.iter().map(|waited| waited.share).sum();
    limits.iter_mut().for_each(|limit| limit.share /= waited_s);
    limits.sort_by(|a, b| b.share.total_cmp(&a.share));
    let whole_s = latency_s(totals.iter().filter(|total| total.job == job));
    let waited = if whole_s == 0.0 {
        0.0
    } else {
        waited_s / whole_s
    };
    Held {
        job: job.to_owned(),
        waited,
        felt: waited >= FELT,
        limits,
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
        let [readers, log] = &held(&totals, &waits)[..] else {
            panic!("expected two jobs")
        };
        assert_eq!((readers.waited * 100.0).round(), 80.0);
        assert_eq!((readers.limits[0].share * 100.0).round(), 75.0);
        assert_eq!((log.limits.len(), (log.waited * 100.0).round()), (1, 5.0));
        assert!(log.limits[0].limit.is_host());
        assert!(readers.felt && log.felt);
        let light = [waits_of("data", "iops", &[("readers", 0.04, 1.0)])];
        assert!(!held(&totals, &light)[0].felt);
    }
}
