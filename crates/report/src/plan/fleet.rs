//! The plans of a fleet in words and as a table.

use blockyard_plan::{Answer, Current, Layout};
use serde::Serialize;

use super::amounts::{dollars, ms};
use super::cautions::needs_arm;
use super::impossible::impossible;
use super::layout::{p99_ms, what};
use crate::text::format::{count, grouped};
use crate::text::table::Table;

const COLUMNS: [&str; 7] = ["", "buy", "today", "plan", "saving", "p99", "today holds"];

/// What is said of the plans of a fleet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fleet {
    /// What all plans cost, and save against what there is.
    pub headline: String,
    /// What to know before anything is bought.
    pub notes: Vec<String>,
    /// A row for each database that can be had.
    pub table: Table,
    /// Why the others have no plan.
    pub unmet: Vec<String>,
}

/// What is said of plans, and of databases without one: name and why.
#[must_use]
pub fn fleet(answers: &[Answer], failed: &[(String, String)]) -> Fleet {
    let planned: Vec<_> = answers.iter().filter_map(Database::of).collect();
    Fleet {
        headline: headline(&planned, answers.len() + failed.len()),
        notes: notes(&planned),
        table: table(&planned),
        unmet: unmet(answers, failed),
    }
}

/// A database that can be had.
struct Database<'a> {
    answer: &'a Answer,
    best: &'a Layout,
}

impl<'a> Database<'a> {
    fn of(answer: &'a Answer) -> Option<Self> {
        let best = answer.bought()?;
        Some(Self { answer, best })
    }

    fn current(&self) -> Option<&'a Current> {
        self.answer.current.as_ref()
    }

    /// What it costs a month with the plan.
    fn then(&self) -> f64 {
        self.best.usd_per_month
    }

    fn row(&self) -> Vec<String> {
        let today = self.current();
        let cost = today.map(|it| it.layout.usd_per_month);
        let usd = |usd: Option<f64>| usd.map_or_else(String::new, |usd| grouped(usd, 2));
        let holds = today.map(|it| (100.0 * it.holds.min(1.0)).floor());
        vec![
            self.answer.name.clone(),
            what(self.best),
            usd(cost),
            usd(Some(self.then())),
            usd(cost.map(|cost| cost - self.then())),
            p99_ms(self.best).map(ms).unwrap_or_default(),
            holds.map_or_else(String::new, |percent| format!("{percent}%")),
        ]
    }
}

fn headline(planned: &[Database<'_>], of: usize) -> String {
    let number = count(planned.len() as u64);
    let mut said = format!("{number} of {} databases planned", count(of as u64));
    if !planned.is_empty() {
        let all = dollars(sum(planned.iter().map(Database::then)));
        said += &format!(", {all} a month");
    }
    let known = || planned.iter().filter_map(|it| Some((it, it.current()?)));
    let number = known().count();
    if number > 0 {
        let today = sum(known().map(|(_, it)| it.layout.usd_per_month));
        let saved = today - sum(known().map(|(it, _)| it.then()));
        let who = match number == planned.len() {
            true => String::new(),
            false => format!("for the {} that state it, ", count(number as u64)),
        };
        let does = match saved >= 0.0 {
            true => format!("saves {} of", dollars(saved)),
            false => "costs more than".to_owned(),
        };
        said += &format!("; {who}that {does} today's {}", dollars(today));
    }
    said
}

/// Each note once, with how many plans it is about.
fn notes(planned: &[Database<'_>]) -> Vec<String> {
    let assumed = planned.iter().filter(|it| it.answer.region_assumed);
    let arm = planned.iter().filter(|it| needs_arm(it.answer));
    let notes = [
        (
            assumed.count(),
            "the region is assumed, us-east-1: the column `region` states it",
        ),
        (
            arm.count(),
            "programs must be built for arm64: --architecture x86_64 avoids that",
        ),
    ];
    let notes = notes.into_iter().filter(|(times, _)| *times > 0);
    let notes = notes.map(|(times, said)| match times == planned.len() {
        true => format!("all: {said}"),
        false => format!("{} of them: {said}", count(times as u64)),
    });
    notes.collect()
}

fn table(planned: &[Database<'_>]) -> Table {
    let rows: Vec<_> = planned.iter().map(Database::row).collect();
    let caption = "Dollars a month, the largest saving first";
    Table::new(caption, &COLUMNS, rows, 2).without_empty()
}

/// The databases without a plan: why, and what comes nearest where nothing meets them.
fn unmet(answers: &[Answer], failed: &[(String, String)]) -> Vec<String> {
    let failed = failed
        .iter()
        .map(|(name, error)| format!("{name}: {error}"));
    let lacking = answers.iter().filter(|it| it.bought().is_none());
    let lacking = lacking.map(|it| format!("{}: {}", it.name, impossible(it).join("; ")));
    failed.chain(lacking).collect()
}

/// In their order, from nothing on.
fn sum(costs: impl Iterator<Item = f64>) -> f64 {
    costs.fold(0.0, |sum, one| sum + one)
}
