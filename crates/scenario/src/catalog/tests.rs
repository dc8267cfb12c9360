use blockyard_model::units::{GIB, MIB};

use super::*;
use crate::units::{Size, Throughput};

mod figures;
mod refusals;

fn catalog() -> &'static Catalog {
    Catalog::embedded().unwrap()
}

fn day(text: &str) -> Option<Date> {
    Some(text.parse().unwrap())
}

/// What is asked of a volume of whole GiB: size, IOPS, MiB/s; 0 for none.
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
            assert!(!row.sources.is_empty() || row.limits.is_empty(), "{name}");
            for later in rows[index + 1..]
                .iter()
                .filter(|later| later.host == row.host)
            {
                let last = row.period().valid_to.expect(name);
                assert!(last < later.period().start(), "{name} {last}");
            }
        }
    }
    for listing in catalog.instances(None, None).unwrap() {
        assert!(listing.source.contains("<https://"), "{listing:?}");
    }
}

#[test]
fn names_of_limits_need_no_quotes() {
    let catalog = catalog();
    for row in catalog.volumes.types.values().flatten() {
        for limit in &row.limits {
            let plain = |c: char| c.is_ascii_lowercase() || c == '_';
            assert!(limit.name.chars().all(plain), "{}", limit.name);
        }
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
    let rule = catalog.volume_rule("px9", day("2031-01-01"), None).unwrap();
    for (gib, iops) in [(10, 700), (11, 900)] {
        let given = rule.provision(&ask(gib, 0, 0)).unwrap();
        assert_eq!(rule.row().limits[0].rate.apply(&given), iops);
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

#[test]
fn a_wrong_table_says_where() {
    let text = EMBEDDED
        .instance_table
        .replacen("a1.2xlarge,8,", "a1.2xlarge,eight,", 1);
    let texts = Texts {
        instance_table: &text,
        ..EMBEDDED
    };
    let error = Catalog::parse(&texts).unwrap_err();
    assert_eq!(
        error.to_string(),
        "catalog/instances.csv:3: `eight` is not a whole number"
    );
}

#[test]
fn listings_filter_by_text_and_day() {
    let catalog = catalog();
    let types = |day, filter| -> Vec<(String, String)> {
        let rows = catalog.volumes(day, filter).unwrap();
        rows.iter()
            .map(|row| (row.volume_type.clone(), row.observed.to_string()))
            .collect()
    };
    let row = |name: &str, day: &str| (name.to_owned(), day.to_owned());
    assert_eq!(
        types(None, Some("GP3")),
        [row("gp3", "2020-12-03"), row("gp3", "2025-09-30")]
    );
    assert_eq!(
        types(day("2022-11-10"), Some("gp3")),
        [row("gp3", "2020-12-03")]
    );
    assert_eq!(
        types(day("2015-01-01"), Some("gp2")),
        [row("gp2", "2018-02-02")]
    );
    let early = &catalog.volumes(day("2015-01-01"), Some("gp2")).unwrap()[0];
    assert_eq!(
        early.assumed.as_deref(),
        Some("the earliest rule, used for 2015-01-01")
    );
    assert_eq!(
        catalog.volumes(None, Some("gp33")).unwrap_err(),
        "no volume type is called `gp33`; did you mean `gp3`?"
    );

    let r5n = catalog
        .instances(day("2024-01-01"), Some("r5n.24"))
        .unwrap();
    assert_eq!(r5n.len(), 1);
    assert_eq!(
        (r5n[0].maximum.unwrap().mb_per_s, r5n[0].assumed),
        (2375.0, false)
    );
    assert!(
        catalog
            .instances(day("2022-11-10"), Some("r5n.24"))
            .unwrap()[0]
            .assumed
    );
    assert_eq!(
        catalog.instances(None, Some("r5n.24xlarg3")).unwrap_err(),
        "no instance type is called `r5n.24xlarg3`; did you mean `r5n.24xlarge`?"
    );
}

#[test]
fn profiles_have_the_means_they_were_chosen_for() {
    let catalog = catalog();
    let mean_us = |name: &str| {
        let spec = &catalog.profile(name).unwrap().spec;
        let table = spec.read.windows(2);
        let flat: f64 = table
            .map(|p| (p[1].0 - p[0].0) * (p[0].1 + p[1].1) as f64 / 2.0)
            .sum();
        let stay: u64 = spec.slow.iter().map(|state| state.mean).sum();
        let slowed = spec
            .slow
            .iter()
            .map(|s| f64::from(s.multiplier_permille) / 1000.0 * s.mean as f64);
        let factor = if stay == 0 {
            1.0
        } else {
            slowed.sum::<f64>() / stay as f64
        };
        flat * factor / 1000.0
    };
    assert!(
        (600.0..750.0).contains(&mean_us("gp3")),
        "{}",
        mean_us("gp3")
    );
    assert!(
        mean_us("io2-block-express") < 500.0,
        "{}",
        mean_us("io2-block-express")
    );
    assert_eq!(mean_us("zero"), 0.0);
}

#[test]
fn there_are_nine_patterns() {
    assert_eq!(catalog().patterns().len(), 9);
}

#[test]
fn a_rule_holds_from_its_first_day_to_its_last() {
    let catalog = catalog();
    let rule = |on: &str| catalog.volume_rule("gp3", day(on), None).unwrap();
    // gp3's maximum was raised from 16,000 to 80,000 IOPS by 2025-09-30.
    let last_day = rule("2025-09-29");
    assert!(last_day.provision(&ask(1000, 20_000, 0)).is_err());
    assert_eq!(last_day.assumptions(), Vec::<String>::new());
    assert!(rule("2025-09-30").provision(&ask(1000, 20_000, 0)).is_ok());
}

#[test]
fn no_type_is_to_be_had_before_its_first_month() {
    let refused = |volume_type, on| catalog().volume_rule(volume_type, day(on), None).err();
    assert_eq!(
        refused("gp3", "1999-01-01").unwrap(),
        "`gp3` was not to be had on 1999-01-01; expected as_of 2020-12-01 or later \
         (EC2 user guide 2020-12-03)"
    );
    assert!(refused("gp3", "2020-11-30").is_some());
    assert!(refused("gp3", "2020-12-01").is_none());
    // Older than every rule that was seen of it, but there.
    assert!(refused("gp2", "2015-01-01").is_none());
    let listed = |filter| catalog().volumes(day("1999-01-01"), filter);
    assert!(listed(Some("gp3")).unwrap_err().contains("not to be had"));
    assert!(
        listed(None)
            .unwrap()
            .iter()
            .all(|row| row.volume_type != "gp3")
    );
}

#[test]
fn a_day_after_every_source_is_said() {
    // The newest source is of 2026-11, which may be any day of it.
    assert_eq!(catalog().outdated(day("2026-11-30")), None);
    assert_eq!(catalog().outdated(None), None);
    assert_eq!(
        catalog().outdated(day("2026-12-01")).unwrap(),
        "the catalog's newest source is of 2026-11-30; limits may have changed by 2026-12-01"
    );
}
