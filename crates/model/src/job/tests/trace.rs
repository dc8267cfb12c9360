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
    issued: usize,
    slots: Slots<Io>,
    network: Processors,
}

impl IoSink for Tracer {
    fn io(&mut self, slot: Slot, due: Nanos, request: Request) {
        let (at, latency) = (self.slots.now, self.slots.latency());
        let io = Io {
            number: self.issued,
            at,
            end: at + latency,
            due,
            request,
        };
        self.issued += 1;
        self.slots.io(slot, latency, io);
    }

    fn wake(&mut self, slot: Slot, at: Nanos) {
        self.slots.wake(slot, at);
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
        issued: 0,
        slots: Slots::of(&workload, longest),
        network: Processors::default(),
    };
    let mut done = Vec::new();
    workload.start(&mut tracer);
    while let Some((slot, event)) = tracer.slots.next(END) {
        let now = tracer.slots.now;
        match event {
            Event::Ends(io) => {
                done.push(io);
                workload.completed(now, slot, Outcome::Done, &mut tracer);
            }
            Event::Wakes => workload.woken(now, slot, &mut tracer),
        }
    }
    done.extend(tracer.slots.in_flight.into_iter().flatten());
    done
}
