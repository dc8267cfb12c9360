//! Totals and load steps in the form of the result.

use blockyard_model::units::Nanos;
use blockyard_model::workload::Offered;

use crate::figures::{latency_us, seconds};
use crate::plan::{Plan, SeriesKey, op_name};
use crate::result::{Step, Total};
use crate::series::{Account, Series};

/// A total for each series.
pub(crate) fn totals(plan: &Plan, series: &[Series]) -> Vec<Total> {
    let all = plan.series.iter().zip(series);
    all.map(|(&key, series)| Total {
        busy: series.busy(),
        ..total(plan, key, &series.total)
    })
    .collect()
}

/// The load steps, as far as the run got.
pub(crate) fn steps(plan: &Plan, series: &[Series], reached: Nanos) -> Vec<Step> {
    let mut found = Vec::new();
    for (&key, series) in plan.series.iter().zip(series) {
        let steps = &plan.jobs[key.job].steps;
        for (index, (&(from, offered), account)) in steps.iter().zip(&series.steps).enumerate() {
            let to = steps.get(index + 1).map_or(plan.duration, |next| next.0);
            if account.time == 0 {
                continue;
            }
            let (processes, rate) = match offered {
                Offered::Processes(processes) => (Some(processes), None),
                Offered::Rate(rate) => (None, Some(rate)),
            };
            found.push(Step {
                step: index + 1,
                from_s: seconds(from.max(plan.warmup)),
                to_s: seconds(to.min(reached)),
                processes,
                rate,
                total: total(plan, key, account),
            });
        }
    }
    found
}

fn total(plan: &Plan, key: SeriesKey, account: &Account) -> Total {
    Total {
        job: plan.jobs[key.job].name.clone(),
        device: plan.devices[key.device].clone(),
        op: op_name(key.op).into(),
        ios: account.latencies.count(),
        bytes: account.bytes,
        iops: account.iops(),
        mib_per_s: account.mib_per_s(),
        peak_iops: account.peak_iops as f64,
        errors: account.errors,
        latency_us: latency_us(&account.latencies),
        busy: None,
    }
}
