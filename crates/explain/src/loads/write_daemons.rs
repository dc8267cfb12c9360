//! Write-daemon cycles beside the time they have.

use blockyard_model::workload::spec::JobSpec;
use blockyard_record::result::Cycle;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A cycle that is this many seconds over its time is worth an alert, as in IRIS's System
/// Monitor.
const ALERT_S: f64 = 10.0;

/// The write-daemon cycles of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WriteDaemons {
    /// The job.
    pub job: String,
    /// The longest time from the start of one cycle to the next, in seconds.
    pub every_s: f64,
    /// From how many seconds on a cycle calls for an alert.
    pub alert_s: f64,
    /// Cycles that ended.
    pub cycles: usize,
    /// Those of them that took longer than `every_s`.
    pub over: usize,
    /// How long the longest took, in seconds; 0 without any.
    pub longest_s: f64,
}

/// The jobs that have write daemons.
pub(crate) fn write_daemons(jobs: &[JobSpec], cycles: &[Cycle]) -> Vec<WriteDaemons> {
    let found = jobs
        .iter()
        .filter_map(|job| Some((job.name(), job.cycle()? as f64 / 1e9)));
    let daemons = found.map(|(job, every_s)| {
        let own = cycles.iter().filter(|cycle| cycle.job == job);
        let durations: Vec<_> = own.map(|cycle| cycle.end_s - cycle.start_s).collect();
        WriteDaemons {
            job: job.to_owned(),
            every_s,
            alert_s: every_s + ALERT_S,
            cycles: durations.len(),
            over: durations.iter().filter(|s| **s > every_s).count(),
            longest_s: durations.into_iter().fold(0.0, f64::max),
        }
    });
    daemons.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{access, cycle, scenario};

    #[test]
    fn cycles_longer_than_their_time_are_counted() {
        let resolved = scenario(
            "storage:
  data: {type: gp3, size: 100GiB}
workload:
  writers:
    kind: ranwrite
    on: data
    file_size: 10GiB
    cache: 1GiB
    processes: 1
    cycle: 5s
    wij: {file_size: 8GiB}
",
        );
        let jobs = [access("readers", 1), resolved.jobs[0].clone()];
        let cycles = [
            cycle("writers", 0.0, 5.0),
            cycle("writers", 5.0, 17.0),
            cycle("others", 0.0, 30.0),
        ];
        let [writers] = &write_daemons(&jobs, &cycles)[..] else {
            panic!("expected one job")
        };
        assert_eq!((writers.every_s, writers.alert_s), (5.0, 15.0));
        assert_eq!((writers.cycles, writers.over), (2, 1));
        assert_eq!(writers.longest_s, 12.0);
        assert_eq!(write_daemons(&jobs, &[])[0].longest_s, 0.0);
    }
}
