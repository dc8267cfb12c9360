use blockyard_model::spec::Discipline;
use blockyard_model::units::{GIB, MIB};
use blockyard_text::units::{Size, Throughput};

use super::*;
use crate::files::{EMBEDDED, Texts};

mod figures;
mod hosts;
mod profiles;
mod properties;
mod refusals;

fn catalog() -> &'static Catalog {
    Catalog::get().unwrap()
}

fn day(text: &str) -> Option<Date> {
    Some(text.parse().unwrap())
}

/// An ask for a volume of whole GiB: size, IOPS, MiB/s; 0 for none.
fn ask(gib: u64, iops: u64, mib_per_s: u64) -> Ask {
    let stated = |n: u64| (n > 0).then_some(n);
    Ask {
        size: stated(gib).map(|n| Size::new(n * GIB)),
        iops: stated(iops),
        throughput: stated(mib_per_s).map(|n| Throughput::new(n * MIB)),
    }
}

#[test]
fn every_row_has_a_source_and_periods_do_not_overlap() {
    let catalog = catalog();
    for (name, rows) in &catalog.volumes.types {
        for (index, row) in rows.iter().enumerate() {
            assert!(!row.sources.is_empty() || row.as_stated, "{name}");
            for later in rows[index + 1..]
                .iter()
                .filter(|later| later.host == row.host)
            {
                let last = row.period().valid_to.expect(name);
                assert!(last < later.period().start(), "{name} {last}");
            }
        }
    }
    for instance in catalog.instances() {
        let source = catalog.source_of(instance, None).unwrap();
        assert!(source.url.starts_with("https://"), "{source:?}");
    }
}

#[test]
fn ebs_serves_reads_and_writes_in_turn_which_is_inferred_and_a_local_disk_does_not() {
    let catalog = catalog();
    for name in ["gp2", "gp3", "io1", "io2", "st1", "sc1", "standard"] {
        for offer in catalog.volume_type(name).unwrap().offers(None).unwrap() {
            let (order, note) = offer.discipline();
            assert_eq!(order, Discipline::PerDirection, "{name}");
            let note = note.unwrap().to_string();
            assert!(
                note.starts_with("discipline inferred: not published;"),
                "{note}"
            );
        }
    }
    for name in ["instance-store", "unlimited"] {
        let offers = catalog.volume_type(name).unwrap().offers(None).unwrap();
        assert_eq!(offers[0].discipline(), (Discipline::Fifo, None), "{name}");
    }
}

#[test]
fn a_new_type_of_the_known_kinds_is_a_change_of_text() {
    let text = format!(
        "{}\n  px9:
    - observed: 2030-01-01
      sources: [API]
      confidence: high
      latency: zero
      counted_in: 64KiB
      size: {{min: 1GiB, max: 1TiB, step: 1GiB}}
      limits:
        - {{name: iops, unit: io, rate: {{by_size: [{{up_to: 10GiB, rate: 700}}, {{rate: 900}}]}}, depth: short}}
",
        EMBEDDED.volumes
    );
    let texts = Texts {
        volumes: &text,
        ..EMBEDDED
    };
    let catalog = Catalog::parse(&texts).unwrap();
    let px9 = catalog.volume_type("px9").unwrap();
    for (gib, iops) in [(10, 700), (11, 900)] {
        let limits = px9
            .limits(&ask(gib, 0, 0), None, day("2031-01-01"))
            .unwrap();
        assert_eq!(limits.limits[0].rate, iops);
    }
}

#[test]
fn a_wrong_catalog_says_where() {
    let wrong = [
        (
            "sources: [D18, D18b]",
            "sources: [D17]",
            "`D17` is not in sources.yaml; did you mean `D18`?",
        ),
        (
            "counted_in: 256KiB",
            "counted_in: 100KiB",
            "`counted_in` is 100KiB; expected a power of two",
        ),
        (
            "host: nitro\n",
            "host: nitor\n",
            "`nitor` is not in `hosts`; did you mean `nitro`?",
        ),
        (
            "max_unless: {host: nitro, rate: 32000}",
            "max_unless: {host: nitro, rate: 32MiB/s}",
            "limit `iops`: `max_unless` is in another unit than the limit",
        ),
        (
            "platform: [nitro, metal]",
            "platform: [nitro, metall]",
            "`metall` is not a platform of instances.yaml",
        ),
        (
            "  standard:\n    - observed: 2018-02-02",
            "  standard:\n    - observed: 2018-02-02\n      host: block-express-2021",
            "expected at least one row for a host that is not stated",
        ),
        (
            "latency: gp2",
            "latency: gp9",
            "no latency profile is called `gp9`; did you mean `gp3`?",
        ),
        (
            "credits: true, below",
            "credit: true, below",
            "unknown key; did you mean `credits`?",
        ),
        (
            "rate: {by_size: [{up_to: 170GiB, rate: 128MiB/s}, {rate: 160MiB/s}]}",
            "rate: {fixed: 128}",
            "limit `throughput`: a limit in bytes has a rate in IOs a second",
        ),
        (
            "{instance_store: read_bytes}",
            "{instance_store: reads}",
            "limit `read_throughput`: a limit in bytes has a rate in IOs a second",
        ),
        (
            "{name: read_iops",
            "{name: reads",
            "limit `reads`: a limit that counts so is called `read_iops`, of the form [read_|write_](iops|throughput)[_credits]",
        ),
        (
            "discipline: per_direction",
            "discipline: per_submitter",
            "its `discipline` is not in `disciplines`",
        ),
    ];
    for (right, text, message) in wrong {
        let text = EMBEDDED.volumes.replacen(right, text, 1);
        let texts = Texts {
            volumes: &text,
            ..EMBEDDED
        };
        let error = Catalog::parse(&texts).unwrap_err();
        assert_eq!(error.message(), message);
        assert!(
            error.to_string().starts_with("catalog/volumes.yaml:"),
            "{error}"
        );
    }
}

/// What is said of a table of instances with `right`, where it first stands, written `wrong`.
fn said_of_table(right: &str, wrong: &str) -> String {
    let texts = Texts {
        instance_table: &EMBEDDED.instance_table.replacen(right, wrong, 1),
        ..EMBEDDED
    };
    Catalog::parse(&texts).unwrap_err().to_string()
}

#[test]
fn a_wrong_table_says_where() {
    assert_eq!(
        said_of_table("a1.2xlarge,8,", "a1.2xlarge,eight,"),
        "catalog/instances.csv:3: `eight` is not a whole number"
    );
}

#[test]
fn generations_and_purposes_are_those_of_ec2() {
    let catalog = Catalog::get().unwrap();
    let of = |name: &str| {
        let instance = catalog.instance(name).unwrap();
        (instance.generation(), instance.purpose())
    };
    use crate::{
        Generation::{Current, Previous},
        Purpose,
    };
    assert_eq!(of("a1.4xlarge"), (Previous, Purpose::General));
    assert_eq!(of("r5b.24xlarge"), (Current, Purpose::General));
    assert_eq!(of("t4g.medium"), (Current, Purpose::Burstable));
    assert_eq!(of("gr6f.4xlarge"), (Current, Purpose::Accelerated("GPU")));
    assert_eq!(of("g5.xlarge"), (Previous, Purpose::Accelerated("GPU")));
    assert_eq!(of("trn2u.48xlarge").1, Purpose::Accelerated("training"));
    assert_eq!(of("hpc7g.4xlarge").1, Purpose::HighPerformance);
    assert_eq!(of("mac2.metal").1, Purpose::Mac);
    assert_eq!(
        said_of_table(",arm64,previous,", ",arm64,old,"),
        "catalog/instances.csv:3: `old` is no generation"
    );
}

#[test]
fn names_of_a_table_rise() {
    assert_eq!(
        said_of_table("\na1.large,", "\na1.2xlarge,"),
        "catalog/instances.csv:5: `a1.2xlarge` after `a1.4xlarge`; expected rising names"
    );
}

#[test]
fn every_instance_is_found_by_its_name() {
    let catalog = catalog();
    for instance in catalog.instances() {
        assert!(std::ptr::eq(
            catalog.instance(instance.name()).unwrap(),
            instance
        ));
    }
}

#[test]
fn a_type_can_be_for_some_hosts_only() {
    let text = EMBEDDED.volumes.replacen(
        "    - observed: 2020-08-26\n      sources: [D2008, D23pi]",
        "    - observed: 2020-08-26\n      host: nitro\n      sources: [D2008, D23pi]",
        1,
    );
    let texts = Texts {
        volumes: &text,
        ..EMBEDDED
    };
    let catalog = Catalog::parse(&texts).unwrap();
    let offer = |host| {
        let host = catalog.instance(host).unwrap();
        catalog.volume_type("io2").unwrap().offer(Some(host), None)
    };
    assert!(offer("r5n.24xlarge").is_ok());
    let refusal = offer("r4.4xlarge").unwrap_err();
    assert_eq!(refusal.field(), Field::Type);
    assert_eq!(
        refusal.to_string(),
        "the catalog has no rule of `io2` for this host"
    );
}

#[test]
fn offers_of_a_day_are_those_that_held_or_else_the_earliest() {
    let observed = |name, day| -> Vec<String> {
        let offers = catalog().volume_type(name).unwrap().offers(day).unwrap();
        let days = offers.iter().map(|offer| offer.period().observed);
        days.map(|day| day.to_string()).collect()
    };
    assert_eq!(observed("gp3", None), ["2020-12-03", "2025-09-30"]);
    assert_eq!(observed("gp3", day("2022-11-10")), ["2020-12-03"]);
    assert_eq!(observed("gp2", day("2015-01-01")), ["2018-02-02"]);
    // One rule for each kind of host.
    assert_eq!(observed("io2", day("2022-11-10")).len(), 2);
}

#[test]
fn there_are_nine_patterns() {
    assert_eq!(catalog().patterns().len(), 9);
}

#[test]
fn a_rule_holds_from_its_first_day_to_its_last() {
    let catalog = catalog();
    let gp3 = catalog.volume_type("gp3").unwrap();
    let rule = |on: &str| gp3.offer(None, day(on)).unwrap();
    // gp3's maximum was raised from 16,000 to 80,000 IOPS by 2025-09-30.
    let last_day = rule("2025-09-29");
    assert!(last_day.limits(&ask(1000, 20_000, 0)).is_err());
    assert!(last_day.assumptions().is_empty());
    assert!(rule("2025-09-30").limits(&ask(1000, 20_000, 0)).is_ok());
}

#[test]
fn no_type_is_to_be_had_before_its_first_month() {
    let refused = |name, on| {
        let volume_type = catalog().volume_type(name).unwrap();
        volume_type.offer(None, day(on)).err()
    };
    assert_eq!(
        refused("gp3", "1999-01-01").unwrap().to_string(),
        "`gp3` was not available on 1999-01-01; it launched on 2020-12-01, the earliest as_of \
         (EC2 user guide 2020-12-03)"
    );
    assert!(refused("gp3", "2020-11-30").is_some());
    assert!(refused("gp3", "2020-12-01").is_none());
    // Before every known rule, but after the launch.
    assert!(refused("gp2", "2015-01-01").is_none());
    let gp3 = catalog().volume_type("gp3").unwrap();
    assert!(gp3.offers(day("1999-01-01")).is_err());
}

#[test]
fn a_day_after_every_source_is_said() {
    // The newest source is dated 2026-11, which may be any day of that month.
    assert_eq!(catalog().outdated(day("2026-11-30")), None);
    assert_eq!(catalog().outdated(None), None);
    assert_eq!(
        catalog().outdated(day("2026-12-01")).unwrap().to_string(),
        "the catalog's newest source is of 2026-11-30; limits may have changed by 2026-12-01"
    );
}
