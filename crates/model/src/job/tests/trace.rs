//! The IOs of a job, each of which takes a random time.

use super::*;

/// An IO.
#[derive(Clone, Copy, Debug)]
pub(super) struct Io {
    /// How many were issued before it.
    pub(super) number: usize,
    /// When it was issued and when it completed.
    pub(super) at: Nanos,
    pub(super) end: Nanos,
    pub(super) due: Nanos,
    pub(super) request: Request,
}

struct Tracer {
    now: Nanos,
    issued: usize,
    in_flight: Vec<Option<Io>>,
    events: BinaryHeap<Reverse<(Nanos, Slot, bool)>>,
    latency: Stream,
    longest: Nanos,
    network: Processors,
}

impl IoSink for Tracer {
    fn io(&mut self, slot: Slot, due: Nanos, request: Request) {
        let end = self.now + 1 + self.latency.below(self.longest);
        let at = self.now;
        let io = Io {
            number: self.issued,
            at,
            end,
            due,
            request,
        };
        self.issued += 1;
        self.in_flight[slot as usize] = Some(io);
        self.events.push(Reverse((end, slot, true)));
    }

    fn wake(&mut self, slot: Slot, at: Nanos) {
        self.events.push(Reverse((at, slot, false)));
    }

    fn fact(&mut self, _fact: Fact) {}
}

impl NetworkSink for Tracer {
    fn over_network(&mut self, act: impl FnOnce(&mut Processors)) {
        act(&mut self.network);
    }
}

/// What `spec` does up to [`END`] with IOs that take up to `longest`, in the order in which it
/// completes.
pub(super) fn trace(spec: &JobSpec, longest: Nanos) -> Vec<Io> {
    let mut workload = Job::new(spec, JOB, 1);
    let mut tracer = Tracer {
        now: 0,
        issued: 0,
        in_flight: vec![None; workload.slots() as usize],
        events: BinaryHeap::new(),
        latency: Stream::new(1, "latency"),
        longest,
        network: Processors::default(),
    };
    let mut done = Vec::new();
    workload.start(&mut tracer);
    while let Some(Reverse((now, slot, is_io))) = tracer.events.pop()
        && now < END
    {
        tracer.now = now;
        if is_io {
            done.extend(tracer.in_flight[slot as usize].take());
            workload.completed(now, slot, Outcome::Done, &mut tracer);
        } else {
            workload.woken(now, slot, &mut tracer);
        }
    }
    done.extend(tracer.in_flight.into_iter().flatten());
    done
}
