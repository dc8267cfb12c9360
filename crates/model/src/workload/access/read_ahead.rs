//! Sequential reads through the page cache, as the kernel's read-ahead sends them to the device.
//!
//! The kernel reads windows. When a process comes to the first page of a window, before it
//! waits for it, the kernel starts to read the next one (in `filemap_get_pages` of Linux the
//! page's read-ahead mark is looked at before the page is waited for). So a process without
//! think time waits once a window, while the window after that is on its way.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::spec::WINDOWS;
use crate::request::{Op, Request};
use crate::spec::Region;
use crate::units::{Bytes, Nanos};
use crate::workload::describe::most;
use crate::workload::facts::Fact;
use crate::workload::io::{IoSink, Outcome, Part, Slot};
use crate::workload::spec::AccessSpec;
use crate::workload::steps::Steps;

/// A closed-loop job of buffered sequential reads. Each process has two slots; the last slot is
/// the alarm of its load steps.
#[derive(Clone, Debug)]
pub(crate) struct ReadAhead {
    readers: Vec<Reader>,
    steps: Steps,
    file: Region,
    window: Bytes,
    job: u16,
}

#[derive(Clone, Debug)]
struct Reader {
    process: u32,
    /// The window that is read next, by its number in the file.
    next: u64,
    /// Windows until it has done its share of the job's amount.
    left: u64,
    /// Slots of the windows on their way or not come to, in the file's order, and whether each
    /// is there: first the one that the process waits for.
    ahead: VecDeque<(Slot, bool)>,
    free: Vec<Slot>,
}

impl ReadAhead {
    /// Processes start at windows that are spread evenly over the file.
    pub(super) fn new(
        spec: &AccessSpec,
        window: Bytes,
        steps: &[(Nanos, u32)],
        (job, part): (u16, Part),
    ) -> Self {
        let count = most(steps);
        let windows = u128::from(spec.file.size.div_ceil(window));
        let reader = |(index, process): (u32, u32)| Reader {
            process,
            next: (windows * u128::from(process) / u128::from(count)) as u64,
            left: spec.share(process, count, window),
            ahead: VecDeque::new(),
            free: (index * WINDOWS..(index + 1) * WINDOWS).rev().collect(),
        };
        let processes = (part.index..count).step_by(part.of as usize);
        Self {
            readers: (0..).zip(processes).map(reader).collect(),
            steps: Steps::new(steps, part),
            file: spec.file,
            window,
            job,
        }
    }

    pub(super) fn slots(&self) -> u32 {
        self.readers.len() as u32 * WINDOWS + 1
    }

    pub(super) fn largest_io(&self) -> Bytes {
        self.window.min(self.file.size)
    }

    /// The next load step begins.
    pub(super) fn step(&mut self, now: Nanos, sink: &mut impl IoSink) {
        self.steps.begin_next(self.slots() - 1, sink);
        for reader in 0..self.steps.active() {
            self.read_on(now, reader, sink);
        }
    }

    pub(super) fn completed(
        &mut self,
        now: Nanos,
        slot: Slot,
        outcome: Outcome,
        sink: &mut impl IoSink,
    ) {
        let number = slot / WINDOWS;
        let reader = &mut self.readers[number as usize];
        if outcome == Outcome::Failed {
            reader.left = reader.left.saturating_add(1);
        }
        for window in &mut reader.ahead {
            window.1 |= window.0 == slot;
        }
        // The process takes what is there, up to the first window that is not.
        while let Some(&(slot, true)) = reader.ahead.front() {
            reader.ahead.pop_front();
            reader.free.push(slot);
        }
        if number < self.steps.active() {
            self.read_on(now, number, sink);
        }
        let reader = &self.readers[number as usize];
        if reader.left == 0 && reader.ahead.is_empty() {
            sink.fact(Fact::Through(now));
        }
    }

    /// The kernel reads the window that a process waits for and the one after it.
    fn read_on(&mut self, now: Nanos, number: u32, sink: &mut impl IoSink) {
        let Region {
            device,
            offset,
            size,
        } = self.file;
        let reader = &mut self.readers[number as usize];
        while let Some(left) = reader.left.checked_sub(1)
            && let Some(slot) = reader.free.pop()
        {
            reader.left = left;
            let from = reader.next * self.window;
            let len = self.window.min(size - from);
            reader.next = if from + len == size {
                0
            } else {
                reader.next + 1
            };
            reader.ahead.push_back((slot, false));
            let request = Request {
                device,
                op: Op::Read,
                offset: offset + from,
                len,
                requester: self.job.into(),
                submitter: reader.process,
            };
            sink.io(slot, now, request);
        }
    }
}
