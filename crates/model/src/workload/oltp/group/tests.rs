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
    events: BinaryHeap<Reverse<(Nanos, Slot, bool)>>,
    latency: Stream,
    longest: Nanos,
    /// Transactions of the kinds that change anything, and commits.
    committed: u64,
    changing: Vec<bool>,
}

impl IoSink for World {
    fn io(&mut self, slot: Slot, _due: Nanos, _request: Request) {
        let end = self.now + 1 + self.latency.below(self.longest);
        self.events.push(Reverse((end, slot, true)));
    }

    fn wake(&mut self, slot: Slot, at: Nanos) {
        self.alarms[slot as usize] = Some(at);
        self.events.push(Reverse((at, slot, false)));
    }

    fn fact(&mut self, fact: Fact) {
        if let Fact::Transaction(it) = fact {
            self.committed += u64::from(self.changing[usize::from(it.kind)]);
        }
    }
}

/// What holds after every event.
fn check(group: &Group, world: &World, sent_before: u64) {
    for (node, other) in group.others.iter().enumerate() {
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

/// Runs a group until nothing happens but its clocks.
fn run(spec: &OltpSpec, longest: Nanos) -> (Group, World) {
    let own = spec.group.as_ref().unwrap();
    let mut group = Group::new(spec, own, 0, 1);
    let mut world = World {
        now: 0,
        alarms: vec![None; group.slots() as usize],
        events: BinaryHeap::new(),
        latency: Stream::new(1, "latency"),
        longest,
        committed: 0,
        changing: spec.kinds.iter().map(|kind| kind.changes > 0).collect(),
    };
    group.start(&mut world);
    while let Some(Reverse((now, slot, is_io))) = world.events.pop()
        && now < END
    {
        world.now = now;
        let sent = group.write_sets;
        if is_io {
            group.completed(now, slot, Outcome::Done, &mut world);
        } else if world.alarms[slot as usize]
            .take_if(|at| *at == now)
            .is_some()
        {
            group.woken(now, slot, &mut world);
        }
        check(&group, &world, sent);
        let is_done = |node: &Oltp| node.progress().unwrap().applied == group.write_sets;
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
        let (group, world) = run(&spec, longest);
        prop_assert_eq!(world.committed, group.write_sets);
        for node in &group.nodes[1..] {
            let of = node.progress().unwrap();
            prop_assert_eq!((of.received, of.applied), (world.committed, world.committed));
        }
        let waits = &group.nodes[0].threads;
        prop_assert!(waits.iter().all(|it| it.phase == Phase::Idle));
    }
}
