//! What a job has under way: on each of its slots an IO or an alarm.

use super::*;

/// What comes next on a slot.
pub(super) enum Event<T> {
    /// An IO ends, of which this was kept.
    Ends(T),
    /// An alarm goes off.
    Wakes,
}

/// The slots of a job, on storage that takes a random time for each IO.
pub(super) struct Slots<T> {
    pub(super) now: Nanos,
    /// Per slot: what is kept of the IO in flight.
    pub(super) in_flight: Vec<Option<T>>,
    /// When each slot's alarm goes off.
    alarms: Vec<Option<Nanos>>,
    events: BinaryHeap<Reverse<(Nanos, Slot, bool)>>,
    latency: Stream,
    longest: Nanos,
}

impl<T> Slots<T> {
    /// Those of `job`, whose IOs take up to `longest`.
    pub(super) fn of(job: &Job, longest: Nanos) -> Self {
        let count = job.slots() as usize;
        Self {
            now: 0,
            in_flight: core::iter::repeat_with(|| None).take(count).collect(),
            alarms: vec![None; count],
            events: BinaryHeap::new(),
            latency: Stream::new(1, "latency"),
            longest,
        }
    }

    /// How long the next IO takes.
    pub(super) fn latency(&mut self) -> Nanos {
        1 + self.latency.below(self.longest)
    }

    /// An IO is issued that takes so long.
    pub(super) fn io(&mut self, slot: Slot, latency: Nanos, io: T) {
        let before = self.in_flight[slot as usize].replace(io);
        assert!(before.is_none(), "one IO on a slot");
        self.events.push(Reverse((self.now + latency, slot, true)));
    }

    /// An alarm is set, in place of the one before.
    pub(super) fn wake(&mut self, slot: Slot, at: Nanos) {
        assert!(at >= self.now);
        let io = &self.in_flight[slot as usize];
        assert!(io.is_none(), "an IO or an alarm on a slot");
        self.alarms[slot as usize] = Some(at);
        self.events.push(Reverse((at, slot, false)));
    }

    /// What comes next before `until`, which then is now, and on which slot.
    pub(super) fn next(&mut self, until: Nanos) -> Option<(Slot, Event<T>)> {
        while let Some(&Reverse((now, slot, is_io))) = self.events.peek()
            && now < until
        {
            self.events.pop();
            self.now = now;
            if is_io {
                let io = self.in_flight[slot as usize].take();
                return Some((slot, Event::Ends(io.expect("an IO in flight"))));
            }
            let alarm = &mut self.alarms[slot as usize];
            if alarm.take_if(|at| *at == now).is_some() {
                return Some((slot, Event::Wakes));
            }
        }
        None
    }
}
