//! The storage once more, slow and obvious: buckets that fill nanosecond by nanosecond,
//! lines that are searched for whose turn it is, ends that are looked up when asked for.

mod bucket;
mod guest;
mod held;
mod stage;
mod volume;

use self::bucket::{Bucket, NS};
use self::guest::{OracleBlocked, OracleDriver};
use self::held::{OracleHeld, OracleWhole};
use self::stage::{OracleStage, Served, flow};
use self::volume::OracleVolume;
use super::*;
use crate::latency::{Latency, Origin, Tables};
use crate::layout::Extent;
use crate::random::Stream;

#[derive(Clone)]
struct OraclePart {
    volume: usize,
    len: Bytes,
    ios: u64,
    write: bool,
    requester: Requester,
    submitter: u32,
    submitted: Nanos,
    sequential: bool,
    /// When its volume took it.
    entered: Option<Nanos>,
    /// Stages still to pass.
    path: Vec<usize>,
    arrival: Nanos,
    longest: (Nanos, Option<LimitId>),
    /// The limit that kept its volume full while it waited in the guest.
    full_by: Option<LimitId>,
    end: Option<Reply>,
    stalled: bool,
    dead: bool,
}

/// The storage.
struct Oracle {
    stages: Vec<OracleStage>,
    volumes: Vec<OracleVolume>,
    layouts: Vec<Layout>,
    parts: Vec<OraclePart>,
    /// Processes that do not get on.
    blocked: Vec<OracleBlocked>,
    /// Requests by ticket: device, what it does, its parts; a flush or a trim has none.
    requests: BTreeMap<Ticket, (usize, Op, Vec<usize>)>,
    /// What volumes say to flushes and trims, but for those that are held.
    wholes: BTreeMap<Ticket, OracleWhole>,
    /// What came to volumes while they were held: the volume, a part with its place, or a flush
    /// or trim.
    held: Vec<(usize, OracleHeld)>,
    limits: Limits,
    hosts: usize,
    counted: Vec<Counted>,
}

impl Oracle {
    fn new(spec: &StorageSpec) -> Self {
        let limits = Limits::new(spec);
        let stage = |limits: Vec<(LimitId, &LimitSpec)>, discipline, whole_unit| OracleStage {
            buckets: limits
                .into_iter()
                .map(|(id, spec)| Bucket::new(id, spec))
                .collect(),
            discipline,
            whole_unit,
            paused: false,
            line: vec![],
            last: (0, None),
            served: Served::default(),
        };
        let mut stages = vec![];
        for (index, host) in spec.hosts.iter().enumerate() {
            let own = limits.of(Owner::Host(index)).zip(&host.limits);
            stages.push(stage(own.collect(), host.discipline, None));
        }
        let mut volumes = vec![];
        for (index, volume) in spec.volumes.iter().enumerate() {
            let own = || limits.of(Owner::Volume(index)).zip(&volume.limits);
            let apart = own().count() > 0 && own().all(|(_, spec)| spec.applies != Applies::Both);
            let kinds = match apart {
                true => vec![Applies::Reads, Applies::Writes],
                false => vec![Applies::Both],
            };
            let first = stages.len();
            for kind in &kinds {
                let these = own().filter(|(_, spec)| !apart || spec.applies == *kind);
                let whole = volume.whole_units.then_some(volume.io_unit);
                stages.push(stage(these.collect(), volume.discipline, whole));
            }
            volumes.push(OracleVolume {
                spec: volume.clone(),
                latency: Latency::new(
                    &volume.latency,
                    Arc::new(Tables::new(&volume.latency)),
                    Origin::new(1, index, spec),
                ),
                driver: OracleDriver::new(index, volume),
                last_limit: None,
                state: State::Working,
                stages: (first..stages.len()).collect(),
                streams: vec![],
            });
        }
        let mut oracle = Self {
            stages,
            volumes,
            layouts: spec.devices.iter().map(|it| it.layout.clone()).collect(),
            parts: vec![],
            blocked: vec![],
            requests: BTreeMap::new(),
            wholes: BTreeMap::new(),
            held: vec![],
            limits,
            hosts: spec.hosts.len(),
            counted: vec![],
        };
        oracle.counted = oracle.nothing();
        oracle
    }

    fn nothing(&self) -> Vec<Counted> {
        let owners = (0..self.volumes.len()).map(|it| self.limits.over(it).count());
        let hosts = (0..self.hosts).map(|it| self.limits.of(Owner::Host(it)).count());
        let nothing = |limits| Counted {
            throttled: vec![0; limits],
            ..Counted::default()
        };
        owners.chain(hosts).map(nothing).collect()
    }

    /// Which of `counted` is a stage's.
    fn owner(&self, stage: usize) -> usize {
        let mut volumes = self.volumes.iter();
        volumes
            .position(|volume| volume.stages.contains(&stage))
            .unwrap_or(self.volumes.len() + stage)
    }

    /// Grants everything that conforms at `now`, at the first stage first, and wakes whom the
    /// tags are for that are then returned, at the first volume first.
    fn settle(&mut self, now: Nanos) {
        loop {
            while let Some((stage, place)) = self.ready(now) {
                let part = self.stages[stage].line.remove(place);
                self.grant(now, stage, part);
                self.go_on(now, part);
                let volume = &mut self.volumes[self.parts[part].volume];
                if let Some(end) = self.parts[part].end.filter(|_| !self.parts[part].stalled) {
                    volume.driver.ends_at(end.at);
                }
            }
            let Some(volume) = self.due(now) else {
                return;
            };
            self.return_tags(now, volume);
        }
    }

    /// The limit that a part in a volume waited for last, if at least half as many parts wait now
    /// as one of the driver's queues has tags.
    fn kept_full_by(&self, volume: usize) -> Option<LimitId> {
        let waiting = self.parts.iter().filter(|part| {
            let open = part.end.is_none() || part.stalled;
            part.volume == volume && part.entered.is_some() && !part.dead && open
        });
        let (_, tags) = self.volumes[volume].driver.size?;
        let mostly = 2 * waiting.count() >= tags;
        self.volumes[volume].last_limit.filter(|_| mostly)
    }

    /// A volume takes a part, for which there is a tag of `queue`.
    fn enter(&mut self, now: Nanos, index: usize, queue: usize, slept_for: usize) {
        let own = Owner::Volume(self.parts[index].volume);
        let full_by = self.kept_full_by(slept_for).and_then(|limit| {
            let mut others = self.limits.of(Owner::Volume(slept_for));
            match others.position(|it| it == limit) {
                Some(place) => self.limits.of(own).nth(place),
                None => Some(limit),
            }
        });
        let part = &mut self.parts[index];
        part.full_by = full_by;
        part.entered = Some(now);
        self.go_on(now, index);
        let part = &self.parts[index];
        let driver = &mut self.volumes[part.volume].driver;
        match part.end.filter(|_| !part.stalled) {
            Some(end) => driver.known.push((end.at, queue)),
            None => driver.open.push(queue),
        }
    }

    fn ready(&self, now: Nanos) -> Option<(usize, usize)> {
        let mut stages = self.stages.iter().enumerate();
        stages.find_map(|(index, stage)| {
            let place = stage.next(&self.parts).filter(|_| !stage.paused)?;
            let conforms = stage.conforms(now, &self.parts[stage.line[place]]);
            (conforms && stage.last.0 <= now).then_some((index, place))
        })
    }

    /// A part that waited at a stage is granted.
    fn grant(&mut self, now: Nanos, stage: usize, index: usize) {
        let owner = self.owner(stage);
        let (stage, part) = (&mut self.stages[stage], &mut self.parts[index]);
        let waited = now - part.arrival;
        let whole = stage.whole_unit;
        let limit = match stage.last {
            (at, limit) if at == now && waited > 0 => limit,
            // The limit that did not conform a moment ago.
            _ if waited > 0 => {
                let mut buckets = stage.buckets.iter();
                let last = buckets.find(|it| !it.conforms(now - 1, it.cost(part, whole)));
                Some(last.expect("a limit throttled it").id)
            }
            _ => None,
        };
        let counted = &mut self.counted[owner];
        for bucket in &mut stage.buckets {
            let cost = bucket.cost(part, whole);
            if limit.is_some() && !bucket.conforms(part.arrival, cost) {
                *counted
                    .contended
                    .entry((bucket.id, part.requester))
                    .or_default() += (cost / NS) as u64;
            }
            bucket.charge(now, cost);
        }
        counted.ios += part.ios;
        counted.bytes += part.len;
        if let (Some(host), Some(limit)) = (owner.checked_sub(self.volumes.len()), limit) {
            let mut own = self.limits.of(Owner::Host(host));
            let place = own
                .position(|own| own == limit)
                .expect("a limit of the host");
            counted.throttled[place] += waited;
        }
        stage.last = (now, limit);
        stage.served.serve(flow(stage.discipline, part), part.ios);
        stage.forget_if_empty();
        if waited >= part.longest.0 {
            part.longest = (waited, limit);
        }
    }

    /// A part goes on to its next stages.
    fn go_on(&mut self, now: Nanos, index: usize) {
        while let Some(&stage) = self.parts[index].path.first() {
            self.parts[index].path.remove(0);
            self.parts[index].arrival = now;
            let owner = self.owner(stage);
            let (stage, part) = (&mut self.stages[stage], &mut self.parts[index]);
            if stage.line.is_empty() && !stage.paused && stage.conforms(now, part) {
                for bucket in &mut stage.buckets {
                    let cost = bucket.cost(part, stage.whole_unit);
                    bucket.charge(now, cost);
                }
                self.counted[owner].ios += part.ios;
                self.counted[owner].bytes += part.len;
                continue;
            }
            let discipline = stage.discipline;
            let own = flow(discipline, part);
            let mut line = stage.line.iter();
            if !line.any(|&other| flow(discipline, &self.parts[other]) == own) {
                stage.served.comes(own);
            }
            stage.line.push(index);
            return;
        }
        self.end(now, index);
    }

    /// A part has all its tokens.
    fn end(&mut self, now: Nanos, index: usize) {
        let part = &mut self.parts[index];
        let volume = &mut self.volumes[part.volume];
        // It is sent to the device once it has them.
        let latency = volume
            .latency
            .draw(now, part.write, part.len, part.sequential);
        let at = now + latency;
        let mut reply = Reply::free(at);
        // A limit that made it wait is what made it wait in the guest, too.
        let limit = part.longest.1.or(part.full_by);
        let entered = part.entered.unwrap_or(now);
        let queued = if limit.is_some() {
            entered - part.submitted
        } else {
            0
        };
        let throttled = now - entered + queued;
        if throttled > 0 {
            reply = Reply {
                at,
                throttled,
                limit,
                failed: false,
            };
            let mut over = self.limits.over(part.volume);
            if let Some(place) = over.position(|own| Some(own) == limit) {
                self.counted[part.volume].throttled[place] += throttled;
            }
        }
        part.end = Some(reply);
        part.stalled = volume.state == State::Paused;
        if !part.stalled {
            volume.last_limit = part.longest.1.or(volume.last_limit);
        }
    }

    fn submit(&mut self, now: Nanos, ticket: Ticket, request: Request) {
        let Request { device, op, .. } = request;
        if let (Op::Flush | Op::Trim, Some(volume)) = (op, self.first_held(device)) {
            self.held.push((volume, OracleHeld::Whole(ticket, request)));
            self.requests.insert(ticket, (device, op, vec![]));
            return;
        }
        if let Op::Flush | Op::Trim = op {
            self.ask_all(now, ticket, (ticket, device));
        }
        let mut extents = vec![];
        if op == Op::Read || op.writes() {
            let layout = &self.layouts[device];
            layout.extents(request.offset, request.len, &mut |extent| {
                extents.push(extent)
            });
        }
        let first = self.parts.len();
        for extent in extents {
            self.start(now, &request, extent);
        }
        let parts = (first..self.parts.len()).collect();
        self.requests.insert(ticket, (device, op, parts));
        self.settle(now);
    }

    fn start(&mut self, now: Nanos, request: &Request, extent: Extent) {
        let index = self.parts.len();
        let part = self.part(now, request, &extent);
        self.parts.push(part);
        if self.volumes[extent.volume].state == State::Held {
            let part = OracleHeld::Part(index, *request, extent);
            self.held.push((extent.volume, part));
            return;
        }
        self.begin(now, index);
    }

    fn part(&mut self, now: Nanos, request: &Request, extent: &Extent) -> OraclePart {
        let volume = &mut self.volumes[extent.volume];
        let write = request.op.writes();
        let failed = volume.state == State::Failed;
        let (mut ios, mut sequential) = (0, false);
        if !failed && volume.state != State::Held {
            (ios, sequential) = volume.follow(extent.offset, extent.len, write);
        }
        let line = match write {
            true => volume.stages.last(),
            false => volume.stages.first(),
        };
        let mut path: Vec<_> = line.copied().into_iter().collect();
        path.extend(volume.spec.behind_host.then_some(volume.spec.host));
        OraclePart {
            volume: extent.volume,
            len: extent.len,
            ios,
            write,
            requester: request.requester,
            submitter: request.submitter,
            submitted: now,
            sequential,
            entered: None,
            path,
            arrival: now,
            longest: (0, None),
            full_by: None,
            end: failed.then_some(Reply::failed(now + MILLISECOND)),
            stalled: false,
            dead: failed,
        }
    }

    fn begin(&mut self, now: Nanos, index: usize) {
        if self.parts[index].dead {
            return;
        }
        self.want(now, index);
    }

    fn change(&mut self, now: Nanos, change: Change) {
        match change {
            Change::Limit { limit, rate, depth } => {
                for stage in &mut self.stages {
                    let mut buckets = stage.buckets.iter_mut();
                    if let Some(bucket) = buckets.find(|bucket| bucket.id == limit) {
                        bucket.set(now, rate, depth);
                        stage.last = (stage.last.0.max(now), Some(limit));
                    }
                }
            }
            Change::Lift { limit } => {
                for stage in &mut self.stages {
                    let mut buckets = stage.buckets.iter_mut();
                    if let Some(bucket) = buckets.find(|bucket| bucket.id == limit) {
                        bucket.lifted = true;
                        stage.last = (stage.last.0.max(now), Some(limit));
                    }
                }
            }
            Change::Latency { .. } => {}
            Change::Pause { volume } => self.set_state(now, volume, State::Paused),
            Change::Fail { volume } => self.set_state(now, volume, State::Failed),
            Change::Resume { volume } => {
                self.set_state(now, volume, State::Working);
                self.release(now, volume);
            }
            Change::Hold { volume } => self.volumes[volume].state = State::Held,
            Change::Detach { volume } => self.detach(now, volume),
            Change::Attach { volume, host } => {
                self.detach(now, volume);
                self.volumes[volume].spec.host = host;
            }
            Change::Cut { .. }
            | Change::Impair { .. }
            | Change::HostDown { .. }
            | Change::HostUp { .. }
            | Change::HostSpeed { .. }
            | Change::Runs { .. }
            | Change::PacketSpeed { .. }
            | Change::Reconnect { .. } => {}
        }
        self.settle(now);
    }

    /// How a request ends, if it does.
    fn reply(&self, ticket: Ticket) -> Option<Reply> {
        let (device, op, parts) = &self.requests[&ticket];
        if let Op::Flush | Op::Trim = op {
            let whole = self.wholes.get(&ticket)?;
            let earlier = self.requests.range(..whole.until);
            let writes = earlier.filter(|(_, it)| it.0 == *device && it.1.writes());
            let writes = writes.filter(|_| *op == Op::Flush);
            let ends = writes.map(|(&ticket, _)| Some(Reply::free(self.reply(ticket)?.at)));
            let answers = whole.answers.values().copied();
            return answers.chain(ends).reduce(|a, b| Some(a?.later(b?)))?;
        }
        let ends = parts.iter().map(|&part| {
            let part = &self.parts[part];
            part.end.filter(|_| !part.stalled)
        });
        ends.reduce(|a, b| Some(a?.later(b?)))?
    }

    fn take_counted(&mut self, end: Nanos) -> Vec<Counted> {
        let nothing = self.nothing();
        let mut counted = core::mem::replace(&mut self.counted, nothing);
        for (index, stage) in self.stages.iter().enumerate() {
            for bucket in stage
                .buckets
                .iter()
                .filter(|it| it.spec.credits && !it.lifted)
            {
                let whole = (bucket.level(end) / NS).max(0) as u64;
                let balance = 100.0 * whole as f64 / bucket.spec.depth as f64;
                counted[self.owner(index)]
                    .balances
                    .insert(bucket.id, balance);
            }
        }
        counted
    }
}

/// Requests and changes at their times.
fn inputs() -> impl Strategy<Value = Vec<(Nanos, Input)>> {
    let changes = prop::collection::vec((0_u64..30_000, 0_usize..4, 0_u8..15, 1_u64..5), 0..8);
    (requests(), changes).prop_map(|(requests, changes)| {
        let of = |(at, request)| (at, Input::Request(request));
        let mut inputs: Vec<_> = requests.into_iter().map(of).collect();
        inputs.extend(changes.into_iter().map(|(at, volume, kind, pace)| {
            let change = match kind {
                0 | 1 => Change::Pause { volume },
                2 => Change::Fail { volume },
                3..=5 => Change::Resume { volume },
                9..=11 => Change::Hold { volume },
                12 => Change::Detach { volume },
                13 => Change::Attach {
                    volume,
                    host: pace as usize,
                },
                // Of the host's or a volume's limits, whichever this one is.
                6 => Change::Lift {
                    limit: LimitId::at(2 * volume as u16),
                },
                _ => Change::Limit {
                    limit: LimitId::at(2 * volume as u16),
                    rate: pace * 1_000_000,
                    depth: 3 * pace,
                },
            };
            (at, Input::Change(change))
        }));
        inputs.sort_by_key(|input| input.0);
        inputs
    })
}

const PERIOD: Nanos = 2000;
const PERIODS: u64 = 150;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn storage_does_what_the_obvious_one_does(spec in mixed(), inputs in inputs()) {
        let (mut storage, mut oracle) = (Engine::new(&spec, 1), Oracle::new(&spec));
        let mut replies = Replies::new();
        let mut coming = (0..).zip(&inputs).peekable();
        for now in 0..PERIOD * PERIODS {
            if now > 0 && now % PERIOD == 0 {
                advance_to(&mut storage, now - 1, &mut replies);
                let counted = take_counted(&mut storage, &spec, now);
                prop_assert_eq!(counted, oracle.take_counted(now), "counted before {}", now);
            }
            oracle.settle(now);
            while let Some((ticket, (_, input))) = coming.next_if(|next| next.1.0 == now) {
                let mut input = input.clone();
                if let Input::Change(Change::Attach { host, .. }) = &mut input {
                    *host %= spec.hosts.len();
                }
                enter(&mut storage, now, ticket, input.clone(), &mut replies);
                match input {
                    Input::Request(request) => oracle.submit(now, ticket, request),
                    Input::Change(change) => oracle.change(now, change),
                }
            }
        }
        advance_to(&mut storage, PERIOD * PERIODS - 1, &mut replies);
        for &ticket in oracle.requests.keys() {
            let (expected, found) = (oracle.reply(ticket), replies.get(&ticket).copied());
            prop_assert_eq!(found, expected, "ticket {}", ticket);
        }
    }
}
