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

/// The engine's own bucket, charged token by token: the level after each interval, and how many
/// tokens were not there in it.
fn charged(spec: &LimitSpec, loads: &[u64], lasts: Nanos) -> Vec<(u64, u64)> {
    let mut bucket = TokenBucket::new(spec);
    let interval = |(index, &tokens): (u64, &u64)| {
        let start = index * lasts;
        // Each in the middle of its share of the interval.
        let times = (0..tokens).map(|number| start + (2 * number + 1) * lasts / (2 * tokens));
        let refused = times.filter(|&at| !bucket.try_charge(at, 1)).count();
        (bucket.level(start + lasts), refused as u64)
    };
    (0..).zip(loads).map(interval).collect()
}

fn is_near(found: u64, expected: u64, tolerance: u64) -> bool {
    found.abs_diff(expected) <= tolerance
}

proptest! {
    #[test]
    fn a_balance_is_the_engines_bucket(
        rate in 1_u64..60,
        // Where only a few fit, tokens that come between two IOs are lost.
        depth in 100_u64..3_000,
        level in 0_u64..=1000,
        every_s in proptest::option::of(1_u64..200),
        kept in 100_u64..400,
        seconds in 1_u64..30,
        loads in proptest::collection::vec(0_u64..1_500, 1..25),
    ) {
        let top_up = every_s.map(|s| TopUp { every: s * SECOND, kept: kept.min(depth) });
        let spec = spec(rate, depth, depth * level / 1000, top_up);
        let lasts = seconds * SECOND;
        let by_the_engine = charged(&spec, &loads, lasts);
        let mut balance = Balance::new(&spec);
        for (index, (&tokens, (level, refused))) in loads.iter().zip(by_the_engine).enumerate() {
            let start = index as u64 * lasts;
            let interval = balance.take(tokens, lasts);
            let left = u64::try_from(balance.level / nano(1)).unwrap();
            // A token is all there or not, and a top-up may fall between two of them.
            let tolerance = 3 + index as u64;
            prop_assert!(
                is_near(left, level, tolerance),
                "interval {index}: {left} left, by the engine {level}"
            );
            prop_assert!(
                is_near(interval.unmet, refused, 2 * tolerance),
                "interval {index}: {} lacking, by the engine {refused}", interval.unmet
            );
            if refused > 2 * tolerance {
                let within = start..=start + lasts;
                prop_assert!(interval.dry_at.is_some_and(|at| within.contains(&at)));
            }
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
