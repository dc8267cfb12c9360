//! The resolved jobs as JSON, for reports and for what writes them in the form of other tools.

use blockyard_model::spec::DeviceSpec;
use blockyard_model::workload::spec::{self, AccessSpec, JobSpec, Preference};
use blockyard_model::workload::{LoopType, Offered};
use schemars::JsonSchema;
use serde::Serialize;

/// A job of a scenario: sizes in bytes, times in nanoseconds, shares in 1/1000.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Job {
    /// Its name.
    name: String,
    /// How much it does when.
    load: Load,
    /// Where its IOs go and what they are; nothing of a job that is more than IOs of one size.
    #[serde(flatten)]
    access: Option<Access>,
}

/// How much a job does when; what is left out is not said of jobs that are more than IOs of one
/// size, or of the other kind of loop.
#[derive(Serialize, JsonSchema)]
struct Load {
    /// What makes it issue IO.
    kind: Loop,
    /// When each step begins, and its processes or IOs a second.
    steps: Vec<(u64, u64)>,
    /// Of a closed loop: IOs in flight of each process.
    #[serde(skip_serializing_if = "Option::is_none")]
    outstanding: Option<u32>,
    /// Of an open loop: how gaps are drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    arrivals: Option<Arrivals>,
    /// Of an open loop: the most IOs in flight.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_outstanding: Option<u32>,
    /// Of an open loop: what lags further behind is skipped; none if nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_limit: Option<Option<u64>>,
}

/// What makes a job issue IO.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Loop {
    /// That earlier IO is done.
    Closed,
    /// The clock.
    Open,
    /// Both: earlier IO and timers of the job, such as that of a cycle.
    Timed,
}

/// How the gaps of an open loop are drawn.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Arrivals {
    /// At random.
    Poisson,
    /// All are the same.
    Even,
}

/// IOs of one size in one file.
#[derive(Serialize, JsonSchema)]
struct Access {
    /// The device.
    device: String,
    /// Where on it the file begins.
    offset: u64,
    /// The file's size.
    size: u64,
    /// The size of an IO.
    block: u64,
    /// The share of reads.
    read_permille: u32,
    /// The share of IOs at a random place; the others follow each other.
    random_permille: u32,
    /// Which places are preferred; none if all are alike.
    skew: Option<Skew>,
    /// The mean pause after each IO; 0 for none.
    think: u64,
    /// The bytes after which it is done; none if it goes on to the end of the run.
    amount: Option<u64>,
}

/// Which blocks are preferred.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Skew {
    /// Each by its rank, as in Zipf's law.
    Zipf {
        /// The exponent.
        permille: u32,
        /// Whether blocks of like rank lie apart.
        scatter: bool,
    },
    /// Some more than all others.
    Hot {
        /// The share of IOs that go to them.
        ios_permille: u32,
        /// The share of blocks that they are.
        blocks_permille: u32,
        /// Whether they lie apart.
        scatter: bool,
    },
}

/// The jobs in their order.
pub(crate) fn of(jobs: &[JobSpec], devices: &[DeviceSpec]) -> Vec<Job> {
    let job = |job: &JobSpec| Job {
        name: job.name().to_owned(),
        load: load(job),
        access: job.as_access().map(|spec| access(spec, devices)),
    };
    jobs.iter().map(job).collect()
}

fn load(job: &JobSpec) -> Load {
    let step = |(from, offered)| match offered {
        Offered::Processes(amount) | Offered::Rate(amount) => (from, amount),
    };
    let mut load = Load {
        kind: match job.loop_type() {
            LoopType::Closed => Loop::Closed,
            LoopType::Open { .. } => Loop::Open,
            LoopType::Timed => Loop::Timed,
        },
        steps: job.steps().into_iter().map(step).collect(),
        outstanding: None,
        arrivals: None,
        max_outstanding: None,
        latency_limit: None,
    };
    match job.as_access().map(|spec| &spec.load) {
        Some(spec::Load::Closed { outstanding, .. }) => load.outstanding = Some(*outstanding),
        Some(spec::Load::Open {
            arrivals,
            max_outstanding,
            latency_limit,
            ..
        }) => {
            load.arrivals = Some(match arrivals {
                spec::Arrivals::Poisson => Arrivals::Poisson,
                spec::Arrivals::Even => Arrivals::Even,
            });
            load.max_outstanding = Some(*max_outstanding);
            load.latency_limit = Some(*latency_limit);
        }
        None => (),
    }
    load
}

fn access(spec: &AccessSpec, devices: &[DeviceSpec]) -> Access {
    let scatter = spec.skew.scatter;
    Access {
        device: devices[spec.file.device].name.clone(),
        offset: spec.file.offset,
        size: spec.file.size,
        block: spec.block,
        read_permille: spec.read_permille,
        random_permille: spec.random_permille,
        think: spec.think,
        amount: spec.amount,
        skew: match spec.skew.preference {
            Preference::None => None,
            Preference::Zipf { permille } => Some(Skew::Zipf { permille, scatter }),
            Preference::Hot {
                ios_permille,
                blocks_permille,
            } => Some(Skew::Hot {
                ios_permille,
                blocks_permille,
                scatter,
            }),
        },
    }
}
