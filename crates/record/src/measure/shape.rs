//! The shape of a run: what a recorder must know before it begins.

use blockyard_model::spec::StorageSpec;
use blockyard_model::storage::{Limits, Op};
use blockyard_model::units::{Bytes, Nanos, SECOND};
use blockyard_model::workload::spec::{GroupSpec, JobSpec, OltpSpec, Recording, Shipped};
use blockyard_model::workload::{FileUse, LoopType, Offered};

use blockyard_scenario::schema::Scenario;

use crate::limit_names::OwnerNames;

/// The times of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunTimes {
    /// Length of an interval: divides a second, or is a multiple of one.
    pub interval: Nanos,
    /// Left out of totals; a multiple of the interval.
    pub warmup: Nanos,
    /// Length of the run; a multiple of the interval.
    pub duration: Nanos,
}

impl From<&Scenario> for RunTimes {
    fn from(scenario: &Scenario) -> Self {
        Self {
            interval: scenario.interval.nanos(),
            warmup: scenario.warmup.nanos(),
            duration: scenario.duration.nanos(),
        }
    }
}

/// The times of a run, and what is told apart in it.
#[derive(Clone, Debug)]
pub struct RunShape {
    /// Length of an interval: divides a second, or is a multiple of one.
    pub interval: Nanos,
    /// Left out of totals; a multiple of the interval.
    pub warmup: Nanos,
    /// Length of the run; a multiple of the interval.
    pub duration: Nanos,
    /// The jobs.
    pub jobs: Vec<JobShape>,
    /// Names of the devices.
    pub devices: Vec<String>,
    /// Names of the hosts.
    pub hosts: Vec<String>,
    /// Names of the volumes.
    pub volumes: Vec<String>,
    /// The limits that can throttle an IO, as the run begins.
    pub limits: Limits,
    /// The series, sorted by job, device and operation.
    pub series: Vec<SeriesKey>,
}

/// A job and its load steps.
#[derive(Clone, Debug)]
pub struct JobShape {
    /// Its name.
    pub name: String,
    /// (from, what is offered then), rising in time.
    pub steps: Vec<(Nanos, Offered)>,
    /// Whether it is an open loop.
    pub open_loop: bool,
    /// Its IOs, if it is one in which each has a time of its own.
    pub recorded: Option<Recording>,
    /// In an open loop: IOs slower than this are late; none if no IO is.
    pub latency_limit: Option<Nanos>,
    /// The bytes after which it is done, and the processes that share them.
    pub amount: Option<(Bytes, u32)>,
    /// Its engine, if it does transactions.
    pub engine: Option<EngineShape>,
}

/// What is to be known of an engine that does transactions.
#[derive(Clone, Debug)]
pub struct EngineShape {
    /// Size of a page.
    pub page: Bytes,
    /// Names of the kinds of transactions.
    pub kinds: Vec<String>,
    /// By number of the model's kinds, of which several may have one name: which of these it is.
    pub kind_of: Vec<usize>,
    /// The hosts of the nodes of its group, by index: its own first. None of an engine alone.
    pub nodes: Vec<usize>,
    /// The log that these get, if they are standbys.
    pub shipped: Option<Shipped>,
}

/// A series: what counts and latencies are kept of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeriesKey {
    /// Index of the job.
    pub job: usize,
    /// Index of the device.
    pub device: usize,
    /// What was done.
    pub op: Op,
}

impl RunShape {
    /// The shape of a run of `jobs` on `storage`.
    pub fn new(times: RunTimes, jobs: &[JobSpec], storage: &StorageSpec, limits: &Limits) -> Self {
        let mut series: Vec<_> = jobs
            .iter()
            .enumerate()
            .flat_map(|(job, spec)| series_of(job, spec))
            .collect();
        series.sort_unstable();
        series.dedup();
        Self {
            interval: times.interval,
            warmup: times.warmup,
            duration: times.duration,
            jobs: jobs.iter().map(JobShape::from).collect(),
            devices: storage
                .devices
                .iter()
                .map(|device| device.name.clone())
                .collect(),
            hosts: storage.hosts.iter().map(|host| host.name.clone()).collect(),
            volumes: storage
                .volumes
                .iter()
                .map(|volume| volume.name.clone())
                .collect(),
            limits: limits.clone(),
            series,
        }
    }

    /// The shape of serving `storage` to clients from outside, who are one job
    /// with the name `clients`, for as long as it takes.
    pub fn of_clients(interval: Nanos, storage: &StorageSpec, limits: &Limits) -> Self {
        let times = RunTimes {
            interval,
            warmup: 0,
            duration: Nanos::MAX,
        };
        let ops = [Op::Read, Op::Write, Op::Flush, Op::Trim];
        let key = |device| ops.map(|op| SeriesKey { job: 0, device, op });
        Self {
            jobs: vec![JobShape {
                name: "clients".into(),
                steps: Vec::new(),
                open_loop: false,
                recorded: None,
                latency_limit: None,
                amount: None,
                engine: None,
            }],
            series: (0..storage.devices.len()).flat_map(key).collect(),
            ..Self::new(times, &[], storage, limits)
        }
    }

    /// Length of the periods in which the storage counts what it serves: no
    /// longer than a second, for the peaks of a second.
    pub fn period(&self) -> Nanos {
        self.interval.min(SECOND)
    }

    /// What the owners of its limits are called.
    pub fn owners(&self) -> OwnerNames<'_> {
        OwnerNames {
            hosts: &self.hosts,
            volumes: &self.volumes,
        }
    }

    /// The series of a job, over all its devices: of its reads, its writes or both.
    pub(crate) fn series_of(&self, job: &str, op: Option<Op>) -> Vec<usize> {
        let wanted = |key: &SeriesKey| {
            let wanted = match op {
                Some(op) => key.op == op,
                None => matches!(key.op, Op::Read | Op::Write),
            };
            wanted && self.jobs[key.job].name == job
        };
        let numbered = self.series.iter().enumerate();
        let found = numbered.filter(|(_, key)| wanted(key));
        found.map(|(number, _)| number).collect()
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
        // Of a file system, for a flush; a line of `ios.csv` alone.
        Op::Journal => "journal",
        Op::Flush => "flush",
        Op::Trim => "trim",
    }
}

fn series_of(job: usize, spec: &JobSpec) -> Vec<SeriesKey> {
    let key = |(device, op)| SeriesKey { job, device, op };
    let of_file = |file: FileUse| file.ops.iter().map(move |&op| (file.region.device, op));
    let all = spec.files().into_iter().flat_map(of_file);
    // What is written to a file system's journal is a part of a flush.
    all.filter(|(_, op)| *op != Op::Journal).map(key).collect()
}

impl From<&JobSpec> for JobShape {
    fn from(spec: &JobSpec) -> Self {
        let (open_loop, latency_limit) = match spec.loop_type() {
            LoopType::Open { latency_limit } => (true, latency_limit),
            LoopType::Closed | LoopType::Timed => (false, None),
        };
        Self {
            name: spec.name().into(),
            steps: spec.steps(),
            open_loop,
            recorded: spec.recorded().cloned(),
            latency_limit,
            amount: spec.amount(),
            engine: spec.transactions().map(EngineShape::from),
        }
    }
}

/// The hosts of a group's nodes.
fn hosts(group: &GroupSpec) -> impl Iterator<Item = usize> {
    [group.own_host()].into_iter().chain(group.hosts())
}

impl From<&OltpSpec> for EngineShape {
    fn from(spec: &OltpSpec) -> Self {
        let mut kinds: Vec<String> = Vec::new();
        let mut kind_of = Vec::new();
        for kind in &spec.kinds {
            // Those of one name follow one another.
            if kinds.last() != Some(&kind.name) {
                kinds.push(kind.name.clone());
            }
            kind_of.push(kinds.len() - 1);
        }
        let shipping = spec.group.as_ref().and_then(|it| it.shipping);
        Self {
            page: spec.page,
            kinds,
            kind_of,
            nodes: spec.group.iter().flat_map(hosts).collect(),
            shipped: shipping.map(|it| it.log),
        }
    }
}
