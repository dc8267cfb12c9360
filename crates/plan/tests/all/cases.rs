//! Cases that must come out, by published limits and prices.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use blockyard_plan::{Plan, Reason, load, plan};

use crate::common::with_market;

const GIB: u64 = 1 << 30;

fn planned(text: &str) -> Plan {
    with_market(text, |loaded, market| {
        plan(market, &loaded.needs(|_, range| range.mid))
    })
}

fn refused(text: &str) -> String {
    load(text, "wanted.yaml", &[]).unwrap_err().to_string()
}

/// What a plan says of volumes: how many, of what, IOPS of each, and their part of the bill.
fn bought(plan: &Plan) -> (u32, &str, Option<u64>, f64) {
    let best = plan.best.as_ref().expect("a layout");
    let storage: f64 = best
        .bill
        .iter()
        .skip(1)
        .map(|item| item.usd_per_month)
        .sum();
    (
        best.data.count,
        &best.data.volume_type,
        best.data.iops,
        storage,
    )
}

#[test]
fn eighty_thousand_iops_take_five_gp3_or_one_io2() {
    let wanted = |io_size: &str, types: &str| {
        planned(&format!(
            "{{size: 2000GiB, reads: {{iops: 80000, io_size: {io_size}}}, headroom: 0%, \
             free_space: 0%, as_of: 2025-01-01, instance: {{type: r5b.24xlarge}}, \
             volumes: {{at_most: 5, types: [{types}]}}}}"
        ))
    };
    let gp3 = wanted("64KiB", "gp3");
    let (count, _, iops, storage) = bought(&gp3);
    assert_eq!((count, iops), (5, Some(16_000)));
    // 160.40 for 2,000 GiB and the log of a file system, 325 for 65,000 IOPS, 175 for 4,375 MiB/s.
    assert!((storage - 660.4).abs() < 0.01, "{storage}");
    let io2 = wanted("16KiB", "io2");
    let (count, _, iops, storage) = bought(&io2);
    assert_eq!((count, iops), (1, Some(80_000)));
    // 250 for 2,000 GiB; 2,080 + 1,456 + 509.60 for three tiers of IOPS.
    assert!((storage - 4_295.6).abs() < 0.5, "{storage}");
    assert_eq!(bought(&wanted("16KiB", "gp3, io2")).1, "gp3");
}

#[test]
fn the_fewest_gp3_are_those_of_the_publications() {
    let wanted = |iops: u64, instance: &str| {
        planned(&format!(
            "{{size: 4TiB, reads: {{iops: {iops}}}, headroom: 0%, as_of: 2022-11-10, \
             instance: {{type: {instance}}}, volumes: {{types: [gp3], at_most: 28}}}}"
        ))
    };
    for (iops, instance, count) in [(256_000, "r5b.24xlarge", 16), (80_000, "r5n.24xlarge", 5)] {
        let plan = wanted(iops, instance);
        let fewest = plan.fewest.as_ref().unwrap();
        assert_eq!((fewest.data.count, fewest.data.iops), (count, Some(16_000)));
        // More volumes are cheaper, as 3,000 IOPS come with each.
        let best = plan.best.as_ref().unwrap();
        assert!(best.usd_per_month < fewest.usd_per_month && best.data.count > count);
    }
    assert_eq!(
        planned(
            "{size: 4TiB, reads: {iops: 260001}, headroom: 0%, instance: {type: r5b.24xlarge}}"
        )
        .best,
        None
    );
}

#[test]
fn gp2_costs_less_than_io1_up_to_its_most_iops() {
    let wanted = |iops: u64| {
        planned(&format!(
            "{{size: 100GiB, reads: {{iops: {iops}}}, headroom: 0%, as_of: 2020-03-01, \
             instance: {{type: r5.12xlarge}}, volumes: {{types: [gp2, io1], at_most: 1}}}}"
        ))
    };
    // 5,334 GiB of gp2 at 3 IOPS each; beyond their 16,000 IOPS only io1 is left.
    let plan = wanted(16_000);
    assert_eq!(bought(&plan).1, "gp2");
    assert_eq!(plan.best.unwrap().data.size, 5_334 * GIB);
    let plan = wanted(16_001);
    let (_, name, iops, storage) = bought(&plan);
    assert_eq!((name, iops), ("io1", Some(16_001)));
    // 50 IOPS for a GiB: 321 GiB, though 100 are wanted.
    assert!(
        (storage - (321.0 * 0.125 + 16_001.0 * 0.065)).abs() < 0.01,
        "{storage}"
    );
    assert!(matches!(
        plan.rejected[0].reasons[..],
        [Reason::VolumeIops {
            needed: 16_001,
            has: 16_000,
            volumes: 1
        }]
    ));
}

#[test]
fn more_iops_are_not_bought_where_throughput_binds() {
    let plan = planned(
        "{size: 1TiB, reads: {throughput: 900MiB/s, io_size: 1MiB}, headroom: 0%, as_of: 2026-11-01, \
         instance: {type: r6i.8xlarge}, volumes: {types: [gp3], at_most: 1}}",
    );
    // 900 MiB/s need 3,600 IOPS, and take as many: four of 256 KiB for each MiB.
    let best = plan.best.unwrap();
    assert_eq!(
        (best.data.iops, best.data.throughput),
        (Some(3_600), Some(900 << 20))
    );
}

#[test]
fn a_small_instance_passes_for_half_an_hour_and_fails_at_an_hour() {
    for (instance, iops) in [("t3.large", 15_700), ("r5.large", 18_750)] {
        let wanted = |duration: &str| {
            planned(&format!(
                "{{size: 500GiB, reads: {{iops: {iops}}}, headroom: 0%, duration: {duration}, \
                 as_of: 2026-11-01, instance: {{type: {instance}}}}}"
            ))
        };
        assert!(wanted("30m").best.is_some());
        let plan = wanted("1h");
        assert_eq!(plan.best, None);
        let gp3 = plan
            .rejected
            .iter()
            .find(|it| it.volume_type == "gp3")
            .unwrap();
        let [
            Reason::BurstExhausted {
                owner,
                after_s,
                lasts_s: Some(lasts),
                ..
            },
            ..,
        ] = &gp3.reasons[..]
        else {
            panic!("{:?}", gp3.reasons)
        };
        assert_eq!(
            (owner.as_str(), *after_s, *lasts),
            (instance, 1800.0, 3600.0)
        );
        let nearest = plan.nearest.unwrap();
        assert!(
            nearest.permille > 100 && nearest.permille < 1000,
            "{nearest:?}"
        );
    }
}

#[test]
fn an_impossible_requirement_names_its_limits_and_the_nearest_possible() {
    let plan = planned(
        "{size: 10TiB, reads: {iops: 400000}, writes: {iops: 100000}, headroom: 0%, as_of: 2026-11-01, \
         instance: {families: [r6i, r7i]}}",
    );
    assert_eq!(plan.best, None);
    let gp3 = plan
        .rejected
        .iter()
        .find(|it| it.volume_type == "gp3")
        .unwrap();
    assert!(
        matches!(
            &gp3.reasons[..],
            [Reason::InstanceIops {
                needed: 500_000,
                ..
            }]
        ),
        "{gp3:?}"
    );
    let nearest = plan.nearest.unwrap();
    let has = nearest.layout.unwrap().limits;
    let host = has
        .iter()
        .find(|it| it.owner == "instance" && it.limit == "iops")
        .unwrap();
    assert_eq!(nearest.permille, host.has * 1000 / 500_000);
}

#[test]
fn latency_durability_and_prices_reject_with_their_numbers() {
    let plan = planned(
        "{size: 1TiB, reads: {iops: 5000}, latency: {read: {p99: 700us}}, durability: 99.99%, \
         as_of: 2026-11-01, volumes: {types: [gp3, io2, st1]}}",
    );
    assert_eq!(plan.best.unwrap().data.volume_type, "io2");
    let gp3 = plan
        .rejected
        .iter()
        .find(|it| it.volume_type == "gp3")
        .unwrap();
    assert!(
        matches!(
            &gp3.reasons[..],
            [Reason::Latency {
                estimate_us: 1080.0,
                ..
            }]
        ),
        "{gp3:?}"
    );
    let sure = "{size: 1TiB, reads: {iops: 5000}, durability: 99.9%, volumes: {types: [gp3]}}";
    let plan = planned(sure);
    assert!(matches!(
        &plan.rejected[0].reasons[..],
        [Reason::Durability {
            allowed: 1000,
            expected: Some(2000)
        }]
    ));
    // Two copies are lost together 4 times in a million.
    let mirrored = sure.replace("durability", "availability: mirror, durability");
    assert_eq!(planned(&mirrored).best.unwrap().copies, 2);
    let quota = "{size: 1TiB, reads: {iops: 50000}, headroom: 0%, quotas: {io2: 40000}, volumes: {types: [io2]}}";
    let plan = planned(quota);
    assert!(
        matches!(
            &plan.rejected[0].reasons[..],
            [Reason::Quota {
                needed: 50_000,
                has: 40_000,
                ..
            }]
        ),
        "{plan:?}"
    );
    let nowhere = "{size: 1TiB, reads: {iops: 5000}, region: af-south-1}";
    let plan = planned(nowhere);
    let gp3 = plan
        .rejected
        .iter()
        .find(|it| it.volume_type == "gp3")
        .unwrap();
    assert!(
        matches!(&gp3.reasons[..], [Reason::PriceUnknown { .. }]),
        "{gp3:?}"
    );
}

#[test]
fn mistakes_get_one_line_with_place_and_nearest_name() {
    let cases = [
        (
            "size: 1TiB\nreads: {iops: 500MiB/s}",
            "wanted.yaml:2: reads.iops: `500MiB/s` is a throughput, not IOs a second; write `throughput: 500MiB/s`",
        ),
        (
            "size: 1TiB\nreads: {throughput: 60000}",
            "wanted.yaml:2: reads.throughput: `60000` has no unit; expected a number with GiB/s, MiB/s, KiB/s or B/s, as in `125MiB/s`",
        ),
        (
            "size: 1TiB\nreads: {iops: {low: 5, mid: 4, high: 9}}",
            "wanted.yaml:2: reads.iops: low 5, mid 4, high 9 do not rise; expected low <= mid <= high",
        ),
        (
            "size: 1TiB",
            "wanted.yaml:1: no load; expected `reads`, `writes`, `demand` or `journal`",
        ),
        (
            "size: 1TiB\nread: {iops: 5}",
            "wanted.yaml:2: read: unknown key; did you mean `reads`?",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\nregion: us-est-1",
            "wanted.yaml:3: region: no region is called `us-est-1`; did you mean `us-east-1`?",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\ninstance: {type: r5.large, vcpu: 16}",
            "wanted.yaml:3: instance.vcpu: `r5.large` has 2",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\ninstance: {families: [r6i], vcpu: 500}",
            "wanted.yaml:3: instance.vcpu: `500`; the most is 128, of r6i.metal",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\ninstance: {families: [r6i], memory: 2TiB}",
            "wanted.yaml:3: instance.memory: `2TiB`; the most is 1TiB, of r6i.metal",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\ninstance: {families: [r6i], architecture: arm64}",
            "wanted.yaml:3: instance.families: built for another architecture, all of them",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\ninstance: {families: [r6ii]}",
            "wanted.yaml:3: instance.families.0: no family is called `r6ii`; did you mean `r6i`?",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\nlatency: {write: {p99: 2ms}}",
            "wanted.yaml:3: latency.write: there is no `writes`",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\nlatency: {read: {p99: 2ms, p50: 3ms}}",
            "wanted.yaml:3: latency.read.p50: 3ms contradicts p99 of 2ms; expected rising",
        ),
        (
            "size: 1TiB\nreads: {iops: 5, throughput: 1MiB/s, io_size: 8KiB}",
            "wanted.yaml:2: reads.io_size: stands beside `iops` and `throughput`; expected two of the three",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\nfree_space: 95%",
            "wanted.yaml:3: free_space: 95% is too much; expected at most 90%",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\nhorizon: 3 years",
            "wanted.yaml:3: horizon: stands without `growth`; expected both",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\ngrowth: 40%",
            "wanted.yaml:3: growth: `40%` is no growth; expected more than 0% and at most 1000% a year, as in `40%/year`",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\nstorage_quotas: {gp4: 5TiB}",
            "wanted.yaml:3: storage_quotas.gp4: no volume type is called `gp4`; did you mean `gp2`?",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\ninstance: {type: t3.large, burstable: false}",
            "wanted.yaml:3: instance.burstable: `t3.large` is burstable",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\ninstance: {families: [r5, m5], generation: current}",
            "wanted.yaml:3: instance.generation: `r5, m5`: each is of a previous generation",
        ),
        (
            "size: 1TiB\nreads: {iops: 5}\npeak: {times: 2, for: 2h}\nduration: 1h",
            "wanted.yaml:3: peak.for: 2h is longer than the load, which lasts 1h",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refused(text), expected);
    }
}

#[test]
fn disks_of_the_instance_are_taken_where_all_may_be_lost() {
    let wanted = |durability: &str| {
        planned(&format!(
            "{{size: 1200GiB, reads: {{iops: 60000}}, writes: {{iops: 20000}}, {durability} \
             as_of: 2026-11-01, instance: {{families: [i3, r5b, r6i]}}, \
             journal: {{size: 100GiB, iops: 1000}}}}"
        ))
    };
    let kept = wanted("");
    let local = |plan: &Plan| {
        let all = &plan.rejected;
        let found = all.iter().find(|it| it.volume_type == "instance-store");
        found.map(|it| it.reasons.clone())
    };
    assert_eq!(local(&kept), Some(vec![Reason::Ephemeral]));
    let lost = wanted("durability: ephemeral,");
    let best = lost.best.as_ref().unwrap();
    assert_eq!((best.instance.as_str(), best.data.count), ("i3.2xlarge", 1));
    assert!(best.data.local && best.data.volume_type == "instance-store");
    // It comes with the instance, and its IO does not concern the limits of network volumes.
    assert_eq!(best.bill.len(), 1);
    let host = best.limits.iter().filter(|it| it.owner == "instance");
    assert!(host.clone().count() > 0 && host.into_iter().all(|it| it.used == 0));
    assert!(best.usd_per_month < kept.best.unwrap().usd_per_month);
    // One disk does not hold the double; two do, and there are no more than the instance has.
    let larger = planned(
        "{size: 3TiB, free_space: 0%, reads: {iops: 60000}, durability: ephemeral, as_of: 2026-11-01, \
         instance: {families: [i3]}, volumes: {types: [instance-store]}}",
    );
    let best = larger.best.unwrap();
    assert_eq!((best.instance.as_str(), best.data.count), ("i3.4xlarge", 2));
}
