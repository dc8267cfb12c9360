//! What a job did in a run, in the few figures that loads and layouts are compared by.

use blockyard_experiment::Answer;
use blockyard_record::result::{LatencyUs, MirrorTotal, RunResult, Total, TransactionTotal};
use schemars::JsonSchema;
use serde::Serialize;

/// What a job did.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Came {
    /// The job.
    pub job: String,
    /// Whether it does transactions, which are then what is counted.
    pub transactions: bool,
    /// Transactions or IOs a second, over all its devices and operations.
    pub per_s: f64,
    /// The operation and the device that latencies are of, those with most IOs; none of
    /// transactions.
    pub of: Option<(String, String)>,
    /// Their latency; none if nothing was done.
    pub latency_us: Option<LatencyUs>,
    /// By interval: their mean latency in microseconds, over all devices and operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_us: Option<f64>,
    /// What its users went without; none of one that went without nothing, unless it is replicated
    /// or on a mirror that served nothing for a while.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<Service>,
}

/// What the users of a job went without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Service {
    /// Longest time without a committed transaction or update, or without an IO that was due to a
    /// mirror of devices, in seconds; 0 if shorter than 1 s.
    pub outage_s: f64,
    /// Transactions that failed, were refused, or wait for an engine that has stopped; IOs that
    /// failed.
    pub errors: u64,
    /// Transactions that clients had been told were committed, and that were lost.
    pub lost: u64,
    /// Bytes that mirrors of devices had acknowledged and that were lost at once, at most, in whole
    /// regions.
    pub lost_bytes: u64,
}

impl Service {
    fn of_transactions(total: &TransactionTotal, result: &RunResult) -> Option<Self> {
        let service = Self {
            outage_s: total.outage_s,
            errors: total.undone(),
            lost: total.lost,
            lost_bytes: lost_bytes(&total.job, result),
        };
        let is_told = total.replication.is_some() || service != Self::default();
        is_told.then_some(service)
    }

    /// Of a job's IOs.
    fn of_ios(job: &str, result: &RunResult) -> Option<Self> {
        let own = result.totals.iter().filter(|total| total.job == job);
        let errors = own.map(|total| total.errors).sum();
        let journals = result.journal_mirrors.iter().filter(|it| it.job == job);
        let outages = journals
            .map(|it| it.outage_s)
            .chain(mirrors(job, result).map(|it| it.outage_s));
        let outage_s = outages.map(Option::unwrap_or_default).reduce(f64::max);
        (errors > 0 || outage_s.is_some()).then(|| Self {
            outage_s: outage_s.unwrap_or_default(),
            errors,
            lost: 0,
            lost_bytes: lost_bytes(job, result),
        })
    }
}

/// The mirrors of devices that a job has IO on.
fn mirrors<'a>(job: &'a str, result: &'a RunResult) -> impl Iterator<Item = &'a MirrorTotal> {
    let is_own = move |it: &&MirrorTotal| {
        let mut own = result.totals.iter().filter(|total| total.job == job);
        own.any(|total| total.device == it.device)
    };
    result.mirrors.iter().filter(is_own)
}

fn lost_bytes(job: &str, result: &RunResult) -> u64 {
    mirrors(job, result).map(|it| it.lost_bytes).sum()
}

/// What each job did, in the order of the scenario.
pub(crate) fn came(answer: &Answer) -> Vec<Came> {
    let result = &answer.result;
    let jobs = answer.opened.scenario().workload.keys();
    jobs.map(|job| {
        let engines = result.transactions.iter();
        match engines.clone().find(|own| own.job == *job) {
            Some(own) => Came {
                job: job.clone(),
                transactions: true,
                per_s: own.tps,
                of: None,
                latency_us: own.latency_us,
                mean_us: None,
                service: Service::of_transactions(own, result),
            },
            None => of_ios(job, result),
        }
    })
    .collect()
}

fn of_ios(job: &str, result: &RunResult) -> Came {
    let own = || result.totals.iter().filter(|total| total.job == job);
    // Of equals the first.
    let most = own().rev().max_by_key(|total| total.ios);
    let of = |total: &Total| (total.op.clone(), total.device.clone());
    Came {
        job: job.to_owned(),
        transactions: false,
        per_s: own().map(|total| total.iops).sum(),
        of: most.map(of),
        latency_us: most.and_then(|total| total.latency_us),
        mean_us: result.by_interval_s.and_then(|_| mean_us(own())),
        service: Service::of_ios(job, result),
    }
}

fn mean_us<'a>(totals: impl Iterator<Item = &'a Total>) -> Option<f64> {
    let (mut ios, mut whole_us) = (0, 0.0);
    for total in totals {
        ios += total.ios;
        whole_us += total.ios as f64 * total.mean_us.unwrap_or(0.0);
    }
    (ios > 0).then(|| whole_us / ios as f64)
}
