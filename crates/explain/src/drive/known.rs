//! What is known of the storage below a device: how long it takes, and what it lets through.

use blockyard_model::spec::{HostSpec, LimitSpec, QuantileTable, StorageSpec, VolumeSpec};

use super::seen::{Moved, Seen, SeenDevice, SeenInterval};
use crate::demand::{Counted, volumes_of};
use crate::limits::id::{LimitId, Owner};

/// The storage of a device.
#[derive(Debug)]
pub(super) struct Known<'a> {
    volume: &'a VolumeSpec,
    /// How many such volumes it has.
    volumes: u64,
    host: &'a HostSpec,
}

/// How much of a limit an interval used.
#[derive(Clone, Debug)]
pub(super) struct Use {
    pub(super) limit: LimitId,
    /// What the limit sustains, in IOs or bytes a second.
    pub(super) per_s: f64,
    /// As a share of that.
    pub(super) share: f64,
}

impl<'a> Known<'a> {
    /// Of the device that has this name, if there is one; a storage of one device needs no name.
    pub(super) fn of(storage: &'a StorageSpec, seen: &Seen, name: &str) -> Option<Self> {
        let name = match (&storage.devices[..], &seen.devices[..]) {
            ([only], [_]) => only.name.as_str(),
            _ => name,
        };
        // Of a mirror it is not known how much each leg did.
        let volumes = volumes_of(storage, name).ok()?;
        let volume = volumes[0];
        Some(Self {
            volume,
            volumes: volumes.len() as u64,
            host: &storage.hosts[volume.host],
        })
    }

    /// How long the reads and writes of an interval take where nothing delays them, summed, in
    /// microseconds.
    pub(super) fn expected_us(&self, interval: &SeenInterval) -> f64 {
        let interval = interval.without_empty();
        let latency = &self.volume.latency;
        let of = |moved: &Moved, table: &QuantileTable, per_kib: u64| {
            if moved.ios == 0 {
                return 0.0;
            }
            let size = moved.bytes as f64 / moved.ios as f64;
            let beyond = (size - latency.base_size as f64).max(0.0) / 1024.0;
            moved.ios as f64 * (mean(table) + beyond * per_kib as f64) / 1000.0
        };
        of(&interval.reads, &latency.read, latency.per_kib.read)
            + of(&interval.writes, &latency.write, latency.per_kib.write)
    }

    /// How much of each of the volume's limits an interval used, and of its host's, through which
    /// `all` devices go.
    pub(super) fn used(
        &self,
        name: &str,
        own: &SeenInterval,
        all: &[&SeenInterval],
        seconds: f64,
    ) -> Vec<Use> {
        let device = |limit: &LimitSpec| {
            let counted = self.counted(own).of(limit);
            used(
                Owner::Device(name.to_owned()),
                limit,
                self.volumes,
                counted,
                seconds,
            )
        };
        let host = |limit: &LimitSpec| {
            let each = all.iter().map(|interval| self.counted(interval).of(limit));
            used(
                Owner::Host(self.host.name.clone()),
                limit,
                1,
                each.sum(),
                seconds,
            )
        };
        let hosts = self.host.limits.iter().filter(|_| self.volume.behind_host);
        let devices = self.volume.limits.iter().filter_map(device);
        devices.chain(hosts.filter_map(host)).collect()
    }

    fn counted(&self, interval: &SeenInterval) -> Counted {
        let interval = interval.without_empty();
        let moved = |moved: &Moved| (moved.ios, moved.bytes);
        Counted::by(self.volume, moved(&interval.reads), moved(&interval.writes))
    }
}

fn used(owner: Owner, limit: &LimitSpec, volumes: u64, counted: u64, seconds: f64) -> Option<Use> {
    let per_s = limit.rate.saturating_mul(volumes) as f64;
    Some(Use {
        limit: LimitId::of(owner, &limit.name).ok()?,
        per_s,
        share: counted as f64 / seconds / per_s,
    })
}

/// The mean of what a table of quantiles gives, in its unit.
fn mean(table: &QuantileTable) -> f64 {
    let pieces = table.windows(2).map(|pair| {
        let [(from, low), (to, high)] = [pair[0], pair[1]];
        (to - from) * (low + high) as f64 / 2.0
    });
    pieces.sum()
}

/// The least mean latency that is usual for a device of which nothing else is known: a tenth of its
/// intervals have less.
pub(super) fn usual_us(device: &SeenDevice) -> Option<f64> {
    let active = device.intervals.iter().filter(|own| own.ios() > 0);
    let mut means: Vec<_> = active.map(|own| own.us() / own.ios() as f64).collect();
    means.sort_by(f64::total_cmp);
    means.get(means.len() / 10).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_quantiles_is_that_of_their_pieces() {
        assert_eq!(mean(&vec![(0.0, 100), (0.5, 300), (1.0, 500)]), 300.0);
        assert_eq!(mean(&vec![(0.0, 7), (1.0, 7)]), 7.0);
    }
}
