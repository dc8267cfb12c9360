//! Transactions: how many a second, how long they take and on what, and what their engine does.

mod brief;
mod delivered;
mod engines;
mod nodes;
mod parts;
mod rows;

use blockyard_record::result::{EngineIoUse, RunResult, SpentOn, StoppedEngine, TransactionTotal};
use blockyard_scenario::EventKind;

pub(crate) use self::brief::in_brief;
pub(crate) use self::rows::{FIRST_TO_GO, HEADINGS, rows};
use crate::text::format::{duration, percent};
use crate::text::table::{Said, Table};

/// From here on the whole percents of a hit ratio hide how many pages miss.
const NEARLY_ALL: f64 = 0.99;

/// What a report says of transactions.
pub(crate) fn transactions(result: &RunResult) -> Vec<Said> {
    let found = &result.transactions;
    let lines = in_brief(result).into_iter();
    let tables = [
        delivered::delivered(result),
        delivered::seeds(result),
        delivered::spent(found),
        delivered::by_5s(found),
        engines::engines(found),
        nodes::nodes(found),
        nodes::standbys(found),
        nodes::replicas(found),
    ];
    let shown = tables.into_iter().filter(|table| !table.rows.is_empty());
    let said = lines.map(|line| Said::from(format!("{line}.")));
    said.chain(shown.map(Table::without_empty).map(Said::from))
        .collect()
}

/// Engines that stopped: `the engine of shop stopped at 30 s: a write of its log failed`, and when
/// they or others served again.
pub(crate) fn stops(result: &RunResult) -> Vec<String> {
    those_that(result, |_| true)
}

/// Those that clients felt, then those that are not back.
pub(crate) fn felt_stops(result: &RunResult) -> Vec<String> {
    let mut felt = those_that(result, |stop| stop.host.is_none());
    let is_out = |stop: &StoppedEngine| stop.host.is_some() && stop.back_s.is_none();
    felt.extend(those_that(result, is_out));
    felt
}

fn those_that(result: &RunResult, are: impl Fn(&StoppedEngine) -> bool) -> Vec<String> {
    let told = |total: &TransactionTotal| {
        let told = total.stopped.iter().filter(|stop| are(stop));
        let told = told.map(|stop| stopped(total, stop, with(result, stop)));
        told.collect::<Vec<_>>()
    };
    result.transactions.iter().flat_map(told).collect()
}

/// What it stopped with: the log that it kept for standbys had filled its disk, its cluster was
/// switched, or another host took its mirror over.
fn with(result: &RunResult, stop: &StoppedEngine) -> Option<EventKind> {
    let mut kinds = result.events.iter().filter(|event| event.t_s == stop.t_s);
    let is_one = |kind: &EventKind| {
        matches!(
            kind,
            EventKind::LogFull | EventKind::Switch | EventKind::Takeover
        )
    };
    kinds.find_map(|event| Some(event.kind).filter(is_one))
}

fn stopped(total: &TransactionTotal, stop: &StoppedEngine, with: Option<EventKind>) -> String {
    let job = &total.job;
    let on = stop.host.as_ref();
    let on = on.map_or_else(String::new, |host| format!(" on {host}"));
    let why = match stop.failed_io {
        Some(EngineIoUse::Log) if with == Some(EventKind::LogFull) => {
            "the log that it keeps for standbys filled its disk"
        }
        Some(EngineIoUse::Log) => "a write of its log failed",
        Some(EngineIoUse::PageWrite) => "a write of its pages failed",
        Some(EngineIoUse::PageRead) => "a read of its pages failed",
        Some(EngineIoUse::Copy) => "a copy of its data failed",
        None if with == Some(EventKind::Switch) => "its cluster was switched",
        None if with == Some(EventKind::Takeover) && total.replication.is_none() => {
            "another host took over"
        }
        // It was paused, and only then given up.
        None if with == Some(EventKind::Takeover) => "another node took over",
        None => "its host was gone",
    };
    let back = stop.back_s.map(duration).map_or_else(String::new, |at| {
        let again = match stop.host {
            // No other node has what was in its memory.
            None if total.replication.is_none() => "it was started with an empty buffer pool at",
            None => "transactions were taken again from",
            Some(_) => "it was back at",
        };
        format!("; {again} {at}")
    });
    format!(
        "the engine of {job}{on} stopped at {}: {why}{back}",
        duration(stop.t_s)
    )
}

/// What a transaction's time goes to.
fn spent_on(on: SpentOn) -> &'static str {
    match on {
        SpentOn::Thread => "waiting for a thread of the engine",
        SpentOn::Core => "waiting for a processor core",
        SpentOn::Pause => "waiting while the host is paused",
        SpentOn::Cpu => "processor time",
        SpentOn::FreePage => "waiting for a free page in the buffer pool",
        SpentOn::PageRead => "page reads",
        SpentOn::LogSpace => "waiting for space in the redo log",
        SpentOn::Commit => "its commit",
        SpentOn::Replication => "waiting for other nodes",
        SpentOn::FlowControl => "waiting for a node that is behind",
    }
}

/// A hit ratio: `96.5%`, `99.87%`.
fn hits(ratio: f64) -> String {
    percent(ratio, if ratio > NEARLY_ALL { 2 } else { 1 })
}
