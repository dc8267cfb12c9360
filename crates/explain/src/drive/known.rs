//! What is known of the storage below a device: how long it takes, and what it lets through.

use blockyard_model::spec::{
    Applies, HostSpec, LimitSpec, QuantileTable, StorageSpec, Unit, VolumeSpec,
};
use blockyard_model::streams::SSD_UNIT;

use super::seen::{Moved, Parts, Seen, SeenDevice, SeenInterval};
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
    /// As a share of that, of the time with IO in flight: as the volume counts it if each IO was
    /// seen, otherwise as this machine does.
    pub(super) share: f64,
    /// The same of the whole interval.
    pub(super) whole: f64,
    /// Of the whole interval the least that it may have counted, as it merges sequential IOs.
    pub(super) least: f64,
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

    /// How much of each of the volume's limits an interval of so many seconds used, in a share of
    /// which there was IO in flight, and of its host's, through which `all` devices go, that one
    /// first.
    pub(super) fn used(
        &self,
        device: &SeenDevice,
        all: &[&SeenInterval],
        seconds: f64,
        busy: f64,
    ) -> Vec<Use> {
        let counted = |limit: &LimitSpec, those: &[&SeenInterval]| {
            let each = those
                .iter()
                .map(|interval| self.counted(interval, device.parts, limit));
            each.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
        };
        let device = |limit: &LimitSpec| {
            let owner = Owner::Device(device.name.clone());
            let whole = counted(limit, &all[..1]);
            used(owner, limit, self.volumes, whole, (seconds, busy))
        };
        let host = |limit: &LimitSpec| {
            let owner = Owner::Host(self.host.name.clone());
            used(owner, limit, 1, counted(limit, all), (seconds, busy))
        };
        let hosts = self.host.limits.iter().filter(|_| self.volume.behind_host);
        let devices = self.volume.limits.iter().filter_map(device);
        devices.chain(hosts.filter_map(host)).collect()
    }

    /// What a limit counts of an interval, and the least that it may count.
    fn counted(&self, interval: &SeenInterval, parts: Parts, limit: &LimitSpec) -> (u64, u64) {
        let own = self.volumes == 1 && self.volume.io_unit == SSD_UNIT;
        let all = limit.unit == Unit::Io && limit.applies == Applies::Both;
        if let Some(counted) = interval.counted.filter(|_| own && all) {
            return (counted, counted);
        }
        let moved = |own: SeenInterval| {
            let of = |moved: Moved| (moved.ios, moved.bytes);
            (of(own.reads), of(own.writes))
        };
        let (reads, writes) = moved(interval.without_empty());
        let counted = Counted::by(self.volume, reads, writes).of(limit);
        if parts == Parts::DeviceAlone {
            // The volume has counted them.
            return (counted, counted);
        }
        let (reads, writes) = moved(interval.with_least_writes());
        let least = Counted::merged(self.volume, reads, writes).of(limit);
        (counted, least.min(counted))
    }
}

fn used(
    owner: Owner,
    limit: &LimitSpec,
    volumes: u64,
    (counted, least): (u64, u64),
    (seconds, busy): (f64, f64),
) -> Option<Use> {
    let per_s = limit.rate.saturating_mul(volumes) as f64;
    let share = |counted: u64| counted as f64 / seconds / per_s;
    Some(Use {
        limit: LimitId::of(owner, &limit.name).ok()?,
        per_s,
        share: share(counted) / busy,
        whole: share(counted),
        least: share(least),
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
