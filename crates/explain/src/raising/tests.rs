use super::*;
use crate::limits::id::LimitId;
use crate::raising::headroom::{Served, headrooms};
use crate::testing::{device, limit, series, table, waits_of};

const DATA: [&str; 1] = ["data"];

/// `data` serves 1,000 IOs of 8 KiB in a second in which they wait for its IOPS, and
/// `other` 500 beside it behind the same host.
fn next_of(owner: &str, name: &str, over: &[Limit]) -> Next {
    raised(owner, name, over, &[("readers", 1.0, 1.0)]).next
}

fn raised(owner: &str, name: &str, over: &[Limit], jobs: &[(&str, f64, f64)]) -> Raising {
    raised_beside(device("other", &["other"]), owner, name, over, jobs)
}

fn raised_beside(
    other: Device,
    owner: &str,
    name: &str,
    over: &[Limit],
    jobs: &[(&str, f64, f64)],
) -> Raising {
    let table = table(&[
        (0.0, "data", 1000, 8_192_000),
        (0.0, "other", 500, 4_096_000),
        // Nothing waits in this one.
        (1.0, "data", 9, 9),
    ]);
    let mut data = device("data", &DATA);
    data.legs[0].counted = (1, 8192);
    let devices = [data, other];
    let series = series(owner, name, &[(0.0, 1.0)]);
    let served = Served::during(Some(&series), &table, &devices);
    let waits = waits_of(owner, name, jobs);
    // Other credits than those that are waited for are not used up.
    let used_up = |limit: &LimitId| *limit == waits.limit;
    let (own, others) = headrooms(&waits, over, &devices, &served, used_up).unwrap();
    raising(&waits, &own, &others, &devices)
}

fn reached(next: &Next) -> &InIos {
    match next {
        Next::UpTo(reached) | Next::AtOnce(reached) => reached,
        Next::Nothing => panic!("{next:?}"),
    }
}

#[test]
fn the_next_limit_is_the_one_with_least_room() {
    let over = [
        limit("data", "iops", 1000.0, "IOPS"),
        limit("data", "throughput", 125.0, "MiB/s"),
        limit("host", "iops", 10_000.0, "IOPS"),
    ];
    let next = next_of("data", "iops", &over);
    assert!(matches!(next, Next::UpTo(_)), "{next:?}");
    // 125 MiB/s are 16 times what there was, and 9,500 IOPS 9.5 times.
    assert!(reached(&next).limit.is_host());
    assert_eq!(reached(&next).ios, None);
}

#[test]
fn a_limit_of_bytes_is_also_one_of_ios() {
    let over = [
        limit("data", "iops", 1000.0, "IOPS"),
        limit("data", "throughput", 125.0, "MiB/s"),
    ];
    let next = next_of("data", "iops", &over);
    assert_eq!(reached(&next).ios, Some((16_000.0, 8192.0)));
}

#[test]
fn what_others_take_of_the_host_is_not_free() {
    let host = |iops| {
        let over = [
            limit("data", "iops", 1000.0, "IOPS"),
            limit("host", "iops", iops, "IOPS"),
        ];
        next_of("data", "iops", &over)
    };
    // 500 go to `other`: 1,510 leave 1,010, hardly more than there was.
    assert!(matches!(host(1510.0), Next::AtOnce(_)));
    assert!(matches!(host(1540.0), Next::UpTo(_)));
}

#[test]
fn another_host_has_its_own_tokens() {
    let over = [
        limit("data", "iops", 1000.0, "IOPS"),
        limit("host", "iops", 1510.0, "IOPS"),
    ];
    let mut other = device("other", &["other"]);
    other.legs[0].host = "backup".to_owned();
    let jobs = [("readers", 1.0, 1.0)];
    let next = raised_beside(other.clone(), "data", "iops", &over, &jobs).next;
    assert!(matches!(next, Next::UpTo(_)), "{next:?}");
    let over = [
        limit("host", "iops", 1500.0, "IOPS"),
        limit("data", "iops", 3000.0, "IOPS"),
        // As much as it serves.
        limit("other", "iops", 500.0, "IOPS"),
    ];
    let next = raised_beside(other, "host", "iops", &over, &jobs).next;
    assert_eq!(reached(&next).value, (3000.0, RateUnit::Iops));
}

#[test]
fn credits_that_are_left_are_no_limit_yet_but_what_lasts() {
    let over = [
        limit("data", "iops", 1000.0, "IOPS"),
        limit("data", "iops_credits", 900.0, "IOPS"),
        limit("data", "throughput", 125.0, "MiB/s"),
    ];
    let found = raised("data", "iops", &over, &[("readers", 1.0, 1.0)]);
    let Next::UpTo(next) = &found.next else {
        panic!("{found:?}")
    };
    assert_eq!(next.value, (125.0, RateUnit::MibPerS));
    assert_eq!(found.lasts.unwrap().value, (900.0, RateUnit::Iops));
    // Without any left, what lasts can be raised as far as what bursts.
    let found = raised("data", "iops_credits", &over, &[("readers", 1.0, 1.0)]);
    assert_eq!(reached(&found.next).value, (1000.0, RateUnit::Iops));
    assert_eq!(found.lasts, None);
}

#[test]
fn what_lasts_is_not_told_where_less_is_granted_before() {
    let over = [
        limit("data", "iops", 1000.0, "IOPS"),
        limit("data", "throughput", 16.0, "MiB/s"),
        limit("host", "iops_credits", 6000.0, "IOPS"),
    ];
    let found = raised("data", "iops", &over, &[("readers", 1.0, 1.0)]);
    assert_eq!(reached(&found.next).value, (16.0, RateUnit::MibPerS));
    assert_eq!(found.lasts, None);
}

#[test]
fn an_io_takes_whole_units_where_the_volume_counts_them() {
    let over = [
        limit("data", "iops", 1500.0, "IOPS"),
        limit("data", "throughput", 1000.0, "MiB/s"),
    ];
    let table = table(&[(0.0, "data", 1000, 8_192_000)]);
    let mut data = device("data", &DATA);
    (data.legs[0].counted, data.legs[0].whole_unit) = ((1, 8192), Some(1 << 20));
    let devices = [data];
    let series = series("data", "iops", &[(0.0, 1.0)]);
    let served = Served::during(Some(&series), &table, &devices);
    let waits = waits_of("data", "iops", &[("readers", 1.0, 1.0)]);
    let (own, others) = headrooms(&waits, &over, &devices, &served, |_| true).unwrap();
    assert_eq!((own.times(), others[0].times()), (1.5, 1.0));
    let found = raising(&waits, &own, &others, &devices);
    assert_eq!(reached(&found.next).ios, Some((1000.0, 8192.0)));
}

#[test]
fn reads_are_not_stopped_by_limits_of_writes() {
    let over = [
        limit("data", "read_iops", 1000.0, "IOPS"),
        limit("data", "write_iops", 1.0, "IOPS"),
    ];
    assert_eq!(next_of("data", "read_iops", &over), Next::Nothing);
}

#[test]
fn beyond_a_hosts_limit_are_those_of_all_that_passes_it() {
    let limits = [
        limit("host", "iops", 1500.0, "IOPS"),
        limit("data", "iops", 3000.0, "IOPS"),
        // Of the 500 that it serves.
        limit("other", "iops", 1000.0, "IOPS"),
    ];
    let next = next_of("host", "iops", &limits);
    assert_eq!(reached(&next).value, (1000.0, RateUnit::Iops));
    assert_eq!(next_of("host", "iops", &limits[..1]), Next::Nothing);
}

#[test]
fn who_takes_much_makes_others_wait() {
    let over = [limit("data", "iops", 1000.0, "IOPS")];
    let jobs = [("a", 3.0, 0.1), ("b", 0.0, 0.7), ("c", 1.0, 0.2)];
    let found = raised("data", "iops", &over, &jobs);
    assert_eq!(found.helps, ["a", "c"]);
    let takers: Vec<_> = found
        .takers
        .iter()
        .map(|taker| (taker.job.as_str(), taker.others.join(" ")))
        .collect();
    assert_eq!(takers, [("b", "a c".to_owned()), ("c", "a".to_owned())]);
    let alone = raised("data", "iops", &over, &[("a", 1.0, 1.0)]);
    assert_eq!(alone.takers, []);
}
