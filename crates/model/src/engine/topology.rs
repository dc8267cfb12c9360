//! The stages that IO passes, and the path of each volume's reads and writes through them.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use super::stage::{Stage, StageId};
use crate::limits::{Limits, Owner};
use crate::spec::{Applies, HostSpec, StorageSpec, VolumeSpec};
use crate::volume;

/// Stages and paths of a storage.
#[derive(Clone, Debug)]
pub(super) struct Topology {
    pub(super) stages: Vec<Stage>,
    /// By volume: the paths of its reads and of its writes.
    pub(super) paths: Vec<[Path; 2]>,
}

/// The stages that IO passes in turn. The volume's comes first: what it does not let through
/// takes nothing from limits that it shares with others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    stages: [StageId; 2],
    len: usize,
}

impl Path {
    #[inline]
    pub(super) fn stages(&self) -> &[StageId] {
        &self.stages[..self.len]
    }
}

impl Topology {
    /// The topology of `spec`, whose limits are called as `limits` has them.
    pub(super) fn new(spec: &StorageSpec, limits: &Limits) -> Self {
        let of_host = |(index, host): (usize, &HostSpec)| {
            let own = limits.of(Owner::Host(index)).zip(&host.limits);
            Stage::new(own, host.discipline, None)
        };
        let mut stages: Vec<_> = spec.hosts.iter().enumerate().map(of_host).collect();
        let mut paths = Vec::with_capacity(spec.volumes.len());
        for (index, volume) in spec.volumes.iter().enumerate() {
            let first = stages.len();
            for &line in volume::lines(volume) {
                let owner = Owner::Volume(index);
                let own = limits.of(owner).zip(&volume.limits);
                let own = own.filter(|(_, limit)| line == Applies::Both || limit.applies == line);
                stages.push(Stage::new(own, volume.discipline, whole_units(volume)));
            }
            let path = |stage| Path {
                stages: [stage, volume.host],
                len: 1 + usize::from(volume.behind_host),
            };
            paths.push([path(first), path(stages.len() - 1)]);
        }
        Self { stages, paths }
    }

    /// A volume's IO passes the limits of another host from now on.
    pub(super) fn attach(&mut self, volume: usize, host: usize) {
        for path in &mut self.paths[volume] {
            path.stages[1] = host;
        }
    }

    /// The stage of a host's limits: those of all hosts come first.
    pub(super) fn of_host(&self, host: usize) -> StageId {
        host
    }

    /// The stages of a volume's own limits.
    pub(super) fn of_volume(&self, volume: usize) -> RangeInclusive<StageId> {
        let [reads, writes] = &self.paths[volume];
        reads.stages[0]..=writes.stages[0]
    }
}

fn whole_units(volume: &VolumeSpec) -> Option<u32> {
    volume.whole_units.then(|| volume.io_unit.ilog2())
}
