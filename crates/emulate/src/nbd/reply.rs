//! Replies to requests.

use rustix::io::Errno;

use super::option::ALLOCATION_ID;
use super::wire::{Fields, number_of};
use crate::store::Extent;

const SIMPLE: u32 = 0x6744_6698;
const STRUCTURED: u32 = 0x668e_33ef;

/// The only chunk of its reply.
const DONE: u16 = 1;
const OFFSET_DATA: u16 = 1;
const STATUS: u16 = 5;
const ERROR: u16 = (1 << 15) + 1;

/// Nothing is stored there, and it reads as zeros.
const HOLE_AND_ZERO: u32 = 1 | 2;

/// Extents in one block status reply; the client asks again for the rest.
const EXTENTS_MAX: usize = 4096;

/// A simple reply's size in bytes, without data.
pub(super) const SIMPLE_SIZE: usize = 16;
/// A structured chunk's header.
const CHUNK_SIZE: usize = 20;
/// What stands before the data of a structured read.
const DATA_SIZE: usize = CHUNK_SIZE + 8;

/// How a reply is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Simple,
    /// Agreed on by both sides: a read's reply, block status and their errors.
    Structured,
}

impl Form {
    /// Bytes before the data of a read.
    pub(super) fn before_data(self) -> usize {
        match self {
            Self::Simple => SIMPLE_SIZE,
            Self::Structured => DATA_SIZE,
        }
    }

    /// Writes what stands before a read's data, at the front of `reply`, which
    /// is as long as the whole.
    pub(super) fn write_before_data(self, reply: &mut [u8], cookie: u64, offset: u64) {
        match self {
            Self::Simple => reply[..SIMPLE_SIZE].copy_from_slice(&simple(cookie, 0)),
            Self::Structured => {
                let len = reply.len() - CHUNK_SIZE;
                reply[..CHUNK_SIZE].copy_from_slice(&chunk(OFFSET_DATA, cookie, len));
                reply[CHUNK_SIZE..DATA_SIZE].copy_from_slice(&offset.to_be_bytes());
            }
        }
    }

    /// Makes `reply` one that says only `result`.
    pub(super) fn write_result(self, reply: &mut Vec<u8>, cookie: u64, result: Result<(), Errno>) {
        reply.clear();
        let error = result.err().map_or(0, number_of);
        match self {
            Self::Structured if error != 0 => {
                reply.extend(chunk(ERROR, cookie, 6));
                reply.extend(error.to_be_bytes());
                // The length of a message: there is none.
                reply.extend([0; 2]);
            }
            _ => reply.extend(simple(cookie, error)),
        }
    }
}

/// The most bytes of a block status reply.
pub(super) fn status_size(one: bool) -> usize {
    let extents = if one { 1 } else { EXTENTS_MAX };
    CHUNK_SIZE + 4 + 8 * extents
}

/// Makes `reply` one that says how `extents` are allocated.
pub(super) fn write_status(reply: &mut Vec<u8>, cookie: u64, extents: &[Extent], one: bool) {
    let shown = if one { 1 } else { EXTENTS_MAX };
    let extents = &extents[..extents.len().min(shown)];
    reply.clear();
    reply.extend(chunk(STATUS, cookie, 4 + 8 * extents.len()));
    reply.extend(ALLOCATION_ID.to_be_bytes());
    for extent in extents {
        let flags = if extent.hole { HOLE_AND_ZERO } else { 0 };
        reply.extend((extent.len as u32).to_be_bytes());
        reply.extend(flags.to_be_bytes());
    }
}

fn simple(cookie: u64, error: u32) -> [u8; SIMPLE_SIZE] {
    let mut bytes = [0; SIMPLE_SIZE];
    bytes[..4].copy_from_slice(&SIMPLE.to_be_bytes());
    bytes[4..8].copy_from_slice(&error.to_be_bytes());
    bytes[8..].copy_from_slice(&cookie.to_be_bytes());
    bytes
}

fn chunk(kind: u16, cookie: u64, len: usize) -> [u8; CHUNK_SIZE] {
    let mut bytes = [0; CHUNK_SIZE];
    bytes[..4].copy_from_slice(&STRUCTURED.to_be_bytes());
    bytes[4..6].copy_from_slice(&DONE.to_be_bytes());
    bytes[6..8].copy_from_slice(&kind.to_be_bytes());
    bytes[8..16].copy_from_slice(&cookie.to_be_bytes());
    bytes[16..].copy_from_slice(&(len as u32).to_be_bytes());
    bytes
}

/// A simple reply as a client reads it: the cookie, and the error's number, 0
/// if there is none.
pub(super) fn parse_simple(bytes: &[u8; SIMPLE_SIZE]) -> Option<(u64, u32)> {
    let mut fields = Fields(bytes);
    let magic = fields.u32()?;
    let error = fields.u32()?;
    let cookie = fields.u64()?;
    (magic == SIMPLE).then_some((cookie, error))
}
