//! Replies to the kernel that can be held until they are due.

use fuser::{FileHandle, FopenFlags, ReplyData, ReplyEmpty, ReplyOpen, ReplyWrite};

use crate::request::{IoResult, Responder};

/// The kernel's name of an error.
pub(super) fn errno(error: rustix::io::Errno) -> fuser::Errno {
    fuser::Errno::from_i32(error.raw_os_error())
}

/// A read, with the bytes that it gets.
pub(super) struct Read {
    pub(super) reply: ReplyData,
    pub(super) bytes: Vec<u8>,
}

impl Responder for Read {
    fn send(self: Box<Self>, result: IoResult) {
        match result {
            Ok(()) => self.reply.data(&self.bytes),
            Err(error) => self.reply.error(errno(error)),
        }
    }
}

/// A write of this number of bytes.
pub(super) struct Written {
    pub(super) reply: ReplyWrite,
    pub(super) len: u32,
}

impl Responder for Written {
    fn send(self: Box<Self>, result: IoResult) {
        match result {
            Ok(()) => self.reply.written(self.len),
            Err(error) => self.reply.error(errno(error)),
        }
    }
}

/// An open file that the kernel does not cache.
pub(super) struct Opened(pub(super) ReplyOpen);

impl Responder for Opened {
    fn send(self: Box<Self>, result: IoResult) {
        let flags = FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES;
        match result {
            Ok(()) => self.0.opened(FileHandle(0), flags),
            Err(error) => self.0.error(errno(error)),
        }
    }
}

/// A request that only succeeds or fails.
pub(super) struct Done(pub(super) ReplyEmpty);

impl Responder for Done {
    fn send(self: Box<Self>, result: IoResult) {
        match result {
            Ok(()) => self.0.ok(),
            Err(error) => self.0.error(errno(error)),
        }
    }
}
