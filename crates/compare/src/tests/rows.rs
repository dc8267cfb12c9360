//! Which rows a comparison has, and what it says where there is nothing to
//! compare.

use super::synthetic::{Like, PLAIN, run};
use crate::{Bin, Run, Series, TRANSACTION, Verdict, compare};

/// One run with each of `series`, all alike.
fn with(series: &[(&str, &str, &str)]) -> Run {
    let bins = run(Like { bins: 10, ..PLAIN }, 1).series.remove(0).bins;
    let series = series.iter().map(|(job, device, op)| Series {
        job: (*job).to_owned(),
        device: (*device).to_owned(),
        op: (*op).to_owned(),
        bins: bins.clone(),
        percentiles: vec![],
    });
    Run {
        series: series.collect(),
        ..Run::default()
    }
}

#[test]
fn jobs_and_operations_are_compared_whole_where_they_have_several_series() {
    let a = with(&[
        ("writers", "wij", "write"),
        ("writers", "data", "write"),
        ("writers", "wij", "flush"),
        ("writers", "data", "flush"),
        ("readers", "data", "read"),
    ]);
    let b = with(&[("readers", "data", "read"), ("readers", "data", "write")]);
    let comparison = compare(&[vec![a], vec![b]], &[]).unwrap();
    let rows = comparison.rows.iter().filter(|row| row.figure == "iops");
    let found: Vec<_> = rows
        .map(|row| {
            let part = |part: &Option<String>| part.clone().unwrap_or("*".to_owned());
            let group = &row.group;
            let name = [group.job.clone(), part(&group.device), part(&group.op)].join(".");
            (
                name,
                row.values.iter().map(Option::is_some).collect::<Vec<_>>(),
            )
        })
        .collect();
    let expected = [
        ("writers.*.*", [true, false]),
        ("writers.*.flush", [true, false]),
        ("writers.wij.write", [true, false]),
        ("writers.data.write", [true, false]),
        ("writers.wij.flush", [true, false]),
        ("writers.data.flush", [true, false]),
        ("readers.*.*", [true, true]),
        ("readers.data.read", [true, true]),
        ("readers.data.write", [false, true]),
    ];
    let expected = expected.map(|(name, values)| (name.to_owned(), values.to_vec()));
    assert_eq!(found, expected);
    let whole = &comparison.rows[0];
    let part = comparison
        .rows
        .iter()
        .find(|row| row.group.device.is_some())
        .unwrap();
    assert_eq!(whole.values[0], part.values[0].map(|iops| 2.0 * iops));
    assert_eq!(whole.changes, [None], "one of the two has no value");
}

#[test]
fn transactions_come_first_and_count_by_themselves() {
    let series = [("shop", "data", "read"), ("shop", "log", "write")];
    let ios = with(&series);
    let all = with(&[&series[..], &[("shop", "", TRANSACTION)]].concat());
    let rows = compare(&[vec![all.clone()], vec![all]], &[]).unwrap().rows;
    let (transactions, others): (Vec<_>, Vec<_>) = rows
        .into_iter()
        .partition(|row| row.group.op.as_deref() == Some(TRANSACTION));
    assert_eq!(
        others,
        compare(&[vec![ios.clone()], vec![ios]], &[]).unwrap().rows
    );
    let first = &transactions[0];
    assert_eq!((first.figure, &first.group.device), ("tps", &None));
    assert_eq!(
        first.values,
        others[0]
            .values
            .iter()
            .map(|iops| iops.map(|it| it / 2.0))
            .collect::<Vec<_>>()
    );
}

#[test]
fn what_takes_no_time_on_any_side_is_not_compared() {
    let timed = with(&[("writers", "data", "write"), ("writers", "data", "flush")]);
    let mut free = timed.clone();
    for bin in &mut free.series[1].bins {
        bin.timed = (bin.ios, bin.ios as f64);
    }
    let flushes = |sides: [&Run; 2]| {
        let sides = sides.map(|run| vec![run.clone()]);
        let rows = compare(&sides, &[]).unwrap().rows;
        let flush = |row: &&crate::Row| row.group.op.as_deref() == Some("flush");
        rows.iter().filter(flush).count()
    };
    assert_eq!(flushes([&free, &free]), 0);
    assert!(flushes([&free, &timed]) > 0);
    // Unless there is nothing else.
    free.series.remove(0);
    assert!(flushes([&free, &free]) > 0);
}

#[test]
fn every_further_side_is_compared_with_the_first() {
    let sides = [1.0, 1.0, 2.0].map(|latency| vec![run(Like { latency, ..PLAIN }, 1)]);
    let rows = compare(&sides, &[]).unwrap().rows;
    let mean = rows
        .iter()
        .find(|row| row.figure == "latency.mean")
        .unwrap();
    let changes = mean.changes.iter().map(|change| change.unwrap().relative);
    let rounded: Vec<_> = changes.map(|change| (100.0 * change).round()).collect();
    assert_eq!(rounded, [0.0, 100.0]);
}

#[test]
fn nothing_is_no_comparison() {
    assert!(compare(&[], &[]).unwrap().rows.is_empty());
    assert!(
        compare(&[vec![], vec![Run::default()]], &[])
            .unwrap()
            .rows
            .is_empty()
    );
}

/// A run of which only its figures are known, as of fio's ordinary JSON.
fn bare(ios: u64, p99_us: f64) -> Run {
    let bin = Bin {
        length_s: 20.0,
        ios,
        bytes: 8192 * ios,
        timed: (ios, ios as f64 * 1e6),
        ..Bin::default()
    };
    let series = Series {
        job: "readers".to_owned(),
        device: "storage".to_owned(),
        op: "read".to_owned(),
        bins: vec![bin],
        percentiles: vec![(0.5, 500.0), (0.99, p99_us), (1.0, 9e3)],
    };
    Run {
        series: vec![series],
        ..Run::default()
    }
}

#[test]
fn percentiles_that_a_run_states_are_compared() {
    let asked = [
        "readers.latency.p99 > 5ms",
        "all.latency.p99 > 1ms",
        "all.iops < 10",
    ];
    let sides = [vec![bare(20_000, 1780.0)], vec![bare(20_000, 2000.0)]];
    let found = compare(&sides, &asked.map(str::to_owned)).unwrap();
    let row = |figure| found.rows.iter().find(|row| row.figure == figure);
    let p99 = row("latency.p99").unwrap();
    assert_eq!(p99.values, [Some(1780.0), Some(2000.0)]);
    assert_eq!(p99.changes[0].unwrap().verdict, Verdict::Unknown);
    assert!(row("latency.p95").is_none());
    let holds: Vec<_> = found.conditions.iter().map(|one| one.holds).collect();
    assert_eq!(holds, [false, true, false], "{:?}", found.conditions);
}

/// Six times as long over so many IOs is no chance, though no interval says so; over few it may
/// be, and so may what is twice as long.
#[test]
fn a_large_factor_over_many_ios_is_shown_without_an_interval() {
    let verdict = |ios, p99_us| {
        let sides = [vec![bare(ios, 500.0)], vec![bare(ios, p99_us)]];
        let rows = compare(&sides, &[]).unwrap().rows;
        let row = rows.into_iter().find(|row| row.figure == "latency.p99");
        row.unwrap().changes[0].unwrap().verdict
    };
    assert_eq!(verdict(20_000, 3000.0), Verdict::Worse);
    assert_eq!(verdict(20_000, 80.0), Verdict::Better);
    assert_eq!(verdict(20_000, 1000.0), Verdict::Unknown);
    assert_eq!(verdict(900, 3000.0), Verdict::Unknown);
}
