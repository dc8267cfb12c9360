//! Random primaries and standbys: no transaction is lost, and none is acknowledged before as many
//! standbys have it as it waits for.

use alloc::boxed::Box;
use alloc::collections::BinaryHeap;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use proptest::prelude::*;

use super::*;
use crate::event_queue::NEVER;
use crate::job::tests::engines::{engines, standbys};
use crate::network::Processors;
use crate::random;
use crate::request::Request;
use crate::spec::GroupSpec;
use crate::units::{MILLISECOND, SECOND};
use crate::workload::io::StateMachine;
use crate::workload::oltp::Oltp;
use crate::workload::oltp::spec::OltpSpec;
use crate::workload::spec::TransactionLoad;
use crate::workload::{Fact, MembershipChange, MembershipEvent, Transaction};
use crate::workload::{IoSink, Outcome};

mod promotion;
mod rejoin;
mod semi_sync;

/// When transactions end to begin.
const STOP_AT: Nanos = SECOND;

/// By when all that they did must be replayed.
const END: Nanos = 900 * SECOND;

/// Where a job runs: every IO takes a random time, drawn for its slot.
struct World {
    now: Nanos,
    alarms: Vec<Option<Nanos>>,
    events: BinaryHeap<Reverse<(Nanos, Slot, Option<Outcome>)>>,
    latencies: Vec<random::Stream>,
    longest: Nanos,
    /// From when on the IO of which slots fails.
    broken: (Nanos, Range<Slot>),
    ended: Vec<Transaction>,
    /// Whether replication was asynchronous as each ended, and is.
    asynchronous: Vec<bool>,
    is_asynchronous: bool,
    changes: Vec<MembershipChange>,
    refused: u64,
    failed: u64,
    network: Processors,
}

impl IoSink for World {
    fn io(&mut self, slot: Slot, _due: Nanos, _request: Request) {
        let (from, slots) = &self.broken;
        let outcome = Outcome::of(self.now >= *from && slots.contains(&slot));
        let latency = self.latencies[slot as usize].below(self.longest);
        self.events
            .push(Reverse((self.now + 1 + latency, slot, Some(outcome))));
    }

    fn wake(&mut self, slot: Slot, at: Nanos) {
        self.alarms[slot as usize] = Some(at);
        self.events.push(Reverse((at, slot, None)));
    }

    fn fact(&mut self, fact: Fact) {
        match fact {
            Fact::Transaction(it) => {
                self.ended.push(it);
                self.asynchronous.push(self.is_asynchronous);
            }
            Fact::Membership(it) => {
                self.is_asynchronous = match it.what {
                    MembershipEvent::Asynchronous => true,
                    MembershipEvent::SemiSynchronous => false,
                    _ => self.is_asynchronous,
                };
                self.changes.push(it);
            }
            Fact::Refused(_, count) => self.refused += count,
            Fact::Failed(_, count) => self.failed += count,
            _ => {}
        }
    }
}

impl NetworkSink for World {
    fn over_network(&mut self, act: impl FnOnce(&mut Processors)) {
        act(&mut self.network);
    }
}

/// A group, or one engine.
trait Runs {
    fn slots(&self) -> u32;
    fn start(&mut self, sink: &mut World);
    fn completed(&mut self, now: Nanos, slot: Slot, outcome: Outcome, sink: &mut World);
    fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut World);
}

macro_rules! runs {
    ($job:ident, $of:ident) => {
        impl Runs for $job {
            fn slots(&self) -> u32 {
                $of::slots(self)
            }
            fn start(&mut self, sink: &mut World) {
                $of::start(self, sink);
            }
            fn completed(&mut self, now: Nanos, slot: Slot, outcome: Outcome, sink: &mut World) {
                $of::completed(self, now, slot, outcome, sink);
            }
            fn woken(&mut self, now: Nanos, slot: Slot, sink: &mut World) {
                $of::woken(self, now, slot, sink);
            }
        }
    };
}

runs!(Group, Group);
runs!(Oltp, StateMachine);

/// Runs a job until `is_over`, asked after every event.
fn run<J: Runs>(
    job: &mut J,
    longest: Nanos,
    is_over: impl FnMut(&J, &World) -> bool,
) -> Vec<Transaction> {
    run_broken(job, longest, (NEVER, 0..0), is_over)
}

/// The same, with slots whose IO fails from some time on.
fn run_broken<J: Runs>(
    job: &mut J,
    longest: Nanos,
    broken: (Nanos, Range<Slot>),
    is_over: impl FnMut(&J, &World) -> bool,
) -> Vec<Transaction> {
    run_with(job, longest, broken, |_, _| (), is_over).ended
}

/// The same, with something that is done before each event.
fn run_with<J: Runs>(
    job: &mut J,
    longest: Nanos,
    broken: (Nanos, Range<Slot>),
    mut before: impl FnMut(&mut J, &mut World),
    mut is_over: impl FnMut(&J, &World) -> bool,
) -> World {
    let slot = |slot| random::Stream::new(1, &format!("slot/{slot}"));
    let mut world = World {
        now: 0,
        alarms: vec![None; job.slots() as usize],
        events: BinaryHeap::new(),
        latencies: (0..job.slots()).map(slot).collect(),
        longest,
        broken,
        ended: Vec::new(),
        asynchronous: Vec::new(),
        is_asynchronous: false,
        changes: Vec::new(),
        refused: 0,
        failed: 0,
        network: Processors::default(),
    };
    job.start(&mut world);
    while let Some(Reverse((now, slot, outcome))) = world.events.pop()
        && now < END
    {
        world.now = now;
        before(job, &mut world);
        if let Some(outcome) = outcome {
            job.completed(now, slot, outcome, &mut world);
        } else if world.alarms[slot as usize]
            .take_if(|at| *at == now)
            .is_some()
        {
            job.woken(now, slot, &mut world);
        }
        if is_over(job, &world) {
            break;
        }
    }
    world
}

/// How many transactions those standbys have that commits wait for, as they wait for it.
fn have(group: &Group, wait: Wait) -> u64 {
    let others = (1..).zip(&group.nodes[1..]);
    let have = others.map(|(other, node): (usize, &Oltp)| {
        let stream = group.stream.as_ref().unwrap();
        let of = node.progress();
        let standby = &stream.standbys[other];
        // What is not on its disk has come, or is under way.
        let unflushed = standby.unflushed.iter();
        let come = unflushed.filter(|commit| commit.0 <= node.end_of_log());
        assert_eq!(
            of.received + standby.unflushed.len() as u64,
            stream.transactions,
            "none is lost"
        );
        match wait {
            Wait::Nothing => u64::MAX,
            Wait::Received => of.received + come.count() as u64,
            Wait::Flushed => of.received,
            Wait::Replayed => of.applied,
        }
    });
    let mut have: Vec<_> = have.collect();
    let shipping = group.spec.shipping.unwrap();
    let wanted = shipping.standbys as usize;
    match shipping.which {
        Which::Any => have.sort_unstable_by_key(|&count| Reverse(count)),
        Which::First => have.truncate(wanted),
    }
    have[..wanted].iter().copied().min().unwrap()
}

/// A primary and its standbys, of which nobody asks more after a second.
fn jobs() -> impl Strategy<Value = (OltpSpec, GroupSpec)> {
    (engines(), standbys(), 1_u32..12).prop_map(|(engine, group, threads)| {
        let steps = vec![(0, threads), (STOP_AT, 0)];
        let load = TransactionLoad::Closed { steps, think: 0 };
        let engine = OltpSpec {
            load,
            certification: 0,
            ..engine
        };
        (engine, group)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever a commit waits for, it is acknowledged only when enough standbys have it, and in
    /// the end all have replayed all.
    #[test]
    fn what_is_acknowledged_is_on_enough_standbys(
        (engine, group) in jobs(),
        longest in 1..20 * MILLISECOND,
    ) {
        let shipping = group.shipping.unwrap();
        let wait = if engine.log.durable { shipping.wait } else { Wait::Nothing };
        let changing: Vec<_> = engine.kinds.iter().map(|kind| kind.changes > 0).collect();
        let spec = OltpSpec { group: Some(group), ..engine };
        let mut primary: Box<_> = Group::new(&spec, spec.group.as_ref().unwrap(), 0, 1).into();
        let mut seen = 0;
        let mut committed = 0;
        run(&mut *primary, longest, |group, world| {
            let new = &world.ended[seen..];
            committed += new.iter().filter(|it| changing[usize::from(it.kind)]).count() as u64;
            seen = world.ended.len();
            let have = have(group, wait);
            assert!(committed <= have, "{have:?}");
            world.now > STOP_AT
                && group.nodes[0].is_idle()
                && group.nodes[1..].iter().all(|it| it.progress().applied == committed)
        });
        prop_assert!(primary.nodes[0].is_idle());
        for node in &primary.nodes[1..] {
            let of = node.progress();
            prop_assert_eq!((of.received, of.applied), (committed, committed));
        }
        let stream = primary.stream.as_mut().unwrap();
        prop_assert_eq!((stream.transactions, stream.waiting.len()), (committed, 0));
        for other in 1..stream.standbys.len() {
            prop_assert_eq!(stream.take_lag(other).unreplayed, 0);
        }
    }

    /// A standby whose disk fails has no more than before on its disk, whatever comes; commits
    /// wait for those that are left.
    #[test]
    fn a_standby_without_disk_acknowledges_nothing(
        (engine, group) in jobs(),
        standby in any::<prop::sample::Index>(),
        at in 1..STOP_AT,
        longest in 1..20 * MILLISECOND,
    ) {
        let shipping = group.shipping.unwrap();
        let wait = if engine.log.durable { shipping.wait } else { Wait::Nothing };
        let changing: Vec<_> = engine.kinds.iter().map(|kind| kind.changes > 0).collect();
        let mut group = group;
        group.shipping = Some(Shipping { which: Which::Any, ..shipping });
        let spec = OltpSpec { group: Some(group), ..engine };
        let mut primary: Box<_> = Group::new(&spec, spec.group.as_ref().unwrap(), 0, 1).into();
        let broken = 1 + standby.index(primary.nodes.len() - 1);
        let slots = [broken, broken + 1].map(|node| {
            primary.first_slots.get(node).copied().unwrap_or(primary.alarm)
        });
        let mut seen = 0;
        let mut committed = 0;
        let broken_slots = (at, slots[0]..slots[1]);
        let mut on_disk = None;
        run_broken(&mut *primary, longest, broken_slots, |group, world| {
            let new = &world.ended[seen..];
            committed += new.iter().filter(|it| changing[usize::from(it.kind)]).count() as u64;
            seen = world.ended.len();
            let have = have(group, wait);
            assert!(committed <= have, "{have:?}");
            assert!(!group.nodes[0].is_stopped());
            if world.now > at + longest {
                let flushed = group.nodes[broken].sendable(Shipped::Wal);
                assert_eq!(*on_disk.get_or_insert(flushed), flushed);
            }
            world.now > 2 * STOP_AT
        });
    }

    /// With commits that wait for no standby the transactions are those of an engine alone.
    #[test]
    fn local_commits_take_no_longer_than_alone(
        (engine, group) in jobs(),
        longest in 1..20 * MILLISECOND,
    ) {
        let shipping = group.shipping.map(|it| Shipping { wait: Wait::Nothing, ..it });
        let group = GroupSpec { shipping, ..group };
        let mut alone = Oltp::new(&engine, 0, 1);
        let expected = run(&mut alone, longest, |job, at| at.now > STOP_AT && job.is_idle());
        let spec = OltpSpec { group: Some(group.clone()), ..engine };
        let mut primary: Box<_> = Group::new(&spec, &group, 0, 1).into();
        let is_over = |job: &Group, at: &World| at.now > STOP_AT && job.nodes[0].is_idle();
        prop_assert_eq!(run(&mut *primary, longest, is_over), expected);
    }
}
