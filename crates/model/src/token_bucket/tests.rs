use alloc::string::String;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::spec::{Applies, TopUp, Unit};

fn bucket(rate: u64, depth: u64, level: u64) -> TokenBucket {
    topped_up(rate, depth, level, None)
}

fn topped_up(rate: u64, depth: u64, level: u64, top_up: Option<TopUp>) -> TokenBucket {
    TokenBucket::new(&LimitSpec {
        name: String::from("iops"),
        unit: Unit::Io,
        applies: Applies::Both,
        rate,
        depth,
        level,
        credits: false,
        top_up,
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
    for_every_small_run(&|rate, depth, level, requests| {
        check(&mut bucket(rate, depth, level), level, requests);
    });
}

/// The same with a top-up every second and every third of one, whatever part of the depth
/// the flow fills.
#[test]
fn every_small_bucket_that_is_topped_up_does_too() {
    for every in [SECOND, SECOND / 3] {
        for_every_small_run(&|rate, depth, level, requests| {
            for kept in 1..=depth {
                let mut bucket = topped_up(rate, depth, level, Some(TopUp { every, kept }));
                check(&mut bucket, level, requests);
            }
        });
    }
}

/// From a rate, a depth, a level and (time, tokens) of each request.
type Check<'a> = &'a dyn Fn(u64, u64, u64, &[(u64, u64)]);

/// Calls `check` with rate, depth, level and requests (after a quarter of a second so often,
/// tokens).
fn for_every_small_run(check: Check<'_>) {
    let small = |of: u64| 1..=of;
    for (rate, depth) in small(3).flat_map(|rate| small(3).map(move |depth| (rate, depth))) {
        for level in 0..=depth {
            // Four requests, each of a gap of up to half a second and up to the depth.
            let kinds = 3 * depth;
            for run in 0..kinds.pow(4) {
                let request = |number: u32| run / kinds.pow(number) % kinds;
                let requests = [0, 1, 2, 3]
                    .map(request)
                    .map(|kind| (kind % 3, 1 + kind / 3));
                check(rate, depth, level, &requests);
            }
        }
    }
}

fn check(bucket: &mut TokenBucket, level: u64, requests: &[(u64, u64)]) {
    const STEP: Nanos = SECOND / 4;
    let (rate, depth) = (bucket.rate, bucket.level(Nanos::MAX) * SECOND);
    let reserve = bucket.reserve.clone();
    // What top-ups after `start` and up to `at` bring at most, and the debt of a request that
    // is larger than what the flow alone fills.
    let largest = requests.iter().map(|request| nano(request.1)).max();
    let topped_up = |start: Nanos, at: Nanos| {
        let brings = |it: &Reserve| {
            let top_ups = u128::from(at / it.every - start / it.every);
            let debt = largest.map_or(0, |largest| largest.saturating_sub(it.kept));
            (top_ups * (it.whole - it.kept) + debt) as u64
        };
        reserve.as_deref().map_or(0, brings)
    };
    let mut now = 0;
    let mut grants = Vec::new();
    for &(gap, tokens) in requests {
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
            let flow = (at - start) * rate + topped_up(start, at);
            assert!(taken * SECOND <= depth + flow, "{grants:?}");
        }
        let taken: u64 = grants.iter().map(|grant| grant.1).sum();
        assert!(
            taken * SECOND <= level * SECOND + at * rate + topped_up(0, at),
            "from the level at time 0"
        );
    }
}

proptest! {
    /// The obvious bucket of two parts: what the flow fills, which goes first, and a reserve
    /// that only top-ups fill.
    #[test]
    fn a_reserve_comes_back_with_top_ups_alone(
        rate in 1_u64..5,
        (kept, reserve) in (1_u64..6, 0_u64..8),
        every in 1_u64..9,
        requests in prop::collection::vec((0_u64..6, 1_u64..4), 1..40),
    ) {
        let top_up = Some(TopUp { every: every * SECOND, kept });
        let mut bucket = topped_up(rate, kept + reserve, kept + reserve, top_up);
        let (mut flow, mut left, mut second) = (kept, reserve, 0);
        for (gap, tokens) in requests {
            for _ in 0..gap {
                second += 1;
                flow = (flow + rate).min(kept);
                if second % every == 0 {
                    left = reserve;
                }
            }
            let conforms = tokens.min(kept + left) <= flow + left;
            prop_assert_eq!(bucket.try_charge(second * SECOND, tokens), conforms);
            if conforms {
                let of_flow = tokens.min(flow);
                // No token is above the depth here, unless the reserve is small: then a debt.
                prop_assume!(tokens - of_flow <= left);
                (flow, left) = (flow - of_flow, left - (tokens - of_flow));
            }
            prop_assert_eq!(bucket.level(second * SECOND), flow + left);
        }
    }
}

proptest! {
    #[test]
    fn what_is_tried_and_taken_back_cannot_be_told_afterwards(
        rate in 1_u64..5,
        (kept, more) in (1_u64..6, 0_u64..8),
        every in prop::option::of(1_u64..9),
        requests in prop::collection::vec((0_u64..6, 1_u64..4, 1_u64..16, any::<bool>()), 1..20),
    ) {
        let top_up = every.map(|every| TopUp { every: every * SECOND, kept });
        let mut bucket = topped_up(rate, kept + more, kept + more, top_up);
        let mut now = 0;
        for (gap, tokens, tried, charges) in requests {
            now += gap * SECOND / 2;
            let before = bucket.clone();
            if bucket.try_charge(now, tried) {
                bucket.undo(tried);
            }
            for later in (0..20).map(|half| now + half * SECOND / 2) {
                prop_assert_eq!(bucket.level(later), before.level(later));
                prop_assert_eq!(bucket.earliest(later, tried), before.earliest(later, tried));
            }
            if charges {
                now = bucket.earliest(now, tokens);
                bucket.charge(now, tokens);
            }
        }
    }
}

#[test]
fn a_day_of_overload_gets_the_baseline_and_one_burst() {
    // A small r5.large: the baseline is 4 a second, its maximum 19, for half an hour a day.
    const DAY: u64 = 86_400;
    let (baseline, maximum) = (4, 19);
    let burst = (maximum - baseline) * 1800;
    let top_up = Some(TopUp {
        every: DAY * SECOND,
        kept: baseline,
    });
    let mut credits = topped_up(baseline, burst, burst, top_up);
    let mut short = bucket(maximum, maximum, maximum);
    let mut by_hour = [0_u64; 50];
    let mut now = 0;
    loop {
        now = credits.earliest(short.earliest(now, 1), 1);
        let Some(hour) = by_hour.get_mut((now / SECOND / 3600) as usize) else {
            break;
        };
        *hour += 1;
        credits.charge(now, 1);
        short.charge(now, 1);
    }
    for (hour, &ios) in by_hour.iter().enumerate() {
        let expected = 3600 * baseline + if hour % 24 == 0 { burst } else { 0 };
        // The kept second of flow, which is part of the burst, may pass an hour later.
        assert!(ios.abs_diff(expected) <= 2 * baseline, "hour {hour}: {ios}");
    }
    // At rest only the kept second comes back before the day is over.
    assert_eq!(credits.level(71 * 3600 * SECOND), baseline);
    assert_eq!(credits.level(3 * DAY * SECOND), burst);
}
