//! A profile is simulated, IO by IO, and comes back: its quantiles within their limits, its
//! limits' rate and depth, its slow state.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use blockyard_fit::{Applies, Base, Counts, Fitted, Io, Records, Verdict, fit};
use blockyard_model::random::Stream;
use blockyard_model::spec::{QuantileTable, SlowState, StorageSpec};
use blockyard_model::storage::{Op, Request, Storage};
use blockyard_model::units::{Nanos, SECOND};

/// A volume that takes no time yet, with one limit, of IOs.
const SCENARIO: &str = "
name: fitted
duration: 1s
storage:
  data: {type: gp3, size: 100GiB, latency: none}
workload:
  readers: {kind: ranread, on: data, file_size: 1MiB, processes: 1}
";

/// So many processes for so long, with IOs of one size.
#[derive(Clone, Copy)]
struct Phase {
    seconds: u64,
    processes: u32,
    bytes: u64,
}

fn spec(read: &QuantileTable, write: &QuantileTable, rate: u64, depth: u64) -> StorageSpec {
    let loaded = blockyard_scenario::load(SCENARIO, "scenario", &[]).unwrap();
    let mut spec = loaded.resolve().unwrap().storage;
    let volume = &mut spec.volumes[0];
    volume.latency.read.clone_from(read);
    volume.latency.write.clone_from(write);
    volume.limits.retain(|limit| limit.name == "iops");
    let limit = &mut volume.limits[0];
    (limit.rate, limit.depth, limit.level) = (rate, depth, depth);
    spec
}

/// What `phases` after each other measure, every second IO a write.
fn run(spec: &StorageSpec, seed: u64, phases: &[Phase]) -> Records {
    let mut storage = Storage::new(spec, seed);
    let mut records = Records::default();
    let (mut ends, mut open) = (BinaryHeap::new(), Vec::new());
    let (mut now, mut until, mut count) = (0, 0, 0_u64);
    for phase in phases {
        until += phase.seconds * SECOND;
        let mut idle: Vec<u32> = (open.len() as u32..phase.processes).collect();
        open.resize(
            phase.processes.max(open.len() as u32) as usize,
            (0, false, 0),
        );
        while now < until {
            for ticket in idle.drain(..) {
                count += 1;
                let write = count.is_multiple_of(2);
                open[ticket as usize] = (now, write, phase.bytes);
                let request = Request {
                    device: 0,
                    op: if write { Op::Write } else { Op::Read },
                    offset: (count * 7_919) % 1_000 * (1 << 20),
                    len: phase.bytes,
                    requester: 0.into(),
                    submitter: ticket,
                };
                if let Some(reply) = storage.submit(now, ticket, &request) {
                    ends.push(Reverse((reply.at, ticket)));
                }
            }
            let next = ends.peek().map(|Reverse((at, _))| *at);
            let event = storage.next_event();
            if let Some(event) = event.filter(|event| next.is_none_or(|next| *event <= next)) {
                now = event;
                storage.advance(now, &mut |ticket, reply| {
                    ends.push(Reverse((reply.at, ticket)));
                });
                continue;
            }
            let Some(Reverse((at, ticket))) = ends.pop() else {
                now = until;
                break;
            };
            now = at;
            let (issued, write, bytes) = open[ticket as usize];
            records.push(Io {
                issued,
                latency: now - issued,
                op: if write {
                    blockyard_fit::Op::Write
                } else {
                    blockyard_fit::Op::Read
                },
                bytes,
            });
            if ticket < phase.processes {
                idle.push(ticket);
            }
        }
    }
    records
}

/// A table that rises from some 100 to some 20,000 µs.
fn table(random: &mut Stream) -> QuantileTable {
    let mut latency = 100e3 + 500e3 * random.unit();
    let mut table = vec![(0.0, latency as Nanos)];
    for p in [0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0] {
        latency *= 1.05 + 0.6 * random.unit();
        table.push((p, latency as Nanos));
    }
    table
}

fn at(table: &QuantileTable, p: f64) -> f64 {
    let next = table.partition_point(|row| row.0 < p).max(1);
    let ((a, low), (b, high)) = (table[next - 1], table[next]);
    low as f64 + (high as f64 - low as f64) * (p - a) / (b - a)
}

fn mean_s(table: &QuantileTable) -> f64 {
    let areas = table.windows(2).map(|row| {
        let [(a, low), (b, high)] = row else {
            return 0.0;
        };
        (b - a) * (*low as f64 + *high as f64) / 2.0
    });
    areas.sum::<f64>() / 1e9
}

fn base(table: &QuantileTable) -> Base {
    Base {
        read: table.clone(),
        write: table.clone(),
        base_size: 16 << 10,
        per_kib: [0.0; 2],
        slow: Vec::new(),
        volume_spread: 0.0,
    }
}

fn fitted(records: Records, base: &Base) -> Fitted {
    fit(&[records.trace()], base).unwrap()
}

/// One process alone, then sixteen, which the limit holds back.
const LOADS: [Phase; 2] = [
    Phase {
        seconds: 20,
        processes: 1,
        bytes: 16 << 10,
    },
    Phase {
        seconds: 15,
        processes: 16,
        bytes: 16 << 10,
    },
];

#[test]
fn random_profiles_come_back() {
    let mut random = Stream::new(7, "profiles");
    let (mut within, mut all, mut depths) = (0, 0, 0);
    for seed in 0..40 {
        let (read, write) = (table(&mut random), table(&mut random));
        let pace = 2.0 / (mean_s(&read) + mean_s(&write));
        let rate = ((2.0 + 4.0 * random.unit()) * pace) as u64;
        let depth = ((0.4 + random.unit()) * rate as f64) as u64;
        let found = fitted(
            run(&spec(&read, &write, rate, depth), seed, &LOADS),
            &base(&read),
        );
        assert_eq!(found.limits.len(), 1, "{rate}: {found:?}");
        let limit = &found.limits[0];
        let close =
            |figure: Option<f64>, to: u64, by: f64| (figure.unwrap() / to as f64 - 1.0).abs() < by;
        assert!(
            close(limit.rate.value, rate, 0.01),
            "{rate}: {:?}",
            limit.rate
        );
        if limit.depth.verdict == Verdict::Measured {
            depths += 1;
            assert!(
                close(limit.depth.value, depth, 0.05),
                "{depth}: {:?}",
                limit.depth
            );
        }
        assert!(found.slow_state.is_none(), "{:?}", found.slow_state);
        for (rows, truth) in [(&found.read, &read), (&found.write, &write)] {
            for row in rows
                .iter()
                .filter(|row| row.figure.verdict == Verdict::Measured)
            {
                let value = at(truth, row.probability);
                all += 1;
                let (low, high) = (row.figure.low.unwrap(), row.figure.high.unwrap());
                within += u32::from(low <= value + 1.0 && value - 1.0 <= high);
            }
        }
    }
    assert!(
        f64::from(within) >= 0.95 * f64::from(all),
        "{within} of {all}"
    );
    assert!(all > 800, "{all}");
    assert!(depths >= 30, "{depths} depths of 40");
}

/// A gp2 volume with a baseline of 300 IOPS and so many credits.
fn burstable(table: &QuantileTable, credits: u64) -> StorageSpec {
    let scenario = SCENARIO.replace("gp3", "gp2");
    let loaded = blockyard_scenario::load(&scenario, "scenario", &[]).unwrap();
    let mut spec = loaded.resolve().unwrap().storage;
    let volume = &mut spec.volumes[0];
    volume.latency.read.clone_from(table);
    volume.latency.write.clone_from(table);
    for limit in &mut volume.limits {
        limit.level = match limit.name == "iops_credits" {
            true => credits,
            false => limit.depth,
        };
    }
    spec
}

/// Credits end: by as many as a burst allows, and by fewer, which no limit holds until then.
#[test]
fn the_baseline_that_used_up_credits_leave_comes_back() {
    let mut random = Stream::new(12, "credits");
    for seed in 0..3 {
        let table = table(&mut random);
        let full = (3_000.0 * mean_s(&table) * 1.5) as u32 + 2;
        let fewer = (1_200.0 * mean_s(&table)) as u32 + 1;
        for (processes, bursts) in [(full, true), (fewer, false)] {
            let load = Phase {
                seconds: 120,
                processes,
                bytes: 16 << 10,
            };
            let credits = 60_000;
            let records = run(&burstable(&table, credits), seed, &[load]);
            let found = fitted(records, &base(&table));
            let (base, peak): (Vec<_>, Vec<_>) =
                found.limits.iter().partition(|limit| limit.credits);
            assert_eq!(base.len(), 1, "{processes}: {:?}", found.limits);
            assert_eq!(base[0].applies, Applies::Both);
            assert_eq!(base[0].counts, Counts::Either);
            let rate = &base[0].rate;
            assert!((rate.value.unwrap() / 300.0 - 1.0).abs() < 0.01, "{rate:?}");
            assert!(rate.low.unwrap() <= 300.0 && rate.high.unwrap() >= 300.0);
            // What is known of the credits is that there were at least as many.
            let least = base[0].depth.low.unwrap();
            assert!((0.95..=1.0).contains(&(least / credits as f64)), "{least}");
            assert_eq!(!peak.is_empty(), bursts, "{:?}", found.limits);
            assert!(found.slow_state.is_none(), "{:?}", found.slow_state);
        }
    }
}

/// After 40 s every read of this storage takes eight times as long. No limit holds its rate even,
/// so `fit` must not take it for the baseline of credits.
#[test]
fn storage_that_stays_slow_is_no_baseline() {
    for seed in 0..3 {
        let mut random = Stream::new(seed, "slower");
        let mut records = Records::default();
        let mut free: BinaryHeap<_> = (0..16).map(|slot| Reverse((0, slot))).collect();
        while let Some(Reverse((issued, slot))) = free.pop() {
            if issued >= 120 * SECOND {
                continue;
            }
            let times = if issued < 40 * SECOND { 1.0 } else { 8.0 };
            let latency = (times * 5e6 * (0.5 + random.unit())) as Nanos;
            records.push(read(issued, latency));
            free.push(Reverse((issued + latency, slot)));
        }
        let table = vec![(0.0, 1), (1.0, 1_000)];
        let found = fitted(records, &base(&table));
        let credits = found.limits.iter().any(|limit| limit.credits);
        assert!(!credits, "{:?}", found.limits);
    }
}

/// All latencies of a host that is slower than the profile's.
fn times(table: &QuantileTable, factor: f64) -> QuantileTable {
    let row = |&(p, nanos): &(f64, Nanos)| (p, (nanos as f64 * factor) as Nanos);
    table.iter().map(row).collect()
}

#[test]
fn the_factor_of_a_host_comes_back() {
    let mut random = Stream::new(11, "factors");
    for (seed, factor) in (0..).zip([0.8, 0.95, 1.0, 1.16, 1.9]) {
        let profile = table(&mut random);
        let slower = times(&profile, factor);
        let pace = 1.0 / mean_s(&slower);
        let spec = spec(&slower, &slower, (3.0 * pace) as u64, pace as u64);
        let found = fitted(run(&spec, seed, &LOADS), &base(&profile)).family;
        for figure in [&found.read, &found.write, &found.host] {
            assert_eq!(figure.verdict, Verdict::Measured);
            let (low, high) = (figure.low.unwrap(), figure.high.unwrap());
            assert!(low <= factor && factor <= high, "{factor}: {figure:?}");
            assert!(high - low < 0.03 * factor, "{factor}: {figure:?}");
        }
        assert!(
            (found.host.value.unwrap() / factor - 1.0).abs() < 0.01,
            "{factor}: {found:?}"
        );
    }
}

#[test]
fn a_slow_state_comes_back() {
    let mut random = Stream::new(8, "slow");
    for seed in 0..3 {
        let table = table(&mut random);
        let mut spec = spec(&table, &table, 1_000_000, 1_000_000);
        let states = [(1_000, 20), (1_600, 4)];
        spec.volumes[0].latency.slow = states
            .map(|(multiplier_permille, seconds)| SlowState {
                multiplier_permille,
                mean: seconds * SECOND,
            })
            .to_vec();
        let load = Phase {
            seconds: 600,
            processes: 2,
            bytes: 16 << 10,
        };
        let found = fitted(run(&spec, seed, &[load]), &base(&table));
        assert!(found.limits.is_empty(), "{:?}", found.limits);
        let slow = found.slow_state.unwrap();
        // The model multiplies by 1/1024.
        let times = f64::from(1_600 * 1024 / 1000) / 1024.0;
        assert!((slow.times / times - 1.0).abs() < 0.02, "{slow:?}");
        assert!(slow.within.0 <= times && slow.within.1 >= times, "{slow:?}");
        // The mean of 25 stays has a standard deviation of a fifth.
        assert!((10.0..40.0).contains(&slow.normal_s), "{slow:?}");
        assert!((2.0..8.0).contains(&slow.slow_s), "{slow:?}");
        assert!(found.left_out.slow > 0);
        let p99 = found.read.iter().find(|row| row.name == "p99").unwrap();
        let value = p99.figure.value.unwrap();
        assert!((value / at(&table, 0.99) - 1.0).abs() < 0.05, "{p99:?}");
    }
}

#[test]
fn a_heavy_tail_is_no_slow_state_and_no_limit() {
    let tail = vec![
        (0.0, 200_000),
        (0.9, 500_000),
        (0.98, 4_000_000),
        (1.0, 40_000_000),
    ];
    let load = Phase {
        seconds: 120,
        processes: 4,
        bytes: 16 << 10,
    };
    let spec = spec(&tail, &tail, 1_000_000, 1_000_000);
    let found = fitted(run(&spec, 1, &[load]), &base(&tail));
    assert_eq!(found.slow_state, None);
    assert!(found.limits.is_empty());
    assert_eq!(found.left_out, blockyard_fit::LeftOut::default());
}

#[test]
fn latencies_that_rise_with_the_load_are_no_slow_state() {
    let mut records = Records::default();
    let mut random = Stream::new(9, "load");
    // Some 1,000 a second of 300 µs, then some 4,000 of 3 ms.
    let mut now = 0;
    for (until, pause, latency) in [(10, 2_000_000.0, 300_000.0), (20, 500_000.0, 3_000_000.0)] {
        let mut pace = 1.0;
        while now < until * SECOND {
            if random.unit() < 0.01 {
                pace = 0.5 + random.unit();
            }
            now += (pause * pace * random.unit()) as Nanos;
            records.push(read(now, (latency * (1.0 + random.unit())) as Nanos));
        }
    }
    let table = vec![(0.0, 1), (1.0, 1_000)];
    let found = fitted(records, &base(&table));
    assert_eq!(found.slow_state, None);
    assert!(found.left_out.loaded > 30_000, "{:?}", found.left_out);
    let p99 = found.read.iter().find(|row| row.name == "p99").unwrap();
    assert!(p99.figure.value.unwrap() < 600_000.0, "{p99:?}");
}

#[test]
fn an_even_pace_through_a_slow_state_is_no_limit() {
    let mut records = Records::default();
    let mut random = Stream::new(10, "pace");
    for number in 0..200_000_u64 {
        let now = number * SECOND / 5_000;
        let slow = if (now / SECOND) % 20 < 7 { 2.0 } else { 1.0 };
        records.push(read(
            now,
            (slow * 300_000.0 * (1.0 + random.unit())) as Nanos,
        ));
    }
    let table = vec![(0.0, 1), (1.0, 1_000)];
    let found = fitted(records, &base(&table));
    assert!(found.limits.is_empty(), "{:?}", found.limits);
    assert!((found.slow_state.unwrap().times - 2.0).abs() < 0.02);
}

/// An application reads once every 2 ms, and every read takes longer after 3 s.
#[test]
fn an_even_pace_that_leaves_storage_idle_is_no_limit() {
    let mut random = Stream::new(13, "pace");
    let mut records = Records::default();
    for number in 0..10_000_u64 {
        let latency = if number < 1_500 { 270e3 } else { 450e3 };
        records.push(read(
            number * 2_000_000,
            (latency * (1.0 + 0.2 * random.unit())) as Nanos,
        ));
    }
    let table = vec![(0.0, 1), (1.0, 1_000)];
    let found = fitted(records, &base(&table));
    assert!(found.limits.is_empty(), "{:?}", found.limits);
}

/// A limit under one IO at a time, whose process also works between two of them.
#[test]
fn a_limit_of_one_io_at_a_time_comes_back() {
    let mut random = Stream::new(14, "one");
    let mut records = Records::default();
    let (mut now, mut token) = (0, 0);
    for number in 0..20_000_u64 {
        let rests = number < 4_000;
        let end = now + (250e3 * (1.0 + 0.2 * random.unit())) as Nanos;
        token = if rests { now } else { token + SECOND / 1_000 };
        let end = end.max(token);
        records.push(read(now, end - now));
        now = end + 30_000;
    }
    let table = vec![(0.0, 1), (1.0, 1_000)];
    let found = fitted(records, &base(&table));
    assert_eq!(found.limits.len(), 1, "{found:?}");
    let rate = found.limits[0].rate.value.unwrap();
    assert!((rate / 1_000.0 - 1.0).abs() < 0.01, "{rate}");
}

fn read(issued: Nanos, latency: Nanos) -> Io {
    Io {
        issued,
        latency,
        op: blockyard_fit::Op::Read,
        bytes: 8 << 10,
    }
}

#[test]
fn a_burst_from_the_start_only_bounds_the_depth() {
    let quick = vec![(0.0, 200_000), (1.0, 400_000)];
    let load = Phase {
        seconds: 30,
        processes: 8,
        bytes: 16 << 10,
    };
    let found = fitted(
        run(&spec(&quick, &quick, 3_000, 3_000), 1, &[load]),
        &base(&quick),
    );
    let limit = &found.limits[0];
    assert!(
        (limit.rate.value.unwrap() / 3_000.0 - 1.0).abs() < 0.01,
        "{limit:?}"
    );
    assert_eq!(limit.depth.verdict, Verdict::Bounded);
    assert!(
        limit.depth.low.unwrap() > 2_800.0 && limit.depth.high.is_none(),
        "{limit:?}"
    );
    assert_eq!(limit.counts, Counts::Either);
    // What the limit made wait takes no part in the tables, however much of it there is.
    assert!(found.left_out.limited > 80_000, "{:?}", found.left_out);
    let max = found.read.last().unwrap().figure.value.unwrap();
    assert!(max <= 400_000.0, "{max}");
}

#[test]
fn two_sizes_tell_ios_from_bytes() {
    let quick = vec![(0.0, 200_000), (1.0, 400_000)];
    let sizes = [8 << 10, 128 << 10];
    let loads = sizes.map(|bytes| Phase {
        seconds: 15,
        processes: 8,
        bytes,
    });
    let found = fitted(
        run(&spec(&quick, &quick, 3_000, 3_000), 1, &loads),
        &base(&quick),
    );
    let counts: Vec<_> = found.limits.iter().map(|limit| limit.counts).collect();
    assert_eq!(counts, [Counts::Ios]);
}

#[test]
fn too_little_is_refused() {
    let quick = vec![(0.0, 200_000), (1.0, 400_000)];
    let nothing = fit(&[Records::default().trace()], &base(&quick));
    assert_eq!(nothing.unwrap_err(), "no read or write in it");
    let mut few = Records::default();
    for number in 0..37 {
        few.push(Io {
            issued: number * 1_000_000,
            latency: 300_000,
            op: blockyard_fit::Op::Read,
            bytes: 4_096,
        });
    }
    let few = fit(&[few.trace()], &base(&quick)).unwrap_err();
    assert!(
        few.starts_with("37 reads and writes whose latency"),
        "{few}"
    );
}
