//! Test B.080's last step (50 processes) without an engine: the peers bring
//! their clock and their queue of events, everything else is Blockyard's own
//! model and recorder. So a difference in speed is the engine's.

use std::env;
use std::fs;

use blockyard_model::random::Stream;
use blockyard_model::storage::{Op, Reply, Request, Storage};
use blockyard_model::units::{Nanos, SECOND};
use blockyard_record::{InFlight, Recorder, RunShape, RunTimes};

/// Reading processes.
pub const PROCESSES: usize = 50;

/// Storage, readers and accounts.
pub struct Bench {
    storage: Storage,
    recorder: Option<Recorder>,
    places: Vec<Stream>,
    in_flight: Vec<Option<Read>>,
    blocks: u64,
    next_second: u64,
    /// Length of the run.
    pub end: Nanos,
}

/// A read, and when it ends once that is known.
#[derive(Clone, Copy)]
struct Read {
    io: InFlight,
    ends: Option<Nanos>,
}

impl Read {
    fn end(&mut self, reply: Reply) -> Nanos {
        (self.io.throttled, self.io.limit, self.io.failed) =
            (reply.throttled, reply.limit, reply.failed);
        self.ends = Some(reply.at);
        reply.at
    }
}

impl Bench {
    /// The scenario and the seconds to run, from the command line.
    pub fn from_args() -> Self {
        let mut args = env::args().skip(1);
        let (Some(path), Some(seconds)) = (args.next(), args.next()) else {
            panic!("usage: PEER SCENARIO SECONDS");
        };
        let text = fs::read_to_string(&path).expect("the scenario is readable");
        let sets = [
            format!("duration={seconds}s"),
            format!("workload.readers.processes={PROCESSES}"),
        ];
        let loaded = blockyard_scenario::load(&text, &path, &sets).expect("a good scenario");
        let resolved = loaded.resolve().expect("a good scenario");
        let file = resolved.jobs[0].files().remove(0);
        let end = loaded.scenario.duration.nanos();
        let storage = Storage::new(&resolved.storage, 1);
        let times = RunTimes {
            interval: SECOND,
            warmup: 0,
            duration: end,
        };
        let shape = RunShape::new(times, &resolved.jobs, &resolved.storage, storage.limits());
        let process = |n| Stream::new(1, &format!("job/readers/process/{n}"));
        Self {
            recorder: Some(Recorder::new(shape, None)),
            storage,
            places: (0..PROCESSES).map(process).collect(),
            in_flight: vec![None; PROCESSES],
            blocks: file.region.size / file.unit,
            next_second: 0,
            end,
        }
    }

    /// To be called for `process` at the time that the last call gave. Gives when its read
    /// ends; while that waits for tokens, when the storage next grants some.
    pub fn step(&mut self, now: Nanos, process: usize) -> Nanos {
        while now >= (self.next_second + 1) * SECOND {
            self.advance((self.next_second + 1) * SECOND - 1);
            let recorder = self.recorder.as_mut().expect("the run goes on");
            let _ = recorder.end_period(&mut self.storage, self.next_second);
            self.next_second += 1;
        }
        self.advance(now);
        match self.in_flight[process] {
            Some(Read { ends: None, .. }) => return self.next_grant(),
            Some(Read { ends: Some(at), .. }) if at > now => return at,
            Some(Read { io, .. }) => {
                let recorder = self.recorder.as_mut().expect("the run goes on");
                recorder.completed(now, &io);
            }
            None => {}
        }
        let offset = self.places[process].below(self.blocks) * 8192;
        let request = Request {
            device: 0,
            op: Op::Read,
            offset,
            len: 8192,
            requester: 0.into(),
            submitter: process as u32,
        };
        let recorder = self.recorder.as_mut().expect("the run goes on");
        let io = recorder.counters().begin(now, now, &request);
        let read = self.in_flight[process].insert(Read { io, ends: None });
        match self.storage.submit(now, process as u32, &request) {
            Some(reply) => read.end(reply),
            None => self.next_grant(),
        }
    }

    /// Grants what conforms up to `now`.
    fn advance(&mut self, now: Nanos) {
        let in_flight = &mut self.in_flight;
        self.storage.advance(now, &mut |process, reply| {
            if let Some(read) = &mut in_flight[process as usize] {
                read.end(reply);
            }
        });
    }

    fn next_grant(&self) -> Nanos {
        self.storage.next_event().expect("a read waits")
    }

    /// Whether [`Bench::finish`] was called.
    pub fn done(&self) -> bool {
        self.recorder.is_none()
    }

    /// Ends the run and prints IOs, IOPS and the mean latency in microseconds.
    pub fn finish(&mut self) {
        let last = self.end / SECOND;
        let mut recorder = self.recorder.take().expect("the run goes on");
        while self.next_second < last {
            let _ = recorder.end_period(&mut self.storage, self.next_second);
            self.next_second += 1;
        }
        let measured = recorder.finish();
        let total = &measured.totals[0];
        let mean = total.latency_us.map_or(0.0, |us| us.mean);
        println!("{} {:.0} {mean:.2}", total.ios, total.iops);
    }
}
