//! Where the IOs of one process go.

use alloc::boxed::Box;

use crate::random::Stream;
use crate::request::{Op, Request};
use crate::units::Bytes;
use crate::workload::skew::{Preferred, scatter_key};
use crate::workload::spec::AccessSpec;

/// Draws the requests of one process.
#[derive(Clone, Debug)]
pub(super) struct Places {
    device: usize,
    job: u16,
    process: u32,
    start: Bytes,
    block: Bytes,
    blocks: u64,
    read_permille: u32,
    random_permille: u32,
    /// Block after the last one, where a sequential IO goes.
    next: u64,
    /// IOs until it has done its share of the job's amount; more than any run has without one.
    left: u64,
    /// Which blocks are preferred; none for uniform places. Boxed, so that the
    /// usual case stays small.
    preferred: Option<Box<Preferred>>,
    random: Stream,
}

impl Places {
    /// The places of process `process` of `of`. Sequential processes start
    /// evenly spread over the file, so that they do not chase each other.
    pub(super) fn new(
        spec: &AccessSpec,
        (job, seed): (u16, u64),
        random: Stream,
        process: u32,
        of: u32,
    ) -> Self {
        let blocks = spec.file.size / spec.block;
        let mut key = scatter_key(job, seed);
        let spread = u128::from(blocks) * u128::from(process) / u128::from(of.max(1));
        Self {
            device: spec.file.device,
            job,
            process,
            start: spec.file.offset,
            block: spec.block,
            blocks,
            read_permille: spec.read_permille,
            random_permille: spec.random_permille,
            next: spread as u64,
            left: spec.share(process, of, spec.block),
            preferred: Preferred::new(spec.skew, blocks, &mut key).map(Box::new),
            random,
        }
    }

    /// The size of every IO.
    pub(super) fn block(&self) -> Bytes {
        self.block
    }

    /// A flush of the file's device.
    pub(super) fn flush(&self) -> Request {
        self.request(Op::Flush, 0, 0)
    }

    /// The next request; none once it has issued its share of the job's amount.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Request> {
        self.left = self.left.checked_sub(1)?;
        Some(self.draw())
    }

    /// So many of its IOs failed, and count for nothing.
    #[inline]
    pub(super) fn failed(&mut self, ios: u32) {
        self.left = self.left.saturating_add(ios.into());
    }

    /// Whether it has issued its share of the job's amount.
    #[inline]
    pub(super) fn is_through(&self) -> bool {
        self.left == 0
    }

    /// The next request, whatever the amount.
    #[inline(always)]
    pub(super) fn draw(&mut self) -> Request {
        let op = if self.random.chance(self.read_permille) {
            Op::Read
        } else {
            Op::Write
        };
        let place = if self.random.chance(self.random_permille) {
            match &self.preferred {
                None => self.random.below(self.blocks),
                Some(preferred) => preferred.draw(&mut self.random),
            }
        } else {
            self.next
        };
        self.next = if place + 1 == self.blocks {
            0
        } else {
            place + 1
        };
        self.request(op, self.start + place * self.block, self.block)
    }

    #[inline(always)]
    fn request(&self, op: Op, offset: Bytes, len: Bytes) -> Request {
        Request {
            device: self.device,
            op,
            offset,
            len,
            requester: self.job.into(),
            submitter: self.process,
        }
    }
}
