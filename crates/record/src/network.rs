//! What went over the links of a run, and how its mirrors fared.

use blockyard_model::link::{LinkCounts, Wait};
use blockyard_model::mirror::{MirrorState, MirrorStatus};
use blockyard_model::spec::StorageSpec;
use blockyard_model::storage::Storage;
use blockyard_model::units::{Bytes, Nanos};
use blockyard_scenario::Resolved;

use crate::journal_mirrors::JournalMirrors;
use crate::result::{
    Event, JournalMirrorTotal, LinkTotal, LinkWaits, MirrorTotal, PacketCpu, seconds,
};

/// Links, hosts and mirrors of a run, as they were when it was last looked at them.
#[derive(Clone, Debug, Default)]
pub struct Network {
    at: Nanos,
    links: Vec<[LinkCounts; 2]>,
    /// By host: for how long it was busy with packets.
    busy: Vec<Nanos>,
    mirrors: Vec<MirrorStatus>,
    /// By mirror: the most bytes at risk of all looks.
    most_at_risk: Vec<Bytes>,
    journals: JournalMirrors,
}

impl Network {
    /// Of a storage like `spec`, which was not looked at.
    pub fn new(spec: &StorageSpec) -> Self {
        let hosts = if spec.links.is_empty() {
            0
        } else {
            spec.hosts.len()
        };
        Self {
            links: vec![Default::default(); spec.links.len()],
            busy: vec![0; hosts],
            ..Self::default()
        }
    }

    /// Looks at `storage` at `now`: to be called at the end of each period and of the run, when
    /// all before has happened.
    pub fn look(&mut self, storage: &Storage, now: Nanos) {
        let mirrors = storage.mirrors(now);
        self.mirrors.clear();
        self.mirrors.extend(mirrors);
        self.most_at_risk.resize(self.mirrors.len(), 0);
        for (most, mirror) in self.most_at_risk.iter_mut().zip(&self.mirrors) {
            *most = (*most).max(mirror.at_risk);
        }
        self.at = now;
        self.journals.look(storage, now);
        for (link, counts) in self.links.iter_mut().enumerate() {
            *counts = storage.link(link, now);
        }
        for (host, busy) in self.busy.iter_mut().enumerate() {
            *busy = storage.busy(host, now);
        }
    }

    /// Each link's two directions, for results.
    pub(crate) fn links(&self, resolved: &Resolved) -> Vec<LinkTotal> {
        let storage = &resolved.storage;
        let name = |host: usize| storage.hosts[host].name.clone();
        let both = self.links.iter().zip(&storage.links);
        let rows = both.flat_map(|(counts, spec)| {
            [0, 1].map(|from| {
                let LinkCounts {
                    messages,
                    packets,
                    bytes,
                    busy,
                    waited,
                    most_unacknowledged,
                    most_queued,
                } = counts[from];
                let waited = |cause: Wait| seconds(waited[cause as usize]);
                LinkTotal {
                    name: spec.name.clone(),
                    from_host: name(spec.ends[from]),
                    to_host: name(spec.ends[1 - from]),
                    messages,
                    packets,
                    bytes,
                    utilisation: share(busy, self.at * u64::from(spec.count)),
                    waited_s: LinkWaits {
                        socket_buffer: waited(Wait::SocketBuffer),
                        flow_control: waited(Wait::FlowControl),
                        processor: waited(Wait::Processor),
                        bandwidth: waited(Wait::Bandwidth),
                        down: waited(Wait::Down),
                    },
                    most_unacknowledged,
                    most_queued,
                }
            })
        });
        rows.collect()
    }

    /// What packets took of each host's processors, for results.
    pub(crate) fn packet_cpu(&self, resolved: &Resolved) -> Vec<PacketCpu> {
        let hosts = self.busy.iter().enumerate();
        let rows = hosts.map(|(host, &busy)| {
            let cores = resolved.cores.get(host).copied().flatten();
            PacketCpu {
                host: resolved.storage.hosts[host].name.clone(),
                busy_s: seconds(busy),
                utilisation: share(busy, self.at),
                cores,
                share: cores.map(|cores| share(busy, self.at * cores)),
            }
        });
        rows.collect()
    }

    /// The mirrors of journals, for results.
    pub(crate) fn journal_mirrors(&self, resolved: &Resolved) -> Vec<JournalMirrorTotal> {
        self.journals.totals(resolved)
    }

    /// What became of them, as events.
    pub(crate) fn journal_events(&self, resolved: &Resolved) -> Vec<Event> {
        self.journals.events(resolved)
    }

    /// The mirrors, for results.
    pub(crate) fn mirrors(&self, resolved: &Resolved) -> Vec<MirrorTotal> {
        let devices = &resolved.storage.devices;
        let mirrors = self.mirrors.iter().zip(&self.most_at_risk);
        let rows = mirrors.map(|(mirror, &most_at_risk_bytes)| MirrorTotal {
            device: devices[mirror.device].name.clone(),
            state: match mirror.state {
                MirrorState::InSync => "in sync",
                MirrorState::Degraded => "degraded",
                MirrorState::Resyncing => "resyncing",
            }
            .into(),
            reads: mirror.counts.reads.into(),
            log_writes: mirror.counts.log_writes,
            at_risk_bytes: mirror.at_risk,
            most_at_risk_bytes,
            failures: mirror.counts.failures,
            lost_bytes: mirror.counts.lost,
            resyncs: mirror.counts.resyncs,
            resync_bytes: mirror.counts.copied,
            resync_s: seconds(mirror.counts.resyncing),
        });
        rows.collect()
    }
}

fn share(of: Nanos, whole: Nanos) -> f64 {
    match whole {
        0 => 0.0,
        whole => of as f64 / whole as f64,
    }
}
