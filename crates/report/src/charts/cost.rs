//! What runs deliver for the money: latency against cost, and work per dollar.

use blockyard_cost::Work;
use indexmap::IndexSet;

use crate::Run;
use crate::figure::{Axis, Bar, Bars, Curve, Curves, Figure, Plot};
use crate::text::format::{grouped, latency, rate};

/// What bars are for.
const DOLLARS: f64 = 100.0;

/// A bill, and work that was done for it.
pub(crate) fn needs(run: &Run) -> bool {
    priced(run).is_some()
}

/// Runs beside each other; of one run there is nothing to compare.
pub(crate) fn figures(runs: &[&Run], _bin_s: f64) -> Vec<Figure> {
    let priced: Vec<_> = runs.iter().filter_map(|run| priced(run)).collect();
    let prices: IndexSet<_> = priced.iter().map(|one| one.per_month.to_bits()).collect();
    if prices.len() < 2 {
        return Vec::new();
    }
    let slowest: Option<Vec<_>> = priced.iter().map(|one| p99_ms(one.run)).collect();
    let against = slowest.map(|p99_ms| against(&priced, &p99_ms));
    against
        .into_iter()
        .chain([for_the_money(&priced)])
        .collect()
}

/// A run with its price and its work.
struct Priced<'a> {
    run: &'a Run,
    /// In dollars, more than none.
    per_month: f64,
    work: &'a Work,
}

fn priced(run: &Run) -> Option<Priced<'_>> {
    let bill = run.bill.as_ref()?;
    let per_month = bill.per_month.dollars();
    let work = bill.work.as_ref().filter(|_| per_month > 0.0)?;
    Some(Priced {
        run,
        per_month,
        work,
    })
}

/// The p99 of transactions, where there are any, and else of reads and writes: the slowest.
fn p99_ms(run: &Run) -> Option<f64> {
    let transactions = run.result.transactions.iter().map(|of| of.latency_us);
    let totals = run.result.totals.iter();
    let moved = totals.filter(|of| of.op == "read" || of.op == "write");
    let us: Vec<_> = if transacts(run) {
        transactions.collect()
    } else {
        moved.map(|of| of.latency_us).collect()
    };
    let p99_ms = us.into_iter().flatten().map(|one| one.p99 / 1000.0);
    p99_ms.max_by(f64::total_cmp)
}

fn transacts(run: &Run) -> bool {
    !run.result.transactions.is_empty()
}

/// A point for each run: what it costs, and its p99.
fn against(priced: &[Priced<'_>], p99_ms: &[f64]) -> Figure {
    let runs = || priced.iter().zip(p99_ms);
    let points = runs().enumerate().map(|(place, (one, &ms))| {
        let point = (one.per_month, ms, one.run.name.clone());
        Curve::new(&one.run.name, vec![point], Some(place)).cloud()
    });
    let of = if priced.iter().all(|one| transacts(one.run)) {
        "transactions"
    } else {
        "reads and writes, the slower"
    };
    let said = runs().map(|(one, ms)| {
        let (dollars, p99) = (grouped(one.per_month, 0), latency(ms * 1000.0));
        format!("{}: {dollars} $, {p99}", one.run.name)
    });
    Figure {
        name: "cost-p99".to_owned(),
        title: "Latency against cost".to_owned(),
        caption: format!(
            "p99 of {of}, against what hosts and storage cost in a month. {}.",
            said.collect::<Vec<_>>().join("; ")
        ),
        plot: Plot::Curves(Curves {
            x: Axis::new("cost", "$ a month"),
            y: Axis::new("p99 latency", "ms"),
            curves: points.collect(),
            levels: Vec::new(),
        }),
        group: String::new(),
    }
}

/// A bar for each run: transactions a second for so many dollars a month, or IOPS.
fn for_the_money(priced: &[Priced<'_>]) -> Figure {
    let tps: Option<Vec<_>> = priced.iter().map(|one| one.work.tps).collect();
    let (unit, done) = match tps {
        Some(tps) => ("TPS", tps),
        None => ("IOPS", priced.iter().map(|one| one.work.iops).collect()),
    };
    let runs = priced.iter().zip(done);
    let amounts: Vec<_> = runs
        .map(|(one, amount)| (&one.run.name, DOLLARS * amount / one.per_month))
        .collect();
    let said = amounts
        .iter()
        .map(|(run, amount)| format!("{run}: {}", rate(*amount)));
    let bars = amounts.iter().map(|&(run, amount)| Bar {
        label: run.clone(),
        parts: vec![amount],
    });
    Figure {
        name: "per-cost".to_owned(),
        title: format!("{unit} for {DOLLARS} $ a month"),
        caption: format!(
            "{unit} for each {DOLLARS} $ a month of hosts and storage. {}.",
            said.collect::<Vec<_>>().join("; ")
        ),
        plot: Plot::Bars(Bars {
            x: Axis::new(&format!("{unit} for {DOLLARS} $ a month"), unit),
            kinds: vec![unit.to_owned()],
            bars: bars.collect(),
        }),
        group: String::new(),
    }
}
