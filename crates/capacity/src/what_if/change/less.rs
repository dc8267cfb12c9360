//! Less on the volumes that there are, for less money: as much as the load takes, and a tenth
//! free.

use blockyard_experiment::Place;
use blockyard_scenario::schema::Volume;
use blockyard_scenario::units::{Size, Throughput};

use super::super::need::Rates;
use super::amount::Amount;
use super::device::Of;
use super::lasting::{Lasting, lasting, least_size};
use super::{Changes, GIB, Proposal};

/// Provisioned IOPS come in steps of this many.
const IOPS_STEP: u64 = 100;

/// Provisioned throughput comes in steps of this many MiB/s.
const THROUGHPUT_STEP: u64 = 25;

impl Of<'_> {
    /// Fewer IOPS, less throughput or smaller volumes, each by itself, and the first two at once:
    /// throughput that is provisioned takes IOPS.
    pub(super) fn less(&self) -> Vec<Proposal> {
        let [iops, throughput, size, both] = [
            &[Amount::Iops][..],
            &[Amount::Throughput],
            &[Amount::Size],
            &[Amount::Throughput, Amount::Iops],
        ]
        .map(|amounts| self.less_of(amounts));
        let several = iops.is_some() && throughput.is_some();
        let both = both.filter(|_| several);
        [both, iops, throughput, size]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Less of each of these amounts, one after the other.
    fn less_of(&self, amounts: &[Amount]) -> Option<Proposal> {
        let places = self.places();
        let mut less: Vec<Volume> = places.iter().map(|spot| spot.volume.clone()).collect();
        let (mut changes, mut edits): (Vec<Changes>, _) = (Vec::new(), Vec::new());
        for &of in amounts {
            let mut parts = Vec::new();
            for (spot, volume) in places.iter().zip(&mut less) {
                let wanted = self.takes(spot, &volume.volume_type);
                let wanted = wanted.map(Rates::with_headroom);
                let found = wanted.and_then(|wanted| match of {
                    Amount::Iops => self.fewer_iops(volume, wanted),
                    Amount::Throughput => self.less_throughput(volume, wanted),
                    Amount::Size => self.smaller(spot, wanted),
                });
                let Some((from, to)) = found else { continue };
                let part = self.part_of(spot, of, from, to);
                edits.push(part.edit(spot));
                *volume = part.applied(volume);
                parts.push(part);
            }
            changes.push(self.change(parts, places.len())?.into());
        }
        let changes = changes.into_iter().reduce(|one, other| one.and(&other))?;
        Some(Proposal::saving(changes, edits))
    }

    /// From how many provisioned IOPS to how many.
    fn fewer_iops(&self, volume: &Volume, wanted: Rates) -> Option<(u64, u64)> {
        let range = self.row(volume, &volume.volume_type)?.iops?;
        let now = self.has(volume)?.2.iops?;
        let to = self.least_iops(volume, wanted, range.default.unwrap_or(range.min), now)?;
        (to < now).then_some((now, to))
    }

    /// From how many MiB/s that are provisioned to how many.
    fn less_throughput(&self, volume: &Volume, wanted: Rates) -> Option<(u64, u64)> {
        let range = self.row(volume, &volume.volume_type)?.throughput?;
        let now = self.has(volume)?.2.throughput?.bytes_per_s() >> 20;
        let least = range.default.bytes_per_s().max(range.min.bytes_per_s()) >> 20;
        let to = throughput_for(wanted).max(least);
        let new = Volume {
            throughput: Some(Throughput::new(to << 20)),
            ..volume.clone()
        };
        (to < now && self.has(&new).is_some()).then_some((now, to))
    }

    /// From how many GiB to how many, of a type whose size is what buys performance.
    fn smaller(&self, spot: &Place<'_>, wanted: Rates) -> Option<(u64, u64)> {
        let now = self.has(spot.volume)?.2.size.bytes() / GIB;
        let to = self.sized_for_load(spot, wanted)?.bytes() / GIB;
        (to < now).then_some((now, to))
    }

    /// The least size of a volume of a type whose size is what buys performance: files fit, and
    /// the load passes.
    fn sized_for_load(&self, spot: &Place<'_>, wanted: Rates) -> Option<Size> {
        let fits = self.fits(spot)?;
        let get = lasting(self.scenario, self.catalog, self.device, spot.volume)?;
        let is_enough = |it: &Lasting| wanted.is_held_by(it.0, it.1);
        match get(Some(fits)).is_some_and(|it| is_enough(&it)) {
            true => Some(fits),
            false => least_size(&get, fits, &is_enough),
        }
    }

    /// The least size that leaves room beside the files, of a volume that may be larger for the
    /// sake of its performance; none of others, and where that is no less than now.
    pub(super) fn fits(&self, spot: &Place<'_>) -> Option<Size> {
        let row = self.row(spot.volume, &spot.volume.volume_type)?;
        let range = row.size.filter(|_| !row.local)?;
        let buys_performance = row.iops.is_none() && row.throughput.is_none();
        let fits = self.size_for_files(spot.count)?;
        let fits = Size::new(fits.bytes().max(range.min.bytes()));
        let smaller = spot.volume.size.is_some_and(|now| fits < now);
        (buys_performance && smaller).then_some(fits)
    }

    /// The fewest provisioned IOPS, in steps, with which a volume lets `wanted` through; `most`
    /// of them if no number below does.
    pub(super) fn least_iops(
        &self,
        volume: &Volume,
        wanted: Rates,
        least: u64,
        most: u64,
    ) -> Option<u64> {
        let enough = |steps: u64| {
            let iops = (steps * IOPS_STEP).clamp(least, most);
            let new = Volume {
                iops: Some(iops),
                ..volume.clone()
            };
            self.holds(&new, wanted)
        };
        let (mut few, mut many) = (0, most.div_ceil(IOPS_STEP));
        if !enough(many) {
            return None;
        }
        while many - few > 1 {
            let middle = few.midpoint(many);
            match enough(middle) {
                true => many = middle,
                false => few = middle,
            }
        }
        Some((many * IOPS_STEP).clamp(least, most))
    }
}

/// MiB/s, in steps, that let `wanted` through.
pub(super) fn throughput_for(wanted: Rates) -> u64 {
    let mib = (wanted.bytes / f64::from(1 << 20)).ceil() as u64;
    mib.div_ceil(THROUGHPUT_STEP) * THROUGHPUT_STEP
}

/// IOPS, in steps, that let `wanted` through.
pub(super) fn iops_for(wanted: Rates) -> u64 {
    (wanted.iops.ceil() as u64).div_ceil(IOPS_STEP) * IOPS_STEP
}
