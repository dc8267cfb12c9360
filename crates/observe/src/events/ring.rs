//! The ring of a processor, read page by page.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

use blockyard_machine::read_at_once;
use blockyard_model::units::Nanos;

use super::page::{Layout, Records};

/// No page is longer. The kernel gives one at a time.
pub(super) const PAGE: usize = 1 << 16;

/// What was lost: after `from`, up to `to`, so many events are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loss {
    pub(crate) from: Nanos,
    pub(crate) to: Nanos,
    pub(crate) events: u64,
}

/// A ring, which the kernel fills and, where nobody reads it in time, overwrites. It is read event
/// by event.
#[derive(Debug)]
pub(super) struct Ring {
    pages: File,
    counters: PathBuf,
    layout: Layout,
    page: Vec<u8>,
    /// What of the page was not read yet.
    rest: Range<usize>,
    /// The time of the record before that.
    time: Nanos,
    /// The event that comes next, if it was read: its time, and its place in the page.
    head: Option<Nanos>,
    event: Range<usize>,
    begin: Nanos,
    /// All up to here has been read.
    read: Nanos,
    /// Events were overwritten since then.
    missed: bool,
    /// Events that were told as lost.
    lost: u64,
}

impl Ring {
    /// One that the kernel gives page by page, with a file of counters, from a moment on.
    pub(super) fn new(pages: File, counters: PathBuf, layout: Layout, begin: Nanos) -> Self {
        Self {
            pages,
            counters,
            layout,
            page: vec![0; PAGE],
            rest: 0..0,
            time: 0,
            head: None,
            event: 0..0,
            begin,
            read: begin,
            missed: false,
            lost: 0,
        }
    }

    /// When the next event was, if it was read.
    pub(super) fn head(&self) -> Option<Nanos> {
        self.head
    }

    /// What a tracepoint recorded then.
    pub(super) fn event(&self) -> &[u8] {
        &self.page[self.event.clone()]
    }

    /// Goes on to the next event. If there is none, all up to `until` has been read. Gives the loss
    /// that the event ends, if it ends one.
    pub(super) fn advance(&mut self, until: Nanos) -> Option<Loss> {
        self.head = None;
        while !self.find() {
            let Ok(length @ 1..) = self.pages.read(&mut self.page) else {
                self.read = self.read.max(until);
                return None;
            };
            let records = self.layout.open(&self.page[..length]);
            self.missed |= records.missed;
            self.time = records.time;
            let begin = self.layout.records;
            self.rest = begin..begin + records.rest.len();
        }
        let (from, to) = (self.read, self.head?);
        self.read = to;
        std::mem::take(&mut self.missed).then(|| {
            let events = untold(&self.counters, &mut self.lost);
            Loss { from, to, events }
        })
    }

    /// Finds the next event of the page.
    fn find(&mut self) -> bool {
        let mut records = Records {
            missed: false,
            time: self.time,
            rest: &self.page[self.rest.clone()],
        };
        let found = records.next().map(|(time, raw)| (time, raw.len()));
        self.rest.start = self.rest.end - records.rest.len();
        self.time = records.time;
        if let Some((time, length)) = found {
            self.head = Some(time);
            self.event = self.rest.start - length..self.rest.start;
        }
        found.is_some()
    }

    /// The loss that no page told of, once nothing more is recorded: when it was is not known.
    pub(super) fn rest(&mut self, now: Nanos) -> Option<Loss> {
        let events = untold(&self.counters, &mut self.lost);
        let (from, to) = (self.begin, now);
        (events > 0).then_some(Loss { from, to, events })
    }
}

/// How many events the kernel lost beyond those that were told, which are told now.
fn untold(counters: &Path, told: &mut u64) -> u64 {
    let lost = read_at_once(counters).map_or(0, |text| lost(&text));
    let untold = lost.saturating_sub(*told);
    *told += untold;
    untold
}

/// The counters of events that were overwritten, or found no room.
fn lost(counters: &str) -> u64 {
    let lines = counters.lines().filter_map(|line| line.split_once(": "));
    let lost =
        lines.filter(|(name, _)| matches!(*name, "overrun" | "commit overrun" | "dropped events"));
    lost.filter_map(|(_, count)| count.trim().parse::<u64>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_of_losses_count() {
        let text = "entries: 4\noverrun: 10\ncommit overrun: 2\nbytes: 9\n\
            oldest event ts:     0.000000\ndropped events: 1\nread events: 7\n";
        assert_eq!(lost(text), 13);
        assert_eq!(lost(""), 0);
    }
}
