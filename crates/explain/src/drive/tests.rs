use blockyard_model::spec::StorageSpec;
use blockyard_record::result::EbsStatistics;
use proptest::prelude::*;

use super::known::Known;
use super::seen::{Busy, Moved, Parts, Seen, SeenDevice, SeenInterval};
use super::{Cause, Unknown, Verdict, was_it_the_drive};
use crate::testing::scenario;

mod empty;
mod merging;
mod pauses;
mod queues;

const SIZE: u64 = 8192;
const SECONDS: usize = 12;

fn storage(volumes: &str) -> StorageSpec {
    scenario(&format!("storage: {{{volumes}}}\n")).storage
}

fn gp3() -> StorageSpec {
    storage("data: {type: gp3, size: 100GiB}")
}

fn reads(ios: u64, mean_us: f64) -> SeenInterval {
    SeenInterval {
        reads: Moved {
            ios,
            bytes: ios * SIZE,
            us: ios as f64 * mean_us,
        },
        ..SeenInterval::default()
    }
}

fn device(name: &str, intervals: Vec<SeenInterval>) -> SeenDevice {
    SeenDevice {
        name: name.into(),
        intervals,
        busy: None,
        parts: Parts::Together,
        ebs: None,
    }
}

fn seen(devices: Vec<SeenDevice>) -> Seen {
    Seen {
        interval_s: 1.0,
        devices,
    }
}

/// How long a read of the storage takes, in microseconds.
fn usual(storage: &StorageSpec) -> f64 {
    let one = seen(vec![device("data", Vec::new())]);
    let known = Known::of(storage, &one, "data").unwrap();
    known.expected_us(&reads(1, 0.0))
}

fn judged(storage: &StorageSpec, intervals: Vec<SeenInterval>, parts: Parts) -> Verdict {
    let own = SeenDevice {
        parts,
        ..device("data", intervals)
    };
    was_it_the_drive(&seen(vec![own]), Some(storage))
}

proptest! {
    /// IO that takes what the volume takes, below its limits, is not held against it.
    #[test]
    fn a_sound_volume_is_not_blamed(
        seconds in prop::collection::vec((0_u64..2400, 0.7..1.4_f64), 1..40),
        parts in prop::sample::select(vec![
            Parts::Together, Parts::DeviceAlone, Parts::Apart { queue_us: 5.0, device_us: 600.0 },
        ]),
    ) {
        let gp3 = gp3();
        let us = usual(&gp3);
        let intervals: Vec<_> = seconds.iter().map(|(ios, by)| reads(*ios, us * by)).collect();
        let idle = intervals.iter().all(|own| own.ios() == 0);
        let cause = judged(&gp3, intervals, parts).cause;
        prop_assert_eq!(cause, match idle {
            true => Cause::Unknown { why: Unknown::NoIo },
            false => Cause::NotStorage,
        });
    }

    /// What is slow at a limit waits for that limit, whoever looks.
    #[test]
    fn a_load_at_a_limit_waits_for_it(
        iops in 100_u64..5000, over in 0.95..1.02_f64, slower in 2.0..50.0_f64, seconds in 1_usize..30,
    ) {
        let io1 = storage(&format!("data: {{type: io1, size: 200GiB, iops: {iops}}}"));
        let rate = (iops as f64 * over) as u64;
        let load = vec![reads(rate, usual(&io1) * slower); seconds];
        for parts in [Parts::Together, Parts::DeviceAlone] {
            let verdict = judged(&io1, load.clone(), parts);
            let Cause::VolumeLimit { limit, per_s } = verdict.cause else {
                panic!("{:?}", verdict.cause);
            };
            prop_assert!(!limit.is_host() && per_s == Some(iops as f64));
            prop_assert_eq!(verdict.time, 1.0);
        }
    }

    /// Without the storage no limit is named, and nothing is held against the volume.
    #[test]
    fn nothing_is_guessed_of_an_unknown_storage(
        seconds in prop::collection::vec((1_u64..5000, 100.0..50_000.0_f64), 1..40),
    ) {
        let intervals = seconds.iter().map(|(ios, us)| reads(*ios, *us)).collect();
        let found = was_it_the_drive(&seen(vec![device("data", intervals)]), None);
        let why = Unknown::NoVolume;
        prop_assert_eq!(found.cause, Cause::Unknown { why });
    }

    /// The slow one of equal legs is named, in whatever order they stand.
    #[test]
    fn a_slow_leg_is_named(
        legs in 2_usize..6, slow in 0_usize..6, ios in 50_u64..1000, times in 2.2..40.0_f64,
        known in any::<bool>(),
    ) {
        let slow = slow % legs;
        let volumes: Vec<_> = (0..legs)
            .map(|leg| format!("leg{leg}: {{type: io1, size: 100GiB, iops: 2000}}"))
            .collect();
        let storage = storage(&volumes.join(", "));
        let devices = (0..legs).map(|leg| {
            let us = if leg == slow { 500.0 * times } else { 500.0 };
            // The load is a stripe's before it is slow, too.
            let before = reads(ios, 500.0);
            let mut intervals = vec![before; 3];
            intervals.extend(vec![reads(ios, us); SECONDS]);
            device(&format!("leg{leg}"), intervals)
        });
        let found = was_it_the_drive(&seen(devices.collect()), known.then_some(&storage));
        prop_assert!(matches!(found.cause, Cause::Leg { .. }), "{:?}", found.cause);
        prop_assert_eq!(found.device, Some(format!("leg{slow}")));
    }
}

#[test]
fn what_the_baseline_leaves_is_told_from_the_volumes_maximum() {
    let gp2 = storage("data: {type: gp2, size: 100GiB}");
    let us = usual(&gp2);
    let mut load = vec![reads(1000, us); 5];
    load.extend(vec![reads(300, us * 90.0); 7]);
    let cause = judged(&gp2, load, Parts::Together).cause;
    assert!(
        matches!(
            cause,
            Cause::Credits {
                per_s: Some(300.0),
                ..
            }
        ),
        "{cause:?}"
    );
    let cause = judged(&gp2, vec![reads(3000, us * 9.0); 7], Parts::Together).cause;
    assert!(
        matches!(
            cause,
            Cause::VolumeLimit {
                per_s: Some(3000.0),
                ..
            }
        ),
        "{cause:?}"
    );
}

#[test]
fn the_instance_is_reached_by_all_its_devices_together() {
    let text = "host: {instance: m4.large}\nstorage:\n  \
                one: {type: gp3, size: 100GiB, iops: 6000, throughput: 500MiB/s}\n  \
                two: {type: gp3, size: 100GiB, iops: 6000, throughput: 500MiB/s}\n";
    let storage = scenario(text).storage;
    let large = |slower: f64| SeenInterval {
        reads: Moved {
            ios: 107,
            bytes: 107 * 256 * 1024,
            us: 107.0 * 1000.0 * slower,
        },
        ..SeenInterval::default()
    };
    let devices = ["one", "two"].map(|name| device(name, vec![large(40.0); SECONDS]));
    let found = was_it_the_drive(&seen(devices.to_vec()), Some(&storage));
    assert!(
        matches!(&found.cause, Cause::InstanceLimit { limit, .. } if limit.is_host()),
        "{found:?}"
    );
    let alone = was_it_the_drive(&seen(devices[..1].to_vec()), Some(&storage));
    assert!(
        !matches!(alone.cause, Cause::InstanceLimit { .. }),
        "{alone:?}"
    );
}

#[test]
fn a_volume_that_does_nothing_while_io_waits_hangs_and_an_idle_one_does_not() {
    let gp3 = gp3();
    let us = usual(&gp3);
    let with = |after_us: f64| {
        let mut load = vec![reads(500, us); 4];
        load.extend([reads(0, 0.0); 3]);
        load.push(reads(700, after_us));
        load.extend(vec![reads(500, us); 4]);
        judged(&gp3, load, Parts::Together).cause
    };
    assert_eq!(with(3e6), Cause::Hung { longest_s: 3.0 });
    assert_eq!(with(us), Cause::NotStorage);
}

#[test]
fn below_all_limits_the_part_of_the_device_decides() {
    let gp3 = gp3();
    let us = usual(&gp3);
    let slow = vec![reads(400, us * 8.0); SECONDS];
    let queued = Parts::Apart {
        queue_us: us * 7.0,
        device_us: us,
    };
    let held = Parts::Apart {
        queue_us: us * 0.1,
        device_us: us * 7.9,
    };
    let causes = [queued, held, Parts::DeviceAlone, Parts::Together];
    let causes = causes.map(|parts| judged(&gp3, slow.clone(), parts).cause);
    assert!(matches!(causes[0], Cause::GuestQueue { .. }), "{causes:?}");
    assert!(matches!(causes[1], Cause::Degraded { .. }), "{causes:?}");
    assert!(matches!(causes[2], Cause::Degraded { .. }), "{causes:?}");
    let why = Unknown::QueueOrVolume;
    assert_eq!(causes[3], Cause::Unknown { why });
    // It was faster with as much to do: so it is not what asks of it.
    let mut later = vec![reads(900, us); 4];
    later.extend(slow);
    let cause = judged(&gp3, later, Parts::Together).cause;
    assert!(matches!(cause, Cause::Degraded { .. }), "{cause:?}");
    let cause = judged(&gp3, vec![reads(400, us * 8.0)], Parts::DeviceAlone).cause;
    let why = Unknown::Coarse;
    assert_eq!(cause, Cause::Unknown { why });
}

#[test]
fn a_few_large_writes_of_an_idle_device_are_at_no_limit() {
    let gp3 = gp3();
    let writes = Moved {
        ios: 11,
        bytes: 11 << 19,
        us: 22_000.0,
    };
    let mut all = vec![reads(1, usual(&gp3)); SECONDS];
    all[1] = SeenInterval {
        writes,
        ..SeenInterval::default()
    };
    let own = SeenDevice {
        busy: Some(Busy {
            share: 0.005,
            full_s: 0.0,
        }),
        ..device("data", all)
    };
    let cause = was_it_the_drive(&seen(vec![own]), Some(&gp3)).cause;
    assert!(!matches!(cause, Cause::VolumeLimit { .. }), "{cause:?}");
}

#[test]
fn flushes_that_wait_for_each_other_are_told_from_writes() {
    let gp3 = gp3();
    let us = usual(&gp3);
    let with = |flush_us: f64| {
        let mut own = reads(500, us);
        own.flushes = Moved {
            ios: 500,
            bytes: 0,
            us: 500.0 * flush_us,
        };
        judged(&gp3, vec![own; SECONDS], Parts::Together).cause
    };
    assert_eq!(with(8000.0), Cause::Flushes { in_flight: 4.0 });
    assert_eq!(with(us), Cause::NotStorage);
}

/// A flush now and then holds nobody up, whatever else is slow.
#[test]
fn a_flush_alone_is_not_waited_for() {
    let gp3 = gp3();
    let us = usual(&gp3);
    let with = |flushes: u64, storage: Option<&StorageSpec>| {
        let mut load = vec![reads(500, us); SECONDS];
        load[4..8].fill(reads(500, us * 16.0));
        load[5].flushes = Moved {
            ios: flushes,
            bytes: 0,
            us: flushes as f64 * 30.0,
        };
        let own = SeenDevice {
            parts: Parts::Apart {
                queue_us: 1.0,
                device_us: us * 6.0,
            },
            ..device("data", load)
        };
        was_it_the_drive(&seen(vec![own]), storage).cause
    };
    let why = Unknown::NoVolume;
    for flushes in [0, 1, 200] {
        assert_eq!(with(flushes, None), Cause::Unknown { why });
        let cause = with(flushes, Some(&gp3));
        assert!(matches!(cause, Cause::Degraded { .. }), "{cause:?}");
    }
}

#[test]
fn what_a_volume_served_is_of_the_whole_time() {
    let gp2 = storage("data: {type: gp2, size: 40GiB, burst_balance: 0%}");
    let own = SeenDevice {
        parts: Parts::Apart {
            queue_us: 1.0,
            device_us: usual(&gp2) * 9.0,
        },
        busy: Some(Busy {
            share: 0.25,
            full_s: 0.0,
        }),
        ..device("data", vec![reads(50, usual(&gp2) * 9.0); SECONDS])
    };
    let cause = was_it_the_drive(&seen(vec![own]), Some(&gp2)).cause;
    let Cause::Degraded { served } = cause else {
        panic!("{cause:?}")
    };
    assert!((served - 50.0 / 120.0).abs() < 1e-9, "{served}");
}

#[test]
fn what_ebs_counted_names_the_limit_of_an_unknown_volume() {
    let ebs = |volume: f64, instance: f64| EbsStatistics {
        volume_iops_exceeded_s: volume,
        volume_throughput_exceeded_s: 0.0,
        instance_iops_exceeded_s: 0.0,
        instance_throughput_exceeded_s: instance,
        ops: Vec::new(),
    };
    let judged = |counted| {
        let mut load = vec![reads(400, 600.0); 4];
        load.extend(vec![reads(3000, 9000.0); SECONDS]);
        let own = SeenDevice {
            ebs: Some(counted),
            ..device("nvme1n1", load)
        };
        was_it_the_drive(&seen(vec![own]), None).cause
    };
    assert!(matches!(
        judged(ebs(11.0, 0.0)),
        Cause::VolumeLimit { per_s: None, .. }
    ));
    assert!(matches!(
        judged(ebs(1.0, 12.0)),
        Cause::InstanceLimit { per_s: None, .. }
    ));
    let why = Unknown::NoVolume;
    assert_eq!(judged(ebs(0.0, 0.0)), Cause::Unknown { why });
}

#[test]
fn latencies_that_are_not_known_are_said() {
    let found = judged(&gp3(), vec![reads(400, f64::NAN); 5], Parts::Together);
    let why = Unknown::NoLatency;
    assert_eq!(found.cause, Cause::Unknown { why });
}

#[test]
fn what_a_hung_volume_makes_up_for_is_not_its_limits_doing() {
    let io1 = storage("data: {type: io1, size: 100GiB, iops: 600}");
    let us = usual(&io1);
    let mut load = vec![reads(300, us); 4];
    load.extend([reads(0, 0.0); 3]);
    load.extend([reads(600, 2e6), reads(600, 1e6), reads(600, 1e5)]);
    load.extend(vec![reads(300, us); 4]);
    let cause = judged(&io1, load, Parts::Together).cause;
    assert_eq!(cause, Cause::Hung { longest_s: 3.0 });
}

/// Minutes of a few IOs a second, which may have come at once.
#[test]
fn means_of_minutes_hide_bursts_unless_ebs_saw_none() {
    let gp3 = gp3();
    let slow = usual(&gp3) * 20.0;
    let cause = |interval_s: f64, exceeded_s: Option<f64>| {
        let own = SeenDevice {
            parts: Parts::DeviceAlone,
            ebs: exceeded_s.map(|volume_iops_exceeded_s| EbsStatistics {
                volume_iops_exceeded_s,
                volume_throughput_exceeded_s: 0.0,
                instance_iops_exceeded_s: 0.0,
                instance_throughput_exceeded_s: 0.0,
                ops: Vec::new(),
            }),
            ..device("data", vec![reads(100 * interval_s as u64, slow); 20])
        };
        let seen = Seen {
            interval_s,
            devices: vec![own],
        };
        was_it_the_drive(&seen, Some(&gp3)).cause
    };
    let coarse = Cause::Unknown {
        why: Unknown::Coarse,
    };
    let is_degraded = |cause| matches!(cause, Cause::Degraded { .. });
    assert!(is_degraded(cause(1.0, None)));
    assert_eq!(cause(60.0, None), coarse);
    assert!(is_degraded(cause(60.0, Some(0.0))));
    assert_eq!(cause(60.0, Some(240.0)), coarse);
    assert!(matches!(
        cause(60.0, Some(1200.0)),
        Cause::VolumeLimit { per_s: None, .. }
    ));
}
