//! What faults do to requests and volumes, as a state machine: time comes in, effects and
//! changes go out.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::{Does, Fault, Terms};
use crate::limits::{LimitId, Limits, Owner};
use crate::random::Stream;
use crate::request::Request;
use crate::spec::{Impairment, LatencySpec, Layout, StorageSpec};
use crate::storage::Change;
use crate::units::Nanos;

/// What faults do to a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// It takes this much longer.
    pub extra: Nanos,
    /// It fails.
    pub fails: bool,
}

/// The faults and the terms of the volumes of a storage.
#[derive(Debug)]
pub struct Faults {
    layouts: Vec<Layout>,
    seed: u64,
    /// Tells its random streams from those of other storages.
    name: String,
    active: Vec<(Fault, Stream)>,
    /// Terms to come.
    terms: VecDeque<Terms>,
    /// The limits as they are provisioned, which faults may undercut.
    provisioned: Limits,
    /// Limits that are provisioned otherwise than [`Faults::advance`] has told.
    untold: Vec<LimitId>,
    /// Volumes that have another latency, likewise.
    latencies: Vec<(usize, Arc<LatencySpec>)>,
    /// Volumes that are attached to another host, likewise.
    attached: Vec<(usize, usize)>,
    /// Volumes whose mirrors are told to connect again, likewise.
    reconnected: Vec<usize>,
    /// By volume, what [`Faults::advance`] made of it.
    applied: Vec<VolumeState>,
    /// By link, which ways are cut by that, by the end that sends, and what is wrong with it.
    cut: Vec<[bool; 2]>,
    impaired: Vec<Impairment>,
    /// By host, whether it is down by that.
    lost: Vec<bool>,
    /// By host, how fast its processors are by that, in 1/1000, and how fast they handle packets.
    speeds: Vec<u32>,
    packet_speeds: Vec<u32>,
}

/// What faults make of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeState {
    /// Whether it fails everything.
    pub failed: bool,
    /// Whether it answers nothing.
    pub paused: bool,
    /// Whether it takes nothing.
    pub held: bool,
    /// Whether it is torn from its host.
    pub detached: bool,
    /// What is left of each of its rates, in 1/1000.
    pub permille: u32,
}

const WHOLE: VolumeState = VolumeState {
    failed: false,
    paused: false,
    held: false,
    detached: false,
    permille: 1000,
};

impl Faults {
    /// None yet, of storage like `spec`.
    pub fn new(spec: &StorageSpec, seed: u64) -> Self {
        let devices = spec.devices.iter();
        Self {
            layouts: devices.map(|device| device.layout.clone()).collect(),
            seed,
            name: spec.volumes.first().map_or("", |first| &first.name).into(),
            active: Vec::new(),
            terms: VecDeque::new(),
            provisioned: Limits::new(spec),
            untold: Vec::new(),
            latencies: Vec::new(),
            attached: Vec::new(),
            reconnected: Vec::new(),
            applied: vec![WHOLE; spec.volumes.len()],
            cut: vec![[false; 2]; spec.links.len()],
            impaired: vec![Impairment::NONE; spec.links.len()],
            lost: vec![false; spec.hosts.len()],
            speeds: vec![1000; spec.hosts.len()],
            packet_speeds: vec![1000; spec.hosts.len()],
        }
    }

    /// Starts a fault, at once or when its time comes; [`Faults::advance`] then says what to
    /// do.
    pub fn start(&mut self, fault: Fault) {
        let label = format!("fault/{}/{}", fault.number, self.name);
        self.active.push((fault, Stream::new(self.seed, &label)));
    }

    /// Volumes get other terms, which rise in time.
    pub fn plan(&mut self, terms: impl IntoIterator<Item = Terms>) {
        self.terms.extend(terms);
    }

    /// A limit is provisioned with another rate; a short bucket then holds as many seconds of
    /// it as before.
    pub fn provision(&mut self, limit: LimitId, rate: u64) {
        let depth = self.provisioned[limit].depth_at(rate);
        self.set(limit, Some((rate, depth)));
    }

    /// What they do to a request that arrives `now`.
    pub fn on_request(&mut self, now: Nanos, request: &Request) -> Effect {
        let mut effect = Effect::default();
        for (fault, stream) in &mut self.active {
            let Some((share, extra)) = fault.share_of(now, request.op) else {
                continue;
            };
            let mut hit = false;
            let volumes = &fault.volumes;
            let layout = &self.layouts[request.device];
            touched(layout, request, &mut |volume| {
                hit |= volumes.contains(&volume) && stream.chance(share);
            });
            if hit {
                effect.extra += extra;
                effect.fails |= matches!(fault.does, Does::Err(_));
            }
        }
        effect
    }

    /// The latest time, after that of the last call, at which [`Faults::advance`] must be
    /// called.
    pub fn next_event(&self, now: Nanos) -> Option<Nanos> {
        let times = |(fault, _): &(Fault, Stream)| [Some(fault.from), fault.until];
        let faults = self.active.iter().flat_map(times).flatten();
        let terms = self.terms.front().map(|terms| terms.at);
        faults.chain(terms).filter(|&at| at > now).min()
    }

    /// Begins what is to begin by `now` and ends the faults that are over. Tells `change` of
    /// all that results, from what was started, planned, provisioned or ended since the last
    /// call too.
    pub fn advance(&mut self, now: Nanos, change: &mut impl FnMut(Change)) {
        while self.terms.front().is_some_and(|terms| terms.at <= now) {
            if let Some(terms) = self.terms.pop_front() {
                self.begin(terms);
            }
        }
        self.active.retain(|(fault, _)| !fault.is_over(now));
        // What runs on a host is gone before its disks are, and returns with them.
        let hosts = |fault: &Fault, host| fault.hosts.contains(&host) && fault.speed().is_none();
        let (lost, back) = turned(&mut self.lost, now, &self.active, hosts);
        lost.into_iter()
            .for_each(|host| change(Change::HostDown { host }));
        // Before links work again: what waits for them is sent at once.
        for host in 0..self.packet_speeds.len() {
            let speed = self.speed(now, host, |speed| speed > 0);
            if core::mem::replace(&mut self.packet_speeds[host], speed) != speed {
                change(Change::PacketSpeed { host, speed });
            }
        }
        let (slower, faster) = self.turn_speeds(now);
        slower.into_iter().for_each(&mut *change);
        // Of what fails behind a link that goes down with it nobody hears, and what returns is
        // whole before it can be reached.
        let restored = self.cut_links(now, change);
        for link in 0..self.impaired.len() {
            let is = self.impairment(now, link);
            if core::mem::replace(&mut self.impaired[link], is) != is {
                change(Change::Impair { link, is });
            }
        }
        for (volume, host) in self.attached.drain(..) {
            change(Change::Attach { volume, host });
            if let Some(device) = device_of(&self.layouts, volume) {
                change(Change::Runs {
                    device,
                    on: Some(host),
                });
            }
        }
        for volume in 0..self.applied.len() {
            let is = self.state(now, volume);
            let was = core::mem::replace(&mut self.applied[volume], is);
            if is.held
                && !was.held
                && let Some(device) = device_of(&self.layouts, volume)
            {
                change(Change::Runs { device, on: None });
            }
            if is.detached && !was.detached {
                change(Change::Detach { volume });
            }
            turn(volume, was.mode(), is.mode(), change);
            if is.permille != was.permille {
                let limits = self.provisioned.of(Owner::Volume(volume));
                self.untold.extend(limits);
            }
        }
        self.untold.sort_unstable();
        self.untold.dedup();
        for limit in core::mem::take(&mut self.untold) {
            change(self.enforced(limit));
        }
        for (volume, latency) in self.latencies.drain(..) {
            change(Change::Latency { volume, latency });
        }
        back.into_iter()
            .for_each(|host| change(Change::HostUp { host }));
        restored.into_iter().for_each(&mut *change);
        let reconnected = self.reconnected.drain(..);
        reconnected.for_each(|volume| change(Change::Reconnect { volume }));
        // What goes on hears of others at once.
        faster.into_iter().for_each(change);
    }

    /// Tells of ways of links that go down, and gives what is to be told of those that work again.
    fn cut_links(&mut self, now: Nanos, change: &mut impl FnMut(Change)) -> Vec<Change> {
        let mut restored = Vec::new();
        for link in 0..self.cut.len() {
            let on =
                |(fault, _): &&(Fault, Stream)| fault.is_on(now) && fault.links.contains(&link);
            let cuts = self.active.iter().filter(on).map(|it| it.0.cuts());
            let is = cuts.fold([false; 2], either);
            let was = core::mem::replace(&mut self.cut[link], is);
            let from = either(was, is);
            if from != was {
                change(Change::Cut { link, from });
            }
            if is != from {
                restored.push(Change::Cut { link, from: is });
            }
        }
        restored
    }

    /// Hosts whose processors are slower now, and those where they are faster.
    fn turn_speeds(&mut self, now: Nanos) -> (Vec<Change>, Vec<Change>) {
        let (mut slower, mut faster) = (Vec::new(), Vec::new());
        for host in 0..self.speeds.len() {
            let speed = self.speed(now, host, |_| true);
            let was = core::mem::replace(&mut self.speeds[host], speed);
            let turned = Change::HostSpeed { host, speed };
            match speed.cmp(&was) {
                Ordering::Less => slower.push(turned),
                Ordering::Equal => {}
                Ordering::Greater => faster.push(turned),
            }
        }
        (slower, faster)
    }

    /// Whether the changes so far have taken a link down, one way at least.
    pub fn is_cut(&self, link: usize) -> bool {
        self.cut[link] != [false; 2]
    }

    /// What the changes so far have made of a volume.
    pub fn applied(&self, volume: usize) -> VolumeState {
        self.applied[volume]
    }

    /// Ends all that have begun.
    pub fn clear(&mut self, now: Nanos) {
        self.active.retain(|(fault, _)| fault.from > now);
    }

    /// Ends the pauses of these volumes. A pause of more volumes goes on for the others.
    pub fn resume(&mut self, now: Nanos, resumed: &[usize]) {
        for (fault, _) in &mut self.active {
            fault.resume(now, resumed);
        }
        self.active.retain(|(fault, _)| !fault.is_resumed());
    }

    /// Ends the cuts of these links, both ways. A failure of a host or a zone goes on.
    pub fn restore(&mut self, now: Nanos, restored: &[usize]) {
        for (fault, _) in &mut self.active {
            fault.restore(now, restored);
        }
        self.active.retain(|(fault, _)| !fault.is_resumed());
    }

    fn begin(&mut self, terms: Terms) {
        let Terms {
            volume,
            limits,
            latency,
            host,
            reconnects,
            ..
        } = terms;
        for term in limits {
            let mut own = self.provisioned.of(Owner::Volume(volume));
            if let Some(limit) = own.find(|&limit| self.provisioned[limit].name == term.name) {
                self.set(limit, term.holds);
            }
        }
        self.latencies
            .extend(latency.map(|latency| (volume, latency)));
        self.reconnected.extend(reconnects.then_some(volume));
        self.attached.extend(host.map(|host| (volume, host)));
    }

    fn set(&mut self, limit: LimitId, holds: Option<(u64, u64)>) {
        match holds {
            Some((rate, depth)) => self.provisioned.set(limit, rate, depth),
            None => self.provisioned.lift(limit),
        }
        self.untold.push(limit);
    }

    /// A limit lets through what is provisioned, or the share of it that faults leave.
    fn enforced(&self, limit: LimitId) -> Change {
        let info = &self.provisioned[limit];
        if info.is_lifted {
            return Change::Lift { limit };
        }
        let permille = match info.owner {
            Owner::Host(_) => 1000,
            Owner::Volume(volume) => self.applied[volume].permille,
        };
        let rate = (u128::from(info.rate) * u128::from(permille) / 1000).max(1) as u64;
        let depth = info.depth_at(rate);
        Change::Limit { limit, rate, depth }
    }

    fn impairment(&self, now: Nanos, link: usize) -> Impairment {
        let on = |(fault, _): &&(Fault, Stream)| fault.is_on(now) && fault.links.contains(&link);
        let all = self.active.iter().filter(on);
        all.fold(Impairment::NONE, |is, (fault, _)| match fault.does {
            Does::Impair(own) => is.and(own),
            _ => is,
        })
    }

    /// How fast the processors of a host are, in 1/1000, by the faults that leave a speed that
    /// counts.
    fn speed(&self, now: Nanos, host: usize, counts: impl Fn(u32) -> bool) -> u32 {
        let on = |(fault, _): &&(Fault, Stream)| fault.is_on(now) && fault.hosts.contains(&host);
        let speeds = self.active.iter().filter(on);
        let speeds = speeds.filter_map(|(fault, _)| fault.speed());
        speeds.filter(|&speed| counts(speed)).min().unwrap_or(1000)
    }

    fn state(&self, now: Nanos, volume: usize) -> VolumeState {
        let on =
            |(fault, _): &&(Fault, Stream)| fault.is_on(now) && fault.volumes.contains(&volume);
        let faults = self.active.iter().filter(on);
        faults.fold(WHOLE, |state, (fault, _)| match fault.does {
            Does::Fail => VolumeState {
                failed: true,
                ..state
            },
            Does::Pause => VolumeState {
                paused: true,
                ..state
            },
            Does::Hold => VolumeState {
                held: true,
                ..state
            },
            Does::Detach => VolumeState {
                detached: true,
                ..state
            },
            Does::Slow(permille) => VolumeState {
                permille: permille.min(state.permille),
                ..state
            },
            Does::Delay(_) | Does::Err(_) | Does::Cut(_) | Does::Impair(_) => state,
        })
    }
}

/// The ways that are cut by one or the other.
fn either(one: [bool; 2], other: [bool; 2]) -> [bool; 2] {
    [0, 1].map(|from| one[from] || other[from])
}

/// The hosts that go down now, and those that work again: `has` says which a fault has.
fn turned(
    down: &mut [bool],
    now: Nanos,
    active: &[(Fault, Stream)],
    has: impl Fn(&Fault, usize) -> bool,
) -> (Vec<usize>, Vec<usize>) {
    let (mut fallen, mut risen) = (Vec::new(), Vec::new());
    for (place, was) in down.iter_mut().enumerate() {
        let mut faults = active.iter();
        let is = faults.any(|(fault, _)| fault.is_on(now) && has(fault, place));
        match (core::mem::replace(was, is), is) {
            (false, true) => fallen.push(place),
            (true, false) => risen.push(place),
            _ => {}
        }
    }
    (fallen, risen)
}

/// What a volume does with requests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Works,
    Paused,
    Failed,
    Held,
}

impl VolumeState {
    /// What has failed shows when it has been handed over, and a pause when it has returned.
    fn mode(self) -> Mode {
        match self {
            Self { held: true, .. } => Mode::Held,
            Self { failed: true, .. } => Mode::Failed,
            Self { paused: true, .. } => Mode::Paused,
            _ => Mode::Works,
        }
    }
}

/// A volume goes from one mode to another.
fn turn(volume: usize, was: Mode, is: Mode, change: &mut impl FnMut(Change)) {
    // What fails need not work first, but for what was held until then.
    let works = match (was, is) {
        (Mode::Works, _) | (Mode::Paused, Mode::Failed) => false,
        _ => was != is,
    };
    if works {
        change(Change::Resume { volume });
    }
    match is {
        _ if was == is => {}
        Mode::Works => {}
        Mode::Paused => change(Change::Pause { volume }),
        Mode::Failed => change(Change::Fail { volume }),
        Mode::Held => change(Change::Hold { volume }),
    }
}

/// The device that has a volume as its first.
fn device_of(layouts: &[Layout], volume: usize) -> Option<usize> {
    let is_first = |layout: &Layout| {
        let mut first = None;
        layout.volumes(&mut |own| first = first.or(Some(own)));
        first == Some(volume)
    };
    layouts.iter().position(is_first)
}

/// Calls `found` with each volume that a request touches; a flush touches all of its device.
fn touched(layout: &Layout, request: &Request, found: &mut impl FnMut(usize)) {
    match request.len {
        0 => layout.volumes(found),
        len => layout.extents(request.offset, len, &mut |extent| found(extent.volume)),
    }
}
