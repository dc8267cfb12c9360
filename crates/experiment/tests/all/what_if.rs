//! What is tried without the catalog is what the catalog's volumes give.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::runs::{near, run_with, scenario};
use crate::common::tried;
use blockyard_experiment::{Edit, ScaledLimit};
use blockyard_record::limit_names::LimitKind;
use blockyard_record::result::{RunResult, Total};
use blockyard_simulate::Options;
use proptest::prelude::*;

/// Of a device; without one, of the host.
fn raised(device: Option<&str>, limit: &str, factor: f64) -> Vec<Edit> {
    vec![Edit::Limit(ScaledLimit {
        device: device.map(Into::into),
        leg: None,
        host: device.is_none().then(|| "host".into()),
        kind: LimitKind::named(limit).unwrap(),
        factor,
    })]
}

fn without(job: &str) -> Vec<Edit> {
    vec![Edit::Silence(job.into())]
}

/// Readers and writers on a volume or a stripe that they may well fill.
#[derive(Clone, Debug)]
struct Case {
    iops: u64,
    throughput: u64,
    width: u64,
    kib: u64,
    processes: u64,
    rate: u64,
    /// How full the buckets are at the start, in percent.
    tokens: u64,
    seed: u64,
}

impl Case {
    fn text(&self, iops: u64, throughput: u64, writers: bool) -> String {
        let Self {
            width,
            kib,
            processes,
            rate,
            tokens,
            seed,
            ..
        } = self;
        let writers = match writers {
            true => format!(
                "writers: {{kind: access_spec, on: data, file_size: 20GiB, rate: {rate}/s, \
                 pattern: {{size: 16KiB, read: 0%, random: 100%}}}}"
            ),
            false => String::new(),
        };
        format!(
            "
{{name: case, duration: 2s, warmup: 1s, seed: {seed}, storage: {{data: {{stripe: {{chunk: 64KiB,
  width: {width}}}, of: {{type: gp3, size: 100GiB, iops: {iops}, throughput: {throughput}MiB/s,
    tokens: {tokens}%}}}}}},
 workload: {{readers: {{kind: access_spec, on: data, file_size: 20GiB, processes: {processes},
   pattern: {{size: {kib}KiB, read: 100%, random: 100%}}}}, {writers}}}}}
"
        )
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let limits = (15u64..50, 126u64..500, 1u64..4);
    let loads = (0u32..6, 1u64..40, 100u64..3_000);
    (limits, loads, 0u64..3, 0u64..1_000).prop_map(
        |((hundreds, throughput, width), (size, processes, rate), half, seed)| Case {
            tokens: 50 * half,
            iops: 200 * hundreds,
            // The catalog sells at most 0.25 MiB/s for each IOPS.
            throughput: 2 * (throughput / 2).min(20 * hundreds),
            width,
            kib: 4 << size,
            processes,
            rate,
            seed,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn what_is_tried_is_what_a_fresh_simulation_gives(case in cases()) {
        let (iops, throughput) = (case.iops, case.throughput);
        let text = case.text(iops, throughput, true);
        let tries = [
            Vec::new(),
            raised(Some("data"), "iops", 1.5),
            raised(Some("data"), "throughput", 1.5),
            without("writers"),
        ];
        let fresh = [
            case.text(iops, throughput, true),
            case.text(iops * 3 / 2, throughput, true),
            case.text(iops, throughput * 3 / 2, true),
            case.text(iops, throughput, false),
        ];
        let found = tried(&text, &tries, 2).unwrap();
        for (result, text) in found.iter().zip(&fresh) {
            let fresh = run_with(text, &[], Options::default()).result;
            prop_assert_eq!(done(result), done(&fresh), "{}", text);
        }
        prop_assert!(done(&found[3]).iter().all(|total| total.job == "readers"));
    }
}

/// The totals of jobs that did anything.
fn done(result: &RunResult) -> Vec<&Total> {
    let totals = result.totals.iter();
    totals.filter(|total| total.ios > 0).collect()
}

const GP2: &str = "
{name: gp2, duration: 60s, warmup: 10s, host: {instance: m5.large}, storage: {data: {type: gp2, size: 100GiB,
  burst_balance: 0%}}, workload: {readers: {kind: ranread, on: data, file_size: 10GiB, processes: 16}}}
";

#[test]
fn raising_the_flow_of_credits_raises_what_lasts_and_not_the_balance() {
    let cases = [Vec::new(), raised(Some("data"), "iops_credits", 1.5)];
    let found = tried(GP2, &cases, 1).unwrap();
    let iops: Vec<_> = found.iter().map(|result| result.totals[0].iops).collect();
    assert!((iops[1] / iops[0] - 1.5).abs() < 0.01, "{iops:?}");
}

#[test]
fn a_limit_of_the_host_is_raised_for_all_its_volumes() {
    let text = GP2.replace("burst_balance: 0%", "burst_balance: 100%");
    let text = text.replace("processes: 16", "processes: 64");
    let kinds = ["iops", "throughput", "iops_credits", "throughput_credits"];
    for kind in kinds {
        tried(&text, &[raised(None, kind, 2.0)], 1).unwrap();
    }
}

const MIRROR: &str = "
{name: mirror, duration: 2s, warmup: 1s, storage: {data: {mirror: {legs: {
  near: {type: gp3, size: 100GiB, iops: NEAR, tokens: 0%}, far: {type: gp3, size: 100GiB, iops: FAR, tokens: 0%}}}}},
 workload: {writers: {kind: access_spec, on: data, file_size: 10GiB, processes: 64,
   pattern: {size: 8KiB, read: 0%, random: 100%}}}}
";

#[test]
fn a_leg_is_raised_by_itself() {
    let with = |near: u64, far: u64| {
        let text = MIRROR.replace("NEAR", &near.to_string());
        text.replace("FAR", &far.to_string())
    };
    let leg = |leg: &str| {
        let mut changes = raised(Some("data"), "iops", 2.0);
        if let Edit::Limit(limit) = &mut changes[0] {
            limit.leg = Some(leg.into());
        }
        changes
    };
    let cases = [leg("near"), leg("far"), raised(Some("data"), "iops", 2.0)];
    let fresh = [with(6000, 4000), with(3000, 8000), with(6000, 8000)];
    let found = tried(&with(3000, 4000), &cases, 2).unwrap();
    for (result, text) in found.iter().zip(&fresh) {
        let fresh = run_with(text, &[], Options::default()).result;
        assert_eq!(done(result), done(&fresh), "{text}");
    }
    let gone = tried(&with(3000, 4000), &[leg("third")], 1).unwrap_err();
    assert_eq!(gone, "data.third has no such limit");
}

#[test]
fn threads_change_nothing() {
    let cases = vec![raised(Some("data"), "iops", 1.5); 3];
    let bytes = |threads| {
        let found = tried(GP2, &cases, threads).unwrap();
        serde_json::to_string(&found).unwrap()
    };
    assert!(bytes(1) == bytes(3));
}

#[test]
fn changes_of_what_there_is_not_are_refused() {
    for (case, message) in [
        (raised(Some("wij"), "iops", 1.5), "wij has no such limit"),
        (
            raised(Some("data"), "read_iops", 1.5),
            "data has no such limit",
        ),
        (
            raised(Some("data"), "iops", 0.0),
            "factor: `0`; expected more than 0 and at most 100",
        ),
        (without("writers"), "no job is called `writers`"),
    ] {
        assert_eq!(tried(GP2, &[case], 1).unwrap_err(), message);
    }
}

#[test]
fn what_is_tried_goes_for_a_modified_limit_too() {
    let text = scenario("examples/event-modify.yaml");
    let doubled = Edit::Limit(ScaledLimit {
        device: Some("data".into()),
        leg: None,
        host: None,
        kind: LimitKind::named("iops").unwrap(),
        factor: 2.0,
    });
    let cases = [vec![], vec![doubled]];
    let found = tried(&text, &cases, 2).unwrap();
    let after = |case: usize| found[case].events[0].effect.unwrap().iops_after.unwrap();
    near("as it is", after(0), 3000.0, 0.01);
    near("doubled", after(1), 6000.0, 0.01);
}
