//! Whose latency it is.

use alloc::format;

use super::spread;
use crate::random::Stream;
use crate::spec::{LatencySpec, StorageSpec, VolumeSpec};

/// Whose latency it is, which its streams are made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// The run's seed.
    pub(crate) seed: u64,
    /// The volume's number.
    pub(crate) volume: usize,
    /// The number of its host.
    pub(crate) host: usize,
    /// The host's factor in 1/1000, if it is stated and not drawn.
    pub(crate) stated_permille: Option<u32>,
}

impl Origin {
    /// The origin of volume number `volume` of `spec`.
    pub(crate) fn new(seed: u64, volume: usize, spec: &StorageSpec) -> Self {
        let VolumeSpec {
            host, behind_host, ..
        } = spec.volumes[volume];
        let stated = spec.hosts[host].latency_permille;
        Self {
            seed,
            volume,
            host,
            stated_permille: stated.filter(|_| behind_host),
        }
    }

    pub(super) fn stream(&self, of: &str) -> Stream {
        Stream::new(self.seed, &format!("volume/{}/{of}", self.volume))
    }

    /// The factor of the volume's latencies under `spec`. Volumes of one host have the same
    /// draw, whatever their profiles' spreads.
    pub(super) fn factor(&self, spec: &LatencySpec) -> u64 {
        let own = spread::draw(spec.volume_spread_permille, &mut self.stream("spread"));
        let of_host = match self.stated_permille {
            Some(permille) => (u64::from(permille) << spread::SHIFT) / 1000,
            None => {
                let mut random = Stream::new(self.seed, &format!("host/{}/factor", self.host));
                spread::draw(spec.spread_permille, &mut random)
            }
        };
        spread::apply(own, of_host)
    }
}
