//! A regular file, or one in memory, as a row of bytes. Data that was written
//! is in the page cache at once, so it survives the death of this process;
//! [`Image::sync`] makes it survive that of the machine.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::OnceLock;

use blockyard_text::said;
use rustix::fs::{FallocateFlags, MemfdFlags, SeekFrom};
use rustix::io::{Errno, retry_on_intr};

use super::Extent;
use super::failures::{Access, Failures};
use crate::request::IoResult;

/// Zeros are written in pieces of this size where nothing better is possible.
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// Why a file without a name cannot be flushed.
const DELETED: &str = "the file was deleted";

/// An open image. Its caller keeps within its size.
#[derive(Debug)]
pub(super) struct Image {
    file: File,
    /// Whether the file has a name, without which it goes with this process.
    named: bool,
    /// Why a sync failed, once one has.
    failed: OnceLock<String>,
    failures: Failures,
}

impl Image {
    /// A file that has a name.
    pub(super) fn new(file: File) -> Self {
        Self {
            file,
            named: true,
            failed: OnceLock::new(),
            failures: Failures::default(),
        }
    }

    /// Memory that is taken only where something is written.
    pub(super) fn in_memory(name: &str, size: u64) -> Result<Self, Errno> {
        let memory: OwnedFd = rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC)?;
        rustix::fs::ftruncate(&memory, size)?;
        Ok(Self {
            named: false,
            ..Self::new(memory.into())
        })
    }

    pub(super) fn read(&self, offset: u64, buffer: &mut [u8]) -> IoResult {
        let read = self.file.read_exact_at(buffer, offset);
        read.map_err(|error| self.failed(Access::Read, &error))
    }

    pub(super) fn write(&self, offset: u64, bytes: &[u8]) -> IoResult {
        let written = self.file.write_all_at(bytes, offset);
        written.map_err(|error| self.failed(Access::Write, &error))
    }

    /// Makes a range read as zeros; gives its room back unless `keep`.
    pub(super) fn zero(&self, offset: u64, len: u64, keep: bool) -> IoResult {
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
    pub(super) fn trim(&self, offset: u64, len: u64) -> IoResult {
        match self.punch(offset, len) {
            Err(Errno::OPNOTSUPP) => Ok(()),
            other => other,
        }
    }

    fn punch(&self, offset: u64, len: u64) -> IoResult {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        self.allocate(flags, offset, len)
    }

    fn allocate(&self, flags: FallocateFlags, offset: u64, len: u64) -> IoResult {
        if len == 0 {
            return Ok(());
        }
        let done = retry_on_intr(|| rustix::fs::fallocate(&self.file, flags, offset, len));
        match done {
            Err(error) if error != Errno::OPNOTSUPP => {
                Err(self.failed(Access::Write, &error.into()))
            }
            other => other,
        }
    }

    fn write_zeros(&self, offset: u64, len: u64) -> IoResult {
        let end = offset + len;
        (offset..end).step_by(ZEROS.len()).try_for_each(|at| {
            let piece = (end - at).min(ZEROS.len() as u64) as usize;
            self.write(at, &ZEROS[..piece])
        })
    }

    /// Everything written before is on stable storage when this returns, and
    /// can be found there.
    ///
    /// After one that failed all others fail. Linux drops the dirty mark of
    /// pages that it could not write, so that the next sync would succeed
    /// without them: only a process that opens the file anew learns what is there.
    pub(super) fn sync(&self) -> IoResult {
        if self.failed.get().is_none()
            && let Err(error) = retry_on_intr(|| rustix::fs::fdatasync(&self.file))
        {
            self.failed.get_or_init(|| said(&error.into()));
        }
        self.look_for_name();
        match self.failed.get() {
            None => Ok(()),
            Some(why) => {
                self.failures.add(Access::Flush, why);
                Err(Errno::IO)
            }
        }
    }

    /// A file whose last name is gone is lost when it is closed, however well
    /// it is synced, and nothing gives it a name again.
    fn look_for_name(&self) {
        let nameless = |meta: std::fs::Metadata| meta.nlink() == 0;
        if self.named && self.file.metadata().is_ok_and(nameless) {
            self.failed.get_or_init(|| {
                let (process, number) = (std::process::id(), self.file.as_raw_fd());
                let save = format!(
                    ", and it is lost at the end; until then it can be copied from \
                     /proc/{process}/fd/{number}"
                );
                self.failures.foresee(Access::Flush, DELETED, save);
                DELETED.into()
            });
        }
    }

    /// Why what was written is not kept, if it is not, in words.
    pub(super) fn loss(&self) -> Option<String> {
        self.look_for_name();
        Some(match self.failed.get()?.as_str() {
            DELETED => format!("{DELETED}, and its data with it"),
            why => format!("a flush failed: {why}"),
        })
    }

    /// What went wrong so far and was not given before, in words.
    pub(super) fn new_failures(&self) -> Vec<String> {
        self.look_for_name();
        self.failures.take_new()
    }

    /// All that went wrong so far, with how often, in words.
    pub(super) fn failures(&self) -> Vec<String> {
        self.failures.counts()
    }

    fn failed(&self, access: Access, error: &io::Error) -> Errno {
        let short = error.kind() == io::ErrorKind::UnexpectedEof;
        match short {
            true => self.failures.add(access, "the file has become shorter"),
            false => self.failures.add(access, &said(error)),
        }
        // A file that became shorter under us has no number of its own.
        Errno::from_io_error(error).unwrap_or(Errno::IO)
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
