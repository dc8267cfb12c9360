//! Transactions with a number of items.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use blockyard_record::result::TransactionTotal;

/// A shop whose orders have these tables, beside ones who look.
fn shop(orders: &str) -> TransactionTotal {
    let text = format!(
        "\
name: items
duration: 3s
host: {{instance: m5.2xlarge}}
storage: {{data: {{type: gp3, size: 90GiB}}}}
workload:
  shop:
    kind: oltp
    engine: innodb
    on: data
    data_size: 450MiB
    pool: 100MiB
    threads: 8
    tables: {{goods: {{size: 400MiB}}, people: {{size: 40MiB}}}}
    transactions:
      order: {{weight: 2, log: 4KiB, cpu: 200us, {orders}}}
      look: {{cpu: 100us, tables: {{people: {{pages: 1}}}}}}
"
    );
    crate::common::run(&text).result.transactions.remove(0)
}

#[test]
fn as_many_items_as_pages_do_the_same() {
    let people = "people: {pages: 1}";
    let of_items = shop(&format!(
        "items: {{least: 6, most: 6}}, \
         tables: {{goods: {{pages: 1, changes: 1, per_item: true}}, {people}}}"
    ));
    let of_pages = shop(&format!(
        "tables: {{goods: {{pages: 6, changes: 6}}, {people}}}"
    ));
    assert_eq!(of_items, of_pages);
}

#[test]
fn all_numbers_of_items_are_one_kind() {
    let drawn = shop(
        "items: {least: 1, most: 11}, \
         tables: {goods: {pages: 1, changes: 1, per_item: true}}",
    );
    let names: Vec<_> = drawn.kinds.iter().map(|it| it.kind.as_str()).collect();
    assert_eq!(names, ["order", "look"]);
    let counts: Vec<_> = drawn.kinds.iter().map(|it| it.count).collect();
    assert_eq!(counts.iter().sum::<u64>(), drawn.count);
    // Twice as many orders, of six items in the mean.
    let share = counts[0] as f64 / drawn.count as f64;
    assert!((share - 2.0 / 3.0).abs() < 0.05, "{counts:?}");
    let [order, look] = [0, 1].map(|kind: usize| drawn.kinds[kind].latency_us.as_ref().unwrap());
    assert!(
        order.p99 > 1.5 * order.p50 && order.mean > look.mean,
        "{drawn:#?}"
    );
}
