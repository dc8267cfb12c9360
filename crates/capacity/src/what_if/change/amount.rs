//! More IOPS and more throughput on the volumes that there are.

use blockyard_scenario::units::Throughput;

use super::device::Of;
use super::spot::Spot;
use super::{Change, GIB, MORE_IOPS, MORE_THROUGHPUT, Proposal};

impl Of<'_> {
    pub(super) fn more_iops(&self) -> Option<Proposal> {
        let spots = self.spots();
        let first = self.now(spots.first()?.volume)?;
        let device = self.name.to_owned();
        let volumes = self.volumes();
        if first.with_size && first.bigger.is_some() {
            let to = |spot: &Spot<'_>| Some(self.now(spot.volume)?.bigger?.bytes() / GIB);
            let sets = spots.iter().filter_map(|spot| {
                let to = to(spot)?;
                Some(format!("{}.size={to}GiB", spot.path))
            });
            return Some(Proposal {
                change: Change::Size {
                    device,
                    volumes,
                    from: first.size.bytes() / GIB,
                    to: to(&spots[0])?,
                },
                sets: sets.collect(),
            });
        }
        let sets = spots.iter().filter_map(|spot| {
            let to = self.now(spot.volume)?.iops + MORE_IOPS;
            Some(format!("{}.iops={to}", spot.path))
        });
        Some(Proposal {
            change: Change::Iops {
                device,
                volumes,
                from: first.iops,
                to: first.iops + MORE_IOPS,
            },
            sets: sets.collect(),
        })
    }

    pub(super) fn more_throughput(&self) -> Option<Proposal> {
        let spots = self.spots();
        let first = self.now(spots.first()?.volume)?;
        let sets = spots.iter().filter_map(|spot| {
            let to = Throughput::new(self.now(spot.volume)?.throughput + MORE_THROUGHPUT);
            Some(format!("{}.throughput={to}", spot.path))
        });
        Some(Proposal {
            change: Change::Throughput {
                device: self.name.to_owned(),
                volumes: self.volumes(),
                from: first.throughput >> 20,
                to: (first.throughput + MORE_THROUGHPUT) >> 20,
            },
            sets: sets.collect(),
        })
    }
}
