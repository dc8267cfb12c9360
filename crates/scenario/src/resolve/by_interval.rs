//! Which scenarios are carried through limits interval by interval, and what such a run cannot say.

use blockyard_model::by_interval::{Refusal, refusal};
use blockyard_model::spec::StorageSpec;
use blockyard_model::workload::spec::JobSpec;

use super::Invalid;
use crate::goals::{Figure, Goal, Latency};
use crate::schema::Scenario;
use crate::units::Duration;

/// From this length on a run is by interval where it can be.
const LONG: Duration = Duration::new(3_600_000_000_000);

/// Whether `scenario` is carried by interval.
///
/// # Errors
/// If it is to be and cannot be, or has a goal that such a run says nothing of.
pub(super) fn is_by_interval(
    scenario: &Scenario,
    storage: &StorageSpec,
    jobs: &[JobSpec],
    goals: &[Goal],
) -> Result<bool, Invalid> {
    let obstacle = obstacle(scenario, storage, jobs);
    let wanted = match scenario.by_interval {
        Some(wanted) => wanted,
        None => scenario.duration >= LONG && obstacle.is_none(),
    };
    match obstacle {
        _ if !wanted => Ok(false),
        Some(obstacle) => Err(obstacle),
        None => known(goals).map(|()| true),
    }
}

/// What keeps a scenario from being carried by interval.
fn obstacle(scenario: &Scenario, storage: &StorageSpec, jobs: &[JobSpec]) -> Option<Invalid> {
    if jobs.is_empty() {
        return Some(Invalid::new(
            "by_interval",
            "no job; expected `demand` jobs",
        ));
    }
    if !scenario.events.is_empty() || !scenario.clusters.is_empty() {
        let path = if scenario.events.is_empty() {
            "clusters"
        } else {
            "events"
        };
        return Some(Invalid::new(
            path,
            "by interval nothing happens to the storage",
        ));
    }
    Some(match refusal(storage, jobs)? {
        Refusal::Job(number) => Invalid::new(
            format!("workload.{}", jobs[number].name()),
            "by interval only `demand` jobs are carried",
        ),
        Refusal::Device(number) => Invalid::new(
            format!("storage.{}", storage.devices[number].name),
            "by interval a device is volumes, stripes of them, or those one after another",
        ),
    })
}

/// Checks that goals are of what is known: within an interval only means are.
fn known(goals: &[Goal]) -> Result<(), Invalid> {
    let is_known = |goal: &Goal| match goal.figure {
        Figure::Ios | Figure::Bytes | Figure::Iops | Figure::MibPerS | Figure::Errors => true,
        Figure::Latency(statistic) => statistic == Latency::Mean,
        _ => false,
    };
    match goals.iter().position(|goal| !is_known(goal)) {
        None => Ok(()),
        Some(index) => Err(Invalid::new(
            format!("goals.{index}"),
            "by interval only means are known; expected a goal of `latency.mean`, `iops`, \
             `mib_per_s`, `ios` or `bytes`, or `by_interval: false`, which simulates each IO",
        )),
    }
}
