//! What a file or device is, whichever name it goes by.

use std::fs::Metadata;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// A block device, or any other file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The number of a block device.
    Device(u64),
    File {
        /// The number of the device that it lies on.
        on: u64,
        inode: u64,
    },
}

impl Identity {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        if metadata.file_type().is_block_device() {
            return Self::Device(metadata.rdev());
        }
        Self::File {
            on: metadata.dev(),
            inode: metadata.ino(),
        }
    }

    /// What is found at `path`, if anything.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        path.metadata().ok().as_ref().map(Self::of)
    }
}
