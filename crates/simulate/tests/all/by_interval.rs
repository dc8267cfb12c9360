//! Demand by interval against the exact simulation of every IO of it: drawn volumes, stripes,
//! instances and loads.
//!
//! Within a minute: IOs and bytes within 1 % of the minute's demand, balances within 0.5 % of a
//! whole one, and the minute in which a limit begins to hold IO.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use blockyard_record::{Interval, Observer, RunShape};
use blockyard_scenario::load;
use blockyard_simulate::{Options, simulate};
use proptest::prelude::*;
use serde_json::Value;

/// Seconds of an interval: shorter than a minute, so that more of them are affordable.
const EACH_S: u64 = 20;

/// A drawn storage under demand.
#[derive(Clone, Debug)]
struct Case {
    text: String,
    /// IOs a second and bytes of each, by interval.
    demand: Vec<(u64, u64, u64)>,
}

/// What a run did in an interval, and what was left then.
#[derive(Clone, Debug, Default)]
struct Did {
    ios: u64,
    bytes: u64,
    /// By volume: its own balance and its host's.
    balances: Vec<(Option<f64>, Option<f64>)>,
    /// By limit: how long it held IOs, added up, in seconds.
    held_s: BTreeMap<usize, f64>,
    latency_us: Option<f64>,
}

#[derive(Default)]
struct Rows(Vec<Did>);

impl Did {
    fn waited_s(&self) -> f64 {
        self.held_s.values().sum()
    }
}

impl Observer for Rows {
    fn interval(&mut self, _: &RunShape, interval: Interval, _: Option<&Value>) {
        let mut did = Did::default();
        let mut weighted = 0.0;
        for row in &interval.rows {
            did.ios += row.ios;
            did.bytes += row.bytes;
            let mean = row.latency_us.map(|us| us.mean).or(row.mean_us);
            weighted += mean.unwrap_or(0.0) * row.ios as f64;
        }
        did.latency_us = (did.ios > 0).then(|| weighted / did.ios as f64);
        for row in &interval.volumes {
            did.balances.push((row.balance_pct, row.host_balance_pct));
            for (limit, us) in row.throttled_us.iter().enumerate() {
                *did.held_s.entry(limit).or_default() += us / 1e6;
            }
        }
        self.0.push(did);
    }
}

fn run(case: &Case, by_interval: bool) -> Vec<Did> {
    let set = format!("by_interval={by_interval}");
    let loaded = load(&case.text, "drawn.yaml", &[set]).unwrap();
    let resolved = loaded.resolve().unwrap();
    let mut rows = Rows::default();
    simulate(&loaded.scenario, &resolved, Options::default(), &mut rows).unwrap();
    rows.0
}

fn volumes() -> impl Strategy<Value = String> {
    let gp2 = (20_u64..700, 1_u64..30).prop_map(|(gib, tenths)| {
        format!(
            "type: gp2, size: {gib}GiB, burst_balance: {}.{}%",
            tenths / 10,
            tenths % 10
        )
    });
    let gp3 = (3000_u64..6000, 125_u64..250).prop_map(|(iops, mib)| {
        format!("type: gp3, size: 100GiB, iops: {iops}, throughput: {mib}MiB/s")
    });
    let st1 = (500_u64..2000, 0_u64..10)
        .prop_map(|(gib, tenths)| format!("type: st1, size: {gib}GiB, burst_balance: 0.{tenths}%"));
    let io2 = (500_u64..5000).prop_map(|iops| format!("type: io2, size: 100GiB, iops: {iops}"));
    prop_oneof![3 => gp2, 2 => gp3, 1 => st1, 1 => io2]
}

fn cases() -> impl Strategy<Value = Case> {
    let host = prop_oneof![
        Just(String::new()),
        (0_u64..8).prop_map(|tenths| format!(
            "host: {{instance: r5.large, burst_balance: 0.{tenths}%}}\n"
        )),
        Just("host: {instance: m5.large, burst_balance: 0%}\n".to_owned()),
    ];
    let interval = (
        0_u64..2500,
        0_u64..2500,
        prop::sample::select(vec![4096_u64, 8192, 16384, 65536, 262_144]),
    );
    (volumes(), host, 1_u32..4, prop::collection::vec(interval, 3..7)).prop_map(
        |(volume, host, width, mut demand)| {
            // Of IO in several parts, some wait for their last one: they passed limits, and are
            // not done. So on stripes each has one.
            for interval in &mut demand {
                interval.2 = interval.2.min(if width > 1 { 65536 } else { 262_144 });
            }
            let storage = match width {
                1 => format!("{{{volume}}}"),
                _ => format!("{{stripe: {{width: {width}, chunk: 64KiB}}, of: {{{volume}}}}}"),
            };
            let rows = (0..).zip(&demand);
            let rows = rows.map(|(at, (reads, writes, size))| format!("{},{reads},{writes},{size}\\n", at * EACH_S));
            let text = format!(
                "name: drawn\nas_of: 2026-11-01\nduration: {}s\ninterval: {EACH_S}s\n{host}storage:\n  \
                 data: {storage}\nworkload:\n  app: {{kind: demand, on: data, file_size: 10GiB, \
                 arrivals: even, max_outstanding: 128, intervals: \"at,reads,writes,size\\n{}\"}}\n",
                demand.len() as u64 * EACH_S,
                rows.collect::<String>(),
            );
            Case { text, demand }
        },
    )
}

fn is_near(found: f64, expected: f64, within: f64) -> bool {
    (found - expected).abs() <= within
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn intervals_are_those_of_the_exact_simulation(case in cases()) {
        let (exact, by_interval) = (run(&case, false), run(&case, true));
        prop_assert_eq!(exact.len(), by_interval.len());
        // What one interval leaves, a later one serves: the busiest until then is the measure.
        let (mut ios, mut bytes) = (0, 0);
        for (at, (exact, own)) in exact.iter().zip(&by_interval).enumerate() {
            let (reads, writes, size) = case.demand[at];
            let due = (reads + writes) * EACH_S;
            ios = ios.max(exact.ios).max(due);
            bytes = bytes.max(exact.bytes).max(due * size);
            // A few are in flight when it ends.
            let (few, large) = (20.0, 20.0 * size as f64);
            prop_assert!(
                is_near(own.ios as f64, exact.ios as f64, 0.01 * ios as f64 + few),
                "interval {}: {} IOs, exactly {}", at, own.ios, exact.ios
            );
            prop_assert!(
                is_near(own.bytes as f64, exact.bytes as f64, 0.01 * bytes as f64 + large),
                "interval {}: {} bytes, exactly {}", at, own.bytes, exact.bytes
            );
            // IO waits in the same intervals, but for a wait that is hardly one.
            let (waits, waits_exactly) = (own.waited_s(), exact.waited_s());
            prop_assert!(
                (waits < 60.0 || waits_exactly > 0.0) && (waits_exactly < 60.0 || waits > 0.0),
                "interval {}: {} s waited, exactly {} s", at, waits, waits_exactly
            );
            for (own, exact) in own.balances.iter().zip(&exact.balances) {
                let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
                    (Some(a), Some(b)) => is_near(a, b, 0.5),
                    (a, b) => a.is_none() == b.is_none(),
                };
                prop_assert!(
                    near(own.0, exact.0) && near(own.1, exact.1),
                    "interval {}: left {:?}, exactly {:?}", at, own, exact
                );
            }
        }
    }
}

/// A gp2 volume of 100 GiB with 2 % of its credits: 108,000, which 1,000 IOPS use up in 154 s.
#[test]
fn credits_end_in_the_same_interval() {
    let due = |busy: bool| if busy { "700,300" } else { "50,0" };
    let rows = (0..400 / EACH_S).map(|at| (at * EACH_S, due(at * EACH_S < 200)));
    let rows: String = rows
        .map(|(at, ios)| format!("{at},{ios},8192\\n"))
        .collect();
    let text = format!(
        "name: night\nduration: 400s\ninterval: {EACH_S}s\nstorage:\n  \
         data: {{type: gp2, size: 100GiB, burst_balance: 2%}}\nworkload:\n  \
         app: {{kind: demand, on: data, file_size: 10GiB, intervals: \
         \"at,reads,writes,size\\n{rows}\"}}\n"
    );
    let case = Case {
        text,
        demand: Vec::new(),
    };
    let waits = |by_interval| {
        let found = run(&case, by_interval);
        let first = found.iter().position(|did| did.waited_s() > 60.0);
        // Until all that waited is served.
        let last = found.iter().rposition(|did| did.waited_s() > 60.0);
        let latency_us = found[8].latency_us.unwrap();
        (first, last, latency_us)
    };
    let (by_interval, exactly) = (waits(true), waits(false));
    assert_eq!(by_interval.0, Some(7));
    assert_eq!((by_interval.0, by_interval.1), (exactly.0, exactly.1));
    assert!(
        (by_interval.2 / exactly.2 - 1.0).abs() < 0.05,
        "{by_interval:?} {exactly:?}"
    );
}
