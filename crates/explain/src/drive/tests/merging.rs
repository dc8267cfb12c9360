//! EBS merges sequential IOs before it counts them.

use blockyard_model::streams::{SSD_UNIT, Streams};
use blockyard_model::units::KIB;
use proptest::prelude::*;

use super::*;

/// What a second of a volume is: IOs of a size, of which a share continues a stream.
fn second(ios: u64, kib: u64, sequential: f64, mean_us: f64) -> SeenInterval {
    let mut streams = Streams::new(SSD_UNIT.ilog2(), false);
    let sized = kib * KIB;
    let end = |place: u64| place * sized;
    let (mut far, mut near, mut counted) = (1 << 40, 0, 0);
    for number in 0..ios {
        let goes_on = (number as f64 * sequential).fract() + sequential >= 1.0;
        let place = if goes_on { &mut near } else { &mut far };
        counted += streams.follow(end(*place), sized, false).ios;
        *place += if goes_on { 1 } else { 3 };
    }
    SeenInterval {
        reads: Moved {
            ios,
            bytes: ios * sized,
            us: ios as f64 * mean_us,
        },
        counted: Some(counted),
        ..SeenInterval::default()
    }
}

fn unseen(own: SeenInterval) -> SeenInterval {
    SeenInterval {
        counted: None,
        ..own
    }
}

/// A baseline of 180 IOPS.
fn gp2() -> StorageSpec {
    storage("data: {type: gp2, size: 60GiB}")
}

proptest! {
    /// Where each IO was seen, what EBS counts decides, whatever this machine counts.
    #[test]
    fn what_ebs_counts_decides(
        ios in 100_u64..900, kib in prop::sample::select(vec![4_u64, 16, 32, 64]),
        sequential in 0.0..1.0_f64,
    ) {
        let gp2 = gp2();
        let own = second(ios, kib, sequential, usual(&gp2) * 30.0);
        let counted = own.counted.unwrap() as f64 / 180.0;
        let parts = Parts::Apart { queue_us: 5.0, device_us: usual(&gp2) * 30.0 };
        let cause = judged(&gp2, vec![own; SECONDS], parts).cause;
        let is_credits = matches!(cause, Cause::Credits { .. });
        prop_assert_eq!(is_credits, (0.85..=1.0 / 0.85).contains(&counted), "{:?}", cause);
    }

    /// Where only means are known, the volume is not blamed for what may be its baseline.
    #[test]
    fn means_blame_no_volume_that_may_be_at_its_baseline(
        counted in 155_u64..210, kib in prop::sample::select(vec![32_u64, 64, 128]),
        sequential in 0.0..1.0_f64,
    ) {
        let gp2 = gp2();
        let ios = (counted..2000)
            .find(|ios| second(*ios, kib, sequential, 1.0).counted.unwrap() >= counted);
        prop_assume!(ios.is_some());
        let own = unseen(second(ios.unwrap(), kib, sequential, usual(&gp2) * 30.0));
        for parts in [Parts::Together, Parts::Sampled { device_us: usual(&gp2) * 30.0 }] {
            let cause = judged(&gp2, vec![own; SECONDS], parts).cause;
            prop_assert!(!matches!(cause, Cause::Degraded { .. }), "{:?}", cause);
        }
    }
}

#[test]
fn a_baseline_at_which_other_seconds_stand_is_what_merged_ones_wait_for() {
    let gp2 = gp2();
    let us = usual(&gp2) * 30.0;
    let device_us = Parts::Sampled { device_us: us };
    let merged = unseen(second(700, 64, 1.0, us));
    let cause = judged(&gp2, vec![merged; SECONDS], device_us).cause;
    let why = Unknown::Merged;
    assert_eq!(cause, Cause::Unknown { why });
    let mut with_plain = vec![merged; SECONDS];
    with_plain.push(unseen(second(180, 8, 0.0, us)));
    let verdict = judged(&gp2, with_plain, device_us);
    assert!(
        matches!(verdict.cause, Cause::Credits { .. }),
        "{verdict:?}"
    );
    assert_eq!(verdict.time, 1.0);
}

#[test]
fn small_ios_above_the_baseline_have_credits_left() {
    let gp2 = gp2();
    let us = usual(&gp2) * 30.0;
    let own = unseen(second(900, 4, 1.0, us));
    let cause = judged(&gp2, vec![own; SECONDS], Parts::Sampled { device_us: us }).cause;
    assert!(matches!(cause, Cause::Degraded { .. }), "{cause:?}");
}
