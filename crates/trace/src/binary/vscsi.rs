//! VMware's traces of virtual disks, of CloudPhysics: little endian, without a heading.
//!
//! Version 1 has 32 bytes a record: u32 number, u32 bytes, u32 segments, u16 command, u16 version
//! (0x100), u64 sector, u64 microseconds. Version 2 has 40: u16 command, u16 version (0x200), u32
//! number, u32 bytes, u32 segments, u64 sector, u64 microseconds, u64 microseconds it took.

use std::io::BufRead;

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;

use super::records::{Records, at};
use crate::error::Place;
use crate::found::{Arrived, Found};
use crate::row::SECTOR;
use crate::trace::{Failure, Pull};

const FIRST: u16 = 0x100;
const SECOND: u16 = 0x200;
const MICRO: Nanos = 1000;

/// The records of a file.
pub(crate) struct Vscsi<R> {
    records: Records<R>,
    /// The first 32 bytes of a record are those of version 2, which has 8 more.
    second: Option<bool>,
}

/// Whether a file begins with the records of a version.
pub(crate) fn is_vscsi(head: &[u8]) -> bool {
    head.len() >= 32 && version(head).is_some()
}

/// Whether a record is of version 2; none if it is of neither.
fn version(record: &[u8]) -> Option<bool> {
    let number = |offset| u16::from_le_bytes(at(record, offset));
    if number(14) == FIRST && op(number(12)) != Command::Unknown {
        return Some(false);
    }
    (number(2) == SECOND && op(number(0)) != Command::Unknown).then_some(true)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Command {
    Io(Op),
    /// No IO, such as a test whether the disk is there.
    Other,
    Unknown,
}

/// What a SCSI command does.
fn op(command: u16) -> Command {
    match command {
        0x08 | 0x28 | 0xa8 | 0x88 => Command::Io(Op::Read),
        0x0a | 0x2a | 0xaa | 0x8a => Command::Io(Op::Write),
        0x35 | 0x91 => Command::Io(Op::Flush),
        0x42 => Command::Io(Op::Trim),
        0x00..=0xff => Command::Other,
        _ => Command::Unknown,
    }
}

impl<R: BufRead> Vscsi<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            records: Records::new(input),
            second: None,
        }
    }
}

impl<R: BufRead> Pull for Vscsi<R> {
    fn pull(&mut self, found: &mut Found) -> Result<bool, Failure> {
        let place = Place::Byte(self.records.offset);
        let wrong = |message: String| Err(Failure::Wrong(place, message));
        let Some(record) = self.records.next::<32>()? else {
            found.notes.cut = self.records.cut.take();
            return Ok(false);
        };
        let second = match (version(&record), self.second) {
            (Some(now), None) => now,
            (Some(now), Some(before)) if now == before => now,
            (_, before) => {
                let expected = match before {
                    Some(true) => "0x200 at byte 2, as in the records before",
                    Some(false) => "0x100 at byte 14, as in the records before",
                    None => "0x100 at byte 14 or 0x200 at byte 2",
                };
                let [low, high]: [u8; 2] = at(&record, if before == Some(true) { 2 } else { 14 });
                return wrong(format!("version 0x{high:x}{low:02x}; expected {expected}"));
            }
        };
        self.second = Some(second);
        let took = match second {
            true => match self.records.next::<8>()? {
                Some(took) => Some(u64::from_le_bytes(took)),
                None => {
                    found.notes.cut = self.records.cut.take();
                    return Ok(false);
                }
            },
            false => None,
        };
        let command = u16::from_le_bytes(at(&record, if second { 0 } else { 12 }));
        let Command::Io(op) = op(command) else {
            found.notes.skipped += 1;
            return Ok(true);
        };
        let bytes = u32::from_le_bytes(at(&record, if second { 8 } else { 4 }));
        let (sector, micros) = (
            u64::from_le_bytes(at(&record, 16)),
            u64::from_le_bytes(at(&record, 24)),
        );
        let Some(offset) = sector.checked_mul(SECTOR) else {
            return wrong(format!("sector {sector}; expected one of a disk"));
        };
        let Some(arrival) = micros.checked_mul(MICRO) else {
            return wrong(format!("time {micros}; expected microseconds"));
        };
        let took = took.and_then(|took| took.checked_mul(MICRO));
        let flush = op == Op::Flush;
        let io = Arrived {
            at: arrival,
            completion: took.and_then(|took| arrival.checked_add(took)),
            op,
            offset: if flush { 0 } else { offset },
            bytes: if flush { 0 } else { bytes.into() },
        };
        found.arrived(b"disk", &io);
        Ok(true)
    }
}
