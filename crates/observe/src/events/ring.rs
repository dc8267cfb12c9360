//! The ring of a processor, read page by page.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use blockyard_machine::read_at_once;
use blockyard_model::units::Nanos;

use super::page::{Layout, Record};

/// No page is longer. The kernel gives one at a time.
const PAGE: usize = 1 << 16;

/// What was lost: in this stretch of time so many events are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loss {
    pub(crate) from: Nanos,
    pub(crate) to: Nanos,
    pub(crate) events: u64,
}

/// What a ring gives.
#[derive(Debug)]
pub(super) enum Taken<'a> {
    Event(Nanos, &'a [u8]),
    /// Told before the event that ends it.
    Loss(Loss),
}

/// A ring, which the kernel fills and, where nobody reads it in time, overwrites.
#[derive(Debug)]
pub(super) struct Ring {
    pages: File,
    counters: PathBuf,
    layout: Layout,
    page: Vec<u8>,
    begin: Nanos,
    /// All up to here has been read.
    read: Nanos,
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
            begin,
            read: begin,
            lost: 0,
        }
    }

    /// Takes out what was recorded up to a moment, in the order of time, and perhaps some more.
    pub(super) fn take(&mut self, until: Nanos, mut each: impl FnMut(Taken<'_>)) {
        let mut last = self.read;
        let mut missed = false;
        while last < until
            && let Ok(length @ 1..) = self.pages.read(&mut self.page)
        {
            let (counters, lost) = (&self.counters, &mut self.lost);
            self.layout
                .split(&self.page[..length], |record| match record {
                    Record::Missed => missed = true,
                    Record::Event(time, raw) => {
                        if std::mem::take(&mut missed) {
                            let events = untold(counters, lost);
                            let (from, to) = (last, time);
                            each(Taken::Loss(Loss { from, to, events }));
                        }
                        last = time;
                        each(Taken::Event(time, raw));
                    }
                });
        }
        self.read = last.max(until);
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
