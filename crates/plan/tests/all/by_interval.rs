//! A load by interval: what is planned for a day holds when the day is simulated, and what is a
//! little smaller does not.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_experiment::budget::FOR_QUESTION;
use blockyard_experiment::{Base, Lab, ScenarioText, Threads, Variant, Watch};
use blockyard_plan::{Layout, Needs, ScenarioWriter, load, plan};
use blockyard_record::result::RunResult;
use proptest::prelude::*;

use crate::common::with_market;

const GIB: u64 = 1 << 30;

struct Quiet;

impl Watch for Quiet {}

/// A layout under its day.
fn simulated(needs: &Needs, layout: &Layout) -> RunResult {
    let writer = ScenarioWriter {
        name: "day".into(),
        region: None,
        day: None,
    };
    let text = ScenarioText {
        text: writer.scenario(needs, layout),
        file_name: "day.yaml".into(),
        sets: Vec::new(),
    };
    let threads = Threads::of(1);
    let mut watch = Quiet;
    let mut lab = Lab::new(&threads, FOR_QUESTION, &mut watch);
    let variant = Variant::of(&Base::read(text).unwrap());
    let answer = lab.ask(&[variant]).unwrap().remove(0).unwrap();
    answer.result
}

/// What gp2 is bought for `demand`, and its day.
fn gp2(demand: &str) -> (Needs, Layout) {
    let text = format!(
        "{{size: 20GiB, demand: \"at,reads,writes,size\\n{demand}\", headroom: 0%, \
         instance: {{type: r5b.8xlarge}}, volumes: {{types: [gp2], at_most: 4}}}}"
    );
    with_market(&text, |loaded, market| {
        let needs = loaded.needs(|_, range| range.mid);
        let best = plan(market, &needs).best.unwrap();
        (needs, best)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Batches of the night and of the day: credits have to do for both, for good.
    #[test]
    fn what_is_planned_for_a_day_holds_it_and_less_does_not(
        base in 10_u64..400,
        night in (800_u64..2900, 0_u64..1000, 1_u64..6),
        day in (0_u64..2000, 0_u64..2000, 1_u64..8),
        io_size in prop::sample::select(vec![4096_u64, 16384, 65536]),
    ) {
        let demand = format!(
            "0,{base},{base},8192\\n1h,{},{},{io_size}\\n{}h,{base},{base},8192\\n\
             12h,{},{},8192\\n{}h,{base},0,8192",
            night.0, night.1, 1 + night.2, day.0, day.1, 12 + day.2,
        );
        let (needs, layout) = gp2(&demand);
        let found = simulated(&needs, &layout);
        prop_assert!(found.limits.is_empty(), "{:?} waits for {:?}", layout.data, found.limits);
        prop_assert!(found.goals.iter().all(|goal| goal.met));
        // Two steps less: what is short of one day is short of two weeks by more than credits.
        let mut less = layout.clone();
        less.data.size -= 2 * GIB;
        if less.data.size * u64::from(less.data.count) > needs.size * 2 {
            let found = simulated(&needs, &less);
            prop_assert!(!found.limits.is_empty(), "{:?} would do", less.data);
        }
    }
}

/// A batch of 4,500 IOPS for two hours: volumes of 4,500 for good are not needed, nor do credits
/// end in the middle of it.
#[test]
fn a_nightly_batch_is_no_load_for_good() {
    let night = "0,300,100,8KiB\\n1h,3000,1500,16KiB\\n3h,300,100,8KiB";
    let (needs, layout) = gp2(night);
    let baseline = 3 * layout.data.size / GIB * u64::from(layout.data.count);
    assert!((1_000..4_000).contains(&baseline), "{:?}", layout.data);
    let (_, for_good) = gp2("0,3000,1500,16KiB");
    assert!(layout.usd_per_month < for_good.usd_per_month);
    assert!(simulated(&needs, &layout).goals.iter().all(|goal| goal.met));
}

#[test]
fn what_contradicts_demand_is_named() {
    let refused = |more: &str| {
        let text = format!("{{size: 20GiB, demand: \"at,reads,size\\n0,9,8KiB\", {more}}}");
        load(&text, "wanted.yaml", &[]).unwrap_err().to_string()
    };
    assert_eq!(
        refused("reads: {iops: 100}"),
        "wanted.yaml:1: demand: stands beside `reads`; expected one of them"
    );
    assert_eq!(
        refused("latency: {write: {p99: 1ms}}"),
        "wanted.yaml:1: latency.write: there is no `writes`"
    );
    let read = |demand: &str| {
        let text = format!("{{size: 20GiB, demand: \"{demand}\"}}");
        load(&text, "wanted.yaml", &[]).unwrap_err().to_string()
    };
    assert_eq!(
        read("at,reads,size\\n0,0,0"),
        "wanted.yaml:1: demand: no IO in any interval; expected some"
    );
    assert!(read("day.csv").contains("demand: cannot read `day.csv`"));
    assert!(read("at,reads,size\\n0,x,0").contains("demand: line 2: reads `x`; expected"));
}
