//! An engine is gone with its host and is started elsewhere: in between nothing is done, and what
//! it does then it does with nothing left of before.

use super::engines::engines;
use super::*;
use crate::workload::MembershipEvent;
use crate::workload::spec::{Arrivals, OltpSpec, TransactionLoad};

/// The device that it moves with, and the host that it is on at first.
const DEVICE: usize = 0;
const HOST: usize = 0;

/// What an engine has in flight, and what it told.
struct World {
    slots: Slots<Outcome>,
    /// Whether it runs, and how often it was started.
    runs: bool,
    starts: usize,
    /// IOs that it has issued, and transactions that it has done.
    issued: u64,
    done: u64,
    network: Processors,
}

impl IoSink for World {
    fn io(&mut self, slot: Slot, _due: Nanos, _request: Request) {
        assert!(self.runs, "an engine that is gone does nothing");
        self.issued += 1;
        let latency = self.slots.latency();
        self.slots.io(slot, latency, Outcome::Done);
    }

    fn wake(&mut self, slot: Slot, at: Nanos) {
        self.slots.wake(slot, at);
    }

    fn fact(&mut self, fact: Fact) {
        match fact {
            Fact::Transaction(_) => {
                assert!(self.runs, "nothing commits while it is gone");
                self.done += 1;
            }
            Fact::Stopped(_) => assert!(core::mem::take(&mut self.runs), "it stops once"),
            Fact::Membership(change) => {
                assert_eq!(change.what, MembershipEvent::Serves(0, 0));
                assert!(!core::mem::replace(&mut self.runs, true));
                assert!(
                    self.slots.in_flight.iter().all(Option::is_none),
                    "of before"
                );
                self.starts += 1;
            }
            _ => {}
        }
    }
}

impl NetworkSink for World {
    fn over_network(&mut self, act: impl FnOnce(&mut Processors)) {
        act(&mut self.network);
    }
}

/// An engine that has begun.
fn begun(spec: &OltpSpec, longest: Nanos) -> (Job, World) {
    let mut job = Job::new(&JobSpec::Oltp(spec.clone()), JOB, 1);
    let mut world = World {
        slots: Slots::of(&job, longest),
        runs: true,
        starts: 0,
        issued: 0,
        done: 0,
        network: Processors::default(),
    };
    job.start(&mut world);
    (job, world)
}

/// Goes on until `until`.
fn run(job: &mut Job, world: &mut World, until: Nanos) {
    while let Some((slot, event)) = world.slots.next(until) {
        let now = world.slots.now;
        match event {
            Event::Ends(outcome) => job.completed(now, slot, outcome, world),
            Event::Wakes => job.woken(now, slot, world),
        }
    }
    world.slots.now = until;
}

/// Of one step that has no end.
fn loads() -> impl Strategy<Value = TransactionLoad> {
    let closed = (1_u32..9, 0..20 * MILLISECOND).prop_map(|(threads, think)| {
        let steps = vec![(0, threads)];
        TransactionLoad::Closed { steps, think }
    });
    let open = (20_u64..300, 1_u32..9).prop_map(|(rate, threads)| TransactionLoad::Open {
        steps: vec![(0, rate)],
        arrivals: Arrivals::Poisson,
        threads,
    });
    prop_oneof![closed, open]
}

/// What becomes of its host.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Host {
    /// It is told to leave.
    Up,
    Down,
    /// It stands still, and others know no more of it.
    Paused,
}

/// How long it works, how long it is gone then, and what becomes of its host.
fn moves() -> impl Strategy<Value = (Nanos, Nanos, Host)> {
    let gone = prop_oneof![Just(0), 0..200 * MILLISECOND];
    let host = prop_oneof![Just(Host::Up), Just(Host::Down), Just(Host::Paused)];
    (1..300 * MILLISECOND, gone, host)
}

proptest! {
    #[test]
    fn an_engine_is_started_where_its_disk_is(
        engine in engines(),
        load in loads(),
        certification in 0..40 * MILLISECOND,
        longest in 1..30 * MILLISECOND,
        moves in prop::collection::vec(moves(), 1..6),
    ) {
        let spec = OltpSpec {
            load,
            certification,
            moves_with: Some(DEVICE),
            host: HOST,
            ..engine
        };
        let (mut undisturbed, mut beside) = begun(&spec, longest);
        let (mut job, mut world) = begun(&spec, longest);
        let mut host = HOST;
        for (number, &(works, gone, becomes)) in moves.iter().enumerate() {
            let at = world.slots.now + works;
            run(&mut job, &mut world, at);
            // What was in flight there fails, if it does not end by itself.
            if becomes == Host::Paused {
                job.storage_changed(at, &Change::HostSpeed { host, speed: 0 }, &mut world);
            }
            if becomes == Host::Down {
                job.storage_changed(at, &Change::HostDown { host }, &mut world);
                for outcome in world.slots.in_flight.iter_mut().flatten() {
                    *outcome = Outcome::Failed;
                }
            }
            let before = world.issued;
            job.storage_changed(at, &Change::Runs { device: DEVICE, on: None }, &mut world);
            prop_assert!(!world.runs);
            run(&mut job, &mut world, at + gone);
            prop_assert_eq!(world.issued, before);
            host += 1;
            let started = Change::Runs { device: DEVICE, on: Some(host) };
            job.storage_changed(at + gone, &started, &mut world);
            // Those of before end at last.
            run(&mut job, &mut world, at + gone + longest + 1);
            prop_assert_eq!((world.runs, world.starts), (true, number + 1));
        }
        // A host that it has left is none of its own.
        let now = world.slots.now;
        job.storage_changed(now, &Change::HostDown { host: HOST }, &mut world);
        prop_assert!(world.runs);
        // Clients try again within a second.
        let (from, until) = (now + 2 * SECOND, now + 4 * SECOND);
        run(&mut job, &mut world, from);
        run(&mut undisturbed, &mut beside, from);
        let before = [world.done, beside.done];
        run(&mut job, &mut world, until);
        run(&mut undisturbed, &mut beside, until);
        prop_assert!(world.done > before[0] || beside.done == before[1], "it serves again");
    }
}
