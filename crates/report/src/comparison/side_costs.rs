//! What the sides of a comparison cost, beside each other.

use std::collections::BTreeSet;

use blockyard_cost::{Bill, RegionFrom, Work};
use blockyard_record::thresholds::GAIN;
use schemars::JsonSchema;
use serde::Serialize;

use super::figures::signed;
use super::side::Side;
use crate::Run;
use crate::text::format::grouped;
use crate::text::table::Table;

/// What a side costs, in US dollars.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SideCost {
    /// Whose prices these are.
    pub region: String,
    /// Whether nobody named it.
    pub region_assumed: bool,
    /// For a month.
    pub per_month: f64,
    /// For a month, at the mean pace of the side's runs; none where there is no such work.
    pub per_1000_iops: Option<f64>,
    /// The same for one transaction a second.
    pub per_tps: Option<f64>,
}

/// What a side costs; none where that is not known.
pub(crate) fn of<'a>(side: &Side<'a>) -> Option<SideCost> {
    let bill = |run: &'a Run| run.bill.as_ref().filter(|bill| !bill.lines.is_empty());
    let bills: Vec<&Bill> = side.runs().map(bill).collect::<Option<_>>()?;
    let first = bills.first()?;
    let per_month = first.per_month.dollars();
    let work: Vec<&Work> = bills.iter().filter_map(|bill| bill.work.as_ref()).collect();
    let iops: Vec<_> = work.iter().map(|one| one.iops).collect();
    let tps: Option<Vec<_>> = work.iter().map(|one| one.tps).collect();
    let each = |rates: &[f64]| mean(rates).map(|rate| per_month / rate);
    Some(SideCost {
        region: first.region.clone(),
        region_assumed: first.region_from == RegionFrom::Assumed,
        per_month,
        per_1000_iops: mean(&iops).map(|iops| 1000.0 * per_month / iops),
        per_tps: tps.and_then(|tps| each(&tps)),
    })
}

/// The mean; none if that is 0, or of nothing.
fn mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    (sum != 0.0).then(|| sum / values.len() as f64)
}

/// How to find a figure of a side's costs.
type Figure = fn(&SideCost) -> Option<f64>;

/// The rows of the table: what each is of, and its figure.
const ROWS: [(&str, Figure); 3] = [
    ("dollars a month", |cost| Some(cost.per_month)),
    ("dollars a month for one TPS", |cost| cost.per_tps),
    ("dollars a month for 1,000 IOPS", |cost| cost.per_1000_iops),
];

/// The costs side by side; none where they are the same, or those of a side are not known.
pub(crate) fn table(names: &[String], costs: &[Option<SideCost>]) -> Option<Table> {
    let known: Vec<_> = costs.iter().map(Option::as_ref).collect::<Option<_>>()?;
    let first = known.first()?;
    if known.iter().all(|cost| cost.per_month == first.per_month) {
        return None;
    }
    let row = |(what, figure): &(&str, Figure)| {
        let figures: Vec<_> = known
            .iter()
            .map(|cost| figure(cost))
            .collect::<Option<_>>()?;
        let change = match figures[..] {
            [first, other] => signed(other / first - 1.0, 1),
            _ => String::new(),
        };
        let figures = figures.into_iter().map(dollars);
        let cells = [(*what).to_owned()].into_iter().chain(figures);
        Some(cells.chain([change]).collect())
    };
    let mut regions: Vec<String> = known.iter().map(|cost| region(cost)).collect();
    let mut seen = BTreeSet::new();
    regions.retain(|region| seen.insert(region.clone()));
    let names = names.iter().map(String::as_str);
    let columns: Vec<_> = [""].into_iter().chain(names).chain(["change"]).collect();
    let caption = format!("Cost: {}, on demand", regions.join(", "));
    let rows = ROWS.iter().filter_map(row).collect();
    Some(Table::new(&caption, &columns, rows, 1).without_empty())
}

/// `cost -20% (…)` and `cheaper`, of another side; none where both cost the same.
pub(crate) fn against(
    first: Option<&SideCost>,
    other: Option<&SideCost>,
) -> Option<(String, &'static str)> {
    let (ours, theirs) = (first?.per_month, other?.per_month);
    let change = if ours == 0.0 {
        0.0
    } else {
        theirs / ours - 1.0
    };
    if change.abs() < GAIN {
        return None;
    }
    let values = format!("${} vs ${} a month", dollars(theirs), dollars(ours));
    let said = format!("cost {} ({values})", signed(change, 0));
    Some((said, if change > 0.0 { "dearer" } else { "cheaper" }))
}

fn region(cost: &SideCost) -> String {
    let assumed = if cost.region_assumed {
        " (assumed)"
    } else {
        ""
    };
    format!("{}{assumed}", cost.region)
}

fn dollars(amount: f64) -> String {
    grouped(amount, if amount >= 1.0 { 2 } else { 4 })
}
