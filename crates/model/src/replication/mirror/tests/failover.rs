//! Hosts that lose each other: who serves, what is lost by it, and what becomes of two histories.

use proptest::prelude::*;

use super::fuzz::specs;
use super::*;
use crate::replication::mirror::state::History;
use crate::spec::{AfterSplitBrain, Fencing};

const FAILOVER: Nanos = 3 * SECOND;

fn write(region: u64) -> Request {
    request(Op::Write, region * MIB, 4 * KIB)
}

/// A mirror whose other host takes over after three seconds, with a log as DRBD has one.
fn clustered(acknowledge: Acknowledge, partition: PartitionSpec) -> Watched {
    let spec = MirrorSpec {
        acknowledge,
        log: Some(LogSpec {
            on: [false, false],
            block: 4 * KIB,
            extent: MIB,
            clean_after: NEVER,
            active: 2,
        }),
        partition: PartitionSpec {
            failover: Some(FAILOVER),
            ..partition
        },
        ..mirror()
    };
    Watched {
        loss: None,
        ..Watched::new(&two_hosts(spec, link()))
    }
}

impl Watched {
    /// All of a host goes, as in an outage of its zone, or returns.
    fn host(&mut self, now: Nanos, host: usize, down: bool) {
        let changes = match down {
            true => [
                Change::HostDown { host },
                Change::LinkDown { link: 0 },
                Change::Fail { volume: host },
            ],
            false => [
                Change::Resume { volume: host },
                Change::HostUp { host },
                Change::LinkUp { link: 0 },
            ],
        };
        changes.into_iter().for_each(|it| self.change(now, it));
    }

    fn transitions(&self) -> Vec<(Nanos, MirrorTransition)> {
        let mut all = self.storage.mirror_transitions();
        all.next().map_or(Vec::new(), |(_, own)| own.to_vec())
    }
}

/// The other host serves what was acknowledged under C, and nothing else is copied back than what
/// the log named and what was written since.
#[test]
fn the_other_host_takes_over_and_the_first_is_brought_up_to_date() {
    let mut watched = clustered(Acknowledge::C, PartitionSpec::default());
    watched.submit(0, 0, &write(0));
    watched.submit(SECOND - MICROSECOND, 1, &write(1));
    watched.host(SECOND, 0, true);
    assert!(watched.end(1).failed, "its client is gone");
    watched.submit(2 * SECOND, 2, &write(2));
    assert_eq!(watched.status(2 * SECOND).state, MirrorState::Frozen);
    watched.settle();
    assert_eq!(watched.end(2).at, SECOND + FAILOVER + DISK);
    let status = watched.status(5 * SECOND);
    assert_eq!((status.counts.takeovers, status.counts.lost), (1, 0));
    assert_eq!(status.counts.frozen, FAILOVER);
    watched.submit(5 * SECOND, 3, &request(Op::Read, 0, 4 * KIB));
    assert_eq!(watched.end(3).at, 5 * SECOND + DISK, "it is local there");

    watched.host(6 * SECOND, 0, false);
    let end = watched.settle();
    let status = watched.status(end);
    assert_eq!(
        (status.state, status.counts.copied),
        (MirrorState::InSync, 3 * MIB)
    );
    assert_eq!(status.counts.split_brains, 0);
}

/// Without a log nobody knows where legs may differ after a crash.
#[test]
fn without_a_log_all_is_copied_after_a_crash() {
    let spec = MirrorSpec {
        partition: PartitionSpec {
            failover: Some(FAILOVER),
            ..PartitionSpec::default()
        },
        ..mirror()
    };
    let mut watched = Watched {
        loss: None,
        ..Watched::new(&two_hosts(spec, link()))
    };
    watched.submit(0, 0, &write(0));
    watched.host(SECOND, 0, true);
    watched.host(9 * SECOND, 0, false);
    let end = watched.settle();
    assert_eq!(watched.status(end).counts.copied, 64 * MIB);
}

/// And without a map of what a leg has missed all is copied whenever it has missed anything.
#[test]
fn without_a_map_all_is_copied_after_an_outage() {
    for (full, copied) in [(false, MIB), (true, 64 * MIB)] {
        let mut spec = mirror();
        spec.resync.full = full;
        let mut watched = Watched::new(&two_hosts(spec, link()));
        watched.change(0, Change::Fail { volume: 1 });
        watched.submit(0, 0, &write(5));
        watched.change(SECOND, Change::Resume { volume: 1 });
        let end = watched.settle();
        assert_eq!(watched.status(end).counts.copied, copied);
    }
}

#[test]
fn what_the_other_host_lacks_is_told_when_it_takes_over() {
    let lacks = |acknowledge| {
        let mut watched = clustered(acknowledge, PartitionSpec::default());
        watched.submit(0, 0, &write(0));
        watched.host(DISK + 10, 0, true);
        let end = watched.settle();
        let taken = watched.transitions().pop();
        assert!(taken.is_some_and(|(at, _)| at == DISK + 10 + FAILOVER));
        (taken.map(|(_, what)| what), watched.status(end).counts.lost)
    };
    for (acknowledge, lost) in [
        (Acknowledge::A, 4 * KIB),
        (Acknowledge::B, 4 * KIB),
        (Acknowledge::C, 0),
    ] {
        let taken = MirrorTransition::TakenOver {
            leg: 1,
            lacks: lost,
        };
        assert_eq!(lacks(acknowledge), (Some(taken), lost));
    }
}

/// A cut of 10 s, with writes on both sides of the time at which the other host takes over.
fn cut(partition: PartitionSpec) -> Watched {
    let mut watched = clustered(Acknowledge::C, partition);
    watched.submit(0, 0, &write(0));
    watched.change(SECOND, Change::LinkDown { link: 0 });
    // After the link was given up, and before the other host takes over.
    watched.submit(3 * SECOND, 1, &write(1));
    watched.submit(7 * SECOND, 2, &write(2));
    watched.change(11 * SECOND, Change::LinkUp { link: 0 });
    watched
}

/// Whichever policy of after-sb is the default, DRBD's is to disconnect.
#[test]
fn both_sides_of_a_cut_have_written_and_stay_apart_until_told() {
    let mut watched = cut(PartitionSpec::default());
    let end = watched.settle().max(20 * SECOND);
    assert!((0..3).all(|ticket| !watched.end(ticket).failed));
    let status = watched.status(end);
    assert_eq!(status.state, MirrorState::SplitBrain);
    assert_eq!(
        (status.counts.takeovers, status.counts.split_brains),
        (1, 1)
    );
    assert_eq!((status.counts.lost, status.counts.copied), (MIB, 0));
    let taken = MirrorTransition::TakenOver { leg: 1, lacks: MIB };
    let split = MirrorTransition::SplitBrain { leg: 0, alone: MIB };
    let said = [(4 * SECOND, taken), (11 * SECOND, split)];
    assert_eq!(watched.transitions(), said);

    // It serves on, alone, and another cut changes nothing.
    watched.submit(end, 3, &write(3));
    watched.change(end + SECOND, Change::LinkDown { link: 0 });
    watched.change(end + 2 * SECOND, Change::LinkUp { link: 0 });
    watched.change(end + 3 * SECOND, Change::Reconnect { volume: 0 });
    let end = watched.settle();
    let status = watched.status(end);
    assert_eq!((status.state, status.at_risk), (MirrorState::InSync, 0));
    assert_eq!(
        (status.counts.discarded, status.counts.copied),
        (MIB, 3 * MIB)
    );
    let last = watched.transitions().pop();
    let told = MirrorTransition::Discarded { leg: 0 };
    assert!(last.is_some_and(|(_, what)| what == told));
}

#[test]
fn a_policy_to_discard_heals_by_itself_and_says_what_it_discards() {
    let after_split_brain = AfterSplitBrain::DiscardSecondary;
    let mut watched = cut(PartitionSpec {
        after_split_brain,
        ..PartitionSpec::default()
    });
    let end = watched.settle();
    let status = watched.status(end);
    assert_eq!(status.state, MirrorState::InSync);
    assert_eq!(
        (status.counts.split_brains, status.counts.discarded),
        (1, MIB)
    );
}

/// With fencing the other side of the cut never serves: the first goes on, with resource-and-stonith
/// after the time that fencing takes.
#[test]
fn a_leg_that_is_fenced_does_not_take_over() {
    for (fencing, waits) in [
        (Fencing::ResourceOnly, 0),
        (Fencing::ResourceAndStonith(5 * SECOND), 4 * SECOND),
    ] {
        let mut watched = cut(PartitionSpec {
            fencing,
            ..PartitionSpec::default()
        });
        let end = watched.settle();
        assert_eq!(watched.end(1).at, 3 * SECOND + waits + DISK);
        let status = watched.status(end);
        assert_eq!(status.state, MirrorState::InSync);
        assert_eq!(
            (status.counts.takeovers, status.counts.copied),
            (0, 2 * MIB)
        );
        assert_eq!(status.counts.split_brains, 0);
        let frozen = if waits == 0 { 0 } else { 5 * SECOND };
        assert_eq!(status.counts.frozen, frozen);

        // Nor once the first has written alone and is lost.
        watched.change(end, Change::LinkDown { link: 0 });
        watched.submit(end + 7 * SECOND, 3, &write(3));
        watched.host(end + 8 * SECOND, 0, true);
        watched.submit(end + 9 * SECOND, 4, &request(Op::Read, 3 * MIB, KIB));
        watched.advance(end + 30 * SECOND);
        assert!(
            watched.ends[&4].is_none(),
            "nobody has what was acknowledged"
        );
        watched.host(end + 30 * SECOND, 0, false);
        watched.settle();
        assert!(!watched.end(4).failed);
    }
}

/// What is being copied mixes old and new, so that its host cannot serve.
#[test]
fn a_leg_under_copy_does_not_take_over() {
    let mut watched = clustered(Acknowledge::C, PartitionSpec::default());
    watched.change(0, Change::Fail { volume: 1 });
    for region in 0..8 {
        watched.submit(0, region as Ticket, &write(region));
    }
    watched.change(SECOND, Change::Resume { volume: 1 });
    watched.host(SECOND + DISK, 0, true);
    watched.advance(20 * SECOND);
    assert_eq!(watched.status(20 * SECOND).state, MirrorState::Frozen);
    watched.host(20 * SECOND, 0, false);
    let end = watched.settle();
    let status = watched.status(end);
    assert_eq!(
        (status.state, status.counts.takeovers),
        (MirrorState::InSync, 0)
    );
}

#[derive(Clone, Debug)]
enum Input {
    Io(Op, u64, Bytes),
    Host(usize),
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
    failed: [bool; 2],
    cut: bool,
    writes: Vec<(Ticket, Request)>,
    is_c: bool,
    /// Writes that were acknowledged and that who took over did not have.
    gone: Vec<Ticket>,
    /// Transitions that have been looked at.
    seen: usize,
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
                            Change::LinkDown { link: 0 },
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
        let change = match self.cut || self.down[0] || self.down[1] {
            true => Change::LinkDown { link: 0 },
            false => Change::LinkUp { link: 0 },
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
        for &(_, transition) in &transitions[self.seen..] {
            match transition {
                MirrorTransition::TakenOver { leg, lacks } => self.taken_over(now, leg, lacks),
                MirrorTransition::Discarded { .. } => self.parted = false,
                _ => {}
            }
        }
        self.seen = transitions.len();
        let Some(mirrors) = self.watched.storage.mirrors.as_deref() else {
            return;
        };
        let mirror = &mirrors.mirrors[0];
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
                let primary = has(mirror.primary);
                assert!(
                    primary || is_one && has(mirror.secondary()),
                    "write {ticket} is lost"
                );
            }
        }
    }

    /// A host took over without so many of the bytes that had been acknowledged.
    fn taken_over(&mut self, now: Nanos, leg: usize, lacks: Bytes) {
        let contents = &self.watched.contents;
        let all = self.acknowledged(now);
        let gone: Vec<_> = all
            .filter(|(ticket, request)| !contents.has(leg, *ticket, request))
            .copied()
            .collect();
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
        let mut hosts = Hosts {
            watched: Watched::new(&spec),
            down: [false; 2],
            failed: [false; 2],
            cut: false,
            writes: Vec::new(),
            is_c,
            gone: Vec::new(),
            seen: 0,
            parted: false,
        };
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
