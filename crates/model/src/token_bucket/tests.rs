use alloc::string::String;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::spec::{Applies, Unit};

fn bucket(rate: u64, depth: u64, level: u64) -> TokenBucket {
    TokenBucket::new(&LimitSpec {
        name: String::from("iops"),
        unit: Unit::Io,
        applies: Applies::Both,
        rate,
        depth,
        level,
        credits: false,
    })
}

/// The obvious bucket: counts tokens x 10^-9, so that every nanosecond brings
/// exactly `rate` of them, and finds a conforming time by stepping.
struct Oracle {
    rate: i128,
    depth: i128,
    level: i128,
    now: Nanos,
}

impl Oracle {
    fn new(rate: u64, depth: u64, level: u64) -> Self {
        let scaled = |tokens: u64| i128::from(tokens) * 1_000_000_000;
        Self {
            rate: rate.into(),
            depth: scaled(depth),
            level: scaled(level),
            now: 0,
        }
    }

    fn advance(&mut self, to: Nanos) {
        self.level = self
            .depth
            .min(self.level + i128::from(to - self.now) * self.rate);
        self.now = to;
    }

    fn take(&mut self, now: Nanos, tokens: u64) -> Nanos {
        self.advance(now.max(self.now));
        let cost = i128::from(tokens) * 1_000_000_000;
        while self.level < cost.min(self.depth) {
            self.advance(self.now + 1);
        }
        self.level -= cost;
        self.now
    }
}

proptest! {
    #[test]
    fn grants_when_the_obvious_bucket_does(
        rate in 1_u64..2_000_000_000,
        depth in 1_u64..40,
        filled in 0_u64..=100,
        // Nanosecond steps against gigatoken rates keep the stepping oracle short.
        requests in prop::collection::vec((0_u64..50, 1_u64..60), 1..40),
    ) {
        let rate = rate.max(100_000_000);
        let level = depth * filled / 100;
        let (mut limit, mut oracle) = (bucket(rate, depth, level), Oracle::new(rate, depth, level));
        let (mut now, mut last) = (0, 0);
        for (gap, tokens) in requests {
            now += gap;
            let granted = limit.earliest(now.max(last), tokens);
            limit.charge(granted, tokens);
            last = granted;
            prop_assert_eq!(granted, oracle.take(now, tokens));
            let whole = oracle.level.max(0) / 1_000_000_000;
            prop_assert_eq!(i128::from(limit.level(granted)), whole);
        }
    }

    #[test]
    fn no_window_holds_more_than_depth_and_flow(
        rate in 1_u64..5_000_000,
        depth in 1_u64..10_000,
        requests in prop::collection::vec((0_u64..3_000_000, 1_u64..100), 2..80),
    ) {
        let mut limit = bucket(rate, depth, depth);
        let (mut now, mut grants) = (0, Vec::new());
        for (gap, tokens) in requests {
            now += gap;
            let tokens = tokens.min(depth);
            let at = limit.earliest(now, tokens);
            limit.charge(at, tokens);
            grants.push((at, u128::from(tokens)));
            now = at;
        }
        for first in 0..grants.len() {
            let mut taken = 0;
            for &(at, tokens) in &grants[first..] {
                taken += tokens;
                let flow = u128::from(at - grants[first].0) * u128::from(rate);
                prop_assert!(
                    taken * 1_000_000_000 <= u128::from(depth) * 1_000_000_000 + flow
                );
            }
        }
    }

    #[test]
    fn a_change_keeps_the_tokens(
        rate in 1_u64..1_000_000, depth in 1_u64..1_000_000, taken in 0_u64..1_000_000,
        new_rate in 1_u64..1_000_000, new_depth in 1_u64..1_000_000,
    ) {
        let mut limit = bucket(rate, depth, depth);
        let taken = taken.min(depth);
        limit.charge(0, taken);
        limit.set(0, new_rate, new_depth);
        prop_assert_eq!(limit.level(0), (depth - taken).min(new_depth));
    }
}

#[test]
fn remainders_are_carried() {
    // Three tokens a second do not come at whole nanoseconds: after the two
    // that lay there, a million others must take exactly their third of a
    // million seconds.
    let mut limit = bucket(3, 2, 2);
    let mut at = 0;
    for _ in 0..1_000_001 {
        at = limit.earliest(at, 1);
        limit.charge(at, 1);
    }
    assert_eq!(at, 333_333 * SECOND);
}

#[test]
fn gp2_credits_last_as_long_as_the_guide_says() {
    // 100 GiB: 5.4 million credits, 300 flow in and 3,000 out each second.
    let mut credits = bucket(300, 5_400_000, 5_400_000);
    let mut now = 0;
    while credits.earliest(now, 1) == now {
        credits.charge(now, 1);
        now += SECOND / 3000;
    }
    assert!(now.abs_diff(2000 * SECOND) < SECOND, "{now}");
}

/// The invariant, for every small bucket and every short run of requests.
#[test]
fn every_small_bucket_holds_its_invariant_and_grants_no_later_than_it_must() {
    const STEP: Nanos = SECOND / 4;
    let small = |of: u64| 1..=of;
    for (rate, depth) in small(3).flat_map(|rate| small(3).map(move |depth| (rate, depth))) {
        for level in 0..=depth {
            // Four requests, each of a gap of up to half a second and up to the depth.
            let kinds = 3 * depth;
            for run in 0..kinds.pow(4) {
                let request = |number: u32| run / kinds.pow(number) % kinds;
                let requests = (0..4).map(request).map(|kind| (kind % 3, 1 + kind / 3));
                check(
                    &mut bucket(rate, depth, level),
                    (rate, depth, level),
                    requests,
                );
            }
        }
    }

    fn check(
        bucket: &mut TokenBucket,
        (rate, depth, level): (u64, u64, u64),
        requests: impl Iterator<Item = (u64, u64)>,
    ) {
        let mut now = 0;
        let mut grants = Vec::new();
        for (gap, tokens) in requests {
            now += gap * STEP;
            let at = bucket.earliest(now, tokens);
            assert!(bucket.conforms(at, tokens));
            assert!(
                at == now || !bucket.conforms(at - 1, tokens),
                "no later than it must"
            );
            bucket.charge(at, tokens);
            grants.push((at, tokens));
            now = at;
            for (first, &(start, _)) in grants.iter().enumerate() {
                let taken: u64 = grants[first..].iter().map(|grant| grant.1).sum();
                let flow = (at - start) * rate;
                assert!(taken * SECOND <= depth * SECOND + flow, "{grants:?}");
            }
            let taken: u64 = grants.iter().map(|grant| grant.1).sum();
            assert!(
                taken * SECOND <= level * SECOND + at * rate,
                "from the level at time 0"
            );
        }
    }
}
