//! A plan that is stopped ends, with most of its work not done.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicU64, Ordering};

use blockyard_catalog::{Catalog, Instance, Provisioned};
use blockyard_experiment::budget::FOR_QUESTION;
use blockyard_experiment::{Lab, Threads, Watch};
use blockyard_plan::{
    Drawing, Line, ListPrices, Market, Prices, Proved, ScenarioWriter, least_regret, load, plan,
};
use blockyard_text::units::Money;

use crate::common::{list_prices, with_market};

/// Prices that count how often a volume's is looked up.
struct Counted<'a> {
    list: ListPrices<'a>,
    lookups: AtomicU64,
}

impl Prices for Counted<'_> {
    fn instance(&self, instance: &Instance) -> Result<i64, String> {
        self.list.instance(instance)
    }

    fn volume(&self, volume_type: &str, got: &Provisioned) -> Result<Vec<Line>, String> {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        self.list.volume(volume_type, got)
    }

    fn cross_zone(&self) -> Result<Money, String> {
        self.list.cross_zone()
    }
}

/// Stops the work when it is first asked.
struct AtOnce;

impl Watch for AtOnce {
    fn stopped(&mut self) -> bool {
        true
    }
}

const WANTED: &str = "{size: {low: 1GiB, mid: 1TiB, high: 60TiB}, as_of: 2026-11-01, \
     reads: {iops: {low: 1, mid: 1000, high: 900000}, io_size: 8KiB}, \
     instance: {families: [r6i]}}";

#[test]
fn samples_that_are_stopped_are_not_planned() {
    let loaded = load(WANTED, "wanted.yaml", &[]).unwrap();
    let prices = Counted {
        list: list_prices(&loaded),
        lookups: AtomicU64::new(0),
    };
    let market = Market::new(Catalog::get().unwrap(), &prices, &loaded.choice).unwrap();
    let drawn = |samples, watch: &mut dyn Watch| {
        let before = prices.lookups.load(Ordering::Relaxed);
        let drawing = Drawing {
            samples,
            seed: 1,
            factor: 3.0,
        };
        let found = least_regret(&market, &loaded, &drawing, 2, watch).unwrap();
        let lookups = prices.lookups.load(Ordering::Relaxed) - before;
        (found.is_some(), lookups)
    };
    let (is_found, few) = drawn(20, &mut ());
    assert!(is_found && few > 20, "{few}");
    // 5,000 times as many samples take less than a tenth of what they would.
    let (is_found, many) = drawn(100_000, &mut AtOnce);
    assert!(!is_found && many < 500 * few, "{many} {few}");
}

#[test]
fn a_proof_that_is_stopped_drops_nothing() {
    let wanted = "{size: 500GiB, reads: {iops: 3000}, as_of: 2026-11-01, \
                  latency: {read: {p99: 900us}}, instance: {type: r6i.large}}";
    with_market(wanted, |loaded, market| {
        let needs = loaded.needs(|_, range| range.mid);
        let writer = ScenarioWriter {
            name: "wanted".to_owned(),
            region: None,
            day: loaded.choice.day,
        };
        let before = plan(market, &needs);
        let threads = Threads::of(2);
        let proven = |proved: Proved, watch: &mut dyn Watch| {
            let mut made = before.clone();
            let mut lab = Lab::new(&threads, FOR_QUESTION, watch);
            made.prove(proved, market, &needs, &writer, &mut lab)
                .unwrap();
            made
        };
        for proved in [Proved::All, Proved::Best] {
            let stopped = proven(proved, &mut AtOnce);
            assert!(before.best.is_some() && stopped.best == before.best);
            assert!(stopped.dropped.is_empty());
        }
        let (all, best) = (proven(Proved::All, &mut ()), proven(Proved::Best, &mut ()));
        assert!(all.best.as_ref().is_some_and(|it| it.simulated.is_some()));
        assert_eq!(all.best, best.best);
        assert!(best.others.iter().all(|it| it.simulated.is_none()));
    });
}
