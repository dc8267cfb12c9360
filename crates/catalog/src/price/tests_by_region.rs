//! Prices of every region against public spot checks, and the tables by region.

use blockyard_text::units::{Date, Money};

use super::by_region::{RegionTable, TABLES};
use super::data::PriceData;
use super::tests::{catalog, gib, money, volume};
use crate::files::EMBEDDED;
use crate::{PriceFile, Term};

/// A price that a public source other than the catalog's states.
enum Of {
    Instance(&'static str),
    /// A month of so many GiB with so many IOPS.
    Volume(&'static str, u64, Option<u64>),
    Snapshots,
}

/// Source, region, what, and dollars. Of a volume for all of it.
const SPOT_CHECKS: [(&str, &str, Of, &str); 25] = {
    use Of::{Instance, Snapshots, Volume};
    const JANITOR: &str = "AWS price list of 2026-10-06 as read by shubhamsugara/Janitor";
    const TOKYO: &str = "AWS price list of 2026-09-10, script with SKUs";
    const AWSLAB: &str = "documents that quote BoxUsage of AWS's price list";
    const INFRACOST: &str = "Infracost's golden tests";
    [
        (JANITOR, "us-east-1", Volume("gp2", 100, None), "10"),
        (JANITOR, "us-east-1", Volume("st1", 1000, None), "45"),
        (JANITOR, "us-east-1", Volume("sc1", 1000, None), "15"),
        (JANITOR, "us-east-1", Snapshots, "0.05"),
        (JANITOR, "us-west-2", Volume("gp3", 100, Some(4000)), "13"),
        (JANITOR, "us-west-2", Volume("io1", 100, Some(1000)), "77.5"),
        (
            JANITOR,
            "us-west-2",
            Volume("io2", 100, Some(64_001)),
            "3548.53185",
        ),
        (JANITOR, "us-west-2", Snapshots, "0.05"),
        (JANITOR, "eu-west-1", Volume("gp2", 100, None), "11"),
        (JANITOR, "eu-west-1", Volume("gp3", 100, Some(4000)), "14.3"),
        (JANITOR, "eu-west-1", Volume("io1", 100, Some(1000)), "85.8"),
        (
            JANITOR,
            "eu-west-1",
            Volume("io2", 100, Some(33_000)),
            "2368.2",
        ),
        (JANITOR, "eu-west-1", Volume("st1", 1000, None), "50"),
        (JANITOR, "eu-west-1", Volume("sc1", 1000, None), "16.8"),
        (TOKYO, "ap-northeast-1", Volume("st1", 1000, None), "54"),
        (TOKYO, "ap-northeast-1", Volume("sc1", 1000, None), "18"),
        (
            TOKYO,
            "ap-northeast-1",
            Volume("io1", 100, Some(1000)),
            "88.2",
        ),
        (AWSLAB, "ap-southeast-1", Instance("t3.small"), "0.0264"),
        (AWSLAB, "ap-southeast-1", Instance("t3.xlarge"), "0.2112"),
        (AWSLAB, "eu-central-1", Instance("t4g.small"), "0.0192"),
        (AWSLAB, "eu-north-1", Instance("t4g.xlarge"), "0.1376"),
        (AWSLAB, "ap-southeast-2", Instance("t4g.medium"), "0.0424"),
        (AWSLAB, "eu-west-1", Instance("g5.xlarge"), "1.123"),
        (INFRACOST, "us-east-1", Instance("r3.xlarge"), "0.333"),
        (INFRACOST, "us-east-1", Instance("m4.large"), "0.1"),
    ]
};

#[test]
fn prices_are_those_that_others_quote() {
    for (source, region, what, expected) in SPOT_CHECKS {
        let list = catalog().prices(region, None).unwrap();
        let found = match what {
            Of::Instance(name) => list.instance(name, Term::OnDemand).unwrap().amount,
            Of::Volume(name, size, iops) => {
                let lines = list.volume(name, &volume(gib(size), iops, None)).unwrap();
                lines.iter().map(|line| line.month).sum()
            }
            Of::Snapshots => list.snapshots().unwrap().amount,
        };
        assert_eq!(found, money(expected), "{region}: {source}");
    }
}

#[test]
fn every_cell_of_the_tables_is_a_price_of_a_known_type_in_a_known_region() {
    let tree = blockyard_text::tree::parse(EMBEDDED.prices, "prices.yaml").unwrap();
    let data: PriceData = blockyard_text::tree::from_node(&tree).unwrap();
    let tables = RegionTable::all(&data, EMBEDDED.prices_by_region);
    for ((table, text), (source, _)) in tables.iter().zip(EMBEDDED.prices_by_region).zip(TABLES) {
        let mut read = 0;
        for region in table.regions() {
            assert!(catalog().prices(region, None).is_ok(), "{source} {region}");
            let sheet = table.sheet(region).unwrap();
            for instance in &sheet.instances {
                assert!(
                    catalog().instance(&instance.name).is_ok(),
                    "{}",
                    instance.name
                );
            }
            read += sheet.instances.len();
        }
        let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
        let cells = rows.flat_map(|row| row.split(',').skip(1));
        assert_eq!(
            read,
            cells.filter(|cell| !cell.is_empty()).count(),
            "{source}"
        );
        assert!(read > 1000, "{source}: {read}");
    }
}

#[test]
fn every_region_has_prices_of_instances() {
    for region in catalog().regions() {
        let list = catalog().prices(region, None).unwrap();
        let priced = |term| {
            let all = catalog().instances().iter();
            all.filter(|one| list.instance(one.name(), term).is_ok())
                .count()
        };
        assert!(priced(Term::OnDemand) > 150, "{region}");
        assert_eq!(priced(Term::AllUpfront3y) > 1200, region == "us-east-1");
    }
}

#[test]
fn three_years_cost_less_than_one_and_one_less_than_none() {
    let list = catalog().prices("us-east-1", None).unwrap();
    let hour = |term| list.instance("m5.2xlarge", term).map(|it| it.amount);
    let (none, one) = (
        hour(Term::OnDemand).unwrap(),
        hour(Term::NoUpfront).unwrap(),
    );
    let three = hour(Term::AllUpfront3y).unwrap();
    assert!(three < one && one < none, "{three} {one} {none}");
    let error = hour(Term::SavingsPlan).unwrap_err().to_string();
    let expected = "no price is known of m5.2xlarge on a Savings Plan in us-east-1 \
                    (known: on-demand, 1y-no-upfront, 3y-all-upfront)";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn ebs_optimization_is_charged_where_it_does_not_come_with_the_instance() {
    let list = catalog().prices("us-east-1", None).unwrap();
    let charged = list.ebs_optimized("r3.xlarge").unwrap();
    assert_eq!(charged.amount, money("0.02"));
    assert!(charged.assumptions().next().is_some());
    let day: Date = "2010-01-01".parse().unwrap();
    let early = catalog().prices("us-west-2", Some(day)).unwrap();
    let words: Vec<String> = (early.ebs_optimized("m1.large").unwrap().assumptions())
        .map(|it| it.to_string())
        .collect();
    assert!(
        words.iter().any(|it| it.contains("2010-01-01")),
        "{words:?}"
    );
    for name in ["r6i.large", "r3.8xlarge", "m4.large"] {
        assert!(list.ebs_optimized(name).is_none(), "{name}");
    }
    let all = catalog().instances().iter();
    let charged = all.filter(|one| list.ebs_optimized(one.name()).is_some());
    assert_eq!(charged.count(), 16);
}

fn file(text: &str) -> PriceFile {
    PriceFile::parse(catalog(), text, "ours.yaml").unwrap()
}

#[test]
fn a_discount_is_taken_off_the_catalogs_prices_and_off_ours() {
    let ours = file(
        "discount: 12%\nprices:\n  - {region: us-east-1, observed: 2026-11-01, source: me, \
         instances: [{type: r5.large, on_demand: 0.1}]}\n  - {region: us-east-1, observed: \
         2026-11-01, source: them, discount: 50%, snapshots: 0.04}",
    );
    let list = catalog().prices("us-east-1", None).unwrap().with(&ours);
    let price = list.instance("r5.large", Term::OnDemand).unwrap();
    assert_eq!(price.amount, money("0.088"));
    assert_eq!(price.discount.unwrap().to_string(), "12%");
    let lines = list
        .volume("gp3", &volume(gib(100), Some(4000), None))
        .unwrap();
    let months: Vec<Money> = lines.iter().map(|line| line.month).collect();
    assert_eq!(months, [money("7.04"), money("4.4")]);
    assert_eq!(list.snapshots().unwrap().amount, money("0.02"));
    let plain = catalog().prices("us-east-1", None).unwrap();
    assert!(plain.snapshots().unwrap().discount.is_none());
}

#[test]
fn a_savings_plan_is_a_rate_or_a_share_off_on_demand() {
    let ours = file(
        "savings_plan: 28%\nprices: [{region: eu-west-1, observed: 2026-11-01, source: me, \
         instances: [{type: r6i.large, savings_plan: 0.09}]}]",
    );
    let list = catalog().prices("eu-west-1", None).unwrap().with(&ours);
    let hour = |name| list.instance(name, Term::SavingsPlan).unwrap().amount;
    assert_eq!(hour("r6i.large"), money("0.09"));
    let demand = list.instance("r6i.xlarge", Term::OnDemand).unwrap().amount;
    assert_eq!(hour("r6i.xlarge"), demand.times(72, 100));
}

#[test]
fn a_price_file_without_prices_is_an_error() {
    for (text, expected) in [
        (
            "{}",
            "has no price; expected `prices`, `discount` or `savings_plan`",
        ),
        ("discount: 120%", "`120%` is too large for a percentage"),
        ("discount: -5%", "-5%"),
        ("discount: 12", "12"),
    ] {
        let error = PriceFile::parse(catalog(), text, "ours.yaml").unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with("ours.yaml:1: ") && error.contains(expected),
            "{error}"
        );
    }
}

#[test]
fn zones_are_told_by_their_ids() {
    let zones = catalog().zones("r6i.large", "us-east-1").unwrap();
    assert!(zones.contains(&"use1-az4".to_owned()), "{zones:?}");
    assert!(zones.len() > 3 && zones.is_sorted());
    assert_eq!(catalog().zones("a1.large", "sa-east-1"), Some(&[][..]));
    assert!(catalog().zones("r6i.large", "mx-central-1").is_none());
    assert!(catalog().zones("nothing.large", "us-east-1").is_none());
}
