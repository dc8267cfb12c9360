//! A result for a terminal: a heading, its headline, narrow tables, and lines below them.

mod figures;
mod storage;

use blockyard_record::result::{OpenLoop, RunResult, Status};
use serde::Serialize;

use self::figures::figures;
use self::storage::storage;
pub use self::storage::throttled_by;
use super::amounts::done;
use super::drive;
use super::events::happened;
use super::expected::expected;
use super::head::ended;
use super::headline::headline;
use super::modes::made;
use super::network::network;
use super::observed_load;
use super::replayed::other_end;
use super::shortfall::behind;
use super::stalls::stalls;
use super::transactions::{FIRST_TO_GO, HEADINGS, in_brief, rows};
use crate::Run;
use crate::text::format::{count, duration, latency};
use crate::text::provenance;

/// What a terminal shows of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// What was run, for how long and how.
    pub heading: String,
    /// What came of it, in a sentence or two.
    pub headline: String,
    /// Its figures: of IOs, then of transactions, where a job does any.
    pub tables: Vec<NarrowTable>,
    /// Remarks on the limits as a whole.
    pub notes: Vec<String>,
    /// What there is to say besides.
    pub lines: Vec<String>,
}

/// A table that is fitted to a terminal's width.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NarrowTable {
    /// The heading of each column: the first is what a line is of, the others are figures.
    pub headings: Vec<String>,
    /// Its lines, with a cell a column.
    pub lines: Vec<Vec<String>>,
    /// The headings that narrow terminals do without, in the order in which they go.
    pub first_to_go: Vec<String>,
    /// Of each line whether it tells something only beside its load: nothing but that says what a
    /// line of other seeds, or of a replay's other end, is.
    pub marks: Vec<bool>,
}

/// Where a line has its load.
const LOAD: usize = 1;

/// What stands there on the lines of the range over seeds.
const ENDS: [&str; 2] = ["min", "max"];

/// What stands there on the lines of a replay by its recorded times.
const OPEN: &str = "open";

impl NarrowTable {
    fn new(headings: &[&str], lines: Vec<Vec<String>>, first_to_go: &[&str]) -> Self {
        let is_end = |line: &Vec<String>| {
            let load = line.get(LOAD);
            load.is_some_and(|load| load == OPEN || ENDS.contains(&load.as_str()))
        };
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Self {
            headings: owned(headings),
            marks: lines.iter().map(is_end).collect(),
            lines,
            first_to_go: owned(first_to_go),
        }
    }
}

/// The summary of a run.
#[must_use]
pub fn summary(run: &Run) -> Summary {
    let (result, facts) = (&run.result, run.facts.as_ref());
    let mut tables = vec![figures(run)];
    let transactions = rows(result);
    if !transactions.is_empty() {
        tables.push(NarrowTable::new(&HEADINGS, transactions, &FIRST_TO_GO));
    }
    let mut lines = in_brief(result);
    lines.extend(drive::said(run));
    lines.extend(done(result));
    lines.extend(open_loops(result));
    lines.extend(other_end(run));
    lines.extend(stalls(result));
    lines.extend(facts.map(|facts| behind(result, facts)).unwrap_or_default());
    lines.extend(storage(result, facts));
    lines.extend(observed_load::lines(run));
    lines.extend(happened(result));
    lines.extend(provenance::legend(result));
    lines.extend(expected(result));
    lines.extend(network(result, facts));
    lines.extend(goals(result));
    let notices = result.notices.iter();
    Summary {
        heading: heading(run),
        headline: headline(run),
        tables,
        notes: notices.map(|notice| format!("note: {notice}")).collect(),
        lines,
    }
}

fn heading(run: &Run) -> String {
    let result = &run.result;
    let how = match result.status {
        Status::Complete => String::new(),
        Status::Interrupted | Status::Failed => format!(", {}", ended(result.status)),
    };
    let seeds = result.by_seed.as_ref().map_or_else(String::new, |by_seed| {
        let first = result.seed;
        let last = first + u64::from(by_seed.seeds) - 1;
        format!("; min and max of seeds {first} to {last} if they differ")
    });
    let (name, length) = (&result.scenario, duration(result.duration_s));
    // Real databases have no seed.
    let seed = match &result.observed {
        Some(_) => String::new(),
        None => format!(", seed {}", result.seed),
    };
    format!("{name}: {length} {}{seed}{seeds}{how}", made(run))
}

/// How each open loop kept to its schedule.
fn open_loops(result: &RunResult) -> Vec<String> {
    result.open_loop.iter().filter_map(open_loop).collect()
}

fn open_loop(own: &OpenLoop) -> Option<String> {
    let lag = own.lag_us?;
    let failed = if own.failed > 0 {
        format!("{} failed, ", count(own.failed))
    } else {
        String::new()
    };
    Some(format!(
        "{}: {} of {} due IOs served, {failed}{} waiting, {} late, {} skipped; issued {} after \
         due, p99 {}",
        own.job,
        count(own.served),
        count(own.offered),
        count(own.backlog),
        count(own.late),
        count(own.skipped),
        latency(lag.mean),
        latency(lag.p99),
    ))
}

fn goals(result: &RunResult) -> Vec<String> {
    let goals = result.goals.iter().enumerate();
    let lines = goals.map(|(place, goal)| {
        let met = if goal.met { "met" } else { "MISSED" };
        let chance = result.by_seed.as_ref().map_or_else(String::new, |by_seed| {
            let (met, of) = (by_seed.goals_met[place], by_seed.seeds);
            format!("; met in {met} of {of} seeds")
        });
        let (stated, measured) = (&goal.goal, &goal.measured);
        let behind = provenance::behind(goal);
        format!("goal {stated}: {met}, {measured}{behind}{chance}")
    });
    lines.collect()
}
