//! The standbys of an engine, and what its commits wait for.

mod replicas;

use std::num::NonZeroU32;

use blockyard_model::units::{Bytes, Nanos, SECOND};
use blockyard_model::workload::spec::{
    GroupNode, GroupSpec, Membership, Pace, Rejoin, Shipped, Shipping, Wait, Which,
};

use super::cluster::Cluster;
use super::files::Files;
use super::galera;
use crate::resolve::Invalid;
use crate::schema::{Standbys, SynchronousCommit, SynchronousMethod};
use crate::units::{Duration, Size};

/// PostgreSQL's default.
const WAL_SENDER_TIMEOUT: Duration = Duration::new(60 * SECOND);

const LONGEST_RESTART: Nanos = 24 * 3600 * SECOND;

/// The group that the log is shipped to.
///
/// # Errors
/// A cluster, too; keys of an engine that ships another log; what is wrong with the nodes.
pub(super) fn resolve(
    cluster: &Cluster<'_>,
    standbys: &Standbys,
    files: &mut Files<'_>,
) -> Result<GroupSpec, Invalid> {
    if cluster.job.galera.is_some() {
        let place = format!("{}.galera", cluster.job_path);
        let message = "beside `standbys`; expected one of the two";
        return Err(Invalid::new(place, message));
    }
    if let Some((host, _)) = standbys.nodes.iter().find(|it| it.1.weight.is_some()) {
        let message = "standbys have no votes; expected none";
        return Err(cluster.invalid(&format!("nodes.{host}.weight"), message));
    }
    match cluster.engine.flushing.pace {
        Pace::Checkpoints { .. } => streaming(cluster, standbys, files),
        Pace::Adaptive { .. } => replicas::resolve(cluster, standbys, files),
    }
}

/// PostgreSQL's streaming replication.
fn streaming(
    cluster: &Cluster<'_>,
    standbys: &Standbys,
    files: &mut Files<'_>,
) -> Result<GroupSpec, Invalid> {
    let others = [
        ("semi_sync", standbys.semi_sync.is_some()),
        ("appliers", standbys.appliers.is_some()),
        ("durable_relay_log", standbys.durable_relay_log.is_some()),
        ("rejoin", standbys.rejoin.is_some()),
    ];
    let message = "belongs to an engine with a binary log, `innodb`, `mariadb` or `percona`; \
                   PostgreSQL has `synchronous_commit`";
    refuse_stated(cluster, &others, message)?;
    if cluster.engine.binlog.is_some() {
        let place = format!("{}.binlog", cluster.job_path);
        let message = "beside `standbys`, which get the log; expected none";
        return Err(Invalid::new(place, message));
    }
    let wait = wait(standbys.synchronous_commit, cluster.engine.log.durable)
        .map_err(|message| cluster.invalid("synchronous_commit", message))?;
    let nodes = cluster.nodes(&standbys.nodes, files)?;
    let timeout = standbys.wal_sender_timeout.unwrap_or(WAL_SENDER_TIMEOUT);
    if !(SECOND / 10..=3600 * SECOND).contains(&timeout.nanos()) {
        let message = format!("`{timeout}`; expected 100ms to 1h");
        return Err(cluster.invalid("wal_sender_timeout", message));
    }
    let wanted = standbys.synchronous.map_or(1, NonZeroU32::get);
    check_count(cluster, "synchronous", wanted, &nodes)?;
    let shipping = Shipping {
        log: Shipped::Wal,
        wait,
        standbys: wanted,
        which: match standbys.method.unwrap_or_default() {
            SynchronousMethod::Any => Which::Any,
            SynchronousMethod::First => Which::First,
        },
        timeout: timeout.nanos(),
        fallback: None,
        kept: kept(cluster, standbys)?,
        rejoin: match standbys.rewind {
            true => Rejoin::Rewind,
            false => Rejoin::Copy,
        },
        most_lag: most_lag(cluster, standbys)?,
    };
    let log_rooms = match standbys.slots {
        true => log_rooms(cluster, &nodes, files),
        false => Vec::new(),
    };
    // PostgreSQL replays in one process.
    let group = group(cluster, standbys, (nodes, 1), shipping)?;
    Ok(GroupSpec { log_rooms, ..group })
}

/// How much of the log a standby may lack and be promoted.
fn most_lag(cluster: &Cluster<'_>, standbys: &Standbys) -> Result<Bytes, Invalid> {
    match standbys.maximum_lag_on_failover {
        Some(_) if standbys.failover.is_none() => {
            let message = "without `failover` no standby is promoted; expected that, too";
            Err(cluster.invalid("maximum_lag_on_failover", message))
        }
        stated => Ok(stated.map_or(Bytes::MAX, Size::bytes)),
    }
}

/// How much log is kept for a standby that is behind.
fn kept(cluster: &Cluster<'_>, standbys: &Standbys) -> Result<Bytes, Invalid> {
    let (slot, without) = (standbys.max_slot_wal_keep_size, standbys.wal_keep_size);
    match standbys.slots {
        true if without.is_some() => {
            let message = "beside slots, which keep all; expected `slots: false`, too";
            Err(cluster.invalid("wal_keep_size", message))
        }
        true => Ok(slot.map_or(Bytes::MAX, Size::bytes)),
        false if slot.is_some() => {
            let message = "there are no slots; expected `wal_keep_size`";
            Err(cluster.invalid("max_slot_wal_keep_size", message))
        }
        // What a checkpoint needs is there in any case.
        false => Ok(cluster.engine.log.capacity + without.map_or(0, Size::bytes)),
    }
}

/// The room of each node's disk for the log, the job's first: that of its file, and what the files
/// so far leave.
fn log_rooms(cluster: &Cluster<'_>, nodes: &[GroupNode], files: &Files<'_>) -> Vec<Bytes> {
    let own = cluster.engine.log.region;
    let logs = [own].into_iter().chain(nodes.iter().map(|node| node.log));
    logs.map(|log| log.size + files.free(log.device)).collect()
}

/// A group of `nodes` that replay with so many threads each. None of them stops the primary.
fn group(
    cluster: &Cluster<'_>,
    standbys: &Standbys,
    (nodes, appliers): (Vec<GroupNode>, u32),
    shipping: Shipping,
) -> Result<GroupSpec, Invalid> {
    Ok(GroupSpec {
        take_over: cluster.take_over(standbys.failover)?,
        between: match standbys.failover {
            Some(_) => cluster.wires("failover", &nodes)?,
            None => Vec::new(),
        },
        nodes,
        appliers,
        upper: u64::MAX,
        lower: u64::MAX,
        shipping: Some(shipping),
        log_rooms: Vec::new(),
        membership: Membership {
            restart: restart(cluster, standbys)?,
            // A base backup blocks nobody.
            blocks_donor: false,
            ..galera::DEFAULTS
        },
    })
}

/// When a node's engine is started again.
fn restart(cluster: &Cluster<'_>, standbys: &Standbys) -> Result<Option<Nanos>, Invalid> {
    match standbys.restart {
        Some(stated) if stated.nanos() > LONGEST_RESTART => {
            let message = format!("`{stated}`; expected at most 24h");
            Err(cluster.invalid("restart", message))
        }
        stated => Ok(stated.map(Duration::nanos)),
    }
}

/// Refuses to wait for more standbys than there are.
fn check_count(
    cluster: &Cluster<'_>,
    key: &str,
    wanted: u32,
    nodes: &[GroupNode],
) -> Result<(), Invalid> {
    let count = nodes.len();
    if wanted as usize <= count {
        return Ok(());
    }
    let message = format!("`{wanted}` of {count}; expected at most as many as there are");
    Err(cluster.invalid(key, message))
}

/// Refuses the first of these keys that is stated.
fn refuse_stated(
    cluster: &Cluster<'_>,
    keys: &[(&str, bool)],
    message: &str,
) -> Result<(), Invalid> {
    let stated = keys.iter().find(|it| it.1);
    stated.map_or(Ok(()), |(key, _)| Err(cluster.invalid(key, message)))
}

/// What commits wait for, by the setting and by whether they wait for their own log.
fn wait(stated: Option<SynchronousCommit>, durable: bool) -> Result<Wait, &'static str> {
    match (stated, durable) {
        (Some(SynchronousCommit::Off), true) => {
            Err("`off` waits for no log; expected `log: {durable: false}`, too")
        }
        (None | Some(SynchronousCommit::Off), false) | (Some(SynchronousCommit::Local), true) => {
            Ok(Wait::Nothing)
        }
        (Some(_), false) => Err("the log is not `durable`; expected `off`"),
        (Some(SynchronousCommit::RemoteWrite), true) => Ok(Wait::Received),
        (None | Some(SynchronousCommit::On), true) => Ok(Wait::Flushed),
        (Some(SynchronousCommit::RemoteApply), true) => Ok(Wait::Replayed),
    }
}

#[cfg(test)]
mod tests;
