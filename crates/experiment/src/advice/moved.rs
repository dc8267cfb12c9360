//! What a change moved of what jobs do.

use blockyard_record::result::{LatencyUs, RunResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use blockyard_record::thresholds::{LATENCY_MOVES, RATE_MOVES};

/// What a job did: its IO on a device by operation, or its transactions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Done {
    /// The job.
    pub job: String,
    /// The device; empty of transactions.
    pub device: String,
    /// As results call operations, or `transaction`.
    pub op: String,
    /// IOs or transactions.
    pub ios: u64,
    /// The same a second.
    pub iops: f64,
    /// Their latency; none if nothing was done.
    pub latency_us: Option<LatencyUs>,
}

/// What a job did before and after a change, and which of its figures moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// Before.
    pub before: Done,
    /// After.
    pub after: Done,
    /// Whether its IOs a second moved.
    pub rate: bool,
    /// Whether the mean of its latency moved.
    pub mean: bool,
    /// Whether the 99th percentile of its latency moved.
    pub p99: bool,
}

/// What moved of all jobs but one, with most IOs first.
pub(super) fn all(before: &RunResult, after: &RunResult, but: &str) -> Vec<Moved> {
    let both = done(before).into_iter().zip(done(after));
    let both = both.filter(|(before, _)| before.job != but);
    let each = both.map(|(before, after)| Moved::of(before, after));
    let mut moved: Vec<_> = each.filter(|it| it.rate || it.mean || it.p99).collect();
    moved.sort_by_key(|it| std::cmp::Reverse(it.before.ios));
    moved
}

impl Moved {
    fn of(before: Done, after: Done) -> Self {
        let latency = |figure: fn(LatencyUs) -> f64| {
            let both = before.latency_us.zip(after.latency_us);
            both.is_some_and(|(one, other)| moves(figure(one), figure(other), LATENCY_MOVES))
        };
        Self {
            rate: moves(before.iops, after.iops, RATE_MOVES),
            mean: latency(|us| us.mean),
            p99: latency(|us| us.p99),
            before,
            after,
        }
    }
}

fn moves(before: f64, after: f64, threshold: f64) -> bool {
    (after - before).abs() >= threshold * before && before != after
}

/// What each job did: of one that does transactions these, in place of the IO they make.
fn done(result: &RunResult) -> Vec<Done> {
    let engines = &result.transactions;
    let is_engine = |job: &str| engines.iter().any(|own| own.job == job);
    let totals = result.totals.iter().filter(|total| !is_engine(&total.job));
    let of_ios = totals.map(|total| Done {
        job: total.job.clone(),
        device: total.device.clone(),
        op: total.op.clone(),
        ios: total.ios,
        iops: total.iops,
        latency_us: total.latency_us,
    });
    let of_engines = engines.iter().map(|own| Done {
        job: own.job.clone(),
        device: String::new(),
        op: "transaction".to_owned(),
        ios: own.count,
        iops: own.tps,
        latency_us: own.latency_us,
    });
    of_ios.chain(of_engines).collect()
}
