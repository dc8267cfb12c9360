#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_model::workload::spec::{
    Draw, JobSpec, OltpSpec, Preference, Start, TransactionSpec,
};

use crate::load;

/// A table of 64 MiB and `more` of 1 GiB of data, and what a payment does beside its time.
fn shop(more: &str, pay: &str) -> Result<OltpSpec, String> {
    let text = format!(
        "name: o\nduration: 10s\nstorage: {{data: {{type: gp3, size: 90GiB}}}}\nworkload:\n  \
         shop: {{kind: oltp, engine: innodb, on: data, threads: 1, cores: 2, data_size: 1GiB, \
         pool: 1MiB, start: cold, tables: {{items: {{size: 64MiB}}, {more}}}, transactions: \
         {{pay: {{log: 1KiB, cpu: 1ms, {pay}}}}}}}\n"
    );
    let loaded = load(&text, "o.yaml", &[]).map_err(|error| error.to_string())?;
    let resolved = loaded.resolve().map_err(|error| error.to_string())?;
    match &resolved.jobs[0] {
        JobSpec::Oltp(job) => Ok(job.clone()),
        _ => Err("another kind of job".into()),
    }
}

const ITEMS: &str = "tables: {items: {pages: 1}}";

#[test]
fn tables_lie_one_after_another() {
    let more = "stock: {size: 32MiB, skew: {zipf: 1}}, ordered: {of: stock}, \
                rest: {size: 16KiB, nurand: {a: 7, of: 9, rows: 2}}";
    let pay = "tables: {rest: {pages: 3, changes: 2}, stock: {pages: 1}}";
    let job = shop(more, pay).unwrap();
    assert_eq!(job.start, Start::Cold);
    let places = job.tables.iter().map(|it| (it.first, it.pages));
    let expected = [(0, 4096), (4096, 2048), (4096, 2048), (6144, 1)];
    assert!(places.eq(expected), "{:?}", job.tables);
    let laws: Vec<_> = job.tables.iter().map(|it| it.draw).collect();
    assert_eq!(laws[2], Draw::Preferred(Preference::None));
    assert!(matches!(
        laws[1],
        Draw::Preferred(Preference::Zipf { permille: 1000 })
    ));
    assert!(matches!(laws[3], Draw::NuRand(law) if (law.a, law.of, law.rows) == (7, 9, 2)));
    let kind = &job.kinds[0];
    assert_eq!((kind.accesses, kind.changes), (4, 2));
    let by_table = kind
        .tables
        .iter()
        .map(|it| (it.table, it.accesses, it.changes));
    assert!(by_table.eq([(3, 3, 2), (1, 1, 0)]));
}

#[test]
fn a_transaction_has_each_number_of_items_as_often() {
    let pay = "weight: 3, items: {least: 2, most: 4}, \
               tables: {items: {pages: 2, changes: 1, per_item: true}, rest: {pages: 5}}}, \
               look: {cpu: 1ms, weight: 2, tables: {rest: {pages: 1}}";
    let job = shop("rest: {size: 16KiB}", pay).unwrap();
    let of = |kind: &TransactionSpec| {
        let used = (kind.accesses, kind.changes);
        (
            kind.name.clone(),
            kind.weight,
            used,
            kind.log,
            kind.processor,
        )
    };
    let kinds: Vec<_> = job.kinds.iter().map(of).collect();
    let pay = |items: u32| {
        let used = (2 * items + 5, items);
        let time = 1_000_000 * u64::from(items) / 3;
        ("pay".into(), 3, used, 1024 * u64::from(items) / 3, time)
    };
    let look = ("look".into(), 6, (1, 0), 0, 1_000_000);
    assert_eq!(kinds, [pay(2), pay(3), pay(4), look]);
}

#[test]
fn mistakes_in_tables_say_where_they_are() {
    let both = "more: {of: items, skew: {zipf: 1}, nurand: {a: 7, of: 9, rows: 1}}";
    for (more, pay, expected) in [
        (
            "",
            "changes: 0",
            "transactions.pay: expected `pages: 8`, or `tables`",
        ),
        (
            "",
            "pages: 2",
            "transactions.pay.pages: stands beside `tables`",
        ),
        (
            "",
            "tables: {item: {pages: 1}}",
            "transactions.pay.tables.item: no table is called `item`; did you mean `items`?",
        ),
        (
            "",
            "tables: {items: {pages: 1, changes: 2}}",
            "transactions.pay.tables.items.changes: `2` of 1 pages",
        ),
        (
            "",
            "tables: {items: {pages: 1, per_item: true}}",
            "transactions.pay.tables.items.per_item: stands without `items`",
        ),
        (
            "",
            "items: {least: 1, most: 2}, tables: {items: {pages: 1}}",
            "transactions.pay.items: no table is used by item",
        ),
        (
            "",
            "items: {least: 3, most: 2}, tables: {items: {pages: 1, per_item: true}}",
            "transactions.pay.items.most: `2` is less than `least`",
        ),
        (
            "",
            "items: {least: 1, most: 101}, tables: {items: {pages: 1, per_item: true}}",
            "transactions.pay.items.most: `101` is too large; expected at most 100 here",
        ),
        (
            "",
            "weight: 4294967295, items: {least: 1, most: 2}, \
             tables: {items: {pages: 1, per_item: true}}}, \
             look: {cpu: 1ms, weight: 4294967295, tables: {items: {pages: 1}}",
            "transactions.look.weight: `4294967295` is too large beside `items`",
        ),
        (
            "more: {of: item}",
            ITEMS,
            "tables.more.of: no table before it is called `item`; did you mean `items`?",
        ),
        (
            "more: {size: 1GiB}",
            ITEMS,
            "tables.more.size: tables up to here have 1088MiB; `data_size` is 1GiB",
        ),
        (
            "more: {size: 1KiB}",
            ITEMS,
            "tables.more.size: is less than a page of 16KiB",
        ),
        (
            "more: {}",
            ITEMS,
            "tables.more: expected either `size` or `of`",
        ),
        (
            "more: {of: items, nurand: {a: 8, of: 9, rows: 1}}",
            ITEMS,
            "tables.more.nurand.a: `8` is not a power of two less one below 9",
        ),
        (both, ITEMS, "tables.more.nurand: stands beside `skew`"),
        (
            "}, skew: {zipf: 1",
            ITEMS,
            "shop.skew: stands beside `tables`",
        ),
    ] {
        let said = shop(more, pay).unwrap_err();
        assert!(said.contains(expected), "{said}\nnot {expected}");
    }
}
