//! The published figures, as tables.

use super::*;

/// The rate of a limit, in IOPS or MiB/s; none if the volume has no such limit.
fn rate(
    catalog: &Catalog,
    volume_type: &str,
    on: Option<Date>,
    host: &str,
    ask: &Ask,
    limit: &str,
) -> Option<f64> {
    let host = (!host.is_empty()).then(|| catalog.instance(host).unwrap());
    let volume_type = catalog.volume_type(volume_type).unwrap();
    let limits = volume_type.limits(ask, host, on).unwrap().limits;
    let limit = limits.iter().find(|l| l.name == limit)?;
    Some(match limit.unit {
        blockyard_model::spec::Unit::Io => limit.rate as f64,
        blockyard_model::spec::Unit::Byte => limit.rate as f64 / MIB as f64,
    })
}

#[test]
fn gp2_follows_its_size() {
    let catalog = catalog();
    // GiB: burst or only limit, credits, MiB/s.
    let rows = [
        (1, 3000.0, Some(100.0), 128.0),
        (33, 3000.0, Some(100.0), 128.0),
        (34, 3000.0, Some(102.0), 128.0),
        (100, 3000.0, Some(300.0), 128.0),
        (170, 3000.0, Some(510.0), 128.0),
        (171, 3000.0, Some(513.0), 250.0),
        (334, 3000.0, Some(1002.0), 250.0),
        (999, 3000.0, Some(2997.0), 250.0),
        (1000, 3000.0, None, 250.0),
        (5333, 15999.0, None, 250.0),
        (5334, 16000.0, None, 250.0),
        (16384, 16000.0, None, 250.0),
    ];
    for (gib, iops, credits, mib_per_s) in rows {
        let of = |limit| rate(catalog, "gp2", None, "", &ask(gib, 0, 0), limit);
        assert_eq!(of("iops"), Some(iops), "{gib} GiB");
        assert_eq!(of("iops_credits"), credits, "{gib} GiB");
        assert_eq!(of("throughput"), Some(mib_per_s), "{gib} GiB");
    }
    let old = |gib, limit| {
        rate(
            catalog,
            "gp2",
            day("2018-12-02"),
            "",
            &ask(gib, 0, 0),
            limit,
        )
    };
    assert_eq!(old(3333, "iops"), Some(9999.0));
    assert_eq!(old(3334, "iops"), Some(10000.0));
    assert_eq!(old(171, "throughput"), Some(160.0));
}

#[test]
fn gp2_credits_last_as_published() {
    let catalog = catalog();
    let gp2 = catalog.volume_type("gp2").unwrap();
    for (gib, seconds) in [
        (1, 1862),
        (33, 1862),
        (100, 2000),
        (334, 2703),
        (500, 3600),
        (750, 7200),
    ] {
        let limits = gp2.limits(&ask(gib, 0, 0), None, None).unwrap().limits;
        let (baseline, depth) = (limits[1].rate, limits[1].depth);
        assert_eq!(
            (depth as f64 / (3000 - baseline) as f64).round() as u64,
            seconds,
            "{gib} GiB"
        );
    }
}

#[test]
fn provisioned_types_reach_what_is_published() {
    let catalog = catalog();
    let (xen, nitro) = ("r4.4xlarge", "r5b.24xlarge");
    // Type, day, host, GiB, IOPS, MiB/s: IOPS limit, MiB/s limit.
    let rows = [
        ("gp3", "2022-11-10", "", (1, 0, 0), 3000.0, 125.0),
        ("gp3", "2022-11-10", "", (32, 16000, 1000), 16000.0, 1000.0),
        ("gp3", "2025-09-30", "", (160, 80000, 2000), 80000.0, 2000.0),
        ("gp3", "2025-09-30", "", (16, 8000, 2000), 8000.0, 2000.0),
        ("io1", "2017-12-05", "", (400, 20000, 0), 20000.0, 320.0),
        ("io1", "2018-11-28", "", (640, 32000, 0), 32000.0, 500.0),
        ("io1", "2022-11-10", nitro, (4, 100, 0), 100.0, 25.0),
        ("io1", "2022-11-10", nitro, (100, 2000, 0), 2000.0, 500.0),
        ("io1", "2022-11-10", nitro, (640, 32000, 0), 32000.0, 500.0),
        ("io1", "2022-11-10", nitro, (1280, 48000, 0), 48000.0, 750.0),
        (
            "io1",
            "2022-11-10",
            nitro,
            (1280, 64000, 0),
            64000.0,
            1000.0,
        ),
        ("io2", "2021-01-01", nitro, (128, 64000, 0), 64000.0, 1000.0),
        ("io2", "2022-11-10", xen, (128, 32000, 0), 32000.0, 500.0),
        (
            "io2",
            "2022-11-10",
            nitro,
            (256, 256000, 0),
            256000.0,
            4000.0,
        ),
        ("io2", "2022-11-10", nitro, (10, 1000, 0), 1000.0, 256.0),
        ("io2", "2022-11-10", nitro, (16, 16000, 0), 16000.0, 4000.0),
    ];
    for (volume_type, on, host, (gib, iops, mib), want_iops, want_mib) in rows {
        let of = |limit| {
            rate(
                catalog,
                volume_type,
                day(on),
                host,
                &ask(gib, iops, mib),
                limit,
            )
        };
        assert_eq!(of("iops"), Some(want_iops), "{volume_type} {on} {iops}");
        assert_eq!(
            of("throughput"),
            Some(want_mib),
            "{volume_type} {on} {iops}"
        );
    }
}

#[test]
fn hard_disk_types_follow_their_size() {
    let catalog = catalog();
    // Type, GiB: IOPS, burst, baseline, `None` where it equals the burst.
    let rows = [
        ("st1", 125, 500.0, 250.0 / 8.192, Some(40.0 / 8.192)),
        ("st1", 1024, 500.0, 250.0, Some(40.0)),
        ("st1", 2048, 500.0, 500.0, Some(80.0)),
        ("st1", 12800, 500.0, 500.0, None),
        ("sc1", 1024, 250.0, 80.0, Some(12.0)),
        ("sc1", 3200, 250.0, 250.0, Some(37.5)),
        ("sc1", 16384, 250.0, 250.0, Some(192.0)),
    ];
    for (volume_type, gib, iops, burst, baseline) in rows {
        let of = |limit| rate(catalog, volume_type, None, "", &ask(gib, 0, 0), limit);
        let near = |got: Option<f64>, want: Option<f64>| {
            assert_eq!(got.is_some(), want.is_some(), "{volume_type} {gib}");
            let error = got.unwrap_or(0.0) - want.unwrap_or(0.0);
            assert!(
                error.abs() < 1e-6,
                "{volume_type} {gib}: {got:?} for {want:?}"
            );
        };
        near(of("iops"), Some(iops));
        near(of("throughput"), Some(burst));
        near(of("throughput_credits"), baseline);
    }
}

#[test]
fn io2_is_block_express_where_and_when_it_was() {
    let catalog = catalog();
    let rows = [
        ("2021-07-23", "r5b.24xlarge", false),
        ("2021-07-24", "r5b.24xlarge", true),
        ("2022-11-10", "r5n.24xlarge", false),
        ("2023-09-07", "r5b.24xlarge", true),
        ("2023-09-07", "r6in.8xlarge", true),
        ("2023-09-07", "r5n.24xlarge", false),
        ("2024-01-01", "r5n.24xlarge", true),
        ("2024-01-01", "c5.metal", true),
        ("2024-01-01", "r4.4xlarge", false),
    ];
    for (on, host, express) in rows {
        let host = catalog.instance(host).unwrap();
        let io2 = catalog.volume_type("io2").unwrap();
        let offer = io2.offer(Some(host), day(on)).unwrap();
        assert_eq!(
            offer.row().variant.is_some(),
            express,
            "{on} {}",
            host.name()
        );
    }
}

#[test]
fn instances_have_the_published_limits() {
    let catalog = catalog();
    // Type: baseline, maximum, each in IOPS, Mbit/s, kB/s.
    let same = |iops, mbps| ((iops, mbps, mbps * 125), (iops, mbps, mbps * 125));
    let rows = [
        ("r4.large", same(3000, 425)),
        ("r4.xlarge", same(6000, 850)),
        ("r4.2xlarge", same(12000, 1700)),
        ("r4.4xlarge", same(18750, 3500)),
        ("i3.4xlarge", same(16000, 3500)),
        ("r5n.8xlarge", same(30000, 6800)),
        ("r5n.24xlarge", same(80000, 19000)),
        ("r5b.24xlarge", same(260_000, 60000)),
        ("x2idn.32xlarge", same(260_000, 80000)),
        ("r8gb.48xlarge", same(1_440_000, 300_000)),
        ("c5.9xlarge", same(40000, 9500)),
        (
            "r5b.large",
            ((5417, 1250, 156_250), (43333, 10000, 1_250_000)),
        ),
        ("r5.large", ((3600, 650, 81_250), (18750, 4750, 593_750))),
        ("t3.large", ((4000, 695, 86_875), (15700, 2780, 347_500))),
        (
            "i4i.2xlarge",
            ((10000, 2500, 312_500), (40000, 10000, 1_250_000)),
        ),
    ];
    for (name, want) in rows {
        let instance = catalog.instance(name).unwrap();
        let (baseline, maximum) = (instance.baseline().unwrap(), instance.maximum().unwrap());
        let figures = |rate: HostRate| (rate.iops, rate.mbps, rate.throughput / 1000);
        assert_eq!((figures(baseline), figures(maximum)), want, "{name}");
    }
    let all = catalog.instances();
    let nitro = catalog.host_kind("nitro").unwrap();
    assert_eq!(all.len(), 1395);
    assert_eq!(
        all.iter().filter(|row| row.maximum().is_some()).count(),
        1376
    );
    assert_eq!(
        all.iter()
            .filter(|row| row.baseline() != row.maximum())
            .count(),
        543
    );
    assert_eq!(
        all.iter().filter(|row| nitro.fits(Some(row))).count(),
        1167 + 154
    );
    assert_eq!(all.iter().filter(|row| row.disks().is_some()).count(), 579);
}

#[test]
fn local_disks_share_the_instances_figures() {
    let catalog = catalog();
    // Streams as iotune measured one disk: 1,922 and 771 MiB/s of an i3's, 2,952 and 2,190 of the
    // i4i.32xlarge's. A family that was not measured has those of one with the same disks.
    for (name, count, gb, iops, streams, like) in [
        ("i3.2xlarge", 1, 1900, (412_500, 180_000), (1922, 782), None),
        (
            "i3.16xlarge",
            8,
            1900,
            (412_500, 175_000),
            (1922, 760),
            None,
        ),
        (
            "i3en.24xlarge",
            8,
            7500,
            (250_000, 200_000),
            (1949, 976),
            None,
        ),
        (
            "i4i.32xlarge",
            8,
            3750,
            (400_000, 220_000),
            (2944, 2183),
            None,
        ),
        (
            "r5d.4xlarge",
            2,
            300,
            (117_000, 57_000),
            (593, 254),
            Some("m5d"),
        ),
        (
            "c6id.8xlarge",
            1,
            1900,
            (536_666, 268_334),
            (2725, 1198),
            Some("all"),
        ),
    ] {
        let instance = catalog.instance(name).unwrap();
        let disks = instance.disks().unwrap();
        assert_eq!((disks.count, disks.gb), (count, gb), "{name}");
        let rates = instance.disk_rates().unwrap();
        assert_eq!((rates.reads, rates.writes), iops, "{name}");
        let found = (rates.read_bytes / MIB, rates.write_bytes / MIB);
        assert_eq!((found, instance.streams_like()), (streams, like), "{name}");
        let size = disks.size().bytes();
        assert!(size <= gb * 1_000_000_000 && size.is_multiple_of(MIB));
    }
}
