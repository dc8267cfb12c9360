//! Drawn scenarios of mirrors at their limits, with failures: no scenario that resolves may
//! panic, and the account of who took the tokens adds up.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{Run, near, run};
use proptest::prelude::*;

/// Legs that are slow enough for the jobs and the resync to wait, on hosts that may be too.
fn mirror() -> impl Strategy<Value = String> {
    let iops = prop_oneof![Just(3000), Just(3400), Just(9000)];
    let resync = prop_oneof![
        Just("{depth: 1, rate: 1MiB/s}"),
        Just("{depth: 8}"),
        Just("{request: 4KiB, depth: 64}"),
    ];
    let log = prop_oneof![Just(""), Just("log: {active: 64}, ")];
    let host = prop_oneof![Just("r5b.2xlarge"), Just("t3.medium")];
    (
        (iops.clone(), iops),
        prop::sample::select(vec!['A', 'B', 'C']),
        prop::sample::select(vec!["local", "round_robin"]),
        (log, resync),
        (host.clone(), host),
    )
        .prop_map(|((x, y), letter, read, (log, resync), (a, b))| {
            format!(
                "hosts: {{a: {{instance: {a}}}, b: {{instance: {b}}}}}, \
                 links: {{l: {{between: [a, b], round_trip: 1ms, timeout: 500ms}}}}, \
                 storage: {{mir: {{mirror: {{legs: {{\
                 x: {{type: gp3, size: 20GiB, iops: {x}, tokens: 0%, host: a}}, \
                 y: {{type: gp3, size: 20GiB, iops: {y}, tokens: 0%, host: b}}}}, \
                 link: l, acknowledge: {letter}, read: {read}, {log}region: 256KiB, \
                 resync: {resync}}}}}, own: {{type: gp3, size: 20GiB, host: b}}}}"
            )
        })
}

fn job() -> impl Strategy<Value = String> {
    (
        prop::sample::select(vec!["mir", "mir", "own"]),
        prop_oneof![
            Just("processes: 4"),
            Just("processes: 32"),
            Just("rate: 5000/s")
        ],
        prop::sample::select(vec![4, 16, 64]),
        prop::sample::select(vec!["0%", "50%", "100%"]),
        prop::sample::select(vec!["", "fsync_every: 3, "]),
    )
        .prop_map(|(on, load, size, read, fsync)| {
            // Whoever only reads has nothing to sync.
            let fsync = if read == "100%" || load.starts_with("rate") {
                ""
            } else {
                fsync
            };
            format!(
                "{{kind: access_spec, on: {on}, file_size: 10GiB, {load}, {fsync}\
                 pattern: {{size: {size}KiB, read: {read}, random: 100%}}}}"
            )
        })
}

fn event() -> impl Strategy<Value = String> {
    let what = prop::sample::select(vec![
        "fail: mir.x",
        "fail: mir.y",
        "fail: mir",
        "pause: mir.y",
        "pause: mir",
        "cut: l",
        "fail: own",
    ]);
    (200u32..2000, what, 50u32..1500)
        .prop_map(|(at, what, time)| format!("{{at: {at}ms, {what}, for: {time}ms}}"))
}

/// The shares of the tokens of each limit that made IOs wait.
fn check(run: &Run) {
    for limit in &run.result.limits {
        let jobs: f64 = limit.jobs.iter().map(|job| job.took).sum();
        let took = jobs + limit.resync_took.unwrap_or(0.0);
        // What a limit held may have failed before it was granted.
        if took > 0.0 {
            near("tokens taken", took, 1.0, 1e-9);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn mirrors_at_their_limits_outlive_what_fails(
        storage in mirror(),
        jobs in prop::collection::vec(job(), 1..3),
        events in prop::collection::vec(event(), 0..4),
    ) {
        let jobs: Vec<_> = (0..).zip(jobs).map(|(number, job)| format!("j{number}: {job}")).collect();
        let text = format!(
            "{{name: drawn, as_of: 2026-11-01, duration: 4s, {storage}, \
             workload: {{{}}}, events: [{}]}}",
            jobs.join(", "), events.join(", ")
        );
        // What has failed cannot fail again.
        let loaded = blockyard_scenario::load(&text, "drawn", &[]).unwrap();
        prop_assume!(loaded.resolve().is_ok());
        check(&run(&text));
    }
}

#[test]
fn a_resync_is_named_among_those_that_took_the_tokens() {
    let run = run("{name: rs, as_of: 2026-11-01, duration: 10s, \
         hosts: {a: {instance: r5b.2xlarge}, b: {instance: r5b.2xlarge}}, \
         links: {l: {between: [a, b], round_trip: 1ms, timeout: 1s}}, \
         storage: {mir: {mirror: {legs: {x: {type: gp3, size: 100GiB, host: a}, \
         y: {type: gp3, size: 100GiB, host: b}}, link: l}}}, \
         workload: {m: {kind: access_spec, on: mir, file_size: 50GiB, processes: 32, \
         pattern: {size: 16KiB, read: 50%, random: 100%}}}, \
         events: [{at: 2s, fail: mir.y, for: 2s}]}");
    check(&run);
    let shares = run
        .result
        .limits
        .iter()
        .filter_map(|limit| limit.resync_took);
    assert!(shares.clone().count() > 0 && shares.clone().all(|share| share < 1.0));
}
