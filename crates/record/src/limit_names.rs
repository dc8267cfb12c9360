//! What limits are called in results, in tables and by those who change them.
//!
//! One rule: `OWNER.LIMIT`, as in `data.0.iops` and `host.iops_credits`. Where a volume is
//! named beside it, the volume's own limits go without their owner.

use blockyard_model::storage::CauseInfo;

use crate::plan::Plan;

/// What the owner of an instance's limits is called.
pub const HOST: &str = "host";

/// Whose limit it is: the volume's name, or `host`.
pub fn owner<'a>(info: &CauseInfo, volumes: &'a [String]) -> &'a str {
    info.volume.map_or(HOST, |volume| &volumes[volume])
}

/// A limit's name with its owner: `data.0.iops`, `host.iops`.
pub fn full_name(info: &CauseInfo, volumes: &[String]) -> String {
    format!("{}.{}", owner(info, volumes), info.limit)
}

/// A limit's name where its volume is named beside it: `iops`, `host.iops`.
pub fn name_beside_volume(info: &CauseInfo) -> String {
    match info.volume {
        Some(_) => info.limit.clone(),
        None => format!("{HOST}.{}", info.limit),
    }
}

impl Plan {
    /// The limits that a volume's IO passes, the host's first, in the order of
    /// [`crate::VolumeRow::held_us`], with their index in [`Plan::causes`].
    pub fn limits_over(&self, volume: usize) -> impl Iterator<Item = (usize, &CauseInfo)> {
        let of = |owner| {
            let all = self.causes.iter().enumerate();
            all.filter(move |(_, info)| info.volume == owner)
        };
        of(None).chain(of(Some(volume)))
    }
}
