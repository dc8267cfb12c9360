//! The latency profiles against what they were made from, and what is wrong with one.

use blockyard_model::spec::QuantileTable;

use super::*;

/// Mean of a table, in microseconds.
fn mean_us(table: &QuantileTable) -> f64 {
    let pieces = table.windows(2);
    let area = pieces.map(|p| (p[1].0 - p[0].0) * (p[0].1 + p[1].1) as f64 / 2.0);
    area.sum::<f64>() / 1000.0
}

/// The share of a table above `us` microseconds, in percent.
fn percent_above(table: &QuantileTable, us: u64) -> f64 {
    let (low, high) = table
        .windows(2)
        .map(|pair| (pair[0], pair[1]))
        .find(|(_, high)| high.1 > us * 1000)
        .unwrap();
    let part = ((us * 1000 - low.1) as f64 / (high.1 - low.1) as f64).max(0.0);
    100.0 * (1.0 - low.0 - (high.0 - low.0) * part)
}

fn spec(name: &str) -> &'static blockyard_model::spec::LatencySpec {
    &catalog().profile(name).unwrap().spec
}

#[test]
fn gp3_has_the_distribution_of_its_rows() {
    let gp3 = spec("gp3");
    // nvmestat-001: the guest's mean; the controller's shares, which the guest's exceed a little.
    assert!((570.0..615.0).contains(&mean_us(&gp3.read)));
    for (us, measured) in [(1024, 0.97), (2048, 0.114), (4096, 0.005)] {
        let share = percent_above(&gp3.read, us);
        assert!((measured..1.6 * measured).contains(&share), "{us}: {share}");
    }
    let quotient = mean_us(&gp3.write) / mean_us(&gp3.read);
    assert!((1.2..1.3).contains(&quotient), "{quotient}");
    assert!(gp3.slow.is_empty() && gp3.spread_permille == 150);
}

#[test]
fn other_profiles_have_the_means_of_their_rows() {
    // liang-036, liang-047; OPT26 and the figures of 2023.
    for (name, mean) in [("gp2", 601.0), ("io1", 569.0)] {
        let modelled = mean_us(&spec(name).write);
        assert!((modelled / mean - 1.0).abs() < 0.02, "{name}: {modelled}");
    }
    let express = spec("io2-block-express");
    assert!((300.0..400.0).contains(&mean_us(&express.read)));
    let tenth = percent_above(&spec("gp3").read, 800) / 10.0;
    assert!(percent_above(&express.read, 800) <= tenth);
    assert_eq!(mean_us(&spec("zero").read), 0.0);
}

#[test]
fn every_part_says_what_it_rests_on() {
    let wrong = [
        (
            "rows: [nvmestat-001,",
            "rows: [nvmestat-1,",
            "read: `nvmestat-1` is no id of a measurement; expected one as in `longhorn-001`",
        ),
        (
            "    rows: [liang-047]\n",
            "",
            "write: `measured` needs a `source` or `rows`",
        ),
        (
            "  spread: {basis: assumed, why: as io1, value: 15%}",
            "  spread: 15%",
            "spread: `basis` is missing",
        ),
        (
            "  base_size: {basis: assumed, why: rates are published for 4 KiB, value: 4KiB}\n",
            "",
            "`base_size` is missing; give it, or with `like` a profile that has it",
        ),
        (
            "source: OPT26",
            "source: OPT27",
            "`OPT27` is not in sources.yaml; did you mean `OPT26`?",
        ),
        (
            "\nio1:\n",
            "\nio1:\n  like: gp3\n",
            "`like` in the catalog; expected every part",
        ),
    ];
    for (right, text, message) in wrong {
        assert!(EMBEDDED.latency.contains(right), "{right}");
        let text = EMBEDDED.latency.replacen(right, text, 1);
        let texts = Texts {
            latency: &text,
            ..EMBEDDED
        };
        let error = Catalog::parse(&texts).unwrap_err();
        assert_eq!(error.message(), message);
        let place = error.place().to_string();
        assert!(place.starts_with("catalog/latency.yaml:"), "{error}");
    }
}
