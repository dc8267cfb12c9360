//! The second phase: what a client asks of its export.

use blockyard_model::storage::Op;
use rustix::io::Errno;

use super::wire::{Fields, PAYLOAD_MAX};

/// Before each request.
const MAGIC: u32 = 0x2560_9513;

pub(super) const READ: u16 = 0;
pub(super) const WRITE: u16 = 1;
pub(super) const DISCONNECT: u16 = 2;
pub(super) const FLUSH: u16 = 3;
pub(super) const TRIM: u16 = 4;
pub(super) const WRITE_ZEROES: u16 = 6;
pub(super) const BLOCK_STATUS: u16 = 7;

/// Durable before it is answered. Allowed with any command.
pub(super) const FUA: u16 = 1;
/// Zeros that stay allocated.
pub(super) const NO_HOLE: u16 = 1 << 1;
/// A read's reply in one chunk, which ours always is.
pub(super) const DF: u16 = 1 << 2;
/// Only the first extent.
pub(super) const REQ_ONE: u16 = 1 << 3;

/// What stands before a request's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) flags: u16,
    pub(super) command: u16,
    /// The client's name for it, given back with the reply.
    pub(super) cookie: u64,
    pub(super) offset: u64,
    pub(super) len: u32,
}

/// A request that can be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Read,
    Write { durable: bool },
    Flush,
    Trim { durable: bool },
    Zero { durable: bool, keep: bool },
    Status { one: bool },
}

impl Command {
    /// What the storage is asked for, if it is.
    pub(super) fn op(self) -> Option<Op> {
        match self {
            Self::Read => Some(Op::Read),
            Self::Write { .. } => Some(Op::Write),
            Self::Flush => Some(Op::Flush),
            Self::Trim { .. } => Some(Op::Trim),
            Self::Zero { .. } => Some(Op::Zero),
            Self::Status { .. } => None,
        }
    }

    /// Whether it is done only when it is on stable storage.
    pub(super) fn is_durable(self) -> bool {
        match self {
            Self::Write { durable } | Self::Trim { durable } | Self::Zero { durable, .. } => {
                durable
            }
            Self::Flush => true,
            Self::Read | Self::Status { .. } => false,
        }
    }
}

impl Request {
    /// Its size in bytes.
    pub(super) const SIZE: usize = 28;

    /// None if it does not begin as a request does.
    pub(super) fn parse(bytes: &[u8; Self::SIZE]) -> Option<Self> {
        let mut fields = Fields(bytes);
        let magic = fields.u32()?;
        let request = Self {
            flags: fields.u16()?,
            command: fields.u16()?,
            cookie: fields.u64()?,
            offset: fields.u64()?,
            len: fields.u32()?,
        };
        (magic == MAGIC).then_some(request)
    }

    /// As clients send it.
    pub(super) fn encode(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..4].copy_from_slice(&MAGIC.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.flags.to_be_bytes());
        bytes[6..8].copy_from_slice(&self.command.to_be_bytes());
        bytes[8..16].copy_from_slice(&self.cookie.to_be_bytes());
        bytes[16..24].copy_from_slice(&self.offset.to_be_bytes());
        bytes[24..].copy_from_slice(&self.len.to_be_bytes());
        bytes
    }

    /// Bytes that follow it.
    pub(super) fn payload(&self) -> usize {
        match self.command {
            WRITE => self.len as usize,
            _ => 0,
        }
    }

    /// What is to be done on an export of `size` bytes, of which block status
    /// may be asked for if `contexts` were chosen.
    ///
    /// # Errors
    /// `ENOSPC` for a write beyond the end; `EINVAL` for anything else beyond
    /// it, for no bytes or too many, and for what is not known.
    pub(super) fn command(&self, size: u64, contexts: bool) -> Result<Command, Errno> {
        let durable = self.flags & FUA != 0;
        let (command, allowed) = match self.command {
            READ => (Command::Read, DF),
            WRITE => (Command::Write { durable }, 0),
            FLUSH => (Command::Flush, 0),
            TRIM => (Command::Trim { durable }, 0),
            WRITE_ZEROES => {
                let keep = self.flags & NO_HOLE != 0;
                (Command::Zero { durable, keep }, NO_HOLE)
            }
            BLOCK_STATUS if contexts => {
                let one = self.flags & REQ_ONE != 0;
                (Command::Status { one }, REQ_ONE)
            }
            _ => return Err(Errno::INVAL),
        };
        if self.flags & !(allowed | FUA) != 0 {
            return Err(Errno::INVAL);
        }
        if command != Command::Flush {
            self.check_range(command, size)?;
        }
        Ok(command)
    }

    fn check_range(&self, command: Command, size: u64) -> Result<(), Errno> {
        let moves = matches!(command, Command::Read | Command::Write { .. });
        if self.len == 0 || (moves && self.len > PAYLOAD_MAX) {
            return Err(Errno::INVAL);
        }
        let end = self.offset.checked_add(u64::from(self.len));
        if end.is_some_and(|end| end <= size) {
            return Ok(());
        }
        Err(match command {
            Command::Write { .. } | Command::Zero { .. } => Errno::NOSPC,
            _ => Errno::INVAL,
        })
    }
}
