//! The standbys of an engine, and what its commits wait for.

use blockyard_model::units::SECOND;
use blockyard_model::workload::spec::{GroupSpec, Pace, Shipping, Wait, Which};

use super::cluster::Cluster;
use super::files::Files;
use super::galera;
use crate::resolve::Invalid;
use crate::schema::{Standbys, SynchronousCommit, SynchronousMethod};

/// The group that the log is shipped to.
///
/// # Errors
/// An engine without a write-ahead log, or with a cluster, too; a wait that its own log does not
/// have; more synchronous standbys than there are; what is wrong with the nodes.
pub(super) fn resolve(
    cluster: &Cluster<'_>,
    standbys: &Standbys,
    files: &mut Files<'_>,
) -> Result<GroupSpec, Invalid> {
    check_engine(cluster)?;
    let wait = wait(standbys.synchronous_commit, cluster.engine.log.durable)
        .map_err(|message| cluster.invalid("synchronous_commit", message))?;
    if let Some((host, _)) = standbys.nodes.iter().find(|it| it.1.weight.is_some()) {
        let message = "standbys have no votes; expected none";
        return Err(cluster.invalid(&format!("nodes.{host}.weight"), message));
    }
    let nodes = cluster.nodes(&standbys.nodes, files)?;
    let timeout = standbys.wal_sender_timeout;
    if !(SECOND / 10..=3600 * SECOND).contains(&timeout.nanos()) {
        let message = format!("`{timeout}`; expected 100ms to 1h");
        return Err(cluster.invalid("wal_sender_timeout", message));
    }
    let wanted = standbys.synchronous.get();
    if wanted as usize > nodes.len() {
        let count = nodes.len();
        let message = format!("`{wanted}` of {count}; expected at most as many as there are");
        return Err(cluster.invalid("synchronous", message));
    }
    Ok(GroupSpec {
        take_over: cluster.take_over(standbys.failover, &nodes)?,
        nodes,
        // PostgreSQL replays in one process, and no standby stops the primary.
        appliers: 1,
        upper: u64::MAX,
        lower: u64::MAX,
        shipping: Some(Shipping {
            wait,
            standbys: wanted,
            which: match standbys.method {
                SynchronousMethod::Any => Which::Any,
                SynchronousMethod::First => Which::First,
            },
            timeout: timeout.nanos(),
        }),
        membership: galera::DEFAULTS,
    })
}

/// Refuses what does not ship its log.
fn check_engine(cluster: &Cluster<'_>) -> Result<(), Invalid> {
    let refused = |key: &str, message: &str| {
        let place = format!("{}.{key}", cluster.job_path);
        Err(Invalid::new(place, message))
    };
    if !matches!(cluster.engine.flushing.pace, Pace::Checkpoints { .. }) {
        let message = "belongs to an engine with a write-ahead log, `postgres`; expected `galera`";
        return refused("standbys", message);
    }
    if cluster.job.galera.is_some() {
        return refused("galera", "beside `standbys`; expected one of the two");
    }
    if cluster.engine.binlog.is_some() {
        return refused(
            "binlog",
            "beside `standbys`, which get the log; expected none",
        );
    }
    Ok(())
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
