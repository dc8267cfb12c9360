//! What limits are called in results, in tables and by those who change them.
//!
//! One rule: `OWNER.LIMIT`, as in `data.0.iops` and `host.iops_credits`. Where a volume is
//! named beside it, the volume's own limits go without their owner.

use blockyard_model::storage::{LimitInfo, Owner};

/// What the owner of an instance's limits is called.
pub const HOST: &str = "host";

/// Whose limit it is: the volume's name, or `host`.
pub fn owner<'a>(info: &LimitInfo, volumes: &'a [String]) -> &'a str {
    match info.owner {
        Owner::Host => HOST,
        Owner::Volume(volume) => &volumes[volume],
    }
}

/// A limit's name with its owner: `data.0.iops`, `host.iops`.
pub fn full_name(info: &LimitInfo, volumes: &[String]) -> String {
    format!("{}.{}", owner(info, volumes), info.name)
}

/// A limit's name where its volume is named beside it: `iops`, `host.iops`.
pub fn name_beside_volume(info: &LimitInfo) -> String {
    match info.owner {
        Owner::Host => format!("{HOST}.{}", info.name),
        Owner::Volume(_) => info.name.clone(),
    }
}
