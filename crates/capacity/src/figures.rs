//! What a job did in a run, in the few figures that loads and layouts are compared by.

use blockyard_experiment::Answer;
use blockyard_record::result::{LatencyUs, RunResult, Total, TransactionTotal};
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
    /// What its users went without; none of IO that did not fail, and none of transactions, if
    /// nothing is replicated.
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
}

impl Service {
    fn of(total: &TransactionTotal) -> Option<Self> {
        total.replication.as_ref().map(|_| Self {
            outage_s: total.outage_s,
            errors: total.undone(),
            lost: total.lost,
        })
    }

    /// Of a job's IOs.
    fn of_ios(job: &str, result: &RunResult) -> Option<Self> {
        let own = || result.totals.iter().filter(|total| total.job == job);
        let errors = own().map(|total| total.errors).sum();
        let journals = result.journal_mirrors.iter().filter(|it| it.job == job);
        let devices = result.mirrors.iter();
        let devices = devices.filter(|it| own().any(|total| total.device == it.device));
        let outages = journals
            .map(|it| it.outage_s)
            .chain(devices.map(|it| it.outage_s));
        let outage_s = outages.map(Option::unwrap_or_default).reduce(f64::max);
        (errors > 0 || outage_s.is_some()).then(|| Self {
            outage_s: outage_s.unwrap_or_default(),
            errors,
            lost: 0,
        })
    }
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
                service: Service::of(own),
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
