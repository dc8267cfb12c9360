//! In which load steps a limit was felt.

use blockyard_model::workload::spec::{JobSpec, Load};
use blockyard_record::result::RunResult;

use crate::waits::latency_s;
use crate::waits::series::WaitSeries;
use blockyard_record::thresholds::FELT;

/// The numbers of the load steps in which waits for a limit were felt, where one job has
/// the storage to itself and its load has steps; none without its `series`, which says when.
pub(crate) fn felt_in(
    result: &RunResult,
    jobs: &[JobSpec],
    series: Option<&WaitSeries>,
    interval_s: f64,
) -> Option<Vec<usize>> {
    let (first, series) = (result.totals.first()?, series?);
    let alone = result.totals.iter().all(|total| total.job == first.job);
    let own = result.steps.iter().all(|step| step.total.job == first.job);
    let mut steps: Vec<_> = Vec::new();
    for step in &result.steps {
        if !steps.iter().any(|(number, _)| *number == step.step) {
            steps.push((step.step, (step.from_s, step.to_s)));
        }
    }
    if !alone || !own || steps.len() < 2 {
        return None;
    }
    let felt = steps.into_iter().filter(|(number, span)| {
        let same = result.steps.iter().filter(|step| step.step == *number);
        let waited_s = series.within_s(&(span.0..span.1), interval_s);
        let latency_s = latency_s(same.map(|step| &step.total));
        // Waiting before issue is no part of the series.
        let in_flight_s = most_in_flight(jobs, &first.job) * (span.1 - span.0);
        waited_s > FELT * latency_s.min(in_flight_s)
    });
    Some(felt.map(|(number, _)| number).collect())
}

/// How many IOs of an open loop are in flight at most; no bound of a closed one.
fn most_in_flight(jobs: &[JobSpec], job: &str) -> f64 {
    let mut specs = jobs.iter().filter_map(JobSpec::as_access);
    match specs.find(|spec| spec.name == job).map(|spec| &spec.load) {
        Some(Load::Open {
            max_outstanding, ..
        }) => f64::from(*max_outstanding),
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{result, series, step, total};

    #[test]
    fn a_step_is_one_where_waits_are_felt() {
        let mut result = result();
        result.totals = vec![total("readers", "data", "read", 3000, 1000.0)];
        // A thousand IOs of a millisecond each: 50 ms of waiting are felt.
        let at = |number| step(number, total("readers", "data", "read", 1000, 1000.0));
        result.steps = vec![at(1), at(2), at(3)];
        let waits = series("data", "iops", &[(0.0, 40e3), (10.0, 60e3), (29.0, 60e3)]);
        assert_eq!(felt_in(&result, &[], Some(&waits), 1.0), Some(vec![2, 3]));
        let little = series("data", "iops", &[(0.0, 40e3)]);
        assert_eq!(felt_in(&result, &[], Some(&little), 1.0), Some(vec![]));
        assert_eq!(felt_in(&result, &[], None, 1.0), None);
        result.steps.truncate(1);
        assert_eq!(felt_in(&result, &[], Some(&waits), 1.0), None);
    }

    #[test]
    fn of_jobs_that_share_the_storage_nothing_is_said() {
        let mut result = result();
        let of = |job| total(job, "data", "read", 1000, 1000.0);
        result.totals = vec![of("readers"), of("others")];
        result.steps = vec![step(1, of("readers")), step(2, of("readers"))];
        let waits = series("data", "iops", &[(0.0, 60e3)]);
        assert_eq!(felt_in(&result, &[], Some(&waits), 1.0), None);
    }
}
