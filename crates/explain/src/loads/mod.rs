//! What jobs were to do.

pub(crate) mod closed_loops;
pub(crate) mod needs;
pub(crate) mod open_loops;
pub(crate) mod write_daemons;

use blockyard_model::workload::spec::{JobSpec, Load, TransactionLoad};
use blockyard_model::workload::{LoopType, Offered};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a job was to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobLoad {
    /// The job.
    pub job: String,
    /// How much.
    pub load: Kind,
}

/// What makes a job issue IO, and how much: of load steps the lightest and the heaviest, those
/// that rest aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(rename = "Load")]
pub enum Kind {
    /// Processes that wait for their IO.
    Closed {
        /// How many at least and at most.
        processes: (u64, u64),
        /// IOs in flight of each.
        outstanding: u32,
    },
    /// IOs that are due by the clock.
    Open {
        /// How many a second at least and at most.
        per_s: (u64, u64),
    },
    /// A database's updates, which write daemons write out.
    Database {
        /// Update processes at least and at most.
        processes: (u64, u64),
        /// Updates a second of the most processes together.
        updates_per_s: u64,
    },
    /// Transactions of an engine.
    Transactions {
        /// Its threads at least and at most.
        threads: (u64, u64),
        /// How many come due in a second at least and at most; none where each thread begins
        /// one when its last has ended.
        per_s: Option<(u64, u64)>,
    },
}

/// The loads of `jobs`, in their order.
pub(crate) fn loads(jobs: &[JobSpec]) -> Vec<JobLoad> {
    let load = |job: &JobSpec| JobLoad {
        job: job.name().to_owned(),
        load: of(job),
    };
    jobs.iter().map(load).collect()
}

fn of(job: &JobSpec) -> Kind {
    let offered = job.steps().into_iter().map(|(_, offered)| match offered {
        Offered::Processes(amount) | Offered::Rate(amount) => amount,
    });
    let busy: Vec<_> = offered.filter(|amount| *amount > 0).collect();
    let least = busy.iter().min().copied().unwrap_or(0);
    let most = busy.iter().max().copied().unwrap_or(0);
    if let Some(each) = job.updates_per_process() {
        return Kind::Database {
            processes: (least, most),
            updates_per_s: most * each,
        };
    }
    if let Some(engine) = job.transactions() {
        return match engine.load {
            TransactionLoad::Closed { .. } => Kind::Transactions {
                threads: (least, most),
                per_s: None,
            },
            TransactionLoad::Open { threads, .. } => Kind::Transactions {
                threads: (threads.into(), threads.into()),
                per_s: Some((least, most)),
            },
        };
    }
    if job.demand().is_some() || matches!(job.loop_type(), LoopType::Open { .. }) {
        return Kind::Open {
            per_s: (least, most),
        };
    }
    let outstanding = match job.as_access().map(|spec| &spec.load) {
        Some(Load::Closed { outstanding, .. }) => *outstanding,
        _ => 1,
    };
    Kind::Closed {
        processes: (least, most),
        outstanding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::scenario;

    #[test]
    fn each_kind_of_job_tells_its_lightest_and_heaviest_step() {
        let resolved = scenario(
            "storage:
  data: {type: gp3, size: 100GiB}
workload:
  readers:
    kind: ranread
    on: data
    file_size: 10GiB
    schedule: [{at: 0s, processes: 4}, {at: 10s, processes: 0}, {at: 20s, processes: 2}]
  reads: {kind: ranread, on: data, file_size: 10GiB, rate: 500/s}
  writers:
    kind: ranwrite
    on: {data: data, wij: data, journal: data}
    file_size: 10GiB
    cache: 1GiB
    processes: 20
    updates: 50/s
",
        );
        let found: Vec<_> = loads(&resolved.jobs)
            .into_iter()
            .map(|one| one.load)
            .collect();
        let wanted = [
            Kind::Closed {
                processes: (2, 4),
                outstanding: 1,
            },
            Kind::Open { per_s: (500, 500) },
            Kind::Database {
                processes: (20, 20),
                updates_per_s: 1000,
            },
        ];
        assert_eq!(found, wanted);
    }
}
