//! Where a disk's bytes lie: a sparse file, an image or memory; and what is
//! left of them when the power goes.

mod backing;
mod failures;
mod image;
mod power;
mod write_cache;

use std::sync::{Mutex, PoisonError};

use blockyard_model::random::Stream;
use rustix::io::Errno;

pub use self::backing::Backing;
use self::image::Image;
use self::power::Power;
use self::write_cache::Lost;
use self::write_cache::WriteCache;
use crate::request::IoResult;

/// The bytes of one disk. All calls may come from any thread at any time.
///
/// A store whose power is cut answers `EIO` to everything.
#[derive(Debug)]
pub(crate) struct Store {
    name: String,
    size: u64,
    image: Image,
    power: Power,
    /// Kept only where the power can go.
    cache: Option<WriteCache>,
    flushing: Mutex<()>,
}

/// A run of bytes that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) len: u64,
    /// Nothing is stored there; it reads as zeros.
    pub(crate) hole: bool,
}

impl Store {
    fn new(name: &str, size: u64, image: Image) -> Self {
        Self {
            name: name.into(),
            size,
            image,
            power: Power::default(),
            cache: None,
            flushing: Mutex::default(),
        }
    }

    /// Keeps book of what a power cut can lose. Without it all that is written
    /// counts as durable.
    pub(crate) fn with_power_cuts(self) -> Self {
        Self {
            cache: Some(WriteCache::new()),
            ..self
        }
    }

    /// Bytes that it holds.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Reads `buffer.len()` bytes at `offset`.
    pub(crate) fn read(&self, offset: u64, buffer: &mut [u8]) -> IoResult {
        self.check(offset, buffer.len() as u64)?;
        let epoch = self.power.epoch()?;
        self.image.read(offset, buffer)?;
        // The power may have gone meanwhile, and taken what was read.
        self.power.check(epoch)
    }

    /// Writes `bytes` at `offset`. `ENOSPC` where the backing is full.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) -> IoResult {
        let len = bytes.len() as u64;
        self.change(offset, len, || self.image.write(offset, bytes))
    }

    /// Makes a range read as zeros; gives its room back unless `keep`.
    pub(crate) fn zero(&self, offset: u64, len: u64, keep: bool) -> IoResult {
        self.change(offset, len, || self.image.zero(offset, len, keep))
    }

    /// The range is not needed any more: its room is given back where that is
    /// possible, and it reads as zeros then.
    pub(crate) fn trim(&self, offset: u64, len: u64) -> IoResult {
        self.change(offset, len, || self.image.trim(offset, len))
    }

    /// Everything written before is on stable storage when this returns.
    pub(crate) fn flush(&self) -> IoResult {
        let _one = self.flushing.lock().unwrap_or_else(PoisonError::into_inner);
        let epoch = self.power.epoch()?;
        let sync = || self.image.sync();
        match &self.cache {
            Some(cache) => cache.flush(sync)?,
            None => sync()?,
        }
        self.power.check(epoch)
    }

    /// What lies in a range: runs that add up to `len`, neighbours unlike.
    pub(crate) fn extents(&self, offset: u64, len: u64) -> Result<Vec<Extent>, Errno> {
        self.check(offset, len)?;
        self.power.epoch()?;
        self.image.extents(offset, len)
    }

    /// The power goes: each block that was changed since the last flush keeps
    /// its new content or falls back to the old one, by a draw from `seed`;
    /// with `torn`, some are left with sectors of both. Takes nothing more
    /// from a store without power.
    pub(crate) fn cut_power(&self, seed: u64, torn: bool) -> Result<Lost, Errno> {
        match &self.cache {
            Some(cache) if self.power.cut() => {
                let mut stream = Stream::new(seed, &format!("power cut/{}", self.name));
                cache.lose(&self.image, &mut stream, torn)
            }
            _ => {
                self.power.cut();
                Ok(Lost::default())
            }
        }
    }

    /// The power comes back.
    pub(crate) fn restore_power(&self) {
        self.power.restore();
    }

    /// Why what was written is not kept, if it is not, in words.
    pub(crate) fn loss(&self) -> Vec<String> {
        self.image.loss().into_iter().collect()
    }

    /// What went wrong with the file and was not given before, in words.
    pub(crate) fn new_failures(&self) -> Vec<String> {
        self.image.new_failures()
    }

    /// All that went wrong with the file, with how often, in words.
    pub(crate) fn failures(&self) -> Vec<String> {
        self.image.failures()
    }

    fn change(&self, offset: u64, len: u64, change: impl FnOnce() -> IoResult) -> IoResult {
        self.check(offset, len)?;
        let powered = || {
            self.power.epoch()?;
            change()
        };
        match &self.cache {
            Some(cache) => cache.change(&self.image, offset..offset + len, powered),
            None => powered(),
        }
    }

    fn check(&self, offset: u64, len: u64) -> IoResult {
        match offset.checked_add(len) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(Errno::INVAL),
        }
    }
}

#[cfg(any(test, feature = "fuzzing"))]
impl Store {
    /// Memory of `size` bytes, for tests.
    #[allow(clippy::expect_used, reason = "only tests have it")]
    pub(crate) fn ram(size: u64) -> Self {
        let image = Image::in_memory("test", size).expect("memory");
        Self::new("test", size, image)
    }
}

#[cfg(test)]
mod tests;
