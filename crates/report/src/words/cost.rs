//! A bill as a table, and what there is to say about it.

use blockyard_cost::{Bill, BillLine, CopyKind, FullCopy, Item, RegionFrom, Work};
use blockyard_scenario::units::Money;
use indexmap::IndexSet;

use super::phrases::listed;
use crate::Run;
use crate::text::format::{grouped, number, price, rate, sentence};
use crate::text::table::{Said, Table};

/// The bill of a run, and what its work came to; nothing where it has none.
pub(crate) fn cost(run: &Run) -> Vec<Said> {
    // Who names a region wants its prices.
    if let Some(why) = &run.unpriced {
        return vec![format!("There is no bill: {why}.").into()];
    }
    let Some(bill) = run.bill.as_ref().filter(|bill| !bill.lines.is_empty()) else {
        return Vec::new();
    };
    told(bill)
}

/// A bill as a table, if it has lines, and the sentences on it.
#[must_use]
pub fn told(bill: &Bill) -> Vec<Said> {
    let table = (!bill.lines.is_empty()).then(|| table(bill).into());
    let copies = (!bill.copies.is_empty()).then(|| copies(&bill.copies).into());
    let sentences = sentences(bill).into_iter().map(Said::from);
    table.into_iter().chain(copies).chain(sentences).collect()
}

/// What one copy of all data costs.
fn copies(of: &[FullCopy]) -> Table {
    let rows = of.iter().map(|copy| {
        let whose = match copy.kind {
            CopyKind::StateTransfer => "a node's copy of all data (SST)",
            CopyKind::BaseBackup => "a new standby's base backup",
            CopyKind::Replica => "a new replica's copy of all data",
            CopyKind::Resync => "a full resync",
        };
        vec![
            copy.of.clone(),
            whose.to_owned(),
            format!("{} GiB", amount(copy.gib)),
            price(copy.price.dollars()),
            grouped(copy.each.dollars(), 2),
        ]
    });
    let columns = ["", "what", "amount", "price", "$"];
    let heading = "Beside that, each time all data goes from one zone to another";
    Table::new(heading, &columns, rows.collect(), 2)
}

/// The bill line by line, with the total below.
fn table(bill: &Bill) -> Table {
    let mut rows: Vec<_> = bill.lines.iter().map(row).collect();
    let mut total = vec![
        "total".to_owned(),
        String::new(),
        String::new(),
        String::new(),
    ];
    total.extend(money(bill.per_hour, bill.per_month));
    let mut columns = vec!["", "what", "amount", "price", "$/hour", "$/month"];
    // Of prices from two places each line says from where its own is.
    let users = bill.lines.iter().filter(|line| line.users).count();
    if users > 0 && users < bill.lines.len() {
        columns.push("from");
        for (row, line) in rows.iter_mut().zip(&bill.lines) {
            let from = if line.users { "you" } else { "catalog" };
            row.push(from.to_owned());
        }
        total.push(String::new());
    }
    rows.push(total);
    Table::new(&heading(bill), &columns, rows, 2)
}

fn heading(bill: &Bill) -> String {
    let assumed = match bill.region_from {
        RegionFrom::Assumed => " (assumed)",
        RegionFrom::Asked | RegionFrom::Scenario | RegionFrom::Zones => "",
    };
    let day = bill.as_of.as_ref().map_or_else(
        || "newest prices".to_owned(),
        |day| format!("prices of {day}"),
    );
    let (region, term, hours) = (&bill.region, term(&bill.term), bill.hours_per_month);
    format!("{region}{assumed}, {term}, {day}, {hours} h a month")
}

/// How instances are paid for, in words.
#[must_use]
pub fn term(name: &str) -> &str {
    match name {
        "on-demand" => "on demand",
        "1y-no-upfront" => "one year, nothing upfront",
        "1y-partial-upfront" => "one year, partly upfront",
        "1y-all-upfront" => "one year, all upfront",
        "3y-no-upfront" => "three years, nothing upfront",
        "3y-partial-upfront" => "three years, partly upfront",
        "3y-all-upfront" => "three years, all upfront",
        "savings-plan" => "Savings Plan",
        other => other,
    }
}

fn row(line: &BillLine) -> Vec<String> {
    let amount = format!("{} {}", amount(line.amount), line.unit);
    let mut cells = vec![
        line.of.clone(),
        what(line),
        amount.trim_end().to_owned(),
        price(line.price.dollars()),
    ];
    cells.extend(money(line.per_hour, line.per_month));
    cells
}

/// `r4.2xlarge`, `5 gp3`, `5 gp3, IOPS above 3,000`.
fn what(line: &BillLine) -> String {
    let mut said = line.what.clone();
    // What the first column counts by its names needs no number.
    let by_name = matches!(line.item, Item::Instance | Item::EbsOptimized);
    if line.count > 1 && !by_name {
        said = format!("{} {said}", line.count);
    }
    let item = match line.item {
        Item::EbsOptimized => "EBS-optimized",
        Item::Iops => "IOPS",
        Item::Throughput => "throughput",
        Item::Requests => "IO requests",
        Item::Instance | Item::Capacity | Item::CrossZone | Item::Snapshots => "",
    };
    if !item.is_empty() {
        said += &format!(", {item}");
    }
    if line.above != 0.0 {
        said += &format!(" above {}", amount(line.above));
    }
    said
}

fn amount(of: f64) -> String {
    if of >= 1.0 && of == of.round_ties_even() {
        grouped(of, 0)
    } else {
        rate(of)
    }
}

fn money(per_hour: Money, per_month: Money) -> [String; 2] {
    [
        grouped(per_hour.dollars(), 4),
        grouped(per_month.dollars(), 2),
    ]
}

/// What the work came to, where the prices are from, and what is assumed.
fn sentences(bill: &Bill) -> Vec<String> {
    let mut said: Vec<_> = bill.work.iter().map(paid).collect();
    said.extend(sources(bill, false));
    said.extend(sources(bill, true));
    let lines = bill.lines.iter();
    let off: IndexSet<_> = lines.filter_map(|line| line.discount.as_ref()).collect();
    let off = off.into_iter().filter(|off| !off.is_empty());
    said.extend(off.map(|off| format!("Discount, taken off these prices: {off}.")));
    let assumed: IndexSet<_> = bill.lines.iter().flat_map(|line| &line.assumed).collect();
    let assumed = assumed.into_iter();
    said.extend(assumed.map(|it| format!("Assumed of prices: {it}.")));
    said.extend(bill.notes.iter().map(|note| sentence(note)));
    said
}

/// What the work came to.
fn paid(work: &Work) -> String {
    let mut parts = Vec::new();
    if let (Some(tps), Some(million)) = (work.per_tps, work.per_million_transactions) {
        let (tps, million) = (dollars(tps), dollars(million));
        parts.push(format!("{tps} a month for one transaction a second"));
        parts.push(format!("{million} for a million transactions"));
    }
    if let Some(iops) = work.per_1000_iops {
        parts.push(format!("{} a month for 1,000 IOPS", dollars(iops)));
    }
    format!("For its work that is {}.", listed(&parts))
}

/// To the cent, and what is less than a dollar to three digits.
fn dollars(amount: Money) -> String {
    let amount = amount.dollars();
    if amount >= 1.0 {
        format!("{} $", grouped(amount, 2))
    } else {
        format!("{} $", number(amount))
    }
}

/// Where the catalog's prices are from, or the user's: each source once.
fn sources(bill: &Bill, users: bool) -> Option<String> {
    let whose = if users { "Your prices" } else { "Prices" };
    let lines = bill.lines.iter();
    let lines = lines.map(|line| (line.users, &line.source, &line.observed));
    let copies = bill.copies.iter();
    let copies = copies.map(|copy| (copy.users, &copy.source, &copy.observed));
    let own = lines.chain(copies).filter(|(own, ..)| *own == users);
    let seen: IndexSet<_> = own
        .map(|(_, source, observed)| format!("{source} ({observed})"))
        .collect();
    let seen: Vec<_> = seen.into_iter().collect();
    (!seen.is_empty()).then(|| format!("{whose}: {}.", seen.join("; ")))
}
