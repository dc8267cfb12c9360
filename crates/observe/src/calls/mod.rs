//! The calls by which processes use their files, by the kernel's tracepoints of system calls: what
//! a thread waits for, and for how long it thinks in between.

mod at_once;
mod call;
mod event;
mod files;
mod kinds;
mod source;
mod summary;
mod table;
mod watch;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use event::Layout;
pub(crate) use watch::Watch;
