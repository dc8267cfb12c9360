//! The standbys of an engine, and what its commits wait for.

use blockyard_model::workload::spec::{GroupSpec, OltpSpec, Pace, Shipping, Wait};

use super::files::Files;
use super::galera::Cluster;
use super::oltp::Around;
use crate::resolve::Invalid;
use crate::schema::{Oltp, SynchronousCommit};

/// The standbys of the job at `path`, resolved as `engine` on host `own`.
///
/// # Errors
/// An engine without a write-ahead log, or with a cluster, too; a wait that its own log does not
/// have; more synchronous standbys than there are; what is wrong with the nodes of a cluster.
pub(super) fn resolve(
    path: &str,
    (job, engine): (&Oltp, &OltpSpec),
    own: usize,
    around: Around<'_>,
    files: &mut Files<'_>,
) -> Result<Option<GroupSpec>, Invalid> {
    let Some(standbys) = &job.standbys else {
        return Ok(None);
    };
    let cluster = Cluster {
        path: format!("{path}.standbys"),
        job,
        engine,
        own,
        around,
    };
    check_engine(path, (job, engine))?;
    let wait = wait(standbys.synchronous_commit, engine.log.durable)
        .map_err(|message| cluster.invalid("synchronous_commit", message))?;
    let nodes = cluster.nodes(&standbys.nodes, files)?;
    let wanted = standbys.synchronous.get();
    if wanted as usize > nodes.len() {
        let count = nodes.len();
        let message = format!("`{wanted}` of {count}; expected at most as many as there are");
        return Err(cluster.invalid("synchronous", message));
    }
    Ok(Some(GroupSpec {
        nodes,
        // PostgreSQL replays in one process, and no standby stops the primary.
        appliers: 1,
        upper: u64::MAX,
        lower: u64::MAX,
        shipping: Some(Shipping {
            wait,
            standbys: wanted,
        }),
    }))
}

/// Refuses what does not ship its log.
fn check_engine(path: &str, (job, engine): (&Oltp, &OltpSpec)) -> Result<(), Invalid> {
    let refused = |key: &str, message: &str| Err(Invalid::new(format!("{path}.{key}"), message));
    if !matches!(engine.flushing.pace, Pace::Checkpoints { .. }) {
        let message = "belongs to an engine with a write-ahead log, `postgres`; expected `galera`";
        return refused("standbys", message);
    }
    if job.galera.is_some() {
        return refused("galera", "beside `standbys`; expected one of the two");
    }
    if engine.binlog.is_some() {
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
