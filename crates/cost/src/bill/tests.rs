//! Bills against published totals, and against a slow calculation in fractions.

use blockyard_catalog::PriceFile;
use blockyard_model::units::SECOND;
use blockyard_scenario::load;
use proptest::prelude::*;

use super::*;
use crate::{CopyKind, Item, LinkBytes, Pace};

fn bill(text: &str, terms: &Terms<'_>, pace: Option<&Pace>) -> Result<Bill, String> {
    let loaded = load(text, "b.yaml", &[]).map_err(|error| error.to_string())?;
    let resolved = loaded.resolve().map_err(|error| error.to_string())?;
    let bill = Bill::of(&loaded.scenario, &resolved, terms, pace);
    bill.map_err(|error| error.to_string())
}

fn money(text: &str) -> Money {
    text.parse().unwrap()
}

/// The bills of Percona's post of 28 March 2018, in cents an hour: months of 720 hours, the
/// instance reserved for a year and paid in advance.
#[test]
fn published_totals_come_out() {
    let (gp2, io1) = (
        "{type: gp2, size: 3400GiB}",
        "{type: io1, size: 200GiB, iops: 10000}",
    );
    for (instance, volume, published) in [
        ("r4.2xlarge", gp2, 78.5),
        ("r4.2xlarge", io1, 125.03),
        ("r4.4xlarge", gp2, 109.25),
        ("r4.4xlarge", io1, 156.32),
    ] {
        let text = format!(
            "name: p\nas_of: 2018-03-28\nduration: 1s\nhost: {{instance: {instance}}}\n\
             storage: {{data: {volume}}}\n"
        );
        let terms = Terms {
            term: Term::AllUpfront,
            hours_per_month: 720,
            ..Terms::default()
        };
        let cents = 100.0 * bill(&text, &terms, None).unwrap().per_hour.dollars();
        assert!(
            (cents / published - 1.0).abs() < 0.01,
            "{cents} for {published}"
        );
    }
}

/// gp2 has three IOPS with each GiB at 10 cents, 3.3 cents for one; io1's are 6.5 cents each,
/// beside its GiB at 12.5.
#[test]
fn gp2_and_io1_break_even_where_a_calculation_by_hand_has_it() {
    let month = |volume: &str| {
        let text = format!("name: b\nduration: 1s\nstorage: {{d: {{{volume}}}}}\n");
        bill(&text, &Terms::default(), None).unwrap().per_month
    };
    // gp2 of 3,400 GiB, which has the 10,000 IOPS that were its most in 2018, costs as much as io1
    // of 200 GiB with (340 - 25) / 0.065 = 4,846.2 IOPS.
    assert_eq!(month("type: gp2, size: 3400GiB"), money("340"));
    assert_eq!(
        month("type: io1, size: 200GiB, iops: 4846"),
        money("339.99")
    );
    assert_eq!(
        month("type: io1, size: 200GiB, iops: 4847"),
        money("340.055")
    );
    // At the same IOPS there is none: io1 of the least size, 50 IOPS a GiB, is dearer at any.
    for (iops, gp2, io1) in [
        (300, "10", "20.25"),
        (3000, "100", "202.5"),
        (9999, "333.3", "674.935"),
        (15_999, "533.3", "1079.935"),
    ] {
        let (large, least) = (iops / 3, u32::div_ceil(iops, 50));
        assert_eq!(
            month(&format!("type: gp2, size: {large}GiB")),
            money(gp2),
            "{iops}"
        );
        assert_eq!(
            month(&format!("type: io1, size: {least}GiB, iops: {iops}")),
            money(io1),
            "{iops}"
        );
    }
}

#[test]
fn equal_volumes_and_hosts_stand_on_one_line() {
    let text = "
name: b
duration: 1s
hosts:
  a: {instance: r5b.24xlarge, zone: us-east-1a}
  b: {instance: r5b.24xlarge, zone: us-east-1b}
links: {wire: {between: [a, b], round_trip: 1ms}}
storage:
  data: {host: a, stripe: {width: 5, chunk: 4MiB}, of: {type: gp3, size: 400GiB, iops: 16000, throughput: 1000MiB/s}}
  log: {host: b, type: standard, size: 10GiB}
";
    let found = bill(text, &Terms::default(), None).unwrap();
    assert_eq!(
        (found.region.as_str(), found.region_from),
        ("us-east-1", RegionFrom::Zones)
    );
    let lines: Vec<_> = found
        .lines
        .iter()
        .map(|it| (&*it.of, it.item, it.count, it.per_month))
        .collect();
    assert_eq!(
        lines,
        [
            ("a, b", Item::Instance, 2, money("10441.92")),
            ("data", Item::Capacity, 5, money("160")),
            ("data", Item::Iops, 5, money("325")),
            ("data", Item::Throughput, 5, money("175")),
            ("log", Item::Capacity, 1, money("0.5")),
        ]
    );
    assert_eq!(found.per_month, money("11102.42"));
    assert_eq!(found.notes.len(), 2, "{:?}", found.notes);

    let hour = 3_600_000_000_000;
    let gib = |from: &str, to: &str, gib: u64| LinkBytes {
        from: from.into(),
        to: to.into(),
        bytes: gib << 30,
        copied: 0,
    };
    let pace = Pace {
        whole: 2 * hour,
        links: vec![gib("a", "b", 2), gib("b", "a", 1)],
        measured: hour,
        volume_ios: vec![("log".into(), 2_000_000), ("data.0".into(), 9)],
        transactions: 7_200_000,
        ios: 36_000_000,
    };
    let run = bill(text, &Terms::default(), Some(&pace)).unwrap();
    let lines: Vec<_> = run.lines[5..]
        .iter()
        .map(|it| (it.item, it.amount, it.per_month))
        .collect();
    assert_eq!(
        lines,
        [
            (Item::Requests, 1460.0, money("73")),
            (Item::CrossZone, 1095.0, money("21.9"))
        ]
    );
    assert!(run.notes.is_empty(), "{:?}", run.notes);
    let work = run.work.unwrap();
    assert_eq!((work.iops, work.tps), (10_000.0, Some(2000.0)));
    // 11,197.32 $ a month are 15.34 $ an hour.
    assert_eq!(work.per_1000_iops, Some(money("1119.732")));
    assert_eq!(work.per_tps, Some(money("5.59866")));
    // 11,197.32 $ × 10^6 / 2,000 s / (730 × 3,600 s).
    let million = work.per_million_transactions.unwrap();
    assert_eq!(million, money("2.130388"));

    // What was copied once is priced in a note, and adds nothing to the month.
    let mut with_copy = pace;
    with_copy.links[1].copied = 50 << 30;
    let with_copy = bill(text, &Terms::default(), Some(&with_copy)).unwrap();
    assert_eq!(with_copy.lines, run.lines);
    let note = "copies and resyncs took 50.0 GiB from zone to zone in this run, 1.000 $ once; the month \
                has none";
    assert_eq!(with_copy.notes, [note]);
}

/// Of a run that got half as much done, twice as much went over links for the same work; over links
/// and to volumes of the same names as much as in the other run.
#[test]
fn layouts_are_paid_for_the_same_work() {
    let pace = |names: [&str; 2], (transactions, ios), count| Pace {
        whole: SECOND,
        links: vec![LinkBytes {
            from: "a".into(),
            to: names[0].into(),
            bytes: count,
            copied: 7,
        }],
        measured: SECOND,
        volume_ios: vec![(names[1].into(), count)],
        transactions,
        ios,
    };
    let now = ["b", "d"];
    let whole = pace(now, (100, 4000), 600);
    let others = ["c", "d.0"];
    let half = pace(others, (50, 4000), 300);
    assert_eq!(half.for_work_of(&whole), pace(others, (100, 8000), 600));
    // Without transactions by IOs.
    let ios = pace(others, (0, 2000), 300);
    assert_eq!(ios.for_work_of(&whole), pace(others, (0, 4000), 600));
    let failed = pace(now, (50, 4000), 7).for_work_of(&whole);
    assert_eq!(failed, pace(now, (100, 8000), 600));
    // What did nothing is not scaled.
    for none in [pace(now, (0, 0), 300), Pace::default()] {
        assert_eq!(none.for_work_of(&whole), none);
        assert_eq!(whole.for_work_of(&none), whole);
    }
}

#[test]
fn a_million_transactions_of_a_short_run_are_rounded_once() {
    let text = "name: b\nduration: 1s\nstorage: {d: {type: gp3, size: 100GiB}}\n";
    let pace = Pace {
        whole: 10 * SECOND,
        links: Vec::new(),
        measured: 10 * SECOND,
        volume_ios: Vec::new(),
        transactions: 3_631,
        ios: 0,
    };
    let work = bill(text, &Terms::default(), Some(&pace)).unwrap().work;
    // 8 $ a month: 8 × 10^6 / 363.1 s / (730 × 3,600 s).
    let million = work.unwrap().per_million_transactions.unwrap();
    assert_eq!(million, money("0.008384"));
}

#[test]
fn what_is_wrong_is_said() {
    let text = |rest: &str| {
        format!("name: b\nduration: 1s\nstorage: {{d: {{type: gp3, size: 9GiB}}}}\n{rest}")
    };
    let wrong = |rest: &str, terms: Terms<'_>| bill(&text(rest), &terms, None).unwrap_err();
    assert_eq!(
        wrong("region: us-eats-1\n", Terms::default()),
        "b.yaml:4: region: no region is called `us-eats-1`; did you mean `us-east-1`?"
    );
    let asked = Terms {
        region: Some("eu-wst-1"),
        ..Terms::default()
    };
    let expected = "no region is called `eu-wst-1`; did you mean `eu-west-1`?";
    assert_eq!(wrong("", asked), expected);
    let hours = Terms {
        hours_per_month: 800,
        ..Terms::default()
    };
    assert_eq!(
        wrong("", hours),
        "`800` are not the hours of a month; expected 1 to 744"
    );
    let taipei = wrong("region: ap-east-2\n", Terms::default());
    assert!(
        taipei.starts_with("no price is known of gp3 volumes in ap-east-2; "),
        "{taipei}"
    );

    let ours = "prices: [{region: ap-southeast-2, observed: 2026-11-01, source: our quotation, \
                snapshots: 0.055, volumes: [{type: gp3, capacity: 0.1, iops: [{above: 3000, price: 0.006}], \
                throughput: [{above: 125MiB/s, price: 0.05}]}]}]";
    let ours = PriceFile::parse(Catalog::get().unwrap(), ours, "ours.yaml").unwrap();
    let terms = Terms {
        prices: Some(&ours),
        snapshots: Some("100GiB".parse().unwrap()),
        ..Terms::default()
    };
    let found = bill(&text("region: ap-southeast-2\n"), &terms, None).unwrap();
    assert_eq!(found.per_month, money("6.4"));
    assert!(
        found
            .lines
            .iter()
            .all(|line| line.users && line.source == "our quotation")
    );
    assert_eq!(found.notes, ["no instance is stated; the bill has none"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every host and volume for itself, in fractions of a millionth × GiB × hour.
    #[test]
    fn a_bill_is_what_each_host_and_volume_costs(
        width in 1_u64..12,
        gib in 100_u64..2000,
        iops in 3000_u64..50_000,
        reserved in any::<bool>(),
        hours in 1_u32..=744,
    ) {
        let text = format!(
            "name: b\nduration: 1s\nhost: {{instance: r5.24xlarge}}\nstorage:\n  \
             a: {{stripe: {{width: {width}, chunk: 1MiB}}, of: {{type: io2, size: {gib}GiB, iops: {iops}}}}}\n  \
             b: {{linear: [{{type: gp3, size: {gib}GiB}}, {{type: gp2, size: 7GiB}}]}}\n"
        );
        let term = if reserved { Term::NoUpfront } else { Term::OnDemand };
        let terms = Terms { term, hours_per_month: hours, ..Terms::default() };
        let found = bill(&text, &terms, None).unwrap();

        // Millionths of a dollar a month, exactly: no price here has more than two decimals more.
        let mut volumes: i128 = 0;
        for _ in 0..width {
            volumes += 125_000 * i128::from(gib);
            for io in 1..=iops {
                volumes += if io <= 32_000 { 65_000 } else { 45_500 };
            }
        }
        volumes += 80_000 * i128::from(gib) + 100_000 * 7;
        let hour: i128 = if reserved { 3_810_000 } else { 6_048_000 };
        let month = volumes + hour * i128::from(hours);
        prop_assert_eq!(i128::from(found.per_month.micros()), month);
        let off = i128::from(found.per_hour.micros()) * i128::from(hours) - month;
        let lines = i128::try_from(found.lines.len()).unwrap();
        prop_assert!(2 * off.abs() <= lines * i128::from(hours), "off by {}", off);
    }
}

/// One copy of all data is priced beside the bill, where it goes from zone to zone.
#[test]
fn a_copy_of_all_data_has_its_price_beside_the_bill() {
    let text = |zones: [&str; 2], engine: &str, replicates: &str| {
        let [a, b] = zones.map(|zone| format!("{{instance: m5.xlarge, zone: {zone}}}"));
        format!(
            "name: b\nduration: 1s\nhosts: {{a: {a}, b: {b}}}\n\
             links: {{ab: {{between: [a, b], round_trip: 1ms}}, m: {{between: [a, b], round_trip: 1ms}}}}\n\
             storage:\n  data: {{type: gp3, size: 100GiB, host: a}}\n  \
             copy: {{type: gp3, size: 100GiB, host: b}}\n  \
             both: {{mirror: {{legs: {{a: {{type: gp3, size: 50GiB, host: a}}, \
             b: {{type: gp3, size: 50GiB, host: b}}}}, link: m}}}}\n\
             workload: {{shop: {{kind: oltp, engine: {engine}, on: data, data_size: 10GiB, \
             pool: 1GiB, threads: 1, {replicates}: {{nodes: {{b: {{on: copy}}}}}}, \
             transactions: {{t: {{pages: 1, cpu: 1ms}}}}}}}}\n"
        )
    };
    let (here, there) = ("us-east-1a", "us-east-1b");
    let cases = [
        ("innodb", "galera", CopyKind::StateTransfer),
        ("postgres", "standbys", CopyKind::BaseBackup),
        ("mariadb, binlog: 1GiB", "standbys", CopyKind::Replica),
    ];
    for (engine, replicates, kind) in cases {
        let apart = bill(
            &text([here, there], engine, replicates),
            &Terms::default(),
            None,
        );
        let copies = apart.unwrap().copies;
        let said: Vec<_> = copies
            .iter()
            .map(|it| (it.of.as_str(), it.kind, it.gib, it.each))
            .collect();
        let expected = [
            ("shop", kind, 10.0, money("0.2")),
            ("both", CopyKind::Resync, 50.0, money("1")),
        ];
        assert_eq!(said, expected);
        let beside = bill(
            &text([here, here], engine, replicates),
            &Terms::default(),
            None,
        );
        assert!(beside.unwrap().copies.is_empty());
    }
}
