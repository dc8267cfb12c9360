//! More IOPS and more throughput on the volumes that there are.

use blockyard_scenario::units::{Size, Throughput};

use super::device::Of;
use super::lasting::Now;
use super::{Change, GIB, MORE_IOPS, MORE_THROUGHPUT, Proposal};

impl Of<'_> {
    pub(super) fn more_iops(&self) -> Option<Proposal> {
        let spots = self.spots();
        let first = self.now(spots.first()?.volume)?;
        if let Some(to) = first.for_iops {
            return Some(self.larger(&first, to, |now| now.for_iops));
        }
        let sets = spots.iter().filter_map(|spot| {
            let to = self.now(spot.volume)?.iops + MORE_IOPS;
            Some(format!("{}.iops={to}", spot.path))
        });
        Some(Proposal {
            change: Change::Iops {
                device: self.name.to_owned(),
                volumes: self.volumes(),
                from: first.iops,
                to: first.iops + MORE_IOPS,
            },
            sets: sets.collect(),
        })
    }

    pub(super) fn more_throughput(&self) -> Option<Proposal> {
        let spots = self.spots();
        let first = self.now(spots.first()?.volume)?;
        if let Some(to) = first.for_throughput {
            return Some(self.larger(&first, to, |now| now.for_throughput));
        }
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

    /// Larger volumes, as what is wanted comes with the size: `to` for the first, what `size` says
    /// for each.
    fn larger(&self, first: &Now, to: Size, size: impl Fn(&Now) -> Option<Size>) -> Proposal {
        let spots = self.spots();
        let sets = spots.iter().filter_map(|spot| {
            let to = size(&self.now(spot.volume)?)?;
            Some(format!("{}.size={}GiB", spot.path, to.bytes() / GIB))
        });
        Proposal {
            change: Change::Size {
                device: self.name.to_owned(),
                volumes: self.volumes(),
                from: first.size.bytes() / GIB,
                to: to.bytes() / GIB,
            },
            sets: sets.collect(),
        }
    }
}
