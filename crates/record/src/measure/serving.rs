//! Which devices serve a job's IO, and from when on: after a takeover of an IRIS mirror, those of
//! the new primary.

use std::ops::Range;

use blockyard_model::spec::JournalMirrorSpec;
use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;
use blockyard_model::workload::spec::{JobSpec, RanWriteSpec};

use crate::measure::shape::SeriesKey;

/// The devices that serve a series while the backup of a mirror is primary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Backup {
    /// The job whose journal is mirrored.
    pub(crate) job: usize,
    pub(crate) devices: Vec<usize>,
}

impl Backup {
    /// That of a series; none if its own device serves it, whoever is primary.
    pub(crate) fn of(key: &SeriesKey, jobs: &[JobSpec]) -> Option<Self> {
        let mirrors = jobs.iter().enumerate().filter_map(|(job, spec)| {
            let (of, mirror) = spec.journal_mirror()?;
            let devices = devices(key, key.job == job, of, mirror);
            (!devices.is_empty()).then_some(Self { job, devices })
        });
        let all: Vec<_> = mirrors.collect();
        let own = all.iter().find(|it| it.job == key.job);
        own.or(all.first()).cloned()
    }
}

/// The devices of the backup that have what a series does on the job's files; `own` if it is the
/// job's. Of other jobs on the same devices, reads beside the data move, and flushes.
fn devices(
    key: &SeriesKey,
    own: bool,
    of: &RanWriteSpec,
    mirror: &JournalMirrorSpec,
) -> Vec<usize> {
    // Without an arbiter the backup never takes over.
    if mirror.arbiter.is_none() {
        return Vec::new();
    }
    let backup = &mirror.backup;
    let files = [
        (of.data, backup.data),
        (of.wij, backup.wij),
        (of.journal, backup.journal),
    ];
    let on_device = files.iter().enumerate();
    let on_device = on_device.filter(|(_, (from, _))| from.device == key.device);
    let moved = on_device.filter(|(file, _)| match key.op {
        _ if own => true,
        Op::Read => *file == 0,
        op => op == Op::Flush,
    });
    let moved = moved.map(|(_, (_, to))| to.device);
    moved.take(if own { files.len() } else { 1 }).collect()
}

/// By job, when a failover member of its journal's mirror took over: the backup at first, then the
/// former primary, and so on in turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Takeovers(Vec<Vec<Nanos>>);

impl Takeovers {
    /// None so far.
    pub(crate) fn new(jobs: usize) -> Self {
        Self(vec![Vec::new(); jobs])
    }

    /// All that there were of a job's mirror.
    pub(crate) fn set(&mut self, job: usize, times: Vec<Nanos>) {
        self.0[job] = times;
    }

    /// Those of a job's mirror.
    fn of(&self, job: Option<usize>) -> &[Nanos] {
        job.map_or(&[], |job| &self.0[job])
    }
}

/// What serves a series, as far as an event is concerned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Servers {
    /// Whether the event is on what serves it while its own host is primary, and while the backup
    /// is.
    pub(crate) on: [bool; 2],
    /// The job whose mirror decides which of them is.
    pub(crate) mirror: Option<usize>,
}

impl Servers {
    /// The first part of a time in which what the event is on serves the series, by the takeovers
    /// so far.
    pub(crate) fn serve(&self, takeovers: &Takeovers, time: Range<Nanos>) -> Option<Range<Nanos>> {
        let takeovers = takeovers.of(self.mirror);
        let mut served: Option<Range<Nanos>> = None;
        for reign in 0..=takeovers.len() {
            let from = reign.checked_sub(1).map_or(0, |before| takeovers[before]);
            let until = takeovers.get(reign).copied().unwrap_or(Nanos::MAX);
            let part = from.max(time.start)..until.min(time.end);
            if !self.on[reign % 2] || part.is_empty() {
                continue;
            }
            match &mut served {
                None => served = Some(part),
                Some(served) if served.end == part.start => served.end = part.end,
                Some(_) => break,
            }
        }
        served
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIRROR: &str = "\
name: iris
duration: 1s
hosts: {a: {instance: m5.4xlarge}, b: {instance: m5.4xlarge}, c: {instance: m5.4xlarge}}
links:
  ab: {between: [a, b], bandwidth: 10Gbit/s, round_trip: 1ms}
  ac: {between: [a, c], bandwidth: 10Gbit/s, round_trip: 1ms}
  bc: {between: [b, c], bandwidth: 10Gbit/s, round_trip: 1ms}
storage:
  data-a: {type: gp3, size: 100GiB, host: a}
  data-b: {type: gp3, size: 100GiB, host: b}
  log-a: {type: gp3, size: 100GiB, host: a}
  log-b: {type: gp3, size: 100GiB, host: b}
workload:
  beside:
    kind: access_spec
    on: data-a
    file_size: 10GiB
    pattern: 4k-random-50-50
    fsync_every: 1
    processes: 1
  readers: {kind: ranread, on: log-a, file_size: 10GiB, processes: 2}
  writers:
    kind: ranwrite
    on: {data: data-a, wij: data-a, journal: log-a}
    file_size: 10GiB
    cache: 1GiB
    processes: 4
    updates: 100/s
    mirror:
      backup: {link: ab, on: {data: data-b, wij: log-b, journal: log-b}}
      arbiter: c
";

    /// The names of the devices that serve `JOB.DEVICE.OP` while the backup is primary.
    fn backup_of(text: &str, series: &str) -> Vec<String> {
        let loaded = blockyard_scenario::load(text, "scenario", &[]).unwrap();
        let resolved = loaded.resolve().unwrap();
        let (storage, jobs) = (&resolved.storage, &resolved.jobs);
        let limits = blockyard_model::storage::Limits::new(storage);
        let times = (&loaded.scenario).into();
        let shape = crate::RunShape::new(times, jobs, storage, &limits);
        let mut all = shape.series.iter();
        let key = all.find(|key| shape.series_name(**key) == series).unwrap();
        let devices = Backup::of(key, jobs).map_or(Vec::new(), |it| it.devices);
        let name = |device: &usize| shape.devices[*device].clone();
        devices.iter().map(name).collect()
    }

    #[test]
    fn what_a_job_does_on_a_file_is_served_by_the_same_file_of_the_backup() {
        let served = [
            ("writers.data-a.write", vec!["data-b", "log-b"]),
            ("writers.log-a.write", vec!["log-b"]),
            ("beside.data-a.read", vec!["data-b"]),
            ("beside.data-a.write", vec![]),
            ("beside.data-a.flush", vec!["data-b"]),
            ("readers.log-a.read", vec![]),
        ];
        for (series, devices) in served {
            assert_eq!(backup_of(MIRROR, series), devices, "{series}");
        }
        let alone = MIRROR.replace("      arbiter: c\n", "");
        assert!(backup_of(&alone, "writers.data-a.write").is_empty());
    }

    #[test]
    fn members_serve_in_turn() {
        let mut takeovers = Takeovers::new(2);
        takeovers.set(1, vec![10, 20]);
        let serve = |on, time| {
            let mirror = Some(1);
            Servers { on, mirror }.serve(&takeovers, time)
        };
        assert_eq!(serve([true, false], 0..100), Some(0..10));
        assert_eq!(serve([true, false], 12..30), Some(20..30));
        assert_eq!(serve([false, true], 0..100), Some(10..20));
        assert_eq!(serve([false, true], 20..30), None);
        assert_eq!(serve([true, true], 5..30), Some(5..30));
        assert_eq!(serve([true, true], 5..5), None);
    }
}
