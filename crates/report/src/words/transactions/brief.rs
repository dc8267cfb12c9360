//! Lines of a summary.

use blockyard_record::result::{ReplicationTotal, RunResult, TimeSpent, TransactionTotal};
use blockyard_record::thresholds::NOTEWORTHY;

use super::{hits, spent_on};
use crate::text::format::{count, duration, number};
use crate::words::phrases::{counted, counted_as, in_bytes, listed, share};

/// Lines of a summary: what time goes to, what the engine does, what has not begun.
pub(crate) fn in_brief(result: &RunResult) -> Vec<String> {
    let lines = |total| {
        let lines = [
            failed,
            lost,
            asynchronous,
            refused,
            outage,
            time,
            engine,
            replication,
            waiting,
        ];
        let lines = lines.map(|line| line(total));
        lines
            .into_iter()
            .flatten()
            .map(|said| format!("{}: {said}", total.job))
    };
    result.transactions.iter().flat_map(lines).collect()
}

fn failed(total: &TransactionTotal) -> Option<String> {
    let failed = counted(total.failed, "transaction");
    (total.failed > 0).then(|| format!("{failed} failed, which no figure counts"))
}

fn refused(total: &TransactionTotal) -> Option<String> {
    let group = total.replication.as_ref();
    let without_s = group.map_or(0.0, |group| group.without_quorum_s);
    let without = duration(without_s);
    let refused = counted(total.refused, "transaction");
    if without_s > 0.0 {
        let lacked = match group.is_some_and(|it| it.nodes.iter().any(|node| node.lag.is_some())) {
            true => "a primary without its leader key",
            false => "no quorum",
        };
        return Some(format!("{lacked} for {without}: {refused} refused"));
    }
    (total.refused > 0).then(|| format!("{refused} refused while no engine took any"))
}

/// What clients had been told of.
fn lost(total: &TransactionTotal) -> Option<String> {
    let lost = counted(total.lost, "transaction");
    (total.lost > 0).then(|| format!("{lost} lost that clients had been told were committed"))
}

/// What a failover could have lost.
fn asynchronous(total: &TransactionTotal) -> Option<String> {
    let group = total.replication.as_ref()?;
    let length = duration(group.asynchronous_s);
    let free = counted_as(group.unacknowledged, "commit", "commits");
    (group.unacknowledged > 0 || group.asynchronous_s > 0.0).then(|| {
        format!("replication was asynchronous for {length}: {free} waited for no replica's answer")
    })
}

/// The longest time in which nothing was committed.
fn outage(total: &TransactionTotal) -> Option<String> {
    let outage = duration(total.outage_s);
    (total.outage_s > 0.0).then(|| format!("nothing was committed for {outage}"))
}

fn time(total: &TransactionTotal) -> Option<String> {
    let noteworthy = |part: &&TimeSpent| part.share >= NOTEWORTHY;
    let parts = total.time.iter().filter(noteworthy);
    let mut parts = parts.map(|part| (share(part.share), spent_on(part.on)));
    let (part, on) = parts.next()?;
    let first = format!("{part} of the time of a transaction goes to {on}");
    let said = parts.fold(first, |said, (part, on)| format!("{said}, {part} to {on}"));
    Some(said)
}

fn engine(total: &TransactionTotal) -> Option<String> {
    let engine = total.engine.as_ref()?;
    let does = [
        format!("reads {} pages", number(engine.reads_per_transaction)),
        format!("writes {}", number(engine.writes_per_transaction)),
        format!("moves {}", in_bytes(whole(engine.bytes_per_transaction))),
    ];
    let hits = hits(engine.hit_ratio);
    Some(format!(
        "{hits} of page accesses hit the buffer pool; a transaction {}",
        listed(&does)
    ))
}

/// Whole bytes.
pub(super) fn whole(bytes: f64) -> u64 {
    bytes.round_ties_even() as u64
}

fn replication(total: &TransactionTotal) -> Option<String> {
    let group = total.replication.as_ref()?;
    shipping(group).or_else(|| applying(group))
}

/// How far standbys were behind; none of a group whose nodes are none.
fn shipping(group: &ReplicationTotal) -> Option<String> {
    let lags = group.nodes.iter();
    let lags = lags.filter_map(|node| Some((node.lag?, &node.host)));
    // Of equals the first, which `max_by_key` would pass over.
    let (lag, host) = lags.rev().max_by_key(|(lag, _)| lag.most_unreplayed)?;
    let (log, replayed) = match group.binary_log {
        true => ("binary log", "applied"),
        false => ("log", "replayed"),
    };
    let hosts: Vec<_> = group.nodes.iter().map(|node| node.host.clone()).collect();
    let hosts = listed(&hosts);
    Some(format!(
        "the {log} of {} transactions went to {hosts}; {host} was behind most, with up to {} not \
         {replayed} and {} at the end",
        count(group.write_sets),
        counted(lag.most_unreplayed, "transaction"),
        count(lag.unreplayed)
    ))
}

/// What flow control did, and the longest queue.
fn applying(group: &ReplicationTotal) -> Option<String> {
    let nodes = group.nodes.iter().rev();
    let longest = nodes.max_by_key(|node| node.longest_queue)?;
    let stopped = if group.pauses == 0 {
        ", and flow control stopped none".to_owned()
    } else {
        format!(
            "; flow control stopped them {}, for {} in all",
            counted(group.pauses, "time"),
            duration(group.paused_s)
        )
    };
    Some(format!(
        "{} write sets went to {}{stopped}; the longest receive queue, on {}, had {}",
        count(group.write_sets),
        counted(group.nodes.len() as u64, "node"),
        longest.host,
        count(longest.longest_queue)
    ))
}

fn waiting(total: &TransactionTotal) -> Option<String> {
    let waiting = counted(total.waiting, "transaction");
    (total.waiting > 0).then(|| format!("{waiting} had come due and not begun by the end"))
}
