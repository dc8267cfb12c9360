//! What the folder and its files look like.

use std::time::{Duration, SystemTime};

use fuser::{FileAttr, FileType, INodeNo};

/// Nothing changes while it is mounted, so the kernel may remember for long.
pub(super) const REMEMBERED: Duration = Duration::from_secs(3600);

/// What the kernel is told to move at once.
pub(super) const BLOCK: u32 = 4096;

/// The inode of file number `index`; 1 is the folder.
pub(super) fn inode(index: usize) -> INodeNo {
    INodeNo(index as u64 + 2)
}

/// The file number of an inode; none for the folder.
pub(super) fn index(inode: INodeNo) -> Option<usize> {
    usize::try_from(inode.0.checked_sub(2)?).ok()
}

/// The folder, mounted at `since`.
pub(super) fn folder(since: SystemTime) -> FileAttr {
    FileAttr {
        kind: FileType::Directory,
        perm: 0o755,
        nlink: 2,
        ..file(INodeNo::ROOT, 0, since)
    }
}

/// A file of `size` bytes, its owner's alone.
pub(super) fn file(ino: INodeNo, size: u64, since: SystemTime) -> FileAttr {
    FileAttr {
        ino,
        size,
        blocks: size.div_ceil(512),
        atime: since,
        mtime: since,
        ctime: since,
        crtime: since,
        kind: FileType::RegularFile,
        perm: 0o600,
        nlink: 1,
        uid: rustix::process::geteuid().as_raw(),
        gid: rustix::process::getegid().as_raw(),
        rdev: 0,
        blksize: BLOCK,
        flags: 0,
    }
}
