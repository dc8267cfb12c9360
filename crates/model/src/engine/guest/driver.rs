//! A volume's driver in the guest: Linux's blk-mq.
//!
//! It has hardware queues, and each of those a number of tags. A request takes a tag of its
//! process's queue and returns it when it ends. A process that finds no tag sleeps, on one of the
//! queue's eight lines in turn. It is not woken for each tag that is returned, but when a batch of
//! them has been, with the others of the line whose turn it is; until then whoever runs may take
//! the tags (`lib/sbitmap.c`).

use alloc::collections::VecDeque;
use alloc::format;
use alloc::vec::Vec;

use super::Process;
use crate::limits::LimitId;
use crate::random::Stream;
use crate::request::Reply;
use crate::spec::VolumeSpec;
use crate::units::Nanos;

/// Linux's `SBQ_WAIT_QUEUES`.
const LINES: usize = 8;

/// Linux's `SBQ_WAKE_BATCH`.
const LARGEST_BATCH: usize = 8;

/// A volume's driver.
#[derive(Clone, Debug)]
pub(super) struct Driver {
    /// Tags of each queue, at least 1.
    tags: usize,
    queues: Vec<Queue>,
    /// The queues of those tags whose requests have no end that is known. Requests are alike to
    /// a driver: the first of these tags goes to the first of them whose end becomes known.
    open: VecDeque<u8>,
    /// The limit that a request in the volume waited for last.
    last: Option<LimitId>,
    /// Who came at the same time as others are to be woken, and runs after them.
    late: VecDeque<Process>,
    random: Stream,
}

/// A hardware queue.
#[derive(Clone, Debug, Default)]
struct Queue {
    /// Tags of requests whose end is not known.
    open: usize,
    /// The ends of the others. Those that have passed go when a tag is looked for.
    ends: Vec<Nanos>,
    lines: [VecDeque<Process>; LINES],
    asleep: usize,
    next_line: usize,
    next_woken: usize,
    /// Tags that were returned while somebody slept, since a batch of them was full.
    returned: usize,
}

impl Driver {
    /// The driver of volume number `index`, if its queues are stated.
    pub(super) fn new(index: usize, spec: &VolumeSpec, seed: u64) -> Option<Self> {
        let queues = spec.queues?;
        Some(Self {
            tags: queues.tags.get() as usize,
            queues: alloc::vec![Queue::default(); usize::from(queues.count.get())],
            open: VecDeque::new(),
            last: None,
            late: VecDeque::new(),
            random: Stream::new(seed, &format!("volume/{index}/guest")),
        })
    }

    /// The queue of a process: that of the processor on which it runs now.
    #[inline]
    pub(super) fn draw(&mut self) -> u8 {
        self.random.below(self.queues.len() as u64) as u8
    }

    /// The queue number `drawn` by another driver stands for, whose processors are the same.
    pub(super) fn own(&self, drawn: u8) -> u8 {
        drawn % self.queues.len() as u8
    }

    /// Whether a process that runs at `now` can take a tag of `queue`.
    #[inline]
    pub(super) fn has_tag(&mut self, now: Nanos, queue: u8) -> bool {
        let (most, none_late) = (self.tags, self.late.is_empty());
        let queue = &mut self.queues[usize::from(queue)];
        if queue.used() < most && queue.asleep == 0 {
            return none_late;
        }
        if queue.asleep == 0 {
            queue.ends.retain(|&end| end > now);
        }
        queue.used() < most && none_late && !queue.is_due(now)
    }

    /// A request that took a tag of `queue` has entered the volume; its end, if that is known.
    #[inline]
    pub(super) fn entered(&mut self, queue: u8, end: Option<Reply>) {
        let own = &mut self.queues[usize::from(queue)];
        match end {
            Some(reply) => own.ends.push(reply.at),
            None => {
                own.open += 1;
                self.open.push_back(queue);
            }
        }
    }

    /// The end of a request in the volume is known now, and for what limit it waited longest.
    pub(super) fn ends_at(&mut self, end: Nanos, limit: Option<LimitId>) {
        self.last = limit.or(self.last);
        if let Some(queue) = self.open.pop_front() {
            let queue = &mut self.queues[usize::from(queue)];
            queue.open -= 1;
            queue.ends.push(end);
        }
    }

    /// A process sleeps at `now` until it is woken for a tag of `queue`, or comes too late to run
    /// before those who are to be woken now.
    pub(super) fn wait(&mut self, now: Nanos, queue: u8, process: Process) {
        let queue = &mut self.queues[usize::from(queue)];
        if queue.is_due(now) || !self.late.is_empty() {
            self.late.push_back(process);
            return;
        }
        queue.lines[queue.next_line].push_back(process);
        queue.next_line = (queue.next_line + 1) % LINES;
        queue.asleep += 1;
    }

    /// Takes back the tags of what has ended at `now`, and adds to `woken` who is woken for them.
    pub(super) fn wake(&mut self, now: Nanos, woken: &mut VecDeque<Process>) {
        let batch = self.batch();
        for queue in self.queues.iter_mut().filter(|queue| queue.asleep > 0) {
            let before = queue.ends.len();
            queue.ends.retain(|&end| end > now);
            queue.count_returned(before - queue.ends.len(), batch, woken);
        }
    }

    /// Who was woken for a tag of `queue` runs on the processor of another: it leaves the tag to
    /// those who still sleep.
    pub(super) fn leave(&mut self, queue: u8, woken: &mut VecDeque<Process>) {
        let batch = self.batch();
        self.queues[usize::from(queue)].count_returned(1, batch, woken);
    }

    fn batch(&self) -> usize {
        (self.tags / LINES).clamp(1, LARGEST_BATCH)
    }

    /// Takes out who came too late to run before those.
    pub(super) fn take_late(&mut self) -> VecDeque<Process> {
        core::mem::take(&mut self.late)
    }

    /// When it has somebody to wake, as far as that is known at `now`.
    pub(super) fn next_event(&self, now: Nanos) -> Option<Nanos> {
        if !self.late.is_empty() {
            return Some(now);
        }
        let sleeping = self.queues.iter().filter(|queue| queue.asleep > 0);
        let next = sleeping.flat_map(|queue| &queue.ends).min()?;
        Some(now.max(*next))
    }

    /// The limit that keeps the volume full, if as many of its requests wait for tokens as half the
    /// tags of a queue: a process may use one queue alone.
    pub(super) fn kept_full_by(&self) -> Option<LimitId> {
        self.last.filter(|_| 2 * self.open.len() >= self.tags)
    }

    /// Takes all tags back, and gives who slept or came late.
    pub(super) fn clear(&mut self) -> Vec<Process> {
        let mut all: Vec<_> = self.take_late().into();
        for queue in &mut self.queues {
            all.extend(queue.lines.iter_mut().flat_map(|line| line.drain(..)));
            (queue.open, queue.asleep, queue.returned) = (0, 0, 0);
            queue.ends.clear();
        }
        self.open.clear();
        all
    }

    /// The volume was paused at `now`: no end to come of what is in it is known any more.
    pub(super) fn pause(&mut self, now: Nanos) {
        let mut lost = Vec::new();
        for (number, queue) in (0..).zip(&mut self.queues) {
            let to_come = queue.ends.iter().filter(|&&end| end > now);
            lost.extend(to_come.map(|&end| (end, number)));
            queue.open += queue.ends.len();
            queue.ends.retain(|&end| end <= now);
            queue.open -= queue.ends.len();
        }
        lost.sort_unstable();
        for (_, queue) in lost.into_iter().rev() {
            self.open.push_front(queue);
        }
    }
}

impl Queue {
    #[inline]
    fn used(&self) -> usize {
        self.open + self.ends.len()
    }

    /// Whether tags have been returned at `now` for which nobody has been woken yet.
    fn is_due(&self, now: Nanos) -> bool {
        self.asleep > 0 && self.ends.iter().any(|&end| end <= now)
    }

    /// So many tags were returned: for each `batch` of them, wakes as many of the next line in
    /// which anybody sleeps.
    fn count_returned(&mut self, tags: usize, batch: usize, woken: &mut VecDeque<Process>) {
        if self.asleep == 0 {
            return;
        }
        self.returned += tags;
        while self.returned >= batch && self.asleep > 0 {
            self.returned -= batch;
            while self.lines[self.next_woken].is_empty() {
                self.next_woken = (self.next_woken + 1) % LINES;
            }
            let line = &mut self.lines[self.next_woken];
            let count = line.len().min(batch);
            woken.extend(line.drain(..count));
            self.asleep -= count;
            self.next_woken = (self.next_woken + 1) % LINES;
        }
    }
}
