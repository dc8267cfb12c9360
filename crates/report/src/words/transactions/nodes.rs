//! Tables of the other nodes of a group, and of standbys.

use blockyard_record::result::{NodeTotal, SpentOn, TransactionTotal};

use super::spent_on;
use crate::text::format::{count, duration, latency, number};
use crate::text::table::Table;
use crate::words::phrases::in_bytes;

/// A row for each other node that applies write sets.
pub(super) fn nodes(found: &[TransactionTotal]) -> Table {
    let nodes = others(found).filter(|(_, node)| node.lag.is_none());
    let rows = nodes.map(|(job, node)| {
        let stopped = if node.stopped_s == 0.0 {
            String::new()
        } else {
            duration(node.stopped_s)
        };
        let mut row = vec![job.to_owned(), node.host.clone()];
        row.extend([node.applied, node.longest_queue].map(count));
        row.push(stopped);
        row.extend(applying(node));
        row
    });
    let columns = [
        "job",
        "node",
        "write sets applied",
        "longest receive queue",
        "stopped the others",
        "a write set takes",
        "mostly",
        "reads",
        "writes",
    ];
    let caption = "The other nodes, and what applying a write set takes there";
    Table::new(caption, &columns, rows.collect(), 2)
}

/// A row for each standby, which replays a write-ahead log.
pub(super) fn standbys(found: &[TransactionTotal]) -> Table {
    let columns = [
        "job",
        "standby",
        "replayed",
        "most not replayed",
        "at the end",
        "most not on its disk",
        "at the end",
        "a transaction takes",
        "mostly",
        "reads",
        "writes",
    ];
    let caption = "The standbys: how far they are behind, and what replay takes";
    Table::new(caption, &columns, behind(found, false), 2)
}

/// A row for each replica, which applies a binary log.
pub(super) fn replicas(found: &[TransactionTotal]) -> Table {
    let columns = [
        "job",
        "replica",
        "applied",
        "most not applied",
        "at the end",
        "most not in its relay log",
        "at the end",
        "a transaction takes",
        "mostly",
        "reads",
        "writes",
    ];
    let caption = "The replicas: how far they are behind, and what applying takes";
    Table::new(caption, &columns, behind(found, true), 2)
}

/// How far those are behind that get a binary log, or another.
fn behind(found: &[TransactionTotal], binary_log: bool) -> Vec<Vec<String>> {
    let is_it = |it: &&TransactionTotal| {
        let group = it.replication.as_ref();
        group.is_some_and(|group| group.binary_log == binary_log)
    };
    let found = found.iter().filter(is_it);
    let standbys = others(found).filter_map(|(job, node)| Some((job, node, node.lag?)));
    let rows = standbys.map(|(job, node, lag)| {
        let mut row = vec![job.to_owned(), node.host.clone()];
        row.extend([node.applied, lag.most_unreplayed, lag.unreplayed].map(count));
        row.extend([lag.most_unflushed_bytes, lag.unflushed_bytes].map(in_bytes));
        row.extend(applying(node));
        row
    });
    rows.collect()
}

/// The nodes beside the one that takes the transactions, each with its job.
fn others<'a>(
    found: impl IntoIterator<Item = &'a TransactionTotal>,
) -> impl Iterator<Item = (&'a str, &'a NodeTotal)> {
    found.into_iter().flat_map(|total| {
        let nodes = total.replication.iter().flat_map(|group| &group.nodes);
        nodes.map(move |node| (total.job.as_str(), node))
    })
}

/// What applying takes: what is in the queue is not being applied.
fn applying(node: &NodeTotal) -> [String; 4] {
    let time = || node.time.iter().filter(|part| part.on != SpentOn::Thread);
    let ms = time().fold(0.0, |sum, part| sum + part.ms);
    let mostly = time().next().map(|part| match part.on {
        SpentOn::Replication => "waiting for those before it to commit",
        on => spent_on(on),
    });
    [
        latency(1e3 * ms),
        mostly.unwrap_or_default().to_owned(),
        number(node.reads_per_write_set),
        number(node.writes_per_write_set),
    ]
}
