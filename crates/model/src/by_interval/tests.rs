use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::allocation::{Asking, allocate};
use super::*;
use crate::spec::{
    Applies, DeviceSpec, Discipline, HostSpec, LatencySpec, LimitSpec, Region, Unit, VolumeSpec,
};
use crate::workload::spec::{Arrivals, DemandSpec, DemandStep};

const MINUTE: Nanos = 60 * SECOND;

fn limit(name: &str, unit: Unit, rate: u64, depth: u64) -> LimitSpec {
    LimitSpec {
        name: String::from(name),
        unit,
        applies: Applies::Both,
        rate,
        depth,
        level: depth,
        credits: name.ends_with("credits"),
        top_up: None,
    }
}

/// A gp2 volume of 100 GiB, as AWS's guide has it, with IOs that take 1 ms.
fn gp2(width: usize) -> StorageSpec {
    let flat = vec![(0.0, 1_000_000), (1.0, 1_000_000)];
    let volume = |number: usize| VolumeSpec {
        name: alloc::format!("data.{number}"),
        size: 100 << 30,
        io_unit: 256 << 10,
        whole_units: false,
        limits: vec![
            limit("iops", Unit::Io, 3000, 3000),
            limit("iops_credits", Unit::Io, 300, 5_400_000),
        ],
        discipline: Discipline::Fifo,
        latency: LatencySpec {
            read: flat.clone(),
            write: flat.clone(),
            sequential: None,
            base_size: 16 << 10,
            per_kib: 0.into(),
            spread_permille: 0,
            volume_spread_permille: 0,
            slow: vec![],
        },
        queues: None,
        host: 0,
        standby: vec![],
        behind_host: true,
    };
    StorageSpec {
        hosts: vec![HostSpec::unnamed()],
        volumes: (0..width).map(volume).collect(),
        devices: vec![DeviceSpec {
            name: String::from("data"),
            size: (width as u64) << 30,
            layout: Layout::Stripe {
                chunk: 64 << 10,
                parts: (0..width).map(Layout::Volume).collect(),
            },
        }],
        links: vec![],
    }
}

fn job(name: &str, minutes: &[u64]) -> JobSpec {
    let step = |(minute, &per_s): (u64, &u64)| DemandStep {
        from: minute * MINUTE,
        reads: per_s * 1000,
        writes: 0,
        size: 8192,
    };
    JobSpec::Demand(DemandSpec {
        name: String::from(name),
        file: Region {
            device: 0,
            offset: 0,
            size: 1 << 30,
        },
        steps: (0..).zip(minutes).map(step).collect(),
        arrivals: Arrivals::Even,
        max_outstanding: 1024,
    })
}

fn run(storage: &StorageSpec, jobs: &[JobSpec], minutes: u64) -> Vec<Period> {
    let mut days = ByInterval::new(storage, jobs, 1).unwrap();
    (1..=minutes)
        .map(|minute| days.advance(minute * MINUTE))
        .collect()
}

#[test]
fn credits_end_when_arithmetic_says_and_what_waits_is_served_later() {
    // 3,000 IOPS for an hour: credits last 2,000 s, then 300 a second are served.
    let mut minutes = vec![3000; 60];
    minutes.push(0);
    let found = run(&gp2(1), &[job("app", &minutes)], 1200);
    let credits = |minute: usize| found[minute].held[1];
    assert_eq!(found.iter().position(|it| it.held[1] > 0), Some(33));
    // From 2,000 s on.
    assert!(credits(33).abs_diff(40 * SECOND) <= 1000, "{}", credits(33));
    assert!((found[59].jobs[0].queued - 1600.0 * 2700.0).abs() < 1.0);
    // It takes as long as its IOs at the baseline, and then credits flow again.
    let all = 4_320_000.0 / 300.0 / 60.0 + 60.0;
    let empty = found
        .iter()
        .position(|it| it.jobs[0].queued < 1.0 && it.held[1] > 0);
    assert_eq!(empty, Some(all as usize - 1));
    assert_eq!(found[all as usize - 1].balances_pct[1], 0.0);
    assert!(found[1199].balances_pct[1] > 0.0);
    let served: f64 = found.iter().map(|it| it.jobs[0].ios[0]).sum();
    assert!((served - 3600.0 * 3000.0).abs() < 1e-3, "{served}");
}

#[test]
fn what_waits_obeys_littles_law() {
    let minutes = [500, 4000, 2000, 0, 3500, 100, 0];
    let found = run(&gp2(1), &[job("app", &minutes)], 7);
    let waited: f64 = found.iter().map(|it| it.jobs[0].waited_s).sum();
    let queue: f64 = found.iter().map(|it| it.jobs[0].queue_s).sum();
    assert!(
        waited > 1e5 && (waited / queue - 1.0).abs() < 1e-6,
        "{waited} {queue}"
    );
    let by_limit = found
        .iter()
        .flat_map(|it| it.waiting.iter().map(|jobs| jobs[0]));
    let by_limit: f64 = by_limit.map(|it| it.in_flight_s + it.behind_s).sum();
    assert!((by_limit / queue - 1.0).abs() < 1e-9);
    // A minute without waiting has the profile's latency.
    let first = &found[0].jobs[0];
    assert!((first.latency_s[0] / first.ios[0] - 1e-3).abs() < 1e-9);
}

#[test]
fn a_small_job_gets_its_iops_beside_a_large_one_and_waits_in_the_same_queue() {
    let jobs = [job("large", &[9000]), job("small", &[100])];
    let found = run(&gp2(1), &jobs, 3);
    let [large, small] = &found[2].jobs[..] else {
        panic!("two jobs")
    };
    assert!((small.ios[0] - 6000.0).abs() < 1.0, "{}", small.ios[0]);
    assert!(
        (large.ios[0] - 2900.0 * 60.0).abs() < 1.0,
        "{}",
        large.ios[0]
    );
    // 1,024 in flight at 2,900 a second are in front of it.
    let wait_s = small.waited_s / small.ios[0];
    assert!((wait_s - 1024.0 / 2900.0).abs() < 1e-3, "{wait_s}");
}

#[test]
fn a_stripe_has_the_iops_of_its_volumes() {
    let found = run(&gp2(4), &[job("app", &[20_000])], 2);
    assert!((found[1].jobs[0].ios[0] - 12_000.0 * 60.0).abs() < 1.0);
    let each = found[1].volumes.iter().map(|it| it.ios);
    assert!(each.clone().all(|ios| (ios - 3000.0 * 60.0).abs() < 1.0));
}

#[test]
fn a_year_takes_few_steps() {
    // Of five minutes: the work is in their number, not in IOs.
    let minutes: Vec<u64> = (0..100_000).map(|at| 20_000 + at % 7).collect();
    let mut days = ByInterval::new(&gp2(1), &[job("app", &minutes)], 1).unwrap();
    let period = days.advance(100_000 * MINUTE);
    assert!(period.jobs[0].queued > 1e11);
}

proptest! {
    /// Who is kept from more shares a limit that is used up, and nobody has more turns there.
    #[test]
    fn shares_are_fair(
        jobs in prop::collection::vec(
            (1.0_f64..10_000.0, 1.0_f64..100.0, prop::collection::vec(0.0_f64..3.0, 4)),
            1..5,
        ),
        capacities in prop::collection::vec(prop::option::of(1.0_f64..5_000.0), 4),
    ) {
        let asking = jobs.into_iter().map(|(rate, window, costs)| Asking {
            rate,
            window,
            reads: 1.0,
            ios: 1.0,
            ways: vec![],
            costs: costs.into_iter().enumerate().filter(|cost| cost.1 > 0.2).collect(),
        });
        let asking: Vec<_> = asking.collect();
        let granted = allocate(&asking, &capacities);
        let turns = |job: usize| granted[job].rate / asking[job].window;
        for (limit, capacity) in capacities.iter().enumerate() {
            let takes = |job: usize| asking[job].costs.iter().find(|it| it.0 == limit).map(|it| it.1);
            let users: Vec<_> = (0..asking.len()).filter(|&job| takes(job).is_some()).collect();
            let used: f64 = users.iter().map(|&job| takes(job).unwrap() * granted[job].rate).sum();
            let Some(capacity) = capacity else { continue };
            prop_assert!(used <= capacity * (1.0 + 1e-9));
            for &job in users.iter().filter(|&&job| granted[job].limits.contains(&limit)) {
                prop_assert!(used >= capacity * (1.0 - 1e-9));
                prop_assert!(users.iter().all(|&other| turns(other) <= turns(job) * (1.0 + 1e-9)));
            }
        }
        for (asking, granted) in asking.iter().zip(&granted) {
            prop_assert!(granted.rate <= asking.rate);
            prop_assert!(!granted.limits.is_empty() || granted.rate == asking.rate);
        }
    }
}
