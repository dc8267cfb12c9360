//! `--verify`: every block that is written carries its offset and generation, and every block
//! that is read is checked against them.
//!
//! A read may find any generation of its block from the newest that was
//! settled when the read was issued to the newest that was issued when it
//! completed. Writes to a block that overlap in time settle in an order that
//! the storage chooses.

mod blocks;
mod stamp;

use std::fmt::{self, Display};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use blockyard_model::storage::{Op, Request};
use blockyard_model::units::{Bytes, MIB};
use blockyard_model::workload::FileUse;
use blockyard_model::workload::spec::{JobSpec, Region};
use blockyard_sys::Buffer;

use self::blocks::{Blocks, Expected};
pub(crate) use self::stamp::stamp;
use self::stamp::{Fault, inspect};

/// Bad blocks that are described; the others are only counted.
const DESCRIBED: usize = 10;

/// Most that the closing read-back reads at once.
const SWEEP: Bytes = MIB;

/// What was written where, and what reads found.
#[derive(Debug)]
pub(crate) struct Verifier {
    extents: Vec<Extent>,
    /// Per slot: what its read may find.
    expected: Vec<Expected>,
    checked: u64,
    bad: u64,
    found: Vec<BadBlock>,
}

#[derive(Debug)]
struct Extent {
    region: Region,
    blocks: Blocks,
}

/// A block that is not what was written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadBlock {
    pub(crate) device: usize,
    pub(crate) offset: Bytes,
    fault: Fault,
}

impl Display for BadBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block at offset {}: {}", self.offset, self.fault)
    }
}

impl Verifier {
    /// A verifier for `jobs` on targets whose blocks all have generation 0;
    /// or, of jobs that only read, any generation that an earlier run left.
    pub(crate) fn new(jobs: &[JobSpec]) -> Self {
        let fresh = jobs.iter().any(JobSpec::writes);
        let mut extents = Vec::new();
        for FileUse { region, unit, .. } in jobs.iter().flat_map(JobSpec::files) {
            let blocks = Blocks::new(unit, region.size / unit, fresh);
            extents.push(Extent { region, blocks });
        }
        Self {
            extents,
            expected: Vec::new(),
            checked: 0,
            bad: 0,
            found: Vec::new(),
        }
    }

    /// An IO is issued: a write gets its content, a read's expectation is noted.
    pub(crate) fn issued(&mut self, slot: u32, request: &Request, buffer: &mut [u8]) {
        let Some((extent, blocks)) = find(&mut self.extents, request) else {
            return;
        };
        let unit = extent.blocks.unit();
        match request.op {
            Op::Write => {
                for (index, content) in blocks.zip(buffer.chunks_exact_mut(unit as usize)) {
                    let generation = extent.blocks.write(index);
                    stamp(content, extent.region.offset + index * unit, generation);
                }
            }
            Op::Read => {
                let slot = slot as usize;
                if slot >= self.expected.len() {
                    self.expected.resize(slot + 1, Expected::default());
                }
                self.expected[slot] = extent.blocks.read(blocks.start);
            }
            _ => {}
        }
    }

    /// An IO completed well; a read's content is checked.
    pub(crate) fn completed(&mut self, slot: u32, request: &Request, buffer: &[u8]) {
        let Some((extent, blocks)) = find(&mut self.extents, request) else {
            return;
        };
        match request.op {
            Op::Write => blocks.for_each(|index| extent.blocks.written(index)),
            Op::Read => {
                let expected = extent
                    .blocks
                    .widened(blocks.start, self.expected[slot as usize]);
                let content = &buffer[..request.len as usize];
                self.check(request.device, request.offset, content, expected);
            }
            _ => {}
        }
    }

    fn check(&mut self, device: usize, offset: Bytes, content: &[u8], expected: Expected) {
        self.checked += 1;
        if let Some(fault) = inspect(content, offset, expected) {
            self.bad += 1;
            if self.found.len() < DESCRIBED {
                self.found.push(BadBlock {
                    device,
                    offset,
                    fault,
                });
            }
        }
    }

    /// Reads back all that was written: a file that a job only writes is
    /// checked here alone. `file_of` gives each device's file.
    ///
    /// # Errors
    /// If something cannot be read.
    pub(crate) fn read_back(
        &mut self,
        file_of: impl Fn(usize) -> Option<File>,
        stopped: &mut dyn FnMut() -> bool,
    ) -> io::Result<()> {
        let mut buffer = Buffer::new(0);
        for number in 0..self.extents.len() {
            let Region { device, offset, .. } = self.extents[number].region;
            let unit = self.extents[number].blocks.unit();
            let Some(file) = file_of(device) else {
                continue;
            };
            let most = (SWEEP / unit).max(1);
            if (buffer.len() as Bytes) < most * unit {
                buffer = Buffer::new((most * unit) as usize);
            }
            let mut next = 0;
            while let Some(run) = self.extents[number].blocks.next_written(next, most) {
                if stopped() {
                    return Ok(());
                }
                let content = &mut buffer[..((run.end - run.start) * unit) as usize];
                file.read_exact_at(content, offset + run.start * unit)?;
                next = run.end;
                for (index, block) in run.zip(content.chunks_exact(unit as usize)) {
                    let expected = self.extents[number].blocks.read(index);
                    self.check(device, offset + index * unit, block, expected);
                }
            }
        }
        Ok(())
    }

    /// Blocks that were checked.
    pub(crate) fn checked(&self) -> u64 {
        self.checked
    }

    /// How many of them were bad.
    pub(crate) fn bad(&self) -> u64 {
        self.bad
    }

    /// The first bad blocks.
    pub(crate) fn found(&self) -> &[BadBlock] {
        &self.found
    }
}

/// The extent that a request lies in, and the numbers of its blocks there.
fn find<'a>(
    extents: &'a mut [Extent],
    request: &Request,
) -> Option<(&'a mut Extent, std::ops::Range<u64>)> {
    let extent = extents.iter_mut().find(|extent| {
        let Region {
            device,
            offset,
            size,
        } = extent.region;
        device == request.device && (offset..offset + size).contains(&request.offset)
    })?;
    let first = (request.offset - extent.region.offset) / extent.blocks.unit();
    let count = request.len / extent.blocks.unit();
    Some((extent, first..first + count))
}
