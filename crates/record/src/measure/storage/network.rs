//! What went over the links of a run, and how its mirrors fared.

use blockyard_model::job::Job;
use blockyard_model::network::{LinkCounts, Resumption, Wait};
use blockyard_model::replication::mirror::{MirrorState, MirrorStatus, MirrorTransition};
use blockyard_model::spec::StorageSpec;
use blockyard_model::storage::Storage;
use blockyard_model::units::{Bytes, Nanos};
use blockyard_scenario::Resolved;

use crate::measure::storage::journal_mirrors::{JournalMirrors, JournalService};
use crate::measure::storage::served::Unserved;
use crate::measure::storage::{mirror_events, resumptions};
use crate::measure::summary::Summary;
use crate::result::{
    Event, HostNetwork, JournalMirrorTotal, LinkCause, LinkHeld, LinkTotal, LinkWaits, MirrorTotal,
    PacketCpu, ResyncBound, seconds,
};

/// Links, hosts and mirrors of a run, as they were when it was last looked at them.
#[derive(Clone, Debug, Default)]
pub struct Network {
    at: Nanos,
    links: Vec<[LinkCounts; 2]>,
    /// By host: for how long it was busy with packets.
    busy: Vec<Nanos>,
    /// By host: for how long its network was busy with what leaves it and what it receives; none
    /// if it bounds no more than each link does.
    interfaces: Vec<Option<[Nanos; 2]>>,
    mirrors: Vec<MirrorStatus>,
    /// By mirror: the most bytes at risk of all looks.
    most_at_risk: Vec<Bytes>,
    /// By device, what has become of a mirror whose hosts lost each other.
    transitions: Vec<(usize, Vec<(Nanos, MirrorTransition)>)>,
    journals: JournalMirrors,
    /// By link, the senders that did not notice at once that it was restored.
    resumptions: Vec<(usize, Resumption)>,
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
            interfaces: vec![None; hosts],
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
        self.transitions.clear();
        let transitions = storage.mirror_transitions();
        let some = transitions.filter(|(_, all)| !all.is_empty());
        (self.transitions).extend(some.map(|(device, all)| (device, all.to_vec())));
        self.resumptions.clear();
        self.resumptions.extend(storage.resumptions());
        self.at = now;
        self.journals.look(storage, now);
        for (link, counts) in self.links.iter_mut().enumerate() {
            *counts = storage.link(link, now);
        }
        for (host, busy) in self.busy.iter_mut().enumerate() {
            *busy = storage.busy(host, now);
            self.interfaces[host] = storage.interface_busy(host, now);
        }
    }

    /// Adds what `jobs` have sent over links of their own until `now`, after a look at storage.
    pub fn look_at_jobs(&mut self, jobs: &[Job], now: Nanos) {
        for job in jobs {
            for (link, counts) in job.links(now) {
                self.links[link] = counts;
            }
            self.resumptions.extend(job.resumptions());
        }
    }

    /// Adds a part of the same storage, which has its own numbers of `devices`. Over a link goes
    /// what one part sends.
    pub fn add(&mut self, part: &Self, devices: &[usize]) {
        self.at = self.at.max(part.at);
        for (all, own) in self.links.iter_mut().zip(&part.links) {
            if own.iter().any(|direction| direction.messages > 0) {
                all.clone_from(own);
            }
        }
        for (all, own) in self.busy.iter_mut().zip(&part.busy) {
            *all = (*all).max(*own);
        }
        for (all, own) in self.interfaces.iter_mut().zip(&part.interfaces) {
            *all = (*all).max(*own);
        }
        self.mirrors
            .extend(part.mirrors.iter().map(|own| MirrorStatus {
                device: devices[own.device],
                ..*own
            }));
        let transitions = part.transitions.iter();
        (self.transitions).extend(transitions.map(|(own, all)| (devices[*own], all.clone())));
        self.resumptions.extend(&part.resumptions);
        self.most_at_risk.extend(&part.most_at_risk);
        let mut rows: Vec<_> = self
            .mirrors
            .drain(..)
            .zip(self.most_at_risk.drain(..))
            .collect();
        rows.sort_by_key(|(mirror, _)| mirror.device);
        (self.mirrors, self.most_at_risk) = rows.into_iter().unzip();
    }

    /// Each link's two directions, for results, with what a run's `summary` tells of what they
    /// held.
    pub(crate) fn links(&self, resolved: &Resolved, summary: &Summary) -> Vec<LinkTotal> {
        let storage = &resolved.storage;
        let name = |host: usize| storage.hosts[host].name.clone();
        let both = self.links.iter().zip(&storage.links).enumerate();
        let rows = both.flat_map(|(link, (counts, spec))| {
            [0, 1].map(|from| {
                let LinkCounts {
                    messages,
                    packets,
                    retransmitted,
                    bytes,
                    copied,
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
                    retransmitted,
                    bytes,
                    copied_bytes: copied,
                    utilisation: share(busy, self.at * u64::from(spec.count)),
                    waited_s: LinkWaits {
                        socket_buffer: waited(Wait::SocketBuffer) + waited(Wait::Unread),
                        flow_control: waited(Wait::FlowControl),
                        processor: waited(Wait::Processor),
                        bandwidth: waited(Wait::Bandwidth),
                        down: waited(Wait::Down),
                        loss: waited(Wait::Loss),
                        network: waited(Wait::Network),
                    },
                    most_unacknowledged,
                    most_queued,
                    held: held(summary, link, from),
                }
            })
        });
        rows.collect()
    }

    /// What the links of each host carry together that has several, for results.
    pub(crate) fn host_networks(&self, resolved: &Resolved) -> Vec<HostNetwork> {
        let hosts = resolved.storage.hosts.iter().enumerate();
        let rows = hosts.filter_map(|(host, spec)| {
            let network = spec.network?;
            let links = resolved.storage.links.iter();
            if links.filter(|link| link.ends.contains(&host)).count() < 2 {
                return None;
            }
            let [sent, received] = match self.interfaces.get(host).copied().flatten() {
                Some(busy) => busy.map(|busy| share(busy, self.at)),
                None => [0, 1].map(|into| self.carried(resolved, host, into) / network as f64),
            };
            Some(HostNetwork {
                host: spec.name.clone(),
                mbit_per_s: network as f64 / 1e6,
                sent,
                received,
            })
        });
        rows.collect()
    }

    /// Bits a second that the links of a host carry out of it, or with 1 into it.
    fn carried(&self, resolved: &Resolved, host: usize, into: usize) -> f64 {
        let links = self.links.iter().zip(&resolved.storage.links);
        let each = links.filter_map(|(counts, spec)| {
            let end = spec.ends.iter().position(|&end| end == host)?;
            let from = end ^ into;
            Some(share(counts[from].busy, self.at) * spec.bandwidth as f64)
        });
        each.sum()
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

    /// The most bytes that a takeover lost of one of the mirrors that are asked for, by device.
    pub(crate) fn lost(&self, is_asked: impl Fn(usize) -> bool) -> Option<Bytes> {
        let mirrors = self.mirrors.iter().filter(|it| is_asked(it.device));
        mirrors.map(|mirror| mirror.counts.lost).max()
    }

    /// How the mirror of a job's journal served, if it has one.
    pub(crate) fn journal(&self, job: usize) -> Option<JournalService> {
        self.journals.of(job)
    }

    /// The mirrors of journals, for results.
    pub(crate) fn journal_mirrors(&self, resolved: &Resolved) -> Vec<JournalMirrorTotal> {
        self.journals.totals(resolved)
    }

    /// The transitions of both kinds of mirrors, and of links that were restored, as events.
    pub(crate) fn events(&self, resolved: &Resolved) -> Vec<Event> {
        let mut all = self.journals.events(resolved);
        for (device, transitions) in &self.transitions {
            all.extend(mirror_events::events(
                &resolved.storage,
                *device,
                transitions,
            ));
        }
        all.extend(resumptions::events(resolved, &self.resumptions));
        all
    }

    /// The mirrors, for results.
    pub(crate) fn mirrors(&self, resolved: &Resolved, unserved: &Unserved) -> Vec<MirrorTotal> {
        let devices = &resolved.storage.devices;
        let mirrors = self.mirrors.iter().zip(&self.most_at_risk);
        let rows = mirrors.map(|(mirror, &most_at_risk_bytes)| MirrorTotal {
            device: devices[mirror.device].name.clone(),
            state: words(mirror.state).into(),
            reads: mirror.counts.reads.into(),
            log_writes: mirror.counts.log_writes,
            at_risk_bytes: mirror.at_risk,
            most_at_risk_bytes,
            failures: mirror.counts.failures,
            lost_bytes: mirror.counts.lost,
            resyncs: mirror.counts.resyncs,
            resync_bytes: mirror.counts.copied,
            resync_s: seconds(mirror.counts.resyncing),
            resync_bound: mirror.counts.resync_bound().map(ResyncBound::of),
            takeovers: mirror.counts.takeovers,
            split_brains: mirror.counts.split_brains,
            discarded_bytes: mirror.counts.discarded,
            frozen_s: seconds(mirror.counts.frozen),
            outage_s: (unserved.of_device(mirror.device))
                .filter(|&longest| longest > 0)
                .map(seconds),
        });
        rows.collect()
    }
}

/// How a mirror is, as results have it.
pub fn words(state: MirrorState) -> &'static str {
    match state {
        MirrorState::InSync => "in sync",
        MirrorState::Degraded => "degraded",
        MirrorState::Resyncing => "resyncing",
        MirrorState::Frozen => "frozen",
        MirrorState::SplitBrain => "split brain",
    }
}

/// What each cause on a link's direction held.
fn held(summary: &Summary, link: usize, from: usize) -> Vec<LinkHeld> {
    let found = Wait::ALL.into_iter().filter_map(|wait| {
        let by_job = summary.throttle_stats.on_link(link, from, wait)?;
        Some(LinkHeld {
            cause: LinkCause::of(wait)?,
            jobs: by_job.held(&summary.shape.jobs),
        })
    });
    found.filter(|held| !held.jobs.is_empty()).collect()
}

fn share(of: Nanos, whole: Nanos) -> f64 {
    match whole {
        0 => 0.0,
        whole => of as f64 / whole as f64,
    }
}
