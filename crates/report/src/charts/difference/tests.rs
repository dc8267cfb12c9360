//! Maps of differences beside a slow count of the IOs themselves.

use std::sync::Arc;

use blockyard_record::{Histogram, Latencies, Packed};
use proptest::prelude::*;
use serde_json::json;

use super::figures;
use crate::figure::{Figure, Heat, Plot};
use crate::{Intervals, Run, Tables, read_result};

/// An IO: in which interval of a second it ended, and how many ns it took.
type Io = (u64, u64);

fn run(name: &str, duration_s: u64, reads: &[Io]) -> Run {
    let total = json!({
        "job": "readers", "device": "data", "op": "read", "ios": 1, "bytes": 4096, "iops": 1.0,
        "mib_per_s": 1.0, "peak_iops": 1.0, "errors": 0, "latency_us": null, "busy": null,
    });
    let result = json!({
        "schema": "blockyard/result/1", "mode": "simulate",
        "tool": {"name": "blockyard", "version": "1"},
        "scenario": "a", "seed": 1, "random": "", "duration_s": duration_s, "status": "complete",
        "reason": null, "machine": null, "resolved": [], "totals": [total], "steps": [],
        "cycles": [], "open_loop": [], "volumes": [], "hosts": [], "limits": [], "goals": [],
    });
    let (result, foreign) = read_result(&result.to_string()).expect("a result");
    let mut latencies = Latencies::default();
    for second in 0..duration_s {
        let mut histogram = Histogram::default();
        let own = reads.iter().filter(|(at, _)| *at == second);
        own.for_each(|&(_, ns)| histogram.record(ns));
        let packed = Packed::from(&histogram);
        latencies.push(
            "readers.data.read",
            second * 1_000_000_000,
            1_000_000_000,
            packed,
        );
    }
    Run {
        foreign,
        tables: Tables {
            intervals: Intervals {
                t_s: vec![0.0],
                ..Intervals::default()
            },
            ..Tables::default()
        },
        latencies: Arc::new(latencies),
        ..Run::bare(name, result)
    }
}

fn map(figure: &Figure) -> &Heat {
    match &figure.plot {
        Plot::Heat(heat) => heat,
        _ => panic!("no map"),
    }
}

/// The place between edges where a value lies.
fn between(edges: &[f64], value: f64) -> usize {
    let edges = edges.windows(2);
    let mut places = edges.map(|edge| (edge[0]..edge[1]).contains(&value));
    places.position(|inside| inside).expect("a cell")
}

/// Adds IOs to the cells of a map, one by one.
fn add(counts: &mut [Vec<i64>], heat: &Heat, ios: &[Io], each: i64) {
    for &(second, ns) in ios {
        let mut alone = Histogram::default();
        alone.record(ns);
        let (middle, _) = alone.buckets().next().expect("a bucket");
        let column = between(&heat.x_edges, second as f64 + 0.5);
        let row = between(&heat.y_edges, middle as f64 / 1e3 / 1e3);
        counts[column][row] += each;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_cell_has_what_the_second_run_has_more(
        (first, first_s) in (prop::collection::vec((0_u64..20, 1_000_u64..1 << 24), 1..60), 20_u64..25),
        (second, second_s) in (prop::collection::vec((0_u64..40, 1_000_u64..1 << 20), 1..60), 40_u64..45),
        bin_s in 0.5_f64..9.0,
    ) {
        let runs = [run("a", first_s, &first), run("b", second_s, &second)];
        for ([less, more], [a, b]) in [([&first, &second], [0, 1]), ([&second, &first], [1, 0])] {
            let found = figures(&[&runs[a], &runs[b]], bin_s.floor());
            let [figure] = &found[..] else { panic!("{} figures", found.len()) };
            let heat = map(figure);
            let mut expected = vec![vec![0; heat.y_edges.len() - 1]; heat.x_edges.len() - 1];
            add(&mut expected, heat, more, 1);
            add(&mut expected, heat, less, -1);
            prop_assert_eq!(&heat.counts, &expected);
        }
    }
}

/// So many IOs of a latency in each second of a range.
fn ios(seconds: std::ops::Range<u64>, each: usize, ns: u64) -> Vec<Io> {
    let of_second = |second| std::iter::repeat_n((second, ns), each);
    seconds.flat_map(of_second).collect()
}

#[test]
fn the_caption_says_what_is_only_in_one_run_and_where() {
    let fast = ios(0..60, 10, 600_000);
    let slow: Vec<_> = [
        ios(0..20, 10, 600_000),
        ios(20..40, 7, 1_500_000),
        ios(40..60, 10, 600_000),
    ]
    .concat();
    let runs = [run("small", 60, &fast), run("large", 60, &slow)];
    let found = figures(&[&runs[1], &runs[0]], 1.0);
    let [figure] = &found[..] else {
        panic!("{} figures", found.len())
    };
    assert_eq!(figure.name, "difference-data-read");
    assert_eq!(figure.title, "Where they differ: read on data");
    assert_eq!(
        figure.caption,
        "Orange where small has more IOs, blue where large has more. Cell by cell, 200 IOs are \
         only in small and 140 only in large, most of them between 0:20 and 0:40, at 0.51 to 0.61 ms."
    );
}

#[test]
fn what_is_beyond_the_shorter_run_is_the_others() {
    let runs = [
        run("a", 60, &ios(0..60, 3, 900_000)),
        run("b", 30, &ios(0..30, 3, 900_000)),
    ];
    let found = figures(&[&runs[0], &runs[1]], 1.0);
    let heat = map(&found[0]);
    assert_eq!(heat.x_edges.len(), 61);
    let sums: Vec<i64> = heat
        .counts
        .iter()
        .map(|column| column.iter().sum())
        .collect();
    assert_eq!(sums, [[0; 30], [-3; 30]].concat());
    assert_eq!(
        found[0].caption,
        "Blue where a has more IOs than b. Cell by cell, 90 IOs are only in a and none only in b, \
         most of them between 0:30 and 1:00. From 0:30 on only a ran: there the cells are its IOs \
         alone."
    );
}

#[test]
fn runs_that_are_alike_differ_nowhere_and_one_run_or_three_are_not_compared() {
    let runs = [
        run("a", 9, &[(1, 5)]),
        run("b", 9, &[(1, 5)]),
        run("c", 9, &[(2, 5)]),
    ];
    assert_eq!(figures(&[&runs[0], &runs[1]], 1.0), []);
    assert_eq!(figures(&[&runs[0]], 1.0), []);
    assert_eq!(figures(&[&runs[0], &runs[1], &runs[2]], 1.0), []);
    let idle = run("idle", 9, &[]);
    assert_eq!(figures(&[&runs[0], &idle], 1.0), []);
}
