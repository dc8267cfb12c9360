//! A Galera cluster: its appliers, and flow control's limits.

use blockyard_model::workload::spec::GroupSpec;

use super::cluster::Cluster;
use super::files::Files;
use crate::resolve::Invalid;
use crate::schema::Galera;

/// Most threads that apply write sets (`wsrep_slave_threads` takes up to 512).
const MOST_APPLIERS: u32 = 512;

/// The group that writes go to.
///
/// # Errors
/// Too many appliers, and what is wrong with the nodes.
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
    // As Galera has it (gcs/src/gcs.cpp, `_set_fc_limits`).
    let scale = match galera.fc_master_slave {
        true => 1.0,
        false => (1.0 + nodes.len() as f64).sqrt(),
    };
    let upper = (f64::from(galera.fc_limit.get()) * scale + 0.5) as u64;
    let factor = galera.fc_factor.permille() as f64 / 1000.0;
    Ok(GroupSpec {
        nodes,
        appliers,
        upper,
        lower: (upper as f64 * factor + 0.5) as u64,
        shipping: None,
    })
}

#[cfg(test)]
mod tests;
