use alloc::string::String;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::spec::{Applies, Unit};
use crate::token_bucket::TokenBucket;

fn spec(rate: u64, depth: u64, level: u64, top_up: Option<TopUp>) -> LimitSpec {
    LimitSpec {
        name: String::from("iops_credits"),
        unit: Unit::Io,
        applies: Applies::Both,
        rate,
        depth,
        level,
        credits: true,
        top_up,
    }
}

/// The engine's own bucket, charged token by token: the level after each interval, and the first
/// time at which a token was not there.
fn charged(spec: &LimitSpec, loads: &[u64], lasts: Nanos) -> (Vec<u64>, Option<Nanos>) {
    let mut bucket = TokenBucket::new(spec);
    let (mut levels, mut dry_at) = (Vec::new(), None);
    for (index, &tokens) in loads.iter().enumerate() {
        let start = index as u64 * lasts;
        for number in 0..tokens {
            // In the middle of its share of the interval.
            let at = start + (2 * number + 1) * lasts / (2 * tokens);
            if !bucket.try_charge(at, 1) {
                dry_at.get_or_insert(at);
            }
        }
        levels.push(bucket.level(start + lasts));
    }
    (levels, dry_at)
}

fn is_near(found: u64, expected: u64, tolerance: u64) -> bool {
    found.abs_diff(expected) <= tolerance
}

proptest! {
    #[test]
    fn a_balance_is_the_engines_bucket(
        rate in 1_u64..60,
        depth in 1_u64..3_000,
        level in 0_u64..=1000,
        every_s in proptest::option::of(1_u64..200),
        kept in 1_u64..60,
        seconds in 1_u64..30,
        loads in proptest::collection::vec(0_u64..1_500, 1..25),
    ) {
        let top_up = every_s.map(|s| TopUp { every: s * SECOND, kept: kept.min(depth) });
        let spec = spec(rate, depth, depth * level / 1000, top_up);
        let lasts = seconds * SECOND;
        let (levels, dry_at) = charged(&spec, &loads, lasts);
        let mut balance = Balance::new(&spec);
        let mut first = None;
        for (index, &tokens) in loads.iter().enumerate() {
            let interval = balance.take(tokens, lasts);
            first = first.or(interval.dry_at);
            let left = u64::try_from(balance.level / nano(1)).unwrap();
            // A token is all there or not, and a top-up may fall between two of them.
            let tolerance = 3 + index as u64;
            prop_assert!(
                is_near(left, levels[index], tolerance),
                "interval {index}: {left} left, by the engine {}", levels[index]
            );
        }
        // Whole tokens run dry up to one or two before or after the even flow does.
        let widest = loads.iter().map(|&tokens| lasts / tokens.max(1)).max().unwrap_or(lasts);
        if let (Some(found), Some(expected)) = (first, dry_at) {
            prop_assert!(
                is_near(found, expected, lasts.max(3 * widest)),
                "dry at {found}, by the engine at {expected}"
            );
        }
    }

    #[test]
    fn no_amount_overflows(
        rate in any::<u64>(), depth in any::<u64>(), level in any::<u64>(),
        tokens in any::<u64>(), lasts in 1_u64..=86_400 * SECOND,
    ) {
        let mut balance = Balance::new(&spec(rate.max(1), depth.max(1), level, None));
        let interval = balance.take(tokens, lasts);
        prop_assert!(balance.permille() <= 1000);
        prop_assert!(interval.unmet <= tokens);
        prop_assert!(interval.dry_at.is_none_or(|at| at <= lasts));
    }
}

/// The example of AWS's guide: a gp2 volume of 100 GiB has 5.4 million credits and a baseline of
/// 300 IOPS, and does 3,000 IOPS for 2,000 s.
#[test]
fn gp2_of_100_gib_bursts_for_2000_seconds() {
    let mut gp2 = Balance::new(&spec(300, 5_400_000, 5_400_000, None));
    let minute = 60 * SECOND;
    let minutes: Vec<_> = (0..60).map(|_| gp2.take(3000 * 60, minute)).collect();
    let first = minutes.iter().position(|it| it.dry_at.is_some()).unwrap();
    assert_eq!(minutes[first].dry_at, Some(2000 * SECOND));
    // All of the next minute but its baseline is lacking.
    assert_eq!(minutes[first + 1].unmet, 2700 * 60);
    // It is full again after 18,000 s of rest.
    assert_eq!(gp2.permille(), 0);
    gp2.take(0, 17_999 * SECOND);
    assert_eq!(gp2.permille(), 999);
    gp2.take(0, SECOND);
    assert_eq!(gp2.permille(), 1000);
}

#[test]
fn what_a_top_up_brings_does_not_flow_back() {
    let day = 24 * 3600 * SECOND;
    let top_up = Some(TopUp {
        every: day,
        kept: 3600,
    });
    let depth = (18_750 - 3600) * 1800;
    let mut instance = Balance::new(&spec(3600, depth, depth, top_up));
    let half_an_hour = 1800 * SECOND;
    assert_eq!(instance.take(18_750 * 1800, half_an_hour).dry_at, None);
    assert_eq!(instance.permille(), 0);
    instance.take(0, 20 * half_an_hour);
    assert_eq!(instance.permille(), 0);
    instance.take(0, 27 * half_an_hour);
    assert_eq!(instance.permille(), 1000);
}
