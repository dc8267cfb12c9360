//! What a job says of itself is what it does, whatever its kind.

use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use proptest::prelude::*;

use super::spec::{AccessSpec, Arrivals, JobSpec, Load, Preference, RanWriteSpec, Region, Skew};
use super::*;
use crate::random::Stream;
use crate::request::Op;
use crate::units::{KIB, MILLISECOND, SECOND};

/// The number that the job has in its run.
const JOB: u16 = 3;

/// When a run ends.
const END: Nanos = 2 * SECOND;

/// A job whose IOs each take a random time, in which every call is held to
/// what the job says of itself.
struct Run<'a> {
    spec: &'a JobSpec,
    files: Vec<FileUse>,
    now: Nanos,
    /// Whether the job was called because an IO completed.
    after_io: bool,
    /// Per lane: the largest IO, and the IO in flight as the number of its file,
    /// or none for a flush.
    lanes: Vec<(Bytes, Option<Option<usize>>)>,
    /// When each lane's alarm goes off.
    alarms: Vec<Option<Nanos>>,
    events: BinaryHeap<Reverse<(Nanos, Lane, bool)>>,
    latency: Stream,
    longest: Nanos,
    /// Per file: reads and writes in flight, the most there were, and the ops.
    in_flight: Vec<u64>,
    peaks: Vec<u64>,
    cycles: Vec<Cycle>,
}

impl Run<'_> {
    fn request_is_as_said(&self, lane: Lane, request: &Request) -> Option<usize> {
        assert_eq!(request.job, JOB);
        let named = |file: &&FileUse| {
            file.region.device == request.device && file.ops.contains(&request.op)
        };
        if request.op == Op::Flush {
            assert!(self.files.iter().any(|file| named(&file)), "{request:?}");
            return None;
        }
        let holds = |file: &FileUse| {
            let Region { offset, size, .. } = file.region;
            named(&file) && offset <= request.offset && request.offset < offset + size
        };
        let number = self.files.iter().position(holds);
        let file = &self.files[number.expect("an IO in one of its files")];
        let from = request.offset - file.region.offset;
        assert!(from + request.len <= file.region.size, "{request:?}");
        assert!(from.is_multiple_of(file.unit), "{request:?}");
        assert!(request.len > 0 && request.len.is_multiple_of(file.unit));
        assert!(request.len <= file.largest_io, "{request:?}");
        assert!(request.len <= self.lanes[lane as usize].0, "{request:?}");
        number
    }

    fn is_issued_when_said(&self, due: Nanos) {
        let is_step = self.spec.steps().iter().any(|step| step.0 == self.now);
        match self.spec.loop_type() {
            LoopType::Closed => assert!(due == self.now && (self.after_io || is_step)),
            LoopType::Open { .. } => assert!(due <= self.now),
            LoopType::Timed => assert_eq!(due, self.now),
        }
    }
}

impl IoSink for Run<'_> {
    fn io(&mut self, lane: Lane, due: Nanos, request: Request) {
        let file = self.request_is_as_said(lane, &request);
        self.is_issued_when_said(due);
        let in_flight = self.lanes[lane as usize].1.replace(file);
        assert_eq!(in_flight, None, "one IO on a lane");
        if let Some(file) = file {
            self.in_flight[file] += 1;
            assert!(self.in_flight[file] <= self.files[file].in_flight);
            self.peaks[file] = self.peaks[file].max(self.in_flight[file]);
        }
        let at = self.now + 1 + self.latency.below(self.longest);
        self.events.push(Reverse((at, lane, true)));
    }

    fn wake(&mut self, lane: Lane, at: Nanos) {
        assert!(at >= self.now);
        assert_eq!(
            self.lanes[lane as usize].1, None,
            "an IO or an alarm on a lane"
        );
        self.alarms[lane as usize] = Some(at);
        self.events.push(Reverse((at, lane, false)));
    }

    fn fact(&mut self, fact: Fact) {
        let Fact::Cycle(cycle) = fact;
        assert_eq!(cycle.end, self.now, "told at once");
        self.cycles.push(cycle);
    }
}

/// Runs `spec` until [`END`] with IOs that take up to `longest`; gives the most
/// reads and writes in flight by file, and the cycles.
fn run(spec: &JobSpec, longest: Nanos) -> (Vec<u64>, Vec<Cycle>) {
    let mut workload = Workload::new(spec, JOB, 1);
    let files = spec.files();
    let mut run = Run {
        spec,
        now: 0,
        after_io: false,
        lanes: (0..workload.lanes())
            .map(|lane| (workload.largest_io(lane), None))
            .collect(),
        alarms: vec![None; workload.lanes() as usize],
        events: BinaryHeap::new(),
        latency: Stream::new(1, "latency"),
        longest,
        in_flight: vec![0; files.len()],
        peaks: vec![0; files.len()],
        cycles: Vec::new(),
        files,
    };
    workload.start(&mut run);
    while let Some(Reverse((now, lane, is_io))) = run.events.pop()
        && now < END
    {
        (run.now, run.after_io) = (now, is_io);
        if is_io {
            let file = run.lanes[lane as usize].1.take().expect("an IO in flight");
            if let Some(file) = file {
                run.in_flight[file] -= 1;
            }
            workload.completed(now, lane, &mut run);
        } else if run.alarms[lane as usize].take_if(|at| *at == now).is_some() {
            workload.woken(now, lane, &mut run);
        }
    }
    let is_open = matches!(spec.loop_type(), LoopType::Open { .. });
    assert_eq!(workload.backlog(END).is_some(), is_open);
    (run.peaks, run.cycles)
}

/// A file of `units` at some place of one of three devices.
fn region(unit: Bytes, units: u64) -> impl Strategy<Value = Region> {
    (0_usize..3, 0_u64..1000).prop_map(move |(device, mib)| Region {
        device,
        offset: mib << 20,
        size: units * unit,
    })
}

fn steps<T: core::fmt::Debug>(amounts: Vec<T>) -> Vec<(Nanos, T)> {
    let starts = (0..).map(|step| step * 400 * MILLISECOND);
    starts.zip(amounts).collect()
}

fn load() -> impl Strategy<Value = Load> {
    let closed =
        (prop::collection::vec(0_u32..6, 1..5), 1_u32..5).prop_map(|(processes, outstanding)| {
            Load::Closed {
                steps: steps(processes),
                outstanding,
            }
        });
    let open = (
        prop::collection::vec(0_u64..2000, 1..5),
        1_u32..9,
        prop::option::of(1..20 * MILLISECOND),
        any::<bool>(),
    );
    let open = open.prop_map(|(rates, max_outstanding, latency_limit, even)| Load::Open {
        steps: steps(rates),
        arrivals: if even {
            Arrivals::Even
        } else {
            Arrivals::Poisson
        },
        max_outstanding,
        latency_limit,
    });
    prop_oneof![closed, open]
}

fn access() -> impl Strategy<Value = JobSpec> {
    let skew = prop_oneof![
        Just(Skew::NONE),
        any::<bool>().prop_map(|scatter| Skew {
            preference: Preference::Zipf { permille: 900 },
            scatter,
        })
    ];
    let shares = prop::sample::select(vec![0_u32, 1, 300, 999, 1000]);
    let file = (1_u64..9, 1_u64..100).prop_flat_map(|(sectors, blocks)| {
        let block = sectors * 512;
        (region(block, blocks), Just(block))
    });
    (file, shares, 0_u32..=1000, skew, load()).prop_map(
        |((file, block), read_permille, random_permille, skew, load)| {
            JobSpec::Access(AccessSpec {
                name: "access".into(),
                file,
                block,
                read_permille,
                random_permille,
                skew,
                load,
            })
        },
    )
}

fn ranwrite() -> impl Strategy<Value = JobSpec> {
    let files = (1_u64..9, 1_u64..500, 1_u64..60, 1_u64..60).prop_flat_map(
        |(sectors, blocks, wij, journal)| {
            let block = sectors * 2 * KIB;
            let log = |units| region(4 * KIB, units);
            (region(block, blocks), log(wij), log(journal), Just(block))
        },
    );
    let writers = (1_u64..40, 1_u32..9, 1_u32..9, 1_u32..17, 1_u32..5, 1_u32..9);
    let load = (
        prop::collection::vec(0_u32..30, 1..5),
        1_u64..200,
        1..500 * MILLISECOND,
        1_u64..200,
    );
    (files, writers, load).prop_map(
        |(
            (data, wij, journal, block),
            (wij_sectors, wij_outstanding, daemons, outstanding, per_daemon, coalesce),
            (processes, updates, cycle, dirty_limit),
        )| {
            JobSpec::RanWrite(RanWriteSpec {
                name: "ranwrite".into(),
                data,
                wij,
                journal,
                block,
                steps: steps(processes),
                updates_per_process: updates,
                cycle,
                dirty_limit,
                list_time_per_block: 1000,
                wij_write: wij_sectors * 512,
                wij_outstanding,
                daemons,
                outstanding,
                outstanding_per_daemon: per_daemon,
                coalesce_blocks: coalesce,
                journal_record: 300,
                journal_buffer: 64 * KIB,
                journal_interval: 20 * MILLISECOND,
            })
        },
    )
}

proptest! {
    /// The checks are those of [`Run`].
    #[test]
    fn jobs_do_what_they_say(
        spec in prop_oneof![access(), ranwrite()],
        longest in 1..30 * MILLISECOND,
    ) {
        let (peaks, cycles) = run(&spec, longest);
        let files = spec.files();
        prop_assert_eq!(spec.writes(), files.iter().any(FileUse::is_written));
        if spec.loop_type() == LoopType::Closed {
            for (file, peak) in files.iter().zip(peaks) {
                prop_assert_eq!(peak, file.in_flight, "all processes are at work in some step");
                prop_assert_eq!(file.queues, spec.steps().iter().map(most_processes).max().unwrap());
            }
        }
        for pair in cycles.windows(2) {
            let most = spec.cycle().expect("cycles of which it says nothing");
            prop_assert!(pair[1].start <= pair[0].end.max(pair[0].start + most));
        }
    }
}

fn most_processes(step: &(Nanos, Offered)) -> u32 {
    match step.1 {
        Offered::Processes(count) => count as u32,
        Offered::Rate(_) => 0,
    }
}
