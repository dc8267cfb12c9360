//! Demand by interval against the exact simulation of every IO of it: two jobs on drawn volumes,
//! stripes, volumes one after another, and instances, in whole minutes.
//!
//! IOs and bytes of each minute within 1 %, balances within 0.5 % of a full one, and credits end in
//! the same minute.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use blockyard_record::{Interval, Observer, RunShape};
use blockyard_scenario::load;
use blockyard_simulate::{Options, simulate};
use proptest::prelude::*;
use serde_json::Value;

const CHUNK: u64 = 65_536;
const LARGEST: u64 = 262_144;

/// A balance that is as good as used up, in percent.
const USED_UP: f64 = 0.1;

/// A drawn storage under demand.
#[derive(Clone, Debug)]
struct Case {
    text: String,
    /// By job the most IOs in flight, and the bytes of the largest.
    jobs: Vec<(u64, u64)>,
}

/// What a run did in a minute, and what was left then.
#[derive(Clone, Debug, Default)]
struct Did {
    /// IOs and bytes, by job.
    jobs: Vec<(u64, u64)>,
    /// IOs as its limits count them, by volume.
    volumes: Vec<u64>,
    /// By volume: its own balance and its host's.
    balances: Vec<Option<f64>>,
    /// By limit: how long it held IOs, added up, in seconds.
    held_s: BTreeMap<usize, f64>,
    /// By job, added up, in seconds.
    latency_s: Vec<f64>,
}

#[derive(Default)]
struct Rows(Vec<Did>);

impl Did {
    fn waited_s(&self) -> f64 {
        self.held_s.values().sum()
    }

    /// The mean latency of a job in seconds.
    fn mean_s(&self, job: usize) -> f64 {
        self.latency_s[job] / self.jobs[job].0.max(1) as f64
    }
}

impl Observer for Rows {
    fn interval(&mut self, shape: &RunShape, interval: Interval, _: Option<&Value>) {
        let mut did = Did::default();
        did.jobs.resize(shape.jobs.len(), (0, 0));
        did.latency_s.resize(shape.jobs.len(), 0.0);
        for row in &interval.rows {
            let job = shape.series[row.series].job;
            did.jobs[job].0 += row.ios;
            did.jobs[job].1 += row.bytes;
            let mean = row.latency_us.map(|us| us.mean).or(row.mean_us);
            did.latency_s[job] += mean.unwrap_or(0.0) * row.ios as f64 / 1e6;
        }
        for row in &interval.volumes {
            did.volumes.push(row.ios);
            did.balances.extend([row.balance_pct, row.host_balance_pct]);
            for (limit, us) in row.throttled_us.iter().enumerate() {
                *did.held_s.entry(limit).or_default() += us / 1e6;
            }
        }
        self.0.push(did);
    }
}

fn run(text: &str, by_interval: bool) -> Vec<Did> {
    let set = format!("by_interval={by_interval}");
    let loaded = load(text, "drawn.yaml", &[set]).unwrap();
    let resolved = loaded.resolve().unwrap();
    let mut rows = Rows::default();
    simulate(&loaded.scenario, &resolved, Options::default(), &mut rows).unwrap();
    rows.0
}

fn volumes() -> impl Strategy<Value = String> {
    let gp2 = (40_u64..300, 1_u64..30).prop_map(|(gib, tenths)| {
        format!(
            "type: gp2, size: {gib}GiB, burst_balance: {}.{}%",
            tenths / 10,
            tenths % 10
        )
    });
    let gp3 = (3000_u64..4000, 125_u64..200).prop_map(|(iops, mib)| {
        format!("type: gp3, size: 100GiB, iops: {iops}, throughput: {mib}MiB/s")
    });
    let st1 = (500_u64..2000, 0_u64..10)
        .prop_map(|(gib, tenths)| format!("type: st1, size: {gib}GiB, burst_balance: 0.{tenths}%"));
    let io2 = (200_u64..1500).prop_map(|iops| format!("type: io2, size: 100GiB, iops: {iops}"));
    let discipline = prop::sample::select(vec!["fifo", "per_direction", "per_submitter"]);
    let volume = prop_oneof![3 => gp2, 1 => gp3, 1 => st1, 3 => io2];
    (volume, discipline)
        .prop_map(|(volume, discipline)| format!("{volume}, discipline: {discipline}"))
}

/// Large IO crosses its chunks.
fn stripes() -> impl Strategy<Value = String> {
    (volumes(), 2_u32..4).prop_map(|(volume, width)| {
        format!("{{stripe: {{width: {width}, chunk: 64KiB}}, of: {{{volume}}}}}")
    })
}

/// Two volumes one after another; the job's file lies on both.
fn linear() -> impl Strategy<Value = String> {
    (4_u64..14, volumes()).prop_map(|(gib, other)| {
        format!("{{linear: [{{type: gp2, size: {gib}GiB, burst_balance: 0.5%}}, {{{other}}}]}}")
    })
}

/// With more than a driver has tags for, as on `m5`, IO waits in the guest, and which of two jobs
/// runs next is chance.
fn hosts(other: &'static str, size: &'static str) -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        (0_u64..8).prop_map(move |tenths| format!(
            "host: {{instance: r5.{size}, burst_balance: 0.{tenths}%}}\n"
        )),
        Just(format!(
            "host: {{instance: {other}.{size}, burst_balance: 0%}}\n"
        )),
    ]
}

/// A drawn job, as YAML.
#[derive(Clone, Debug)]
struct Drawn {
    text: String,
    in_flight: (u64, u64),
}

/// A job's demand in each minute, of IOs of at most so many bytes, and how many are in flight.
fn job(name: &'static str, most: u64, largest: u64) -> impl Strategy<Value = Drawn> {
    let sizes = vec![4096_u64, 8192, 16384, 65536, 262_144];
    let minute = (0..most, 0..most, prop::sample::select(sizes));
    (prop::collection::vec(minute, 4), 16_u64..128).prop_map(move |(minutes, window)| {
        let rows = (0..).zip(&minutes);
        let rows = rows.map(|(at, (reads, writes, size))| {
            // A run has some IO of each job.
            format!("{at}m,{},{writes},{}\\n", reads + 1, size.min(&largest))
        });
        let text = format!(
            "  {name}: {{kind: demand, on: data, file_size: 15GiB, arrivals: even, \
             max_outstanding: {window}, intervals: \"at,reads,writes,size\\n{}\"}}\n",
            rows.collect::<String>(),
        );
        let largest = minutes.iter().map(|minute| minute.2.min(largest)).max();
        Drawn {
            text,
            in_flight: (window, largest.unwrap()),
        }
    })
}

/// One job on any device, or two on a volume or a stripe. How two share a stripe is chance where an
/// IO lies on several volumes and holds its place until the last of them; so there each has one
/// chunk at most.
fn cases() -> impl Strategy<Value = Case> {
    let volume = || volumes().prop_map(|volume| format!("{{{volume}}}"));
    let any = prop_oneof![3 => volume(), 3 => stripes(), 2 => linear()];
    let alone = (any, hosts("m5", "large"), job("large", 1000, LARGEST))
        .prop_map(|(device, host, job)| case(&device, &host, &[job]));
    let in_chunks = (stripes(), hosts("m6i", "xlarge"), two(CHUNK));
    let whole = (volume(), hosts("m6i", "xlarge"), two(LARGEST));
    let together = prop_oneof![in_chunks, whole]
        .prop_map(|(device, host, (large, small))| case(&device, &host, &[large, small]));
    prop_oneof![alone, together]
}

fn two(largest: u64) -> impl Strategy<Value = (Drawn, Drawn)> {
    (job("large", 1000, largest), job("small", 300, largest))
}

fn case(device: &str, host: &str, jobs: &[Drawn]) -> Case {
    let texts = jobs.iter().map(|job| job.text.as_str());
    Case {
        text: format!(
            "name: drawn\nas_of: 2026-11-01\nduration: 4m\ninterval: 60s\n{host}storage:\n  \
             data: {device}\nworkload:\n{}",
            texts.collect::<String>()
        ),
        jobs: jobs.iter().map(|job| job.in_flight).collect(),
    }
}

fn is_near(found: u64, expected: u64, within: f64) -> bool {
    (found as f64 - expected as f64).abs() <= within
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn minutes_are_those_of_the_exact_simulation(case in cases()) {
        let (exact, by_interval) = (run(&case.text, false), run(&case.text, true));
        prop_assert_eq!(exact.len(), by_interval.len());
        let mut all = 0;
        for (at, (exact, own)) in exact.iter().zip(&by_interval).enumerate() {
            // On which of several volumes random IOs fall is chance, and what one minute leaves
            // the next has more: three standard deviations of all IOs so far, and twice as many
            // where the smaller of two volumes holds all of them.
            let times = match exact.volumes.len() {
                1 => 0.0,
                _ if case.text.contains("linear") => 6.0,
                _ => 3.0,
            };
            let chance = |ios: u64| times * (ios as f64).sqrt();
            all += exact.jobs.iter().map(|job| job.0).sum::<u64>();
            // Where reads and writes take turns and two jobs have about as many of both, which
            // direction waits is chance, and with it which job gets more, and leaves less.
            let turns = case.jobs.len() > 1 && case.text.contains("per_direction");
            let in_flight: u64 = case.jobs.iter().map(|job| job.0).sum();
            for (own, exact) in own.volumes.iter().zip(&exact.volumes).filter(|_| !turns) {
                let within = 0.01 * *exact as f64 + chance(all) + 2.0 * in_flight as f64;
                prop_assert!(
                    is_near(*own, *exact, within),
                    "minute {}: {:?} IOs of a volume, exactly {:?}", at, own, exact
                );
            }
            for (job, (window, largest)) in case.jobs.iter().enumerate().filter(|_| !turns) {
                let (own, exact) = (own.jobs[job], exact.jobs[job]);
                // What is in flight when a minute begins or ends is done a moment earlier or
                // later.
                let more = 2.0 * *window as f64 + chance(all);
                let ios = 0.01 * exact.0 as f64 + more;
                let bytes = 0.01 * exact.1 as f64 + more * *largest as f64;
                prop_assert!(
                    is_near(own.0, exact.0, ios) && is_near(own.1, exact.1, bytes),
                    "minute {}, job {}: {:?} IOs and bytes, exactly {:?}", at, job, own, exact
                );
            }
            for (own, exact) in own.balances.iter().zip(&exact.balances) {
                let (Some(own), Some(exact)) = (own, exact) else {
                    prop_assert!(own.is_none() && exact.is_none());
                    continue;
                };
                prop_assert!(
                    (own - exact).abs() <= 0.5,
                    "minute {}: left {:?}, exactly {:?}", at, own, exact
                );
                // Credits end in the same minute, but for less than a step of that on its edge.
                let ends_with_both = (*own <= USED_UP) == (*exact <= USED_UP);
                prop_assert!(
                    ends_with_both || (own - exact).abs() <= USED_UP / 2.0,
                    "minute {}: left {:?}, exactly {:?}", at, own, exact
                );
            }
        }
    }
}

/// A gp2 volume of 100 GiB with 2 % of its credits: 108,000, which 1,000 IOPS use up in 154 s.
#[test]
fn credits_end_in_the_same_interval() {
    const EACH_S: u64 = 20;
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
    let waits = |by_interval| {
        let found = run(&text, by_interval);
        let first = found.iter().position(|did| did.waited_s() > 60.0);
        // Until all that waited is served.
        let last = found.iter().rposition(|did| did.waited_s() > 60.0);
        let latency_us = 1e6 * found[8].mean_s(0);
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

/// How long a job waits for an IOPS limit that another alone exceeds: in one queue, in a queue for
/// each direction, and in one for each job.
#[test]
fn a_small_job_waits_as_the_discipline_has_it() {
    for discipline in ["fifo", "per_direction", "per_submitter"] {
        let text = format!(
            "name: two\nas_of: 2026-11-01\nduration: 2m\ninterval: 60s\nstorage:\n  data: {{type: \
             io2, size: 100GiB, iops: 1000, discipline: {discipline}}}\nworkload:\n  large: {{kind: \
             demand, on: data, file_size: 20GiB, arrivals: even, intervals: \
             \"at,reads,writes,size\\n0,1300,700,8192\"}}\n  small: {{kind: demand, on: data, \
             file_size: 20GiB, arrivals: even, intervals: \"at,reads,writes,size\\n0,50,20,8192\"}}\n"
        );
        let waits = |by_interval| run(&text, by_interval)[1].mean_s(1);
        let (own, exact) = (waits(true), waits(false));
        assert!(
            (own - exact).abs() <= 0.03 * exact + 0.002,
            "{discipline}: {own} s, exactly {exact} s"
        );
    }
}
