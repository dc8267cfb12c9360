//! Which limits there are, whose they are, and which of them a volume's IO passes.

use alloc::string::String;
use alloc::vec::Vec;
use core::num::NonZeroU16;
use core::ops::Range;

use crate::spec::{LimitSpec, StorageSpec, Unit};

/// Names a limit of a storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LimitId(
    /// The limit's place plus one: so it takes no more room where there may be none.
    NonZeroU16,
);

impl LimitId {
    /// The limit at a place of [`Limits::iter`], which is less than `u16::MAX`.
    #[inline]
    pub(crate) fn at(place: u16) -> Self {
        Self(NonZeroU16::MIN.saturating_add(place))
    }

    #[inline]
    fn place(self) -> u16 {
        self.0.get() - 1
    }

    /// The limit's place in [`Limits::iter`].
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.place())
    }
}

/// Whose a limit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// A host's, by its index in [`StorageSpec::hosts`]: over all volumes behind it.
    Host(usize),
    /// A volume's, by its index in [`StorageSpec::volumes`].
    Volume(usize),
}

/// A limit that can throttle an IO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitInfo {
    /// Whose it is.
    pub owner: Owner,
    /// Its name among its owner's limits: `iops`, `throughput`.
    pub name: String,
    /// What a token is.
    pub unit: Unit,
    /// Tokens a second.
    pub rate: u64,
    /// Most tokens in the bucket.
    pub depth: u64,
    /// Whether its level is a burst balance, one of [`crate::storage::Counted::balances`].
    pub credits: bool,
    /// Whether it does not hold now.
    pub is_lifted: bool,
}

impl LimitInfo {
    /// Its depth at another rate: a short bucket holds as many seconds of that as of its own
    /// rate; a bucket of credits stays as large as it is, whatever fills it.
    pub fn depth_at(&self, rate: u64) -> u64 {
        if self.credits {
            return self.depth;
        }
        let depth = u128::from(self.depth) * u128::from(rate) / u128::from(self.rate.max(1));
        u64::try_from(depth).unwrap_or(u64::MAX).max(1)
    }
}

/// The limits of a storage: each host's first, then each volume's, as they were specified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    all: Vec<LimitInfo>,
    /// By host: where its own are among all.
    hosts: Vec<Range<u16>>,
    volumes: Vec<OfVolume>,
}

/// What limits a volume's IO can pass.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OfVolume {
    /// Where its own are among all.
    own: Range<u16>,
    /// The host that it is attached to.
    host: usize,
    /// All that it can be attached to, first the one that it was attached to at the start.
    hosts: Vec<usize>,
}

impl Limits {
    /// The limits of `spec`.
    pub fn new(spec: &StorageSpec) -> Self {
        let mut all = Vec::new();
        let mut add = |owner, limits| {
            let first = all.len() as u16;
            all.extend(infos(owner, limits));
            first..all.len() as u16
        };
        let hosts = spec.hosts.iter().enumerate();
        let hosts = hosts.map(|(index, host)| add(Owner::Host(index), &host.limits));
        let hosts = hosts.collect();
        let volumes = spec.volumes.iter().enumerate();
        let volumes = volumes.map(|(index, volume)| {
            let own = add(Owner::Volume(index), &volume.limits);
            let hosts = [volume.host]
                .into_iter()
                .chain(volume.standby.iter().copied());
            OfVolume {
                own,
                host: volume.host,
                hosts: hosts.collect(),
            }
        });
        let volumes = volumes.collect();
        Self {
            all,
            hosts,
            volumes,
        }
    }

    /// All limits, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (LimitId, &LimitInfo)> {
        (0..).map(LimitId::at).zip(&self.all)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The limits of one owner.
    pub fn of(&self, owner: Owner) -> impl Iterator<Item = LimitId> + use<> {
        let range = match owner {
            Owner::Host(host) => self.hosts[host].clone(),
            Owner::Volume(volume) => self.volumes[volume].own.clone(),
        };
        range.map(LimitId::at)
    }

    /// The limits that can throttle a volume's IO, first those of the hosts that it can be
    /// attached to: the order of [`crate::storage::Counted::throttled`].
    pub fn over(&self, volume: usize) -> impl Iterator<Item = LimitId> + use<> {
        let hosts = self.volumes[volume].hosts.iter();
        let ranges: Vec<_> = hosts.map(|&host| self.hosts[host].clone()).collect();
        let of_hosts = ranges.into_iter().flatten().map(LimitId::at);
        of_hosts.chain(self.of(Owner::Volume(volume)))
    }

    /// The limit of `volume` that is to it what `limit` is to a volume; a host's is the same for
    /// all. None if it has no such limit.
    pub(crate) fn alike(&self, limit: LimitId, volume: usize) -> Option<LimitId> {
        match self[limit].owner {
            Owner::Volume(other) if other != volume => {
                let place = limit.place() - self.volumes[other].own.start;
                let own = &self.volumes[volume].own;
                let alike = LimitId::at(own.start + place);
                let is_own = own.contains(&alike.place());
                (is_own && self[alike].name == self[limit].name).then_some(alike)
            }
            _ => Some(limit),
        }
    }

    /// The host that a volume is attached to, by its index in [`StorageSpec::hosts`].
    pub fn host_of(&self, volume: usize) -> usize {
        self.volumes[volume].host
    }

    /// A volume is attached to another host, one of those that it can be attached to.
    pub(crate) fn attach(&mut self, volume: usize, host: usize) {
        self.volumes[volume].host = host;
    }

    /// Changes the rate and the depth that a limit is known by.
    pub fn set(&mut self, limit: LimitId, rate: u64, depth: u64) {
        let info = &mut self.all[limit.index()];
        (info.rate, info.depth, info.is_lifted) = (rate, depth, false);
    }

    /// A limit does not hold until it is changed again.
    pub fn lift(&mut self, limit: LimitId) {
        self.all[limit.index()].is_lifted = true;
    }
}

impl core::ops::Index<LimitId> for Limits {
    type Output = LimitInfo;

    fn index(&self, limit: LimitId) -> &LimitInfo {
        &self.all[limit.index()]
    }
}

fn infos(owner: Owner, limits: &[LimitSpec]) -> impl Iterator<Item = LimitInfo> {
    limits.iter().map(move |limit| LimitInfo {
        owner,
        name: limit.name.clone(),
        unit: limit.unit,
        rate: limit.rate,
        depth: limit.depth,
        credits: limit.credits,
        is_lifted: false,
    })
}
