//! What instances and their local disks do, by day and family.

use proptest::prelude::*;

use super::*;

/// MB/s and assumptions of an instance's throughput limit on a day.
fn throughput(name: &str, on: &str) -> (u64, Vec<String>) {
    let catalog = catalog();
    let instance = catalog.instance(name).unwrap();
    let limits = catalog.host_limits(instance, day(on)).limits.unwrap();
    let limit = limits.iter().find(|it| it.name == "throughput").unwrap();
    let assumptions = limit.assumptions.iter().map(ToString::to_string);
    (limit.rate / 1000, assumptions.collect())
}

#[test]
fn an_instance_has_the_limits_of_the_day() {
    let known = |rate| (rate, Vec::new());
    assert_eq!(throughput("m5.4xlarge", "2018-08-03"), known(265_000));
    assert_eq!(throughput("m5.4xlarge", "2019-12-03"), known(437_500));
    assert_eq!(throughput("m5.4xlarge", "2019-12-04"), known(593_750));
    assert_eq!(throughput("m5.4xlarge", "2026-11-01"), known(593_750));
    let early = "figures first observed 2018-02-02 are used for 2017-12-01";
    assert_eq!(
        throughput("m5.4xlarge", "2017-12-01"),
        (265_000, vec![early.into()])
    );
    let instance = catalog().instance("m5.4xlarge").unwrap();
    for (on, title) in [("2019-12-03", "history"), ("2019-12-04", "history")] {
        let source = catalog().source_of(instance, day(on)).unwrap();
        assert!(source.title.contains(title), "{source}");
    }
}

proptest! {
    /// The guide has never lowered a limit that it did not take back.
    #[test]
    fn limits_only_rise(index in 0..1395_usize, days in (0..3000_u32, 0..3000_u32)) {
        let instance = &catalog().instances()[index];
        let (first, second) = (days.0.min(days.1), days.0.max(days.1));
        let on = |number: u32| format!("{}-{:02}-{:02}", 2018 + number / 360, number % 360 / 30 + 1, number % 30 % 28 + 1);
        let levels = |number| instance.levels(day(&on(number)));
        let (earlier, later, today) = (levels(first), levels(second), instance.levels(None));
        prop_assert_eq!(earlier.is_some(), today.is_some());
        for (before, after) in [(earlier, later), (later, today)] {
            let Some((before, after)) = before.zip(after) else { continue };
            let pairs = [(before.baseline, after.baseline), (before.maximum, after.maximum)];
            let rises = |(before, after): (HostRate, HostRate)| before.iops <= after.iops && before.throughput <= after.throughput;
            prop_assert!(on(first) > on(second) || pairs.into_iter().all(rises), "{before:?} {after:?}");
            prop_assert!(before.baseline.iops <= before.maximum.iops);
        }
    }
}

#[test]
fn tables_of_instances_say_where_they_are_wrong() {
    let said = |texts: &Texts<'_>| Catalog::parse(texts).unwrap_err().to_string();
    let history = "type,observed,baseline_iops,baseline_mbps,maximum_iops,maximum_mbps\nm5.large,2019,1,1,1,1\n";
    assert_eq!(
        said(&Texts {
            instance_history: history,
            ..EMBEDDED
        }),
        "catalog/instance-history.csv:2: `2019` is not a day"
    );
    let header = "family,read_bytes,write_bytes,types,like\n";
    let missing = said(&Texts {
        instance_store_streams: header,
        ..EMBEDDED
    });
    assert_eq!(
        missing,
        "catalog/instance-store.csv:3: instance-store-streams.csv has no family `c3`"
    );
    let both = format!("{header}c3,4096,4096,3,c5d\n");
    assert_eq!(
        said(&Texts {
            instance_store_streams: &both,
            ..EMBEDDED
        }),
        "catalog/instance-store-streams.csv:2: expected either `types` or `like`"
    );
}

#[test]
fn what_a_local_disk_streams_says_what_it_is_taken_from() {
    let said = |host| {
        let host = catalog().instance(host).unwrap();
        let disk = catalog().volume_type("instance-store").unwrap();
        let limits = disk.limits(&Ask::default(), Some(host), None).unwrap();
        let streams = limits
            .limits
            .into_iter()
            .filter(|it| it.name.ends_with("throughput"));
        let texts = streams.map(|limit| {
            let assumed = limit.assumptions.iter().map(ToString::to_string);
            let notes = limit.notes.iter().map(ToString::to_string);
            assumed.chain(notes).collect::<Vec<_>>().join("; ")
        });
        texts.collect::<Vec<_>>()
    };
    for (host, text) in [
        ("i3.2xlarge", "the median of 6 types (iotune's figures"),
        (
            "r5d.large",
            "no stream was measured on r5d; that of m5d, whose published IOPS are the same, is used",
        ),
        (
            "g5.xlarge",
            "no stream was measured on g5; the median of all families measured is used",
        ),
    ] {
        let found = said(host);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|it| it.contains(text)), "{found:?}");
    }
}
