//! Threads that share the flushes of a log, as a database's do: one flush at a time, for as long as
//! one of them waits for it, whoever that is.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use super::spec::RecordedIo;
use super::thread::{Next, Threads};
use crate::request::Op;
use crate::units::Nanos;
use crate::workload::io::Slot;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// An IO of a chain, on a slot.
    Issue(u32, Slot, RecordedIo),
    Wake(Slot, Nanos),
    /// A chain has no more.
    Through,
}

/// The chains of threads and, as number 0, that of their log.
#[derive(Clone, Debug)]
pub(super) struct Commits {
    threads: Threads,
    /// Those that work before they wait for the log.
    working: Vec<bool>,
    /// Those of threads that commit and may yet come to the log, and how many that are.
    awake: Vec<bool>,
    awakes: u32,
    log: Log,
    /// What it has in flight is a flush.
    flushes: bool,
    /// Its flushes that ended.
    ended: u64,
    /// Threads that commit, and others, which it does not flush for: by the flush they wait for,
    /// and of one as they came.
    committing: BTreeMap<(u64, u64), u32>,
    others: BTreeMap<(u64, u64), u32>,
    came: u64,
    acts: Vec<Act>,
}

/// What the log does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Log {
    /// As long after a flush as recorded.
    Pausing,
    /// It flushes once somebody waits.
    Ready,
    Flushing,
    Over,
}

/// The chain of the log.
const LOG: u32 = 0;

impl Commits {
    pub(super) fn new(threads: Threads) -> Self {
        Self {
            working: vec![false; threads.all.len()],
            awake: vec![false; threads.all.len()],
            awakes: 0,
            threads,
            log: Log::Pausing,
            flushes: false,
            ended: 0,
            committing: BTreeMap::new(),
            others: BTreeMap::new(),
            came: 0,
            acts: Vec::new(),
        }
    }

    pub(super) fn slots(&self) -> u32 {
        self.threads.slots()
    }

    /// All begin.
    pub(super) fn start(&mut self) {
        self.pause(0);
        (LOG + 1..self.threads.all.len() as u32).for_each(|chain| self.go_on(0, chain));
        self.flush();
    }

    /// The IO of a slot ended.
    pub(super) fn io_ended(&mut self, now: Nanos, slot: Slot) {
        let chain = self.threads.of(slot);
        let may_go_on = self.threads.all[chain as usize].ended(slot);
        if chain == LOG {
            self.log_ended(now);
        } else if may_go_on {
            self.go_on(now, chain);
        }
        self.flush();
    }

    /// The alarm of a slot.
    pub(super) fn woken(&mut self, now: Nanos, slot: Slot) {
        let chain = self.threads.of(slot);
        if chain == LOG {
            match self.log {
                Log::Pausing => self.log = Log::Ready,
                _ => self.issue(LOG),
            }
        } else if mem::take(&mut self.working[chain as usize]) {
            if self.hold(now, chain) {
                self.go_on(now, chain);
            }
        } else {
            self.issue(chain);
            self.go_on(now, chain);
        }
        self.flush();
    }

    /// What is to be done now; put back when that is done.
    pub(super) fn acts(&mut self) -> &mut Vec<Act> {
        &mut self.acts
    }

    /// An IO of the log ended.
    fn log_ended(&mut self, now: Nanos) {
        if !self.flushes
            && let Next::Io(slot, flush) = self.threads.all[LOG as usize].next()
        {
            self.after(now, LOG, slot, flush);
            return;
        }
        self.ended += 1;
        self.release(now, self.ended);
        self.pause(now);
    }

    /// The next IOs of a thread, up to one that has to wait.
    fn go_on(&mut self, now: Nanos, chain: u32) {
        loop {
            let (slot, io) = match self.threads.all[chain as usize].next() {
                Next::Io(slot, io) => (slot, io),
                Next::Ends => return,
                Next::Through => {
                    self.set_awake(chain, false);
                    self.acts.push(Act::Through);
                    return;
                }
            };
            self.set_awake(chain, io.commits);
            let issued = match io.after {
                None => self.after(now, chain, slot, io),
                Some(log) if log.work == 0 => self.hold(now, chain),
                Some(log) => {
                    self.working[chain as usize] = true;
                    self.acts.push(Act::Wake(slot, now + Nanos::from(log.work)));
                    false
                }
            };
            if !issued {
                return;
            }
        }
    }

    /// Has a thread wait for the log. Whether its IO was issued instead.
    fn hold(&mut self, now: Nanos, chain: u32) -> bool {
        let Some((slot, io)) = self.threads.all[chain as usize].waiting() else {
            return false;
        };
        let flushes = io.after.map_or(0, |log| log.flushes);
        if flushes == 0 || self.log == Log::Over {
            return self.after(now, chain, slot, io);
        }
        self.set_awake(chain, false);
        self.came += 1;
        let waiting = if io.commits {
            &mut self.committing
        } else {
            &mut self.others
        };
        let key = (self.ended + u64::from(flushes), self.came);
        waiting.insert(key, chain);
        false
    }

    /// Those go on that waited for flushes up to this one.
    fn release(&mut self, now: Nanos, flush: u64) {
        while let Some(chain) = self.met(flush) {
            let Some((slot, io)) = self.threads.all[chain as usize].waiting() else {
                continue;
            };
            self.set_awake(chain, io.commits);
            if self.after(now, chain, slot, io) {
                self.go_on(now, chain);
            }
        }
    }

    /// One that waited for a flush up to this one: first those that commit.
    fn met(&mut self, flush: u64) -> Option<u32> {
        [&mut self.committing, &mut self.others]
            .into_iter()
            .find_map(|waiting| {
                let first = waiting.first_entry()?;
                (first.key().0 <= flush).then(|| first.remove())
            })
    }

    /// The log has flushed, or begins.
    fn pause(&mut self, now: Nanos) {
        match self.threads.all[LOG as usize].next() {
            Next::Io(_, io) if io.wait == 0 => self.log = Log::Ready,
            Next::Io(slot, io) => {
                self.log = Log::Pausing;
                self.acts.push(Act::Wake(slot, now + io.wait));
            }
            Next::Ends | Next::Through => {
                self.log = Log::Over;
                self.acts.push(Act::Through);
                self.release(now, u64::MAX);
            }
        }
    }

    /// Issues the next IO of a chain once its wait is over: whether that is now.
    fn after(&mut self, now: Nanos, chain: u32, slot: Slot, io: RecordedIo) -> bool {
        if io.wait > 0 {
            self.acts.push(Act::Wake(slot, now + io.wait));
            return false;
        }
        self.issue(chain);
        true
    }

    /// Issues the next IO of a chain.
    fn issue(&mut self, chain: u32) {
        let Some((slot, io)) = self.threads.all[chain as usize].take() else {
            return;
        };
        if chain == LOG {
            self.flushes = io.op == Op::Flush;
        }
        self.acts.push(Act::Issue(chain, slot, io));
    }

    /// Whether a commit needs the next flush, or none can come before the log has gone on.
    fn is_wanted(&self) -> bool {
        let next = self.committing.first_key_value();
        next.is_some_and(|((flush, _), _)| *flush == self.ended + 1) || self.awakes == 0
    }

    /// Begins a flush if the log may and somebody waits.
    fn flush(&mut self) {
        if self.log == Log::Ready && self.is_wanted() {
            self.log = Log::Flushing;
            self.issue(LOG);
        }
    }

    fn set_awake(&mut self, chain: u32, awake: bool) {
        let was = mem::replace(&mut self.awake[chain as usize], awake);
        self.awakes = self.awakes + u32::from(awake) - u32::from(was);
    }
}
