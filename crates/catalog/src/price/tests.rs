//! Prices: rows, days, tiers against a slow calculation, and what is said where one is missing.

use std::collections::BTreeSet;

use blockyard_text::units::{Money, Size, Throughput};
use proptest::prelude::*;

use crate::{Ask, Catalog, Price, PriceFile, PriceSource, Provisioned, Term};

pub(super) fn catalog() -> &'static Catalog {
    Catalog::get().unwrap()
}

pub(super) fn money(text: &str) -> Money {
    text.parse().unwrap()
}

pub(super) fn gib(count: u64) -> Size {
    format!("{count}GiB").parse().unwrap()
}

pub(super) fn volume(size: Size, iops: Option<u64>, throughput: Option<Throughput>) -> Provisioned {
    Provisioned {
        size,
        iops,
        throughput,
        disk: None,
    }
}

fn source(price: &Price<'_>) -> String {
    match price.source {
        PriceSource::Catalog(source) => source.to_string(),
        PriceSource::User(words) => format!("yours: {words}"),
    }
}

#[test]
fn every_instance_type_of_the_price_tables_can_be_bought() {
    let types: BTreeSet<&str> = catalog().instances().iter().map(|one| one.name()).collect();
    let mut rows = 0;
    for (region, of) in &catalog().prices.regions {
        let list = catalog().prices(region, None).unwrap();
        for instance in of.sheets(region).flat_map(|stated| &stated.sheet.instances) {
            assert!(types.contains(instance.name.as_str()), "{}", instance.name);
            let priced = |term: &Term| list.instance(&instance.name, *term).is_ok();
            assert!(Term::ALL.iter().any(priced), "{region} {}", instance.name);
            rows += 1;
        }
    }
    assert!(rows > 16_000, "{rows} rows");
    let priced = |name: &&&str| {
        let list = catalog().prices("us-east-1", None).unwrap();
        list.instance(name, Term::OnDemand).is_ok()
    };
    assert!(types.iter().filter(priced).count() > 1300);
}

#[test]
fn the_newest_price_that_was_seen_by_the_day_holds() {
    let price = |name, term, day: Option<&str>| {
        let day = day.map(|day| day.parse().unwrap());
        let list = catalog().prices("us-east-1", day).unwrap();
        let price = list.instance(name, term).unwrap();
        let assumed: Vec<String> = price.assumptions().map(|it| it.to_string()).collect();
        (price.amount, price.observed.to_string(), assumed.join("; "))
    };
    let (all, demand) = (Term::AllUpfront, Term::OnDemand);
    let found = (money("0.313"), "2017-11-12".to_owned(), String::new());
    assert_eq!(price("r4.2xlarge", all, Some("2018-03-28")), found);
    assert_eq!(price("r4.2xlarge", all, None), found);
    let newest = (money("0.532"), "2026-07-20".to_owned(), String::new());
    assert_eq!(price("r4.2xlarge", demand, None), newest);
    assert_eq!(
        price("r4.2xlarge", demand, Some("2019-01-01")).1,
        "2017-11-12"
    );
    let early = "price first observed 2017-11-12 is used for 2017-01-01";
    assert_eq!(price("r4.2xlarge", demand, Some("2017-01-01")).2, early);
}

#[test]
fn what_volumes_cost() {
    let list = catalog().prices("us-east-1", None).unwrap();
    let month = |name: &str, ask: Ask| {
        let host = catalog().instance("r5b.24xlarge").unwrap();
        let volume_type = catalog().volume_type(name).unwrap();
        let limits = volume_type.limits(&ask, Some(host), None).unwrap();
        let lines = list.volume(name, &limits.provisioned).unwrap();
        (
            lines.iter().map(|line| line.month).sum::<Money>(),
            lines.len(),
        )
    };
    let gp3 = Ask {
        size: Some(gib(400)),
        iops: Some(16_000),
        throughput: Some("1000MiB/s".parse().unwrap()),
    };
    assert_eq!(month("gp3", gp3), (money("132"), 3));
    let plain = Ask {
        size: Some(gib(400)),
        ..Ask::default()
    };
    assert_eq!(month("gp3", plain), (money("32"), 1));
    let io2 = Ask {
        size: Some(gib(2000)),
        iops: Some(80_000),
        throughput: None,
    };
    assert_eq!(month("io2", io2), (money("4295.6"), 4));
    assert_eq!(month("gp2", plain), (money("40"), 1));
    let disk = volume(gib(1769), None, None);
    assert!(list.volume("instance-store", &disk).unwrap().is_empty());
    assert_eq!(list.requests("standard").unwrap().amount, money("0.05"));
    assert!(list.requests("gp2").is_none());
    assert_eq!(list.snapshots().unwrap().amount, money("0.05"));
    assert_eq!(list.cross_zone().unwrap().amount, money("0.02"));
}

#[test]
fn a_missing_price_says_how_to_supply_it() {
    let sydney = catalog().prices("ap-southeast-2", None).unwrap();
    let error = sydney
        .volume("gp2", &volume(gib(10), None, None))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "no price is known of gp2 volumes in ap-southeast-2; state it in a price file: \
         `prices: [{region: ap-southeast-2, observed: DAY, source: TEXT, \
         volumes: [{type: gp2, capacity: PRICE}]}]`, or import AWS's price list with \
         `blockyard prices import`"
    );
    let error = sydney.instance("r5.large", Term::AllUpfront).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no price is known of r5.large reserved for one year, all upfront in ap-southeast-2 \
         (known: on-demand); state it in a price file: `prices: [{region: ap-southeast-2, \
         observed: DAY, source: TEXT, instances: [{type: r5.large, all_upfront: PRICE}]}]`, \
         or import AWS's price list with `blockyard prices import`"
    );
    let frankfurt = catalog().prices("eu-central-1", None).unwrap();
    let error = frankfurt
        .volume("gp3", &volume(gib(10), Some(4000), None))
        .unwrap_err();
    let start = "no price is known of gp3 volumes' IOPS in eu-central-1; state it";
    assert!(error.to_string().starts_with(start), "{error}");
    assert!(sydney.snapshots().is_err());
    let error = catalog().prices("us-eats-1", None).unwrap_err();
    let expected = "no region is called `us-eats-1`; did you mean `us-east-1`?";
    assert_eq!(error.to_string(), expected);
    let error = "1y-noupfront".parse::<Term>().unwrap_err();
    let expected = "no term is called `1y-noupfront`; did you mean `1y-no-upfront`?";
    assert_eq!(error.to_string(), expected);
}

const OURS: &str = "
prices:
  - region: ap-southeast-2
    observed: 2026-11-01
    source: our quotation
    volumes:
      - {type: gp3, capacity: 0.1, iops: [{above: 3000, price: 0.006}]}
    instances:
      - {type: r5.large, on_demand: 0.14}
";

#[test]
fn a_users_prices_come_first_and_are_marked() {
    let ours = PriceFile::parse(catalog(), OURS, "ours.yaml").unwrap();
    let list = catalog()
        .prices("ap-southeast-2", None)
        .unwrap()
        .with(&ours);
    let lines = list
        .volume("gp3", &volume(gib(10), Some(4000), None))
        .unwrap();
    assert_eq!(
        lines.iter().map(|line| line.month).sum::<Money>(),
        money("7")
    );
    assert_eq!(source(&lines[0].price), "yours: our quotation");
    let price = list.instance("r5.large", Term::OnDemand).unwrap();
    assert_eq!(
        (price.amount, source(&price)),
        (money("0.14"), "yours: our quotation".into())
    );
    let price = list.instance("r5.2xlarge", Term::OnDemand).unwrap();
    assert!(
        source(&price).starts_with("lamngockhuong/aws-price"),
        "{}",
        source(&price)
    );
}

/// All prices of a volume, one by one: what is the user's, and what is the catalog's.
fn stated(
    region: &str,
    entry: &str,
    of: (&str, &Provisioned),
) -> Result<Vec<(Money, bool)>, String> {
    let text = format!(
        "prices: [{{region: {region}, observed: 2026-01-01, source: me, volumes: [{entry}]}}]"
    );
    let ours = PriceFile::parse(catalog(), &text, "ours.yaml").map_err(|it| it.to_string())?;
    let list = catalog().prices(region, None).unwrap().with(&ours);
    let lines = list.volume(of.0, of.1).map_err(|it| it.to_string())?;
    let users = |price: &Price<'_>| matches!(price.source, PriceSource::User(_));
    Ok(lines
        .iter()
        .map(|line| (line.month, users(&line.price)))
        .collect())
}

#[test]
fn what_a_price_file_does_not_state_is_the_catalogs() {
    let throughput = Some("250MiB/s".parse().unwrap());
    let all = ("gp3", &volume(gib(100), Some(4000), throughput));
    let capacity = "{type: gp3, capacity: 0.07}";
    let expected = [(money("7"), true), (money("5"), false), (money("5"), false)];
    assert_eq!(stated("us-east-1", capacity, all).unwrap(), expected);
    let iops = "{type: gp3, iops: [{above: 3000, price: 0.001}]}";
    let expected = [(money("8"), false), (money("1"), true), (money("5"), false)];
    assert_eq!(stated("us-east-1", iops, all).unwrap(), expected);
    // What comes with every gp3 has no price that could be missing; what is beyond has.
    let included = Some("125MiB/s".parse().unwrap());
    let plain = ("gp3", &volume(gib(100), Some(3000), included));
    let found = stated("ap-southeast-2", capacity, plain).unwrap();
    assert_eq!(found, [(money("7"), true)]);
    let error = stated("ap-southeast-2", capacity, all).unwrap_err();
    assert!(
        error.contains("{type: gp3, iops: [{above: NUMBER, price: PRICE}]}"),
        "{error}"
    );
    // io1 has none that are free.
    let io1 = ("io1", &volume(gib(100), Some(100), None));
    let error = stated("ap-southeast-2", "{type: io1, capacity: 0.1}", io1).unwrap_err();
    assert!(
        error.starts_with("no price is known of io1 volumes' IOPS"),
        "{error}"
    );
    // Requests, too.
    let text = "prices: [{region: us-east-1, observed: 2026-01-01, source: me, \
                volumes: [{type: standard, capacity: 0.01}]}]";
    let ours = PriceFile::parse(catalog(), text, "ours.yaml").unwrap();
    let list = catalog().prices("us-east-1", None).unwrap().with(&ours);
    assert_eq!(list.requests("standard").unwrap().amount, money("0.05"));
    let error = stated("us-east-1", "{type: gp3}", plain).unwrap_err();
    let expected = "has no price; expected `capacity`, `iops`, `throughput` or `requests`";
    assert!(
        error.contains("prices.0.volumes.0") && error.ends_with(expected),
        "{error}"
    );
}

#[test]
fn mistakes_in_a_price_file_are_located() {
    let error = |from: &str, to: &str| {
        let text = OURS.replacen(from, to, 1);
        assert_ne!(text, OURS);
        let error = PriceFile::parse(catalog(), &text, "ours.yaml").unwrap_err();
        error.to_string()
    };
    let start = "ours.yaml:3: prices.0.region: no region is called `ap-southeast2`; did you mean";
    assert!(error("ap-southeast-2", "ap-southeast2").starts_with(start));
    assert_eq!(
        error("gp3", "gp33"),
        "ours.yaml:7: prices.0.volumes.0.type: no volume type is called `gp33`; \
         did you mean `gp3`?"
    );
    assert_eq!(
        error("r5.large", "r5.lagre"),
        "ours.yaml:9: prices.0.instances.0.type: no instance type is called `r5.lagre`; \
         did you mean `r5.large`?"
    );
    assert_eq!(
        error("capacity: 0.1", "capacity: 10ct"),
        "ours.yaml:7: prices.0.volumes.0.capacity: `10ct` is not an amount of money; \
         expected dollars with up to six decimals, as in `0.065`"
    );
    assert_eq!(
        error("on_demand", "ondemand"),
        "ours.yaml:9: prices.0.instances.0.ondemand: unknown key; did you mean `on_demand`?"
    );
    assert_eq!(
        error("on_demand: 0.14", ""),
        "ours.yaml:9: prices.0.instances.0: has no price; expected one of `on_demand`, \
         `no_upfront`, `partial_upfront`, `all_upfront`, `no_upfront_3y`, `partial_upfront_3y`, \
         `all_upfront_3y`, `savings_plan`"
    );
    assert_eq!(
        error(
            "price: 0.006}",
            "price: 0.006}, {above: 3000, price: 0.001}"
        ),
        "ours.yaml:7: prices.0.volumes.0.iops.1: `above` must rise from one price to the next"
    );
}

proptest! {
    /// Unit by unit, each at the price of the tier that it lies in, in fractions.
    #[test]
    fn tiers_cost_what_each_unit_costs(gib in 1_u64..70_000, iops in 1_u64..260_000, mib in 1_u64..2000) {
        let list = catalog().prices("us-east-1", None).unwrap();
        let size = Size::new((gib << 30) + 1);
        let io2 = list.volume("io2", &volume(size, Some(iops), None)).unwrap();
        let mut micros = 0.125e6 * (gib as f64 + 1.0 / f64::from(1 << 30));
        for io in 1..=iops {
            micros += if io <= 32_000 { 65_000.0 } else if io <= 64_000 { 45_500.0 } else { 31_850.0 };
        }
        let total: Money = io2.iter().map(|line| line.month).sum();
        prop_assert!((total.micros() as f64 - micros).abs() < 1.0, "{total} {micros}");

        let throughput = Throughput::new(mib << 20);
        let gp3 = list.volume("gp3", &volume(size, Some(iops), Some(throughput))).unwrap();
        let mut micros = 0.08e6 * (gib as f64 + 1.0 / f64::from(1 << 30));
        for io in 1..=iops {
            micros += if io <= 3000 { 0.0 } else { 5000.0 };
        }
        for one in 1..=mib {
            micros += if one <= 125 { 0.0 } else { 40_000.0 };
        }
        let total: Money = gp3.iter().map(|line| line.month).sum();
        prop_assert!((total.micros() as f64 - micros).abs() < 1.0, "{total} {micros}");
    }
}

/// The amounts of Infracost's tests, from which the prices are.
#[test]
fn services_charge_for_storage_what_their_source_says() {
    let list = catalog().prices("us-east-1", None).unwrap();
    let month = |service: &str, size: u64, iops: u64, ios: u64, mirrored: bool| {
        let one = list.managed().find(|it| it.service == service).unwrap();
        one.month(gib(size).bytes(), iops, ios, mirrored)
    };
    assert_eq!(month("RDS gp3", 400, 14_000, 0, false), money("86"));
    assert_eq!(month("RDS gp3", 400, 14_000, 0, true), money("172"));
    // Below 400 GiB 3,000 IOPS are included.
    assert_eq!(month("RDS gp3", 399, 3_500, 0, false), money("55.885"));
    assert_eq!(month("RDS io1", 100, 1_200, 0, false), money("132.5"));
    let requests = 52_560_000;
    assert_eq!(
        month("Aurora Standard", 100, 9_000, requests, true),
        money("20.512")
    );
    assert_eq!(
        month("Aurora I/O-Optimized", 100, 9_000, requests, true),
        money("22.5")
    );
    assert_eq!(
        catalog()
            .prices("eu-west-1", None)
            .unwrap()
            .managed()
            .count(),
        0
    );
}
