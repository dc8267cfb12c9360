//! What a recorder is told before a run.

use blockyard_model::spec::StorageSpec;
use blockyard_model::storage::{CauseInfo, Op};
use blockyard_model::units::{Nanos, SECOND};
use blockyard_model::workload::spec::{JobSpec, Load, Region};

/// The shape of a run: its time, and what is told apart in it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Length of an interval: divides a second, or is a multiple of one.
    pub interval: Nanos,
    /// Left out of totals; a multiple of the interval.
    pub warmup: Nanos,
    /// Length of the run; a multiple of the interval.
    pub duration: Nanos,
    /// The jobs.
    pub jobs: Vec<JobPlan>,
    /// Names of the devices.
    pub devices: Vec<String>,
    /// Names of the volumes.
    pub volumes: Vec<String>,
    /// The limits that can hold an IO.
    pub causes: Vec<CauseInfo>,
    /// What is recorded apart, sorted by job, device and operation.
    pub series: Vec<SeriesKey>,
}

/// A job and its load steps.
#[derive(Clone, Debug)]
pub struct JobPlan {
    /// Its name.
    pub name: String,
    /// (from, what is offered then), rising in time.
    pub steps: Vec<(Nanos, Offered)>,
    /// In an open loop: what counts as late, if anything does.
    pub open_loop: Option<Option<Nanos>>,
}

/// What a load step offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// Closed loop: processes.
    Processes(u64),
    /// Open loop: IOs a second.
    Rate(u64),
}

/// What is recorded apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeriesKey {
    /// Index of the job.
    pub job: usize,
    /// Index of the device.
    pub device: usize,
    /// What was done.
    pub op: Op,
}

impl Plan {
    /// The plan of a run of `jobs` on `storage`.
    pub fn new(
        (interval, warmup, duration): (Nanos, Nanos, Nanos),
        jobs: &[JobSpec],
        storage: &StorageSpec,
        causes: &[CauseInfo],
    ) -> Self {
        let mut series: Vec<_> = jobs
            .iter()
            .enumerate()
            .flat_map(|(job, spec)| series_of(job, spec))
            .collect();
        series.sort_unstable();
        series.dedup();
        Self {
            interval,
            warmup,
            duration,
            jobs: jobs.iter().map(job_plan).collect(),
            devices: storage
                .devices
                .iter()
                .map(|device| device.name.clone())
                .collect(),
            volumes: storage
                .volumes
                .iter()
                .map(|volume| volume.name.clone())
                .collect(),
            causes: causes.to_vec(),
            series,
        }
    }

    /// The plan of serving `storage` to clients from outside, who are one job
    /// with the name `clients`, for as long as it takes.
    pub fn of_clients(interval: Nanos, storage: &StorageSpec, causes: &[CauseInfo]) -> Self {
        let ops = [Op::Read, Op::Write, Op::Flush, Op::Trim];
        let key = |device| ops.map(|op| SeriesKey { job: 0, device, op });
        Self {
            jobs: vec![JobPlan {
                name: "clients".into(),
                steps: Vec::new(),
                open_loop: None,
            }],
            series: (0..storage.devices.len()).flat_map(key).collect(),
            ..Self::new((interval, 0, Nanos::MAX), &[], storage, causes)
        }
    }

    /// Length of the periods in which the storage counts what it serves: no
    /// longer than a second, for the peaks of a second.
    pub fn period(&self) -> Nanos {
        self.interval.min(SECOND)
    }

    /// `JOB.DEVICE.OP` of a series.
    pub fn series_name(&self, key: SeriesKey) -> String {
        let (job, device) = (&self.jobs[key.job].name, &self.devices[key.device]);
        format!("{job}.{device}.{}", op_name(key.op))
    }
}

/// The operation's name in results.
pub fn op_name(op: Op) -> &'static str {
    match op {
        Op::Read => "read",
        Op::Write | Op::Zero => "write",
        Op::Flush => "flush",
        Op::Trim => "trim",
    }
}

fn series_of(job: usize, spec: &JobSpec) -> Vec<SeriesKey> {
    let key = |region: &Region, op| SeriesKey {
        job,
        device: region.device,
        op,
    };
    match spec {
        JobSpec::Access(spec) => {
            let reads = (spec.read_permille > 0).then(|| key(&spec.file, Op::Read));
            let writes = (spec.read_permille < 1000).then(|| key(&spec.file, Op::Write));
            reads.into_iter().chain(writes).collect()
        }
        JobSpec::RanWrite(spec) => [&spec.data, &spec.wij, &spec.journal]
            .into_iter()
            .flat_map(|region| [key(region, Op::Write), key(region, Op::Flush)])
            .collect(),
    }
}

fn job_plan(spec: &JobSpec) -> JobPlan {
    let processes = |steps: &[(Nanos, u32)]| {
        steps
            .iter()
            .map(|&(at, n)| (at, Offered::Processes(n.into())))
            .collect()
    };
    match spec {
        JobSpec::Access(spec) => match &spec.load {
            Load::Closed { steps, .. } => JobPlan {
                name: spec.name.clone(),
                steps: processes(steps),
                open_loop: None,
            },
            Load::Open {
                steps,
                latency_limit,
                ..
            } => JobPlan {
                name: spec.name.clone(),
                steps: steps
                    .iter()
                    .map(|&(at, rate)| (at, Offered::Rate(rate)))
                    .collect(),
                open_loop: Some(*latency_limit),
            },
        },
        JobSpec::RanWrite(spec) => JobPlan {
            name: spec.name.clone(),
            steps: processes(&spec.steps),
            open_loop: None,
        },
    }
}
