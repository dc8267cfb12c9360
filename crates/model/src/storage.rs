//! A host with its volumes and devices, as one state machine.
//!
//! Time only moves through the arguments: [`Storage::submit`] takes a request,
//! [`Storage::next_event`] says when the storage wants to be called again, and
//! [`Storage::advance`] tells it that the time has come.
//!
//! There are two ways through it. Where nothing can intervene, a request's
//! whole future is known when it is submitted, and it is reserved at once
//! ([`Mode::Reserved`], one event an IO). Where a [`Change`] can come, requests
//! wait in line step by step ([`Mode::Stepwise`]) and later ones can be
//! re-timed or cancelled. Both give the same replies; a property test holds
//! them to it.

mod host;
mod step;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use self::host::Host;
use self::step::Steps;
pub use crate::gate::Cause;
use crate::gate::Grant;
use crate::latency::Tables;
pub use crate::meter::Counted;
pub use crate::request::{Op, Reply, Request};
use crate::spec::{LatencySpec, Layout, LimitSpec, StorageSpec, Unit};
use crate::units::Nanos;
use crate::volume::{Part, Volume};

/// Names an outstanding request; unique among those.
pub type Ticket = u32;

/// How requests pass through the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Each request is reserved to its end when it is submitted.
    Reserved,
    /// Each request waits in line, step by step; changes are possible.
    Stepwise,
}

/// What [`Storage::submit`] answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submitted {
    /// The request's end is known.
    Done(Reply),
    /// [`Storage::advance`] will tell.
    Later,
}

/// Something that happens to storage while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A limit gets another rate and depth (an elastic modification).
    Limit {
        /// Which limit.
        cause: Cause,
        /// Tokens a second, at least 1.
        rate: u64,
        /// Most tokens in the bucket, at least 1.
        depth: u64,
    },
    /// A volume stops granting and completing.
    Pause {
        /// Index of the volume.
        volume: usize,
    },
    /// A volume fails everything outstanding and everything that follows.
    Fail {
        /// Index of the volume.
        volume: usize,
    },
    /// A paused or failed volume works again.
    Resume {
        /// Index of the volume.
        volume: usize,
    },
}

/// A change was asked of a storage that reserves ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotStepwise;

/// A limit that can hold an IO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CauseInfo {
    /// Index of the volume it belongs to; none for the host.
    pub volume: Option<usize>,
    /// Name of the limit within its volume or host.
    pub limit: String,
    /// What a token is.
    pub unit: Unit,
    /// Tokens a second at the start.
    pub rate: u64,
    /// Most tokens in the bucket at the start.
    pub depth: u64,
    /// Whether its level is a burst balance, one of [`Counted::balances`].
    pub credits: bool,
}

/// A host with its volumes and devices.
#[derive(Clone, Debug)]
pub struct Storage {
    host: Host,
    volumes: Vec<Volume>,
    devices: Vec<Device>,
    causes: Vec<CauseInfo>,
    steps: Option<Steps>,
}

#[derive(Clone, Debug)]
struct Device {
    layout: Layout,
    /// When the last reserved write completes.
    written: Nanos,
}

impl Storage {
    /// The storage of `spec` at time 0. Its random streams depend on `seed`
    /// and the volumes' names; `period` is the length of the periods in which
    /// it counts what it serves.
    pub fn new(spec: &StorageSpec, seed: u64, period: Nanos, mode: Mode) -> Self {
        let mut causes: Vec<_> = spec.host_limits.iter().map(|l| info(None, l)).collect();
        let mut volumes = Vec::new();
        let mut profiles: Vec<(&LatencySpec, Arc<Tables>)> = Vec::new();
        for (index, volume) in spec.volumes.iter().enumerate() {
            let first = causes.len() as Cause;
            causes.extend(volume.limits.iter().map(|limit| info(Some(index), limit)));
            let known = profiles
                .iter()
                .find(|(latency, _)| **latency == volume.latency);
            let tables = match known {
                Some((_, tables)) => tables.clone(),
                None => Arc::new(Tables::new(&volume.latency)),
            };
            profiles.push((&volume.latency, tables.clone()));
            let host_causes = spec.host_limits.len();
            volumes.push(Volume::new(
                volume,
                tables,
                seed,
                first,
                host_causes,
                period,
            ));
        }
        let devices = spec
            .devices
            .iter()
            .map(|device| Device {
                layout: device.layout.clone(),
                written: 0,
            })
            .collect();
        let steps = (mode == Mode::Stepwise).then(|| Steps::new(&volumes, spec.devices.len()));
        Self {
            host: Host::new(&spec.host_limits, period),
            volumes,
            devices,
            causes,
            steps,
        }
    }

    /// Takes a request at `now`; times must not fall from call to call.
    // Always: the simulator has this in its loop twice, and would else call it.
    #[inline(always)]
    pub fn submit(&mut self, now: Nanos, ticket: Ticket, request: Request) -> Submitted {
        if self.steps.is_some() {
            return self.submit_stepwise(now, ticket, request);
        }
        let reply = match request.op {
            Op::Read | Op::Write | Op::Zero => self.reserve(now, request),
            Op::Flush => Reply::free(now.max(self.devices[request.device].written)),
            Op::Trim => Reply::free(now),
        };
        Submitted::Done(reply)
    }

    #[inline(always)]
    fn reserve(&mut self, now: Nanos, request: Request) -> Reply {
        let Request {
            op,
            offset,
            len,
            job,
            ..
        } = request;
        let device = &mut self.devices[request.device];
        let (host, volumes) = (&mut self.host, &mut self.volumes);
        let part = |volume, offset, len| Part {
            volume,
            offset,
            len,
            write: op.writes(),
            job,
        };
        let reply = match device.layout.single(offset, len) {
            Some(e) => reserve_part(host, volumes, now, &part(e.volume, e.offset, e.len)),
            None => {
                let mut reply = Reply::free(now);
                device.layout.extents(offset, len, &mut |e| {
                    let part = part(e.volume, e.offset, e.len);
                    reply = reply.later(reserve_part(host, volumes, now, &part));
                });
                reply
            }
        };
        if op.writes() {
            device.written = device.written.max(reply.at);
        }
        reply
    }

    /// The limits that can hold an IO; replies name them by index.
    pub fn causes(&self) -> &[CauseInfo] {
        &self.causes
    }

    /// Names of the volumes.
    pub fn volume_names(&self) -> impl Iterator<Item = &str> {
        self.volumes.iter().map(|volume| volume.name.as_str())
    }

    /// The limits that can hold a volume's IO, in the order of
    /// [`Counted::held`]: the host's first.
    pub fn causes_of(&self, volume: usize) -> Vec<Cause> {
        let holds = |info: &CauseInfo| info.volume.is_none_or(|owner| owner == volume);
        let causes = (0..).zip(&self.causes);
        let those = causes.filter(|(_, info)| holds(info));
        those.map(|(cause, _)| cause).collect()
    }

    /// What a volume served in period `index`, which has ended. Periods must
    /// be taken in order.
    pub fn served_by_volume(&mut self, volume: usize, index: u64) -> Counted {
        self.volumes[volume].served(index)
    }

    /// What passed the host's limits in period `index`, likewise.
    pub fn served_by_host(&mut self, index: u64) -> Counted {
        self.host.served(index)
    }
}

#[inline]
fn reserve_part(host: &mut Host, volumes: &mut [Volume], now: Nanos, part: &Part) -> Reply {
    let volume = &mut volumes[part.volume];
    let admitted = volume.admit(now, part);
    let entered = match volume.behind_host {
        true => host.pass(now, &admitted.cost),
        false => Grant {
            at: now,
            cause: None,
        },
    };
    volume.pass(part, &admitted, entered)
}

fn info(volume: Option<usize>, limit: &LimitSpec) -> CauseInfo {
    CauseInfo {
        volume,
        limit: limit.name.clone(),
        unit: limit.unit,
        rate: limit.rate,
        depth: limit.depth,
        credits: limit.credits,
    }
}

#[cfg(test)]
mod tests;
