//! What a file or device is, whichever name it goes by.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// A block device, or any other file. Two names with equal identities name the same thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The number of a block device.
    Device(u64),
    /// A file by its place on the device that holds it.
    File {
        /// The number of the device that it lies on.
        on: u64,
        /// Its inode there.
        inode: u64,
    },
}

impl Identity {
    /// The identity of a file that `stat` describes.
    pub fn of(metadata: &Metadata) -> Self {
        if metadata.file_type().is_block_device() {
            return Self::Device(metadata.rdev());
        }
        Self::File {
            on: metadata.dev(),
            inode: metadata.ino(),
        }
    }

    /// The identity of what is at `path`, if anything is.
    pub fn at(path: &Path) -> Option<Self> {
        path.metadata().ok().as_ref().map(Self::of)
    }
}
