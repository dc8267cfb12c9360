//! A Galera cluster: its appliers, and flow control's limits.

use blockyard_model::units::{MIB, SECOND};
use blockyard_model::workload::spec::{Connections, GroupSpec, Membership, SendWindows};

use blockyard_text::hint;

use super::cluster::Cluster;
use super::files::Files;
use crate::resolve::Invalid;
use crate::schema::{Galera, SstMethod};
use crate::units::Duration;

/// Most threads that apply write sets (`wsrep_slave_threads` takes up to 512).
const MOST_APPLIERS: u32 = 512;

/// What is not stated is as the product has it by default
/// (<https://galeracluster.com/library/documentation/galera-parameters.html>).
pub(super) const DEFAULTS: Membership = Membership {
    suspect: 5 * SECOND,
    check: SECOND / 2,
    agree: SECOND,
    time_wait: 5 * SECOND,
    connections: Connections {
        timeout: 3 * SECOND,
        check: SECOND / 2,
        reconnect: SECOND,
        keepalive: SECOND,
    },
    restart: None,
    weight: 1,
    gcache: 128 * MIB,
    blocks_donor: true,
    donor: None,
    windows: SendWindows { user: 2, all: 4 },
};

/// The group that writes go to.
///
/// # Errors
/// Too many appliers, no vote, a timeout out of range, and what is wrong with the nodes.
pub(super) fn resolve(
    cluster: &Cluster<'_>,
    galera: &Galera,
    files: &mut Files<'_>,
) -> Result<GroupSpec, Invalid> {
    let appliers = galera.appliers.get();
    if appliers > MOST_APPLIERS {
        let message = format!("`{appliers}` are too many; expected at most {MOST_APPLIERS}");
        return Err(cluster.invalid("appliers", message));
    }
    let nodes = cluster.nodes(&galera.nodes, files)?;
    let suspect = galera.suspect_timeout;
    if !(SECOND / 10..=3600 * SECOND).contains(&suspect.nanos()) {
        let message = format!("`{suspect}`; expected 100ms to 1h");
        return Err(cluster.invalid("suspect_timeout", message));
    }
    if galera.weight == 0 && nodes.iter().all(|node| node.weight == 0) {
        let message = "no node has a vote; expected a weight above 0";
        return Err(cluster.invalid("weight", message));
    }
    // As Galera has it (gcs/src/gcs.cpp, `_set_fc_limits`).
    let scale = match galera.fc_master_slave {
        true => 1.0,
        false => (1.0 + nodes.len() as f64).sqrt(),
    };
    let upper = (f64::from(galera.fc_limit.get()) * scale + 0.5) as u64;
    let factor = galera.fc_factor.permille() as f64 / 1000.0;
    Ok(GroupSpec {
        take_over: cluster.take_over(galera.failover)?,
        between: cluster.wires("nodes", &nodes)?,
        nodes,
        appliers,
        upper,
        lower: (upper as f64 * factor + 0.5) as u64,
        shipping: None,
        log_rooms: Vec::new(),
        membership: Membership {
            suspect: suspect.nanos(),
            restart: galera.restart.map(Duration::nanos),
            weight: galera.weight.into(),
            gcache: galera.gcache.bytes(),
            donor: donor(cluster, galera)?,
            windows: windows(cluster, galera)?,
            blocks_donor: galera.sst_method == SstMethod::Rsync,
            ..DEFAULTS
        },
    })
}

/// How many messages of a node may be on their way.
///
/// # Errors
/// A window that is smaller than that of messages which go at once.
fn windows(cluster: &Cluster<'_>, galera: &Galera) -> Result<SendWindows, Invalid> {
    let (user, all) = (galera.user_send_window.get(), galera.send_window.get());
    if all < user {
        let message = format!("`{all}`; expected at least `user_send_window`, {user}");
        return Err(cluster.invalid("send_window", message));
    }
    Ok(SendWindows {
        user: user.into(),
        all: all.into(),
    })
}

/// The number of the node that all data is copied from.
///
/// # Errors
/// A host that has no node.
fn donor(cluster: &Cluster<'_>, galera: &Galera) -> Result<Option<usize>, Invalid> {
    let Some(name) = &galera.sst_donor else {
        return Ok(None);
    };
    let Some(place) = galera.nodes.get_index_of(name) else {
        let known = hint(name, galera.nodes.keys().map(String::as_str));
        let message = format!("no other node is on `{name}`{known}");
        return Err(cluster.invalid("sst_donor", message));
    };
    Ok(Some(1 + place))
}

#[cfg(test)]
mod tests;
