//! Random losses of hosts, links and disks: whoever serves has what was acknowledged or says what
//! is lost, and no split brain heals by itself.

use proptest::prelude::*;

use super::fuzz::specs;
use super::*;
use crate::replication::mirror::state::{History, Service};
use crate::spec::{AfterSplitBrain, Fencing, FlowControl, QueuedUntil};

#[derive(Clone, Debug)]
enum Input {
    Io(Op, u64, Bytes),
    Host(usize),
    Pause(usize),
    Link,
    Volume(usize),
    Reconnect,
}

fn inputs() -> impl Strategy<Value = Vec<(Nanos, Input)>> {
    let op = prop_oneof![2 => Just(Op::Read), 6 => Just(Op::Write), 1 => Just(Op::Flush)];
    let io = (op, 0_u64..16, 1_u64..300).prop_map(|(op, at, kib)| Input::Io(op, at, kib * KIB));
    let input = prop_oneof![
        16 => io,
        2 => (0_usize..2).prop_map(Input::Host),
        1 => (0_usize..2).prop_map(Input::Pause),
        2 => Just(Input::Link),
        1 => (0_usize..2).prop_map(Input::Volume),
        1 => Just(Input::Reconnect),
    ];
    prop::collection::vec((0_u64..2 * MILLISECOND, input), 1..120)
}

fn partitions() -> impl Strategy<Value = PartitionSpec> {
    let fencing = (0_usize..4, 0_u64..20 * MILLISECOND).prop_map(|(which, time)| match which {
        0 | 1 => Fencing::DontCare,
        2 => Fencing::ResourceOnly,
        _ => Fencing::ResourceAndStonith(time),
    });
    (0_u64..30 * MILLISECOND, fencing, any::<bool>()).prop_map(|(after, fencing, discards)| {
        PartitionSpec {
            failover: Some(after),
            fencing,
            after_split_brain: match discards {
                true => AfterSplitBrain::DiscardSecondary,
                false => AfterSplitBrain::Disconnect,
            },
        }
    })
}

/// Two hosts with a mirror over both, and what has been acknowledged to its user.
struct Hosts {
    watched: Watched,
    down: [bool; 2],
    paused: [bool; 2],
    failed: [bool; 2],
    cut: bool,
    writes: Vec<(Ticket, Request)>,
    is_c: bool,
    /// Writes that were acknowledged and that who took over did not have.
    gone: Vec<Ticket>,
    /// Writes that who took over had in memory alone.
    in_memory: Vec<(Ticket, Request)>,
    /// Transitions that have been looked at.
    seen: usize,
    /// Nothing but what was under way would be missing where another host took over.
    is_whole: bool,
    /// A host has taken over without writes that the other had acknowledged alone, and nothing has
    /// been discarded since.
    parted: bool,
}

impl Hosts {
    fn turn(&mut self, now: Nanos, input: &Input) {
        match *input {
            Input::Host(host) => {
                self.down[host] ^= true;
                match self.down[host] {
                    true => self.apply(
                        now,
                        &[
                            Change::HostDown { host },
                            Change::Cut {
                                link: 0,
                                from: [true; 2],
                            },
                            Change::Fail { volume: host },
                        ],
                    ),
                    false => {
                        if !self.failed[host] {
                            self.apply(now, &[Change::Resume { volume: host }]);
                        }
                        self.apply(now, &[Change::HostUp { host }]);
                        self.link(now);
                    }
                }
            }
            Input::Pause(host) => {
                self.paused[host] ^= true;
                let speed = if self.paused[host] { 0 } else { 1000 };
                let turned = Change::HostSpeed { host, speed };
                match self.paused[host] {
                    true => {
                        self.apply(now, &[turned]);
                        self.link(now);
                    }
                    false => {
                        self.link(now);
                        self.apply(now, &[turned]);
                    }
                }
            }
            Input::Link => {
                self.cut ^= true;
                self.link(now);
            }
            Input::Volume(volume) => {
                self.failed[volume] ^= true;
                match self.failed[volume] {
                    true => self.apply(now, &[Change::Fail { volume }]),
                    false if self.down[volume] => {}
                    false => self.apply(now, &[Change::Resume { volume }]),
                }
            }
            Input::Reconnect => self.apply(now, &[Change::Reconnect { volume: 0 }]),
            Input::Io(..) => {}
        }
    }

    fn link(&mut self, now: Nanos) {
        let gone = [self.down, self.paused].concat().contains(&true);
        let change = match self.cut || gone {
            true => Change::Cut {
                link: 0,
                from: [true; 2],
            },
            false => Change::Cut {
                link: 0,
                from: [false; 2],
            },
        };
        self.apply(now, &[change]);
    }

    fn apply(&mut self, now: Nanos, changes: &[Change]) {
        for change in changes {
            self.advance(now);
            let watched = &mut self.watched;
            (watched.storage).change(now, change.clone(), &mut |ticket, reply| {
                watched.ends.insert(ticket, reply);
            });
            self.look(now);
        }
    }

    fn advance(&mut self, now: Nanos) {
        while let Some(next) = self
            .watched
            .storage
            .next_event()
            .filter(|next| *next <= now)
        {
            let ends = &mut self.watched.ends;
            self.watched.storage.advance(next, &mut |ticket, reply| {
                ends.insert(ticket, Some(reply));
            });
            self.look(next);
        }
        self.look(now);
    }

    fn acknowledged(&self, now: Nanos) -> impl Iterator<Item = &(Ticket, Request)> {
        self.writes.iter().filter(move |(ticket, _)| {
            let end = self.watched.ends.get(ticket).copied().flatten();
            end.is_some_and(|end| end.at <= now && !end.failed) && !self.gone.contains(ticket)
        })
    }

    fn look(&mut self, now: Nanos) {
        self.watched.contents.look(&self.watched.storage, now);
        buffers::look(&self.watched.storage);
        let transitions = self.watched.transitions();
        for (place, &(_, transition)) in transitions.iter().enumerate().skip(self.seen) {
            match transition {
                MirrorTransition::TakenOver { leg, lacks } => {
                    let before = place.checked_sub(1).map(|it| transitions[it].1);
                    let was_lost = before == Some(MirrorTransition::Lost);
                    self.taken_over(now, (leg, lacks), was_lost && self.is_whole);
                }
                MirrorTransition::Discarded { .. } => self.parted = false,
                _ => {}
            }
        }
        self.seen = transitions.len();
        self.look_at_memory(now);
        let Some(mirrors) = self.watched.storage.mirrors.as_deref() else {
            return;
        };
        for flow in &mirrors.flows {
            let ends = |leg: &usize| flow.due[*leg] != NEVER;
            let works = |leg: usize| flow.branches[leg].open & Branch::DISK != 0;
            let all = [0, 1].iter().filter(|leg| ends(leg)).all(|&leg| works(leg));
            assert!(all, "a disk ends what it does not do: {flow:?}");
        }
        let mirror = &mirrors.mirrors[0];
        let lacks = &mirror.legs[mirror.secondary()].lacks;
        let has_all = lacks.is_empty() && mirror.unnoted.is_empty();
        match mirror.service {
            Service::Serves => self.is_whole = has_all,
            // What ends on one leg meanwhile counts in whole regions.
            Service::Fencing { .. } => self.is_whole = false,
            Service::Paused { .. } => self.is_whole &= has_all,
            Service::Down { .. } => {}
        }
        let is_one = matches!(mirror.history, History::One);
        assert!(
            is_one || mirror.resync.is_none(),
            "it heals what nobody said"
        );
        assert!(!(self.parted && is_one), "two histories are taken for one");
        // What C acknowledged is where it can be read, or is told of as lost.
        if self.is_c {
            for (ticket, request) in self.acknowledged(now) {
                let has = |leg| self.watched.contents.has(leg, *ticket, request);
                let is_coming = self.in_memory.iter().any(|it| it.0 == *ticket);
                let primary = has(mirror.primary) || is_coming;
                assert!(
                    primary || is_one && has(mirror.secondary()),
                    "write {ticket} is lost"
                );
            }
        }
    }

    /// Whether the host of a leg has a write in memory, on its way to the disk.
    fn is_in_memory(&self, leg: usize, ticket: Ticket) -> bool {
        let mirrors = self.watched.storage.mirrors.as_deref();
        let mut flows = mirrors.iter().flat_map(|it| &it.flows);
        flows.any(|it| it.ticket == ticket && it.branches[leg].open & Branch::DISK != 0)
    }

    /// What was in memory alone is written, or told of as lost.
    fn look_at_memory(&mut self, now: Nanos) {
        let Some(mirrors) = self.watched.storage.mirrors.as_deref() else {
            return;
        };
        let leg = mirrors.mirrors[0].primary;
        let over = |(ticket, _): &&(Ticket, Request)| !self.is_in_memory(leg, *ticket);
        let over: Vec<_> = self.in_memory.iter().filter(over).copied().collect();
        let contents = &self.watched.contents;
        let missing = over
            .iter()
            .filter(|(ticket, it)| !contents.has(leg, *ticket, it));
        let lost = loss::ranges(missing.map(|(_, request)| request));
        let told = self.watched.status(now).counts.lost;
        assert!(lost <= told, "{lost} bytes in memory are lost, not {told}");
        self.in_memory.retain(|one| !over.contains(one));
    }

    /// A host took over without so many of the bytes that had been acknowledged, and no fewer where
    /// its leg `is_whole`.
    fn taken_over(&mut self, now: Nanos, (leg, lacks): (usize, Bytes), is_whole: bool) {
        let contents = &self.watched.contents;
        let all = self.acknowledged(now);
        let missing = all.filter(|(ticket, request)| !contents.has(leg, *ticket, request));
        let (in_memory, gone): (Vec<_>, Vec<_>) = missing
            .copied()
            .partition(|&(ticket, _)| self.is_in_memory(leg, ticket));
        let most: Bytes = gone.iter().map(|(_, request)| request.len).sum();
        assert!(
            !is_whole || lacks <= most,
            "{lacks} bytes are said to be lost of {most}"
        );
        self.in_memory = in_memory;
        let lost = loss::ranges(gone.iter().map(|(_, request)| request));
        // Under A and B a leg that had failed before may have taken some with it.
        let before = match self.is_c {
            true => 0,
            false => self.watched.status(now).counts.lost,
        };
        let told = lacks.max(before);
        assert!(lost <= told, "{lost} bytes are lost, not {told}");
        // Under C only what the other acknowledged alone is missing.
        self.parted = !gone.is_empty() && self.is_c;
        self.gone.extend(gone.into_iter().map(|(ticket, _)| ticket));
    }
}

impl Hosts {
    fn of(spec: &StorageSpec, is_c: bool) -> Self {
        Self {
            watched: Watched::new(spec),
            down: [false; 2],
            paused: [false; 2],
            failed: [false; 2],
            cut: false,
            writes: Vec::new(),
            is_c,
            gone: Vec::new(),
            in_memory: Vec::new(),
            seen: 0,
            is_whole: true,
            parted: false,
        }
    }
}

/// The peer's disk stores a write while the peer is being fenced, and the link is back before that
/// is over: the answer is not sent over the new connection, which has nothing to be answered, and
/// later writes find room on the link.
#[test]
fn a_write_before_a_cut_is_not_answered_after_it() {
    let mut of = mirror();
    of.acknowledge = Acknowledge::A;
    of.partition = PartitionSpec {
        failover: Some(0),
        fencing: Fencing::ResourceAndStonith(10 * MILLISECOND),
        after_split_brain: AfterSplitBrain::Disconnect,
    };
    let wire = LinkSpec {
        flow_control: Some(FlowControl {
            high: 8,
            low: 4,
            until: QueuedUntil::Answered,
        }),
        timeout: 2 * MILLISECOND,
        ..link()
    };
    let mut spec = two_hosts(of, wire);
    spec.volumes = vec![volume("a", MILLISECOND), volume("b", 8 * MILLISECOND)];
    let mut hosts = Hosts::of(&spec, false);
    hosts
        .watched
        .submit(0, 0, &request(Op::Write, 0, 256 * KIB));
    // The peer writes it until 8 ms. It is given up at 3 ms, and would be fenced at 13 ms.
    for at in [MILLISECOND, 9 * MILLISECOND] {
        hosts.advance(at);
        hosts.turn(at, &Input::Link);
    }
    hosts.advance(SECOND / 2);
    hosts
        .watched
        .submit(SECOND / 2, 1, &request(Op::Write, MIB, KIB));
    hosts.advance(SECOND);
    let status = hosts.watched.status(SECOND);
    assert_eq!((status.state, status.at_risk), (MirrorState::InSync, 0));
}

/// The disk of the host that serves fails while the peer is being fenced, with a write that only
/// that disk had; then the host restarts. Its leg is behind, and is made what the peer's is.
#[test]
fn what_only_a_failed_disk_had_is_told_of_where_its_host_returns() {
    let mut of = mirror();
    of.acknowledge = Acknowledge::A;
    of.partition = PartitionSpec {
        failover: Some(SECOND),
        fencing: Fencing::ResourceAndStonith(SECOND),
        after_split_brain: AfterSplitBrain::Disconnect,
    };
    let wire = LinkSpec {
        timeout: 2 * MILLISECOND,
        ..link()
    };
    let mut spec = two_hosts(of, wire);
    spec.volumes = vec![volume("a", MILLISECOND), volume("b", MILLISECOND)];
    let mut hosts = Hosts::of(&spec, false);
    hosts.turn(0, &Input::Link);
    // The first is acknowledged at 1 ms, the second not before the peer is given up.
    for (ticket, at) in [0, 3 * MILLISECOND / 2].into_iter().enumerate() {
        hosts.advance(at);
        let write = request(Op::Write, ticket as u64 * MIB, 64 * KIB);
        hosts.watched.submit(at, ticket as Ticket, &write);
    }
    let turns = [
        (9, Input::Volume(0)),
        (10, Input::Host(0)),
        (80, Input::Host(0)),
    ];
    for (at, input) in turns {
        hosts.advance(at * MILLISECOND / 4);
        hosts.turn(at * MILLISECOND / 4, &input);
    }
    let status = hosts.watched.status(20 * MILLISECOND);
    assert_eq!(status.counts.lost, 64 * KIB);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn whoever_serves_has_what_was_acknowledged_or_says_what_is_lost(
        spec in specs(), partition in partitions(), timeout in 1_000_u64..5 * MILLISECOND,
        inputs in inputs(),
    ) {
        let mut spec = spec;
        let Layout::Mirror(of) = &mut spec.devices[0].layout else {
            panic!("the device is a mirror");
        };
        of.partition = partition;
        let is_c = of.acknowledge == Acknowledge::C;
        of.legs[1].link = Some((0, 0));
        spec.links[0].timeout = timeout;
        let mut hosts = Hosts::of(&spec, is_c);
        let (mut now, mut tickets) = (0, 0);
        for (after, input) in &inputs {
            now += after;
            hosts.advance(now);
            let Input::Io(op, region, len) = *input else {
                hosts.turn(now, input);
                continue;
            };
            let len = if op == Op::Flush { 0 } else { len };
            let request = request(op, region * MIB, len);
            let end = hosts.watched.storage.submit(now, tickets, &request);
            hosts.watched.ends.insert(tickets, end);
            if request.op.writes() {
                hosts.writes.push((tickets, request));
            }
            tickets += 1;
            hosts.look(now);
        }
        // Whatever has gone returns, and what is apart is told to connect.
        for host in [0, 1] {
            if hosts.failed[host] {
                hosts.turn(now, &Input::Volume(host));
            }
        }
        for host in [0, 1] {
            if hosts.paused[host] {
                hosts.turn(now, &Input::Pause(host));
            }
            if hosts.down[host] {
                hosts.turn(now, &Input::Host(host));
            }
        }
        if hosts.cut {
            hosts.turn(now, &Input::Link);
        }
        hosts.advance(now + SECOND);
        hosts.turn(now + SECOND, &Input::Reconnect);
        hosts.advance(now + 1000 * SECOND);
        for ticket in 0..tickets {
            prop_assert!(hosts.watched.ends[&ticket].is_some(), "request {} hangs", ticket);
        }
        let status = hosts.watched.status(now + 1000 * SECOND);
        prop_assert_eq!((status.state, status.at_risk), (MirrorState::InSync, 0));
    }
}
