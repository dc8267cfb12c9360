//! Small runs made by hand.

use blockyard_model::spec::StorageSpec;
use blockyard_model::workload::spec::{AccessSpec, JobSpec, Load, Region, Skew};
use blockyard_record::result::{
    Behind, Cycle, JobShare, LatencyUs, LimitTotal, OpenLoop, RunResult, Step, Total, VolumeTotal,
};
use blockyard_scenario::Resolved;
use blockyard_scenario::ResolvedLimit;

use crate::limits::id::{LimitId, Owner};
use crate::limits::owners::Owners;
use crate::limits::{Limit, limits};
use crate::storage::devices::{Device, Leg};
use crate::storage::table::{Entries, Names, VolumeTable};
use crate::waits::series::WaitSeries;
use crate::waits::{LimitWaits, waits};

/// A simulation of 30 seconds in which nothing was done.
pub(crate) fn result() -> RunResult {
    RunResult::read(
        r#"{
        "schema": "blockyard/result/1", "mode": "simulate",
        "tool": {"name": "blockyard", "version": "0.1.0"},
        "scenario": "s", "seed": 1, "random": "r", "duration_s": 30.0,
        "status": "complete", "reason": null, "machine": null, "resolved": [],
        "totals": [], "steps": [], "cycles": [], "open_loop": [], "volumes": [],
        "hosts": [], "limits": [], "goals": []
    }"#,
    )
    .unwrap()
}

/// A scenario of a host and storage.
pub(crate) fn scenario(text: &str) -> Resolved {
    let text = format!("name: s\nas_of: 2026-10-01\nduration: 30s\n{text}");
    let loaded = blockyard_scenario::load(&text, "scenario", &[]).unwrap();
    loaded.resolve().unwrap()
}

pub(crate) fn resolved(owner: &str, limit: &str, value: f64, unit: &str) -> ResolvedLimit {
    ResolvedLimit {
        owner: owner.to_owned(),
        limit: limit.to_owned(),
        value: Some(value),
        unit: unit.to_owned(),
        depth: None,
        source: String::new(),
        assumed: false,
        note: String::new(),
    }
}

/// Those of a scenario that names no host, and whose mirrors have legs alike.
pub(crate) fn owners() -> Owners {
    Owners::with_hosts(&["host"])
}

pub(crate) fn limit_id(owner: &str, limit: &str) -> LimitId {
    LimitId::named(owner, limit, &owners()).unwrap()
}

pub(crate) fn limit(owner: &str, name: &str, value: f64, unit: &str) -> Limit {
    let all = limits(&[resolved(owner, name, value, unit)], &owners(), |_| true);
    all.unwrap().remove(0)
}

/// A device behind the host, without IO.
pub(crate) fn device(name: &str, volumes: &[&str]) -> Device {
    Device {
        name: name.to_owned(),
        legs: vec![Leg {
            name: None,
            volumes: volumes.iter().map(|&volume| volume.to_owned()).collect(),
            host: "host".to_owned(),
            behind_host: true,
            owner: Owner::Device(name.to_owned()),
            whole_unit: None,
            counted: (0, 0),
            reads: 1.0,
        }],
        in_force: Vec::new(),
        mirror: None,
        asked: 0,
    }
}

/// A closed loop of 8 KiB on the first device.
pub(crate) fn access(name: &str, processes: u32) -> JobSpec {
    JobSpec::Access(AccessSpec {
        name: name.to_owned(),
        file: Region {
            device: 0,
            offset: 0,
            size: 1 << 30,
        },
        block: 8192,
        read_permille: 1000,
        random_permille: 1000,
        skew: Skew::NONE,
        load: Load::Closed {
            steps: vec![(0, processes)],
            outstanding: 1,
        },
        think: 0,
        fsync: None,
        read_ahead: None,
        amount: None,
    })
}

/// What a job did in a run of 30 seconds, with a mean latency.
pub(crate) fn total(job: &str, device: &str, op: &str, ios: u64, mean: f64) -> Total {
    Total {
        job: job.to_owned(),
        device: device.to_owned(),
        op: op.to_owned(),
        ios,
        bytes: 8192 * ios,
        iops: ios as f64 / 30.0,
        mib_per_s: ios as f64 / 128.0 / 30.0,
        peak_iops: 0.0,
        errors: 0,
        latency_us: Some(LatencyUs {
            mean,
            p50: mean,
            p95: mean,
            p99: mean,
            p99_9: mean,
            max: mean,
        }),
        mean_us: None,
        expected_us: None,
        worst_second: None,
        time_above: Vec::new(),
        busy: None,
    }
}

/// A load step of 10 seconds.
pub(crate) fn step(number: usize, total: Total) -> Step {
    Step {
        step: number,
        from_s: 10.0 * (number - 1) as f64,
        to_s: 10.0 * number as f64,
        processes: Some(1),
        rate: None,
        total,
    }
}

/// A cycle that writes the database from one time to another.
pub(crate) fn cycle(job: &str, from_s: f64, to_s: f64) -> Cycle {
    Cycle {
        job: job.to_owned(),
        start_s: from_s,
        listed_s: from_s,
        wij_done_s: from_s,
        journal_done_s: from_s,
        database_done_s: to_s,
        end_s: to_s,
        blocks: 0,
        wij_bytes: 0,
        database_ios: 0,
        database_bytes: 0,
    }
}

/// An open loop that fell behind for ten seconds, with the IOs due and those served.
pub(crate) fn open_loop(job: &str, due: f64, served: u64) -> OpenLoop {
    OpenLoop {
        job: job.to_owned(),
        offered: due as u64,
        served,
        failed: 0,
        backlog: due as u64 - served,
        late: 0,
        skipped: 0,
        lag_us: None,
        own_lag_s: 0.0,
        behind: Some(Behind {
            from_s: 20.0,
            to_s: 30.0,
            due,
            served,
            failed: 0,
            waited_s: None,
            unserved: 0.0,
            then_failed: false,
        }),
    }
}

/// What a volume served.
pub(crate) fn volume(name: &str, ios: u64, bytes: u64) -> VolumeTotal {
    VolumeTotal {
        name: name.to_owned(),
        ios,
        bytes,
        peak_iops_1s: Some(0.0),
        peak_mib_per_s_1s: Some(0.0),
        peak_iops: None,
        peak_mib_per_s: None,
        seconds_throttled: Default::default(),
        burst_balance_pct: Default::default(),
        burst_balance_lasts_s: Default::default(),
    }
}

/// The total of a limit, and of each job its name, seconds and share of tokens.
pub(crate) fn limit_total(
    owner: &str,
    limit: &str,
    throttled_ios: u64,
    throttled_s: f64,
    share: f64,
    jobs: &[(&str, f64, f64)],
) -> LimitTotal {
    let job = |&(job, throttled_s, took): &(&str, f64, f64)| JobShare {
        job: job.to_owned(),
        throttled_s,
        lag_s: 0.0,
        took,
    };
    LimitTotal {
        owner: owner.to_owned(),
        limit: limit.to_owned(),
        throttled_ios,
        throttled_s,
        lag_s: 0.0,
        share,
        jobs: jobs.iter().map(job).collect(),
        resync_took: None,
    }
}

/// All waits of a run, for one limit.
pub(crate) fn waits_of(owner: &str, limit: &str, jobs: &[(&str, f64, f64)]) -> LimitWaits {
    let whole = jobs.iter().map(|job| job.1).sum();
    let found = waits(&[limit_total(owner, limit, 1, whole, 1.0, jobs)], &owners());
    found.unwrap().remove(0)
}

pub(crate) fn series(owner: &str, limit: &str, points: &[(f64, f64)]) -> WaitSeries {
    WaitSeries {
        limit: limit_id(owner, limit),
        t_s: points.iter().map(|point| point.0).collect(),
        waited_us: points.iter().map(|point| point.1).collect(),
    }
}

/// Rows of (start, volume, IOs, bytes), without waits and rates.
pub(crate) fn table(rows: &[(f64, &str, u64, u64)]) -> VolumeTable {
    let mut volume = Names::default();
    for (_, name, _, _) in rows {
        push(&mut volume, name);
    }
    VolumeTable {
        t_s: rows.iter().map(|row| row.0).collect(),
        volume,
        ios: rows.iter().map(|row| row.2).collect(),
        bytes: rows.iter().map(|row| row.3).collect(),
        waits_us: entries(),
        rates: entries(),
    }
}

fn entries<T>() -> Entries<T> {
    Entries {
        row: Vec::new(),
        limit: Names::default(),
        value: Vec::new(),
    }
}

fn push(names: &mut Names, name: &str) {
    let known = names.names.iter().position(|known| known == name);
    let index = known.unwrap_or_else(|| {
        names.names.push(name.to_owned());
        names.names.len() - 1
    });
    names.index.push(index);
}

/// Adds a wait to a row.
pub(crate) fn wait(table: &mut VolumeTable, row: usize, limit: &str, us: f64) {
    add(&mut table.waits_us, row, limit, us);
}

/// Adds a limit in force to a row.
pub(crate) fn rate(table: &mut VolumeTable, row: usize, limit: &str, per_s: u64) {
    add(&mut table.rates, row, limit, per_s);
}

fn add<T>(entries: &mut Entries<T>, row: usize, limit: &str, value: T) {
    entries.row.push(row);
    push(&mut entries.limit, limit);
    entries.value.push(value);
}

/// A gp3 volume `data` behind an instance.
pub(crate) fn gp3() -> StorageSpec {
    let text = "host: {instance: r5n.24xlarge}\nstorage:\n  data: {type: gp3, size: 100GiB}\n";
    scenario(text).storage
}
