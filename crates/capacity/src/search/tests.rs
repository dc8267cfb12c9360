//! The search against a scan of every load.

use proptest::prelude::*;

use super::*;

/// Follows a search to its end; gives what it tried, in order.
fn follow(search: Search, curve: impl Fn(u64) -> Verdict) -> (Tries, Vec<u64>) {
    let (mut tries, mut order) = (Tries::new(), Vec::new());
    loop {
        match search.next(&tries) {
            Next::Done => return (tries, order),
            Next::Try(load) | Next::Check(load) => {
                assert!((search.least..=search.most).contains(&load), "{load}");
                assert!(tries.insert(load, curve(load)).is_none(), "{load} again");
                order.push(load);
                assert!(order.len() < 120, "no end: {order:?}");
            }
        }
    }
}

fn search(start: u64, most: u64) -> Search {
    Search {
        start,
        least: 1,
        most,
    }
}

/// Goals that hold from `low` to `high`.
fn window(low: u64, high: u64) -> impl Fn(u64) -> Verdict {
    move |load| match load {
        load if load > high => Verdict::Missed,
        load if load < low => Verdict::TooLow,
        _ => Verdict::Met,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_falling_curve_ends_where_a_scan_says(
        start in 1..5000_u64,
        most in 5000..20_000_u64,
        last in 0..25_000_u64,
    ) {
        let (tries, order) = follow(search(start, most), window(0, last));
        let scanned = (1..=most).rev().find(|load| *load <= last);
        let found = Bracket::of(&tries);
        match scanned {
            None => prop_assert_eq!((found.holds, found.missed), (None, Some(1))),
            Some(largest) if largest == most => prop_assert_eq!(found.holds, Some(most)),
            Some(largest) => {
                let (holds, missed) = (found.holds.unwrap(), found.missed.unwrap());
                prop_assert!(holds <= largest && largest < missed);
                prop_assert!(missed - holds <= (holds / 100).max(1), "{} {}", holds, missed);
            }
        }
        prop_assert!(order.len() <= 40, "{:?}", order);
    }

    #[test]
    fn goals_that_ask_for_load_end_where_a_scan_says(
        start in 1..5000_u64,
        low in 1..12_000_u64,
        wide in 0..4000_u64,
    ) {
        let (most, high) = (10_000, low + wide);
        let (tries, _) = follow(search(start, most), window(low, high));
        let found = Bracket::of(&tries);
        let largest = (1..=most).rev().find(|load| (low..=high).contains(load));
        match (largest, found.holds) {
            // A window narrower than a step of the search may be missed, and no other.
            (Some(_), None) => prop_assert!(wide <= low / 100 + 1, "{:?}", found),
            (Some(largest), Some(holds)) => {
                prop_assert!(holds <= largest && largest <= holds + (holds / 100).max(1));
            }
            (None, holds) => prop_assert_eq!(holds, None),
        }
    }

    #[test]
    fn what_chance_decides_is_told_as_it_was_tried(bits in prop::collection::vec(any::<bool>(), 400)) {
        let curve = |load: u64| match load {
            ..=200 => Verdict::Met,
            load if load < 600 && bits[load as usize - 200] => Verdict::Met,
            _ => Verdict::Missed,
        };
        let (tries, _) = follow(search(50, 2000), curve);
        let found = Bracket::of(&tries);
        let (holds, missed) = (found.holds.unwrap(), found.missed.unwrap());
        prop_assert!(curve(holds) == Verdict::Met && curve(missed) == Verdict::Missed);
        prop_assert!(missed - holds <= (holds / 100).max(1));
        // Nothing that was tried above it holds, and it was looked 3 % and 10 % further.
        prop_assert!(tries.range(holds + 1..).all(|(_, verdict)| *verdict != Verdict::Met));
        for percent in BEYOND {
            let beyond = holds + (holds * percent).div_ceil(100);
            prop_assert!(beyond <= missed || tries.contains_key(&beyond));
        }
    }

    #[test]
    fn what_is_tried_ahead_changes_nothing(last in 1..3000_u64, count in 1..6_usize) {
        let (search, curve) = (search(40, 2000), window(0, last));
        let (mut tries, mut known) = (Tries::new(), Tries::new());
        let mut order = Vec::new();
        while let Next::Try(load) | Next::Check(load) = search.next(&tries) {
            if !known.contains_key(&load) {
                let ahead = search.ahead(&tries, count);
                prop_assert!(ahead.contains(&load) && ahead.len() <= count);
                known.extend(ahead.into_iter().map(|load| (load, curve(load))));
            }
            tries.insert(load, known[&load]);
            order.push(load);
        }
        prop_assert_eq!(follow(search, &curve).1, order);
    }
}

#[test]
fn a_single_process_is_the_least() {
    let (tries, order) = follow(search(1, 1000), window(0, 0));
    assert_eq!((tries.len(), order), (1, vec![1]));
    let (_, order) = follow(search(8, 1000), window(0, 1));
    assert_eq!(order[..4], [8, 4, 2, 1]);
}
