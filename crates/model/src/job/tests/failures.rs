//! All storage fails for a while: nothing that failed counts as done, whatever the job.

use core::ops::Range;

use super::engines::engines;
use super::*;
use crate::workload::spec::{LogSpec, OltpSpec, Start};

/// When everything fails, and how long an IO takes that does.
const OUTAGE: Range<Nanos> = 700 * MILLISECOND..1100 * MILLISECOND;
const REFUSAL: Nanos = MILLISECOND;

/// A job, its slots with the outcome of each IO, and what was done.
struct World<'a> {
    spec: &'a JobSpec,
    files: Vec<FileUse>,
    slots: Slots<(Request, Outcome)>,
    /// Whether reads fail too.
    reads_fail: bool,
    /// By file: bytes that were written.
    written: Vec<Bytes>,
    /// What cycles say that they wrote of it, WIJ and database.
    told: [Bytes; 2],
    refused: u64,
    stopped: bool,
    failed: u64,
    network: Processors,
}

impl World<'_> {
    fn file_of(&self, request: &Request) -> Option<usize> {
        self.files.iter().position(|file| {
            let Region {
                device,
                offset,
                size,
            } = file.region;
            device == request.device && (offset..offset + size).contains(&request.offset)
        })
    }

    fn completed(&mut self, request: &Request, outcome: Outcome) {
        if let (Outcome::Done, true, Some(file)) =
            (outcome, request.op.writes(), self.file_of(request))
        {
            self.written[file] += request.len;
        }
    }

    fn committed(&self, it: &Transaction) {
        assert!(!self.stopped, "a stopped engine does nothing");
        let engine = self.spec.transactions().expect("an engine's");
        let kind = &engine.kinds[usize::from(it.kind)];
        if OUTAGE.contains(&it.end) && kind.changes > 0 && engine.log.durable {
            // Its log was under way when the outage began.
            assert!(it.due <= OUTAGE.start, "{it:?}");
        }
    }
}

impl IoSink for World<'_> {
    fn io(&mut self, slot: Slot, _due: Nanos, request: Request) {
        let fails = self.reads_fail || request.op != Op::Read;
        let (outcome, latency) = match fails && OUTAGE.contains(&self.slots.now) {
            true => (Outcome::Failed, REFUSAL),
            false => (Outcome::Done, self.slots.latency()),
        };
        self.refused += u64::from(outcome == Outcome::Failed);
        self.slots.io(slot, latency, (request, outcome));
    }

    fn wake(&mut self, slot: Slot, at: Nanos) {
        self.slots.wake(slot, at);
    }

    fn fact(&mut self, fact: Fact) {
        match fact {
            Fact::Transaction(it) => self.committed(&it),
            Fact::Failed(_, count) => self.failed += count,
            Fact::Stopped(stop) => self.stopped |= stop.node == 0,
            Fact::Cycle(cycle) => {
                let [data, wij] = &mut self.told;
                *data += cycle.database_bytes;
                *wij += cycle.wij_bytes;
                assert!(*data <= self.written[0], "{cycle:?}");
                assert!(*wij <= self.written[1], "{cycle:?}");
            }
            _ => {}
        }
    }
}

impl NetworkSink for World<'_> {
    fn over_network(&mut self, act: impl FnOnce(&mut Processors)) {
        act(&mut self.network);
    }
}

/// Runs a job until [`END`].
fn run(spec: &JobSpec, longest: Nanos, reads_fail: bool) -> World<'_> {
    let mut workload = Job::new(spec, JOB, 1);
    let files = spec.files();
    let mut world = World {
        spec,
        slots: Slots::of(&workload, longest),
        reads_fail,
        written: vec![0; files.len()],
        told: [0; 2],
        refused: 0,
        stopped: false,
        failed: 0,
        network: Processors::default(),
        files,
    };
    workload.start(&mut world);
    while let Some((slot, event)) = world.slots.next(END) {
        let now = world.slots.now;
        match event {
            Event::Ends((request, outcome)) => {
                world.completed(&request, outcome);
                workload.completed(now, slot, outcome, &mut world);
            }
            Event::Wakes => workload.woken(now, slot, &mut world),
        }
    }
    world
}

proptest! {
    /// The checks are those of [`World`].
    #[test]
    fn what_failed_does_not_count(
        spec in prop_oneof![1 => access(), 2 => ranwrite(), 3 => oltp()],
        longest in 1..30 * MILLISECOND,
        reads_fail in any::<bool>(),
    ) {
        let world = run(&spec, longest, reads_fail);
        // No slot asks more often than it is answered.
        let answers = (OUTAGE.end - OUTAGE.start) / REFUSAL + 1;
        let slots = world.slots.in_flight.len() as u64;
        prop_assert!(world.refused <= answers * slots);
        let engine = spec.transactions();
        prop_assert!(engine.is_some() || world.failed == 0 && !world.stopped);
        // Only access jobs and rolled back transactions go on meanwhile.
        if let JobSpec::RanWrite(_) = spec {
            prop_assert!(world.refused <= slots);
        }
    }

    /// As above, of jobs that only this can hold up: what they read is there, and commits wait.
    #[test]
    fn nothing_commits_whose_log_failed(engine in engines(), longest in 1..30 * MILLISECOND) {
        let log = LogSpec { durable: true, ..engine.log };
        run(&JobSpec::Oltp(OltpSpec { log, start: Start::Warm, ..engine }), longest, false);
    }
}
