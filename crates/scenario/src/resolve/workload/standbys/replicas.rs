//! The replicas of an engine with a binary log, and how long its commits wait for them.

use std::num::NonZeroU32;

use blockyard_catalog::{Engine, EngineReplication};
use blockyard_model::units::{Bytes, Nanos};
use blockyard_model::workload::spec::{
    Fallback, GroupNode, GroupSpec, Rejoin, RelayLog, Shipped, Shipping, Wait, Which,
};

use super::{check_count, group, refuse_stated};
use crate::resolve::Invalid;
use crate::resolve::workload::cluster::Cluster;
use crate::resolve::workload::files::Files;
use crate::schema::{self, SemiSync, Standbys};
use crate::units::Duration;

/// Most threads that apply (`replica_parallel_workers`).
const MOST_APPLIERS: u32 = 1024;

/// The group that the binary log is replicated to.
///
/// # Errors
/// Keys of PostgreSQL; no binary log; more replicas to wait for than there are, or than the product
/// can wait for; what is wrong with the nodes.
pub(super) fn resolve(
    cluster: &Cluster<'_>,
    standbys: &Standbys,
    files: &mut Files<'_>,
) -> Result<GroupSpec, Invalid> {
    let others = [
        ("synchronous_commit", standbys.synchronous_commit.is_some()),
        ("synchronous", standbys.synchronous.is_some()),
        ("method", standbys.method.is_some()),
        ("wal_sender_timeout", standbys.wal_sender_timeout.is_some()),
        ("slots", !standbys.slots),
        (
            "max_slot_wal_keep_size",
            standbys.max_slot_wal_keep_size.is_some(),
        ),
        ("wal_keep_size", standbys.wal_keep_size.is_some()),
        ("rewind", !standbys.rewind),
        (
            "maximum_lag_on_failover",
            standbys.maximum_lag_on_failover.is_some(),
        ),
    ];
    let message =
        "belongs to an engine with a write-ahead log, `postgres`; others have `semi_sync`";
    refuse_stated(cluster, &others, message)?;
    let (engine, replication) = product(cluster)?;
    let size = binlog(cluster)?;
    let appliers = standbys
        .appliers
        .map_or(replication.appliers, NonZeroU32::get);
    if appliers > MOST_APPLIERS {
        let message = format!("`{appliers}` are too many; expected at most {MOST_APPLIERS}");
        return Err(cluster.invalid("appliers", message));
    }
    let durable = standbys.durable_relay_log;
    let durable = durable.unwrap_or(replication.durable_relay_log);
    let mut nodes = cluster.nodes(&standbys.nodes, files)?;
    for (node, (host, stated)) in nodes.iter_mut().zip(&standbys.nodes) {
        let [.., binlog] = stated.roles();
        let region = cluster.log_file((host, node.host), binlog, size, files)?;
        node.relay_log = Some(RelayLog { region, durable });
    }
    let (replicas, fallback) = match &standbys.semi_sync {
        None => (1, None),
        Some(own) => {
            let replicas = replicas(cluster, own, &nodes, (engine, replication))?;
            (replicas, Some(fallback(own, replication)))
        }
    };
    let shipping = Shipping {
        log: Shipped::Binlog,
        wait: fallback.map_or(Wait::Nothing, |_| Wait::Flushed),
        standbys: replicas,
        which: Which::Any,
        timeout: Nanos::MAX,
        fallback,
        // It is kept for days (`binlog_expire_logs_seconds`).
        kept: Bytes::MAX,
        rejoin: rejoin(cluster, standbys)?,
        most_lag: Bytes::MAX,
    };
    group(cluster, standbys, (nodes, appliers), shipping)
}

/// How a source that another has replaced comes back.
fn rejoin(cluster: &Cluster<'_>, standbys: &Standbys) -> Result<Rejoin, Invalid> {
    let needed = [
        ("failover", standbys.failover.is_some()),
        ("restart", standbys.restart.is_some()),
    ];
    match (standbys.rejoin, needed.iter().find(|it| !it.1)) {
        (None, _) => Ok(Rejoin::Never),
        (Some(_), Some((key, _))) => {
            let message = format!("without `{key}` no source comes back; expected that, too");
            Err(cluster.invalid("rejoin", message))
        }
        (Some(schema::Rejoin::Incremental), None) => Ok(Rejoin::Incremental),
        (Some(schema::Rejoin::Clone), None) => Ok(Rejoin::Copy),
    }
}

/// The engine's product, and how it replicates.
fn product<'a>(cluster: &Cluster<'a>) -> Result<(&'a Engine, &'a EngineReplication), Invalid> {
    let place = format!("{}.standbys", cluster.job_path);
    let engine = cluster.around.catalog.engine(&cluster.job.engine);
    let engine = engine.map_err(|unknown| Invalid::new(&place, unknown))?;
    let replication = engine.replication.as_ref().ok_or_else(|| {
        let message = format!("{} replicates no log; expected `galera`", engine.called);
        Invalid::new(&place, message)
    });
    Ok((engine, replication?))
}

/// The size of the binary log.
fn binlog(cluster: &Cluster<'_>) -> Result<Bytes, Invalid> {
    cluster.engine.binlog.map(|it| it.size).ok_or_else(|| {
        let message = "not stated, and is what `standbys` get; expected `binlog: 1GiB`";
        Invalid::new(format!("{}.binlog", cluster.job_path), message)
    })
}

/// How many replicas a commit waits for.
fn replicas(
    cluster: &Cluster<'_>,
    own: &SemiSync,
    nodes: &[GroupNode],
    (engine, replication): (&Engine, &EngineReplication),
) -> Result<u32, Invalid> {
    let wanted = own.replicas.map_or(1, NonZeroU32::get);
    let key = "semi_sync.replicas";
    check_count(cluster, key, wanted, nodes)?;
    let most = replication.semi_sync.most_replicas;
    if wanted > most {
        let called = &engine.called;
        let message = format!("`{wanted}` are more than {called} waits for; expected {most}");
        return Err(cluster.invalid(key, message));
    }
    Ok(wanted)
}

fn fallback(own: &SemiSync, replication: &EngineReplication) -> Fallback {
    let product = replication.semi_sync;
    Fallback {
        timeout: own.timeout.map_or(product.timeout.nanos(), Duration::nanos),
        wait_no_replica: own.wait_no_replica.unwrap_or(product.wait_no_replica),
    }
}
