//! How changed pages get to disk, and the log each second.

use super::cleaner::{Next, Pressure};
use super::log::Log;
use super::slots::{self, BINLOG, CLEANER, CLOCK, LOG};
use super::threads::Thread;
use super::{Load, Oltp, TICK};
use crate::request::{Op, Request};
use crate::units::{Nanos, SECOND};
use crate::workload::facts::{EngineCounts, Fact, HeldUp};
use crate::workload::io::IoSink;

impl Oltp {
    pub(super) fn tick(&mut self, now: Nanos, sink: &mut impl IoSink) {
        sink.wake(CLOCK, now + TICK);
        if !self.is_stopped() {
            self.write_back(now, sink);
        }
        if now.is_multiple_of(SECOND) {
            self.tell(now, sink);
        }
    }

    /// Writes out what is due by now, and each second the logs.
    fn write_back(&mut self, now: Nanos, sink: &mut impl IoSink) {
        let pressure = self.pressure();
        let dirty = self.pool.dirty_pages();
        if self.cleaner.begin_checkpoint(now, pressure, dirty) {
            self.pool.begin_checkpoint();
            self.counts.checkpoints += 1;
        }
        self.cleaner.earn(TICK, pressure);
        self.clean(now, sink);
        if now.is_multiple_of(SECOND) {
            self.log.want();
            self.write_log(now, LOG, sink);
            if let Some(binlog) = &mut self.binlog {
                binlog.want();
                self.write_log(now, BINLOG, sink);
            }
            if let Some(log) = &mut self.relay_log {
                log.want();
                self.write_log(now, self.relay_slot(), sink);
            }
        }
    }

    fn tell(&mut self, now: Nanos, sink: &mut impl IoSink) {
        let waiting = self.waiting(now);
        let counts = self.counted(now);
        let held = self.held_up(now);
        sink.fact(Fact::Engine(EngineCounts {
            waiting,
            held,
            ..counts
        }));
    }

    fn held_up(&self, now: Nanos) -> HeldUp {
        let since = self.threads.iter().filter_map(Thread::apart_since);
        let long = since.filter(|first| first.0 + SECOND <= now);
        long.fold(HeldUp::default(), |held, first| HeldUp {
            count: held.count + 1,
            first: match held.count {
                0 => first,
                _ => held.first.min(first),
            },
        })
    }

    /// What it has done by `now`, but for transactions that wait.
    pub(crate) fn counted(&self, now: Nanos) -> EngineCounts {
        // What a stopped engine had not written is gone.
        let logged = match self.is_stopped() {
            true => Log::stored,
            false => Log::appended,
        };
        EngineCounts {
            at: now,
            logged: logged(&self.log),
            binlogged: self.binlog.as_ref().map_or(0, logged),
            dirty: self.pool.dirty_pages(),
            age: self.pressure().age(),
            ..self.counts
        }
    }

    /// Open loop: transactions that have come due and have not begun.
    fn waiting(&mut self, now: Nanos) -> u64 {
        let Load::Open {
            arrived, waiting, ..
        } = &mut self.load
        else {
            return 0;
        };
        while arrived.next().is_some_and(|due| due <= now) {
            arrived.advance();
            *waiting = waiting.wrapping_add(1);
        }
        *waiting
    }

    fn pressure(&self) -> Pressure {
        let end = self.log.end();
        Pressure {
            end,
            oldest: self.pool.oldest_change().unwrap_or(end),
            capacity: self.spec.log.capacity,
        }
    }

    /// Whether what changes anything must wait. Checkpoints begin early instead.
    pub(super) fn is_log_full(&self) -> bool {
        self.pressure().is_full() && !self.cleaner.has_checkpoints()
    }

    /// Begins as many batches as there are pages for.
    pub(super) fn clean(&mut self, now: Nanos, sink: &mut impl IoSink) {
        let mut begun = core::mem::take(&mut self.begun);
        self.cleaner.begin(&mut self.pool, &mut begun);
        for batch in begun.drain(..) {
            self.batch_goes_on(now, batch, sink);
        }
        self.begun = begun;
    }

    pub(super) fn batch_goes_on(&mut self, now: Nanos, batch: usize, sink: &mut impl IoSink) {
        let first = CLEANER + batch as u32 * self.of_batch();
        match self.cleaner.next(batch) {
            Next::Wait => {}
            Next::Double(pages) => {
                self.counts.doublewritten += pages * self.spec.page;
                if let Some(request) = self.double(batch as u32, pages) {
                    sink.io(first, now, request);
                }
            }
            Next::Write(pages) => {
                self.counts.flushed += pages;
                for slot in 0..pages as u32 {
                    let request = self.of_page(Op::Write, slots::cleaner(batch as u32));
                    sink.io(first + 1 + slot, now, request);
                }
            }
            Next::Over => {
                self.cleaner.end(batch, &mut self.pool);
                self.let_go_on(now, sink);
                self.clean(now, sink);
            }
        }
    }

    /// The write of so many pages of a batch to the doublewrite area, if there is one.
    pub(super) fn double(&mut self, batch: u32, pages: u64) -> Option<Request> {
        let area = self.doublewrite.as_mut()?;
        let mut request = area.write(pages * self.spec.page);
        request.submitter = self.submitters + slots::cleaner(batch);
        Some(request)
    }

    /// Lets threads go on that waited for pages to be written.
    fn let_go_on(&mut self, now: Nanos, sink: &mut impl IoSink) {
        if self.pool.has_room() {
            for thread in core::mem::take(&mut self.for_room) {
                self.reads(now, thread, sink);
            }
        }
        if !self.is_log_full() {
            for thread in core::mem::take(&mut self.for_space) {
                self.sample(usize::from(self.threads[thread as usize].kind));
                self.works(now, thread, 0, sink);
            }
        }
    }
}
