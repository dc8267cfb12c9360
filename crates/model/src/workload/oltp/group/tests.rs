//! Random groups: nothing that was sent is lost, and flow control holds.

use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use proptest::prelude::*;

use super::*;
use crate::random::Stream;
use crate::units::{MICROSECOND, MILLISECOND, SECOND};
use crate::workload::spec::{Arrivals, TransactionLoad};
use crate::workload::tests::engines::{engines, groups};

/// When transactions end to begin.
const STOP_AT: Nanos = SECOND;

/// By when all that they did must be applied.
const END: Nanos = 120 * SECOND;

/// What a message without payload takes beside its link's delay, at most.
const SLACK: Nanos = 20 * MICROSECOND;

/// Where a group runs: every IO takes a random time.
struct World {
    now: Nanos,
    alarms: Vec<Option<Nanos>>,
    events: BinaryHeap<Reverse<(Nanos, Slot, Option<Outcome>)>>,
    latency: Stream,
    longest: Nanos,
    /// By slot: from when on its IO fails, as it is that of a node whose disk does.
    broken: Vec<Nanos>,
    /// Transactions of the kinds that change anything, and commits.
    committed: u64,
    changing: Vec<bool>,
    network: Processors,
}

impl IoSink for World {
    fn io(&mut self, slot: Slot, _due: Nanos, _request: Request) {
        let end = self.now + 1 + self.latency.below(self.longest);
        let outcome = Outcome::of(self.now >= self.broken[slot as usize]);
        self.events.push(Reverse((end, slot, Some(outcome))));
    }

    fn wake(&mut self, slot: Slot, at: Nanos) {
        self.alarms[slot as usize] = Some(at);
        self.events.push(Reverse((at, slot, None)));
    }

    fn fact(&mut self, fact: Fact) {
        if let Fact::Transaction(it) = fact {
            self.committed += u64::from(self.changing[usize::from(it.kind)]);
        }
    }

    fn over_network(&mut self, act: impl FnOnce(&mut Processors)) {
        act(&mut self.network);
    }
}

/// What holds after every event.
fn check(group: &Group, world: &World, sent_before: u64) {
    for (node, other) in group.others.iter().enumerate() {
        if other.is_gone {
            continue;
        }
        let of = group.nodes[1 + node].progress().unwrap();
        let under_way = other.under_way.len() as u64;
        assert_eq!(of.received + under_way, group.write_sets, "none is lost");
        assert!(of.applied + of.queued <= of.received);
        assert!(group.flow.certified() <= of.received, "all have it");
        assert!(world.committed <= group.flow.certified());
        let Some(since) = other.stopped else {
            assert!(of.queued <= group.spec.upper, "it stops the group");
            continue;
        };
        assert!(of.queued > group.spec.lower, "it lets the group go on");
        let back = group.spec.nodes[node].link.delay[1];
        if world.now > since + back + SLACK {
            assert_eq!(group.write_sets, sent_before, "it was told to stop");
        }
    }
}

/// Runs a group until nothing happens but its clocks. The disk of a node may fail at some time.
fn run(spec: &OltpSpec, longest: Nanos, broken: Option<(usize, Nanos)>) -> (Group, World) {
    let own = spec.group.as_ref().unwrap();
    let mut group = Group::new(spec, own, 0, 1);
    let mut world = World {
        now: 0,
        alarms: vec![None; group.slots() as usize],
        events: BinaryHeap::new(),
        latency: Stream::new(1, "latency"),
        longest,
        broken: (0..group.slots())
            .map(|slot| {
                let of_node = broken.filter(|it| it.0 == group.node_of(slot).0);
                of_node.map_or(NEVER, |it| it.1)
            })
            .collect(),
        committed: 0,
        changing: spec.kinds.iter().map(|kind| kind.changes > 0).collect(),
        network: Processors::default(),
    };
    group.start(&mut world);
    while let Some(Reverse((now, slot, outcome))) = world.events.pop()
        && now < END
    {
        world.now = now;
        let sent = group.write_sets;
        if let Some(outcome) = outcome {
            group.completed(now, slot, outcome, &mut world);
        } else if world.alarms[slot as usize]
            .take_if(|at| *at == now)
            .is_some()
        {
            group.woken(now, slot, &mut world);
        }
        check(&group, &world, sent);
        let is_done =
            |node: &Oltp| node.is_stopped() || node.progress().unwrap().applied == group.write_sets;
        if now > STOP_AT && group.nodes[0].is_stopped() {
            break;
        }
        if now > STOP_AT && group.flow.certified() == world.committed {
            let at_work = group.nodes[0].threads.iter();
            let is_idle = at_work.clone().all(|it| it.phase == Phase::Idle);
            if is_idle && group.nodes[1..].iter().all(is_done) {
                break;
            }
        }
    }
    (group, world)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The receive queue passes its limit by what was under way and sent until the group knew, no
    /// write set is lost, and in the end each that was committed is applied on every node.
    #[test]
    fn what_was_committed_is_applied_on_every_node(
        engine in engines(),
        group in groups(),
        threads in 1_u32..12,
        is_open in any::<bool>(),
        longest in 1..20 * MILLISECOND,
    ) {
        let load = if is_open {
            TransactionLoad::Open {
                steps: vec![(0, 200), (STOP_AT, 0)],
                arrivals: Arrivals::Poisson,
                threads,
            }
        } else {
            TransactionLoad::Closed { steps: vec![(0, threads), (STOP_AT, 0)], think: 0 }
        };
        let spec = OltpSpec { load, group: Some(group), ..engine };
        let (group, world) = run(&spec, longest, None);
        prop_assert_eq!(world.committed, group.write_sets);
        for node in &group.nodes[1..] {
            let of = node.progress().unwrap();
            prop_assert_eq!((of.received, of.applied), (world.committed, world.committed));
        }
        let waits = &group.nodes[0].threads;
        prop_assert!(waits.iter().all(|it| it.phase == Phase::Idle));
    }

    /// A node whose disk fails stops and leaves the group: with two others or more the rest goes
    /// on without it, and the last that is left commits nothing more.
    #[test]
    fn a_node_without_disk_leaves_the_group(
        engine in engines(),
        group in groups(),
        threads in 1_u32..12,
        node in any::<prop::sample::Index>(),
        at in 1..STOP_AT,
        longest in 1..20 * MILLISECOND,
    ) {
        let load = TransactionLoad::Closed { steps: vec![(0, threads), (STOP_AT, 0)], think: 0 };
        let node = 1 + node.index(group.nodes.len());
        let spec = OltpSpec { load, group: Some(group), ..engine };
        let (group, world) = run(&spec, longest, Some((node, at)));
        let others = &group.nodes[1..];
        let is_alone = others.iter().all(Oltp::is_stopped);
        prop_assert_eq!(group.nodes[0].is_stopped(), is_alone, "quorum");
        prop_assert!(is_alone || world.committed == group.write_sets);
        for node in others.iter().filter(|it| !is_alone && !it.is_stopped()) {
            let of = node.progress().unwrap();
            prop_assert_eq!((of.received, of.applied), (world.committed, world.committed));
        }
    }
}
