//! The messages of refusals, word for word.

use super::*;

#[test]
fn refusals_name_the_rule_its_dates_its_source_and_the_way_out() {
    let catalog = catalog();
    let gp3 = "(rule of 2020-12-03 to 2025-09-29, EC2 user guide 2023-05-11)";
    let newest = "(rule of 2025-09-30 on, AWS EBS CSI driver 2026-08-19)";
    let io2 = "(rule of 2020-08-26 on, EC2 user guide 2023-05-11)";
    let rows = [
        ("gp3", "2022-11-10", "", ask(400, 20000, 0), "iops", format!("gp3 allows 3,000 to 16,000 IOPS on 2022-11-10 {gp3}; 20,000 needs as_of 2025-09-30 or later")),
        ("gp3", "2022-11-10", "", ask(400, 90000, 0), "iops", format!("gp3 allows 3,000 to 16,000 IOPS on 2022-11-10 {gp3}, not 90,000")),
        ("gp3", "", "", ask(400, 90000, 0), "iops", format!("gp3 allows 3,000 to 80,000 IOPS {newest}, not 90,000")),
        ("gp3", "2022-11-10", "", ask(20000, 0, 0), "size", format!("gp3 allows sizes of 1GiB to 16TiB on 2022-11-10 {gp3}; 20000GiB needs as_of 2025-09-30 or later")),
        ("gp3", "2022-11-10", "", ask(10, 6000, 0), "iops", format!("gp3 allows at most 500 IOPS per GiB on 2022-11-10 {gp3}; 6,000 IOPS need a size of 12GiB or more, not 10GiB")),
        ("gp3", "2022-11-10", "", ask(400, 3000, 1000), "throughput", format!("gp3 allows at most 256KiB/s per provisioned IOPS on 2022-11-10 {gp3}; 1000MiB/s needs 4,000 IOPS or more, not 3,000")),
        ("gp3", "2022-11-10", "", ask(400, 16000, 1500), "throughput", format!("gp3 allows 125MiB/s to 1000MiB/s on 2022-11-10 {gp3}; 1500MiB/s needs as_of 2025-09-30 or later")),
        ("gp3", "", "", ask(400, 100, 0), "iops", format!("gp3 allows 3,000 to 80,000 IOPS {newest}, not 100")),
        ("gp3", "", "", ask(0, 0, 0), "size", "`gp3` needs `size`, 1GiB to 64TiB".into()),
        ("io2", "2022-11-10", "r5n.24xlarge", ask(1000, 100_000, 0), "iops", format!("io2 allows 100 to 64,000 IOPS on 2022-11-10 {io2}; 100,000 needs as_of 2024-01-01 or later")),
        ("io2", "", "r4.4xlarge", ask(1000, 100_000, 0), "iops", format!("io2 allows 100 to 64,000 IOPS {io2}; 100,000 needs a Nitro instance")),
        ("io1", "", "", ask(100, 0, 0), "iops", "`io1` needs `iops`, 100 to 64,000".into()),
        ("gp2", "", "", ask(100, 3000, 0), "iops", "`gp2` has no provisioned IOPS: its limits follow from what else it has; leave `iops` out".into()),
        ("io1", "", "", ask(100, 1000, 100), "throughput", "`io1` has no provisioned throughput: its limits follow from what else it has; leave `throughput` out".into()),
        ("instance-store", "", "", ask(0, 0, 0), "type", "`instance-store` is a disk of the host; state `host.instance`".into()),
        ("instance-store", "", "r5n.24xlarge", ask(0, 0, 0), "type", "`r5n.24xlarge` has no instance store".into()),
        ("instance-store", "", "m7gd.large", ask(0, 0, 0), "type", "the catalog has no IOPS for the instance store of `m7gd.large`".into()),
        ("instance-store", "", "i3.2xlarge", ask(100, 0, 0), "size", "the instance sets the size of `instance-store`; leave `size` out".into()),
    ];
    for (volume_type, on, host, ask, field, message) in rows {
        let on = (!on.is_empty()).then(|| on.parse().unwrap());
        let host = (!host.is_empty()).then(|| catalog.instance(host).unwrap());
        let volume_type = catalog.volume_type(volume_type).unwrap();
        let refusal = volume_type.limits(&ask, host, on).unwrap_err();
        assert_eq!(
            (refusal.field().name(), refusal.to_string()),
            (field, message)
        );
    }
    let half = Ask {
        size: Some(Size::new(3 * GIB / 2)),
        ..Ask::default()
    };
    let gp2 = catalog.volume_type("gp2").unwrap();
    assert_eq!(
        gp2.limits(&half, None, None).unwrap_err().to_string(),
        "`gp2` comes in steps of 1GiB, not 1.5GiB"
    );
}

#[test]
fn unknown_names_suggest_the_nearest() {
    let catalog = catalog();
    let unknown = |found: Option<Unknown>| found.unwrap().to_string();
    assert_eq!(
        unknown(catalog.volume_type("gp33").err()),
        "no volume type is called `gp33`; did you mean `gp3`?"
    );
    assert_eq!(
        unknown(catalog.instance("r5n.23xlarge").err()),
        "no instance type is called `r5n.23xlarge`; did you mean `r5n.24xlarge`?"
    );
    assert_eq!(
        unknown(catalog.profile("io2-blockexpress").err()),
        "no latency profile is called `io2-blockexpress`; did you mean `io2-block-express`?"
    );
}

#[test]
fn what_is_assumed_is_said() {
    let catalog = catalog();
    let assumed = |name, on: &str| -> Vec<String> {
        let on = (!on.is_empty()).then(|| on.parse().unwrap());
        let offer = catalog.volume_type(name).unwrap().offer(None, on).unwrap();
        offer
            .assumptions()
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    assert!(assumed("gp3", "2022-11-10").is_empty());
    assert!(assumed("gp3", "").is_empty());
    assert_eq!(
        assumed("gp2", "2015-01-01"),
        ["rule first observed 2018-02-02 is used for 2015-01-01"]
    );
    assert_eq!(
        assumed("io2", "2024-06-01"),
        [
            "the day on which every Nitro instance had Block Express lies after 2023-05-11 and is not known",
            "no host is stated; a Nitro instance is assumed",
        ]
    );
    assert_eq!(
        assumed("io2", "2026-11-01"),
        ["no host is stated; a Nitro instance is assumed"]
    );
}
