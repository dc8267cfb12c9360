//! A regular file, or one in memory, as a row of bytes. Data that was written
//! is in the page cache at once, so it survives the death of this process;
//! [`Image::sync`] makes it survive that of the machine.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{FallocateFlags, MemfdFlags, SeekFrom};
use rustix::io::{Errno, retry_on_intr};

use super::Extent;
use crate::answer::Outcome;

/// Zeros are written in pieces of this size where nothing better is possible.
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// An open image. Its caller keeps within its size.
#[derive(Debug)]
pub(super) struct Image {
    file: File,
    /// Whether a sync ever failed.
    failed: AtomicBool,
}

impl Image {
    pub(super) fn new(file: File) -> Self {
        Self {
            file,
            failed: AtomicBool::new(false),
        }
    }

    /// Memory that is taken only where something is written.
    pub(super) fn in_memory(name: &str, size: u64) -> Result<Self, Errno> {
        let memory: OwnedFd = rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC)?;
        rustix::fs::ftruncate(&memory, size)?;
        Ok(Self::new(memory.into()))
    }

    pub(super) fn read(&self, offset: u64, buffer: &mut [u8]) -> Outcome {
        self.file.read_exact_at(buffer, offset).map_err(errno)
    }

    pub(super) fn write(&self, offset: u64, bytes: &[u8]) -> Outcome {
        self.file.write_all_at(bytes, offset).map_err(errno)
    }

    /// Makes a range read as zeros; gives its room back unless `keep`.
    pub(super) fn zero(&self, offset: u64, len: u64, keep: bool) -> Outcome {
        let zeroed = match keep {
            true => self.allocate(FallocateFlags::ZERO_RANGE, offset, len),
            false => self.punch(offset, len),
        };
        match zeroed {
            Err(Errno::OPNOTSUPP) => self.write_zeros(offset, len),
            other => other,
        }
    }

    /// Gives a range's room back, if the file system can.
    pub(super) fn trim(&self, offset: u64, len: u64) -> Outcome {
        match self.punch(offset, len) {
            Err(Errno::OPNOTSUPP) => Ok(()),
            other => other,
        }
    }

    fn punch(&self, offset: u64, len: u64) -> Outcome {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        self.allocate(flags, offset, len)
    }

    fn allocate(&self, flags: FallocateFlags, offset: u64, len: u64) -> Outcome {
        if len == 0 {
            return Ok(());
        }
        retry_on_intr(|| rustix::fs::fallocate(&self.file, flags, offset, len))
    }

    fn write_zeros(&self, offset: u64, len: u64) -> Outcome {
        let end = offset + len;
        (offset..end).step_by(ZEROS.len()).try_for_each(|at| {
            let piece = (end - at).min(ZEROS.len() as u64) as usize;
            self.write(at, &ZEROS[..piece])
        })
    }

    /// Everything written before is on stable storage when this returns.
    ///
    /// After one that failed all others fail. Linux drops the dirty mark of
    /// pages that it could not write, so that the next sync would succeed
    /// without them: only who opens the file anew learns what is there.
    pub(super) fn sync(&self) -> Outcome {
        if self.failed.load(Ordering::SeqCst) {
            return Err(Errno::IO);
        }
        retry_on_intr(|| rustix::fs::fdatasync(&self.file)).map_err(|_| {
            self.failed.store(true, Ordering::SeqCst);
            Errno::IO
        })
    }

    /// What lies in a range: runs that add up to `len`, neighbours unlike.
    pub(super) fn extents(&self, offset: u64, len: u64) -> Result<Vec<Extent>, Errno> {
        let end = offset + len;
        let mut extents = Vec::new();
        let mut at = offset;
        while at < end {
            let data = self.seek(SeekFrom::Data(at))?.unwrap_or(end);
            let hole = data > at;
            let until = match hole {
                true => data,
                false => self.seek(SeekFrom::Hole(at))?.unwrap_or(end),
            };
            // What is written meanwhile can make a run empty.
            let until = until.clamp(at, end);
            push(&mut extents, until - at, hole);
            at = until;
        }
        Ok(extents)
    }

    /// Where it continues so, if it does before the file's end.
    fn seek(&self, to: SeekFrom) -> Result<Option<u64>, Errno> {
        match rustix::fs::seek(&self.file, to) {
            Ok(found) => Ok(Some(found)),
            Err(Errno::NXIO) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn push(extents: &mut Vec<Extent>, len: u64, hole: bool) {
    match extents.last_mut() {
        _ if len == 0 => {}
        Some(last) if last.hole == hole => last.len += len,
        _ => extents.push(Extent { len, hole }),
    }
}

/// A file that became shorter under us has no number of its own.
fn errno(error: std::io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}
