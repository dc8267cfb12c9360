//! The system calls by which a process uses its files.

/// What a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Moves bytes, of a file or of anything else that is open.
    Moves,
    /// Waits until what was written is durable.
    Syncs,
    /// Hands over IOs that end later, or waits for such.
    Queues,
}

/// The calls, as the kernel names them. One that this kernel lacks is left out.
pub(super) const CALLS: [(&str, Kind); 18] = [
    ("read", Kind::Moves),
    ("pread64", Kind::Moves),
    ("readv", Kind::Moves),
    ("preadv", Kind::Moves),
    ("preadv2", Kind::Moves),
    ("write", Kind::Moves),
    ("pwrite64", Kind::Moves),
    ("writev", Kind::Moves),
    ("pwritev", Kind::Moves),
    ("pwritev2", Kind::Moves),
    ("fsync", Kind::Syncs),
    ("fdatasync", Kind::Syncs),
    ("msync", Kind::Syncs),
    ("sync_file_range", Kind::Queues),
    ("io_submit", Kind::Queues),
    ("io_getevents", Kind::Queues),
    ("io_pgetevents", Kind::Queues),
    ("io_uring_enter", Kind::Queues),
];
