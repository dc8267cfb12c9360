//! Fills a target before it is measured: reads of storage that was never written return
//! faster than any others.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::time::{Duration, Instant};

use blockyard_machine::Error;
use blockyard_model::random::Stream;
use blockyard_model::units::{Bytes, MIB};
use blockyard_record::Observer;
use blockyard_scenario::units::Size;
use blockyard_sys::Buffer;
use blockyard_text::said;
use rustix::fs::{FallocateFlags, fallocate};

use super::{Kind, Target, length};
use crate::payload;
use crate::provenance;
use crate::verify::stamp;

/// Bytes in one write.
const CHUNK: Bytes = MIB;

/// How often the observer is told.
const TOLD_EVERY: Duration = Duration::from_millis(100);

/// Fills `target` `passes` times, and at least once if it is a file that was not filled before
/// or whose blocks must be `stamped`.
pub(crate) fn prepare(
    target: &Target,
    file: &File,
    stamped: bool,
    passes: u32,
    observer: &mut dyn Observer,
) -> Result<(), Error> {
    let complete = !target.must_be_filled();
    let was_empty = length(file).is_ok_and(|length| length == 0);
    let allocated = file.metadata().map_or(0, |found| found.blocks() * 512);
    if complete && target.kind == Kind::File && allocated < target.size {
        observer.warn(&format!(
            "{}: it has holes; reading them reaches no storage",
            target.path.display()
        ));
    }
    let once = u32::from(!complete || stamped && target.written);
    let mut filling = Filling {
        target,
        file,
        stamped,
        observer,
        told: Instant::now(),
        done: 0,
    };
    let mut filled = Ok(());
    for _ in 0..passes.max(once) {
        filled = filled.and_then(|()| filling.pass());
    }
    if filled.is_err() {
        filling.give_up(was_empty);
    }
    filled
}

struct Filling<'a> {
    target: &'a Target,
    file: &'a File,
    stamped: bool,
    observer: &'a mut dyn Observer,
    told: Instant,
    /// Bytes that this pass has written.
    done: Bytes,
}

impl Filling<'_> {
    /// Writes all of the target once.
    fn pass(&mut self) -> Result<(), Error> {
        let size = self.target.size;
        if self.target.kind == Kind::File {
            // A later run can tell that it is ours and incomplete.
            provenance::fill(self.file);
            self.reserve()?;
        }
        let mut buffer = Buffer::new(CHUNK as usize);
        let mut random = Stream::new(0, "fill");
        self.done = 0;
        while self.done < size {
            if self.observer.stopped() {
                return Err(Error::Stopped);
            }
            let chunk = &mut buffer[..CHUNK.min(size - self.done) as usize];
            if self.stamped {
                stamp(chunk, self.done, 0);
            } else {
                payload::fill(chunk, &mut random);
            }
            let written = self.file.write_all_at(chunk, self.done);
            written.map_err(|error| self.failed(&error))?;
            self.done += chunk.len() as Bytes;
            self.tell();
        }
        let synced = self.file.sync_data();
        synced.map_err(|error| self.failed(&error))?;
        if self.target.kind == Kind::File {
            // An earlier run may have filled more than this one needs.
            provenance::rest(self.file, size.max(self.target.usable.bytes));
        }
        Ok(())
    }

    /// Frees the space of an incomplete file, which is of no use. A file that had content
    /// before stays, and one that was not ours is not marked as ours because part of it was
    /// overwritten.
    fn give_up(&self, was_empty: bool) {
        if self.target.kind != Kind::File {
            return;
        }
        if self.target.created {
            let _ = fs::remove_file(&self.target.path);
        } else if was_empty && self.file.set_len(0).is_ok() {
            provenance::rest(self.file, 0);
        } else if self.target.usable.ours {
            provenance::rest(self.file, self.done);
        }
    }

    /// Allocates all space at once, so that the file has few extents and a full file system is
    /// known before anything is written. Not all file systems support this.
    fn reserve(&self) -> Result<(), Error> {
        let before = length(self.file);
        match fallocate(self.file, FallocateFlags::empty(), 0, self.target.size) {
            Ok(()) | Err(rustix::io::Errno::OPNOTSUPP) => Ok(()),
            Err(error) => {
                // Some file systems keep what they could allocate, which is all that was free.
                if let Ok(before) = before {
                    let _ = self.file.set_len(before);
                }
                Err(self.failed(&io::Error::from(error)))
            }
        }
    }

    fn tell(&mut self) {
        if self.told.elapsed() >= TOLD_EVERY || self.done == self.target.size {
            self.told = Instant::now();
            let device = &self.target.device;
            self.observer.prepared(device, self.done, self.target.size);
        }
    }

    fn failed(&self, error: &io::Error) -> Error {
        Error::Failed(format!(
            "{}: {}, after {} of {} that it must hold",
            self.target.path.display(),
            said(error),
            Size::new(self.done),
            Size::new(self.target.size),
        ))
    }
}
