//! The files of blktrace: one for each processor, in the byte order of the machine.
//!
//! A record has 48 bytes: u32 magic, u32 sequence, u64 nanoseconds, u64 sector, u32 bytes, u32
//! action, u32 process, u32 device (major << 20 | minor), u32 processor, u16 error, u16 length of
//! what follows.

use std::collections::HashMap;
use std::io::BufRead;

use super::records::{Records, at};
use crate::block::{Event, Events, Kind, NAME, Name, Task, What};
use crate::error::Place;
use crate::found::Found;
use crate::row::SECTOR;
use crate::trace::{Failure, Pull};

const MAGIC: u32 = 0x6561_7400;
/// Of the format, in the low byte of the magic.
const VERSION: u32 = 7;

/// The high half of an action says what is done.
const WRITE: u32 = 1 << 17;
const NOTIFY: u32 = 1 << 26;
const FLUSH: u32 = 1 << 18;
const DISCARD: u32 = 1 << 29;
const FUA: u32 = 1 << 31;
/// Not for the device's data: commands of its own, and messages of its driver.
const OTHER: u32 = 1 << 25 | 1 << 30;

/// A message that tells a process's name.
const PROCESS: u32 = NOTIFY;
/// Longer ones are no names.
const LONGEST_NAME: u64 = 64;

/// The files of a trace, merged by time.
pub(crate) struct Blktrace<R> {
    files: Vec<(Records<R>, Option<Event>)>,
    started: bool,
    names: HashMap<u32, Name>,
    events: Events,
}

/// Whether a file begins with the magic, in either byte order.
pub(crate) fn is_blktrace(head: &[u8]) -> bool {
    head.len() >= 4 && order(at(head, 0)).is_some()
}

/// Whether the bytes are a magic in big endian.
fn order(magic: [u8; 4]) -> Option<bool> {
    let wanted = MAGIC | VERSION;
    if u32::from_le_bytes(magic) == wanted {
        return Some(false);
    }
    (u32::from_be_bytes(magic) == wanted).then_some(true)
}

impl<R: BufRead> Blktrace<R> {
    pub(crate) fn new(inputs: Vec<R>) -> Self {
        let file = |input| (Records::new(input), None);
        Self {
            files: inputs.into_iter().map(file).collect(),
            started: false,
            names: HashMap::new(),
            events: Events::default(),
        }
    }
}

impl<R: BufRead> Pull for Blktrace<R> {
    fn pull(&mut self, found: &mut Found) -> Result<bool, Failure> {
        if !self.started {
            self.started = true;
            for (number, (records, next)) in self.files.iter_mut().enumerate() {
                *next = read(number, records, &mut self.names, found)?;
            }
        }
        let waiting = (0..).zip(&self.files);
        let waiting = waiting.filter_map(|(number, (_, next))| Some((next.as_ref()?.time, number)));
        let Some((_, number)) = waiting.min() else {
            self.events.end(found);
            return Ok(false);
        };
        let (records, next) = &mut self.files[number];
        if let Some(event) = next.take() {
            self.events.take(&event, found);
        }
        *next = read(number, records, &mut self.names, found)?;
        Ok(true)
    }
}

/// The next event of a file that is one of an IO.
fn read<R: BufRead>(
    file: usize,
    records: &mut Records<R>,
    names: &mut HashMap<u32, Name>,
    found: &mut Found,
) -> Result<Option<Event>, Failure> {
    loop {
        let place = Place::Byte(records.offset);
        let Some(record) = records.next::<48>()? else {
            if let Some(cut) = records.cut.take() {
                found.notes.cut = Some(format!("the file of processor {file} is {cut}"));
            }
            return Ok(None);
        };
        let Some(big) = order(at(&record, 0)) else {
            let magic = u32::from_le_bytes(at(&record, 0));
            let message = format!(
                "0x{magic:08x} in the file of processor {file}; expected blktrace's magic 0x{:08x}",
                MAGIC | VERSION
            );
            return Err(Failure::Wrong(place, message));
        };
        let record = Record {
            big,
            bytes: &record,
        };
        let (action, follows) = (record.short(28), record.half(46));
        if action & NOTIFY != 0 {
            let length = u64::from(follows).min(LONGEST_NAME);
            if action == PROCESS
                && length == NAME as u64
                && let Some(name) = records.next::<NAME>()?
            {
                names.insert(record.short(32), name.into());
            } else {
                records.skip(follows.into())?;
            }
            continue;
        }
        records.skip(follows.into())?;
        if let Some(event) = record.event(names) {
            return Ok(Some(event));
        }
    }
}

/// A record in the byte order of its machine.
struct Record<'a> {
    big: bool,
    bytes: &'a [u8],
}

impl Record<'_> {
    fn half(&self, offset: usize) -> u16 {
        let bytes = at(self.bytes, offset);
        if self.big {
            u16::from_be_bytes(bytes)
        } else {
            u16::from_le_bytes(bytes)
        }
    }

    fn short(&self, offset: usize) -> u32 {
        let bytes = at(self.bytes, offset);
        if self.big {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        }
    }

    fn long(&self, offset: usize) -> u64 {
        let bytes = at(self.bytes, offset);
        if self.big {
            u64::from_be_bytes(bytes)
        } else {
            u64::from_le_bytes(bytes)
        }
    }

    /// Its event; none of what an IO passes on its way, and of what is no IO.
    fn event(&self, names: &HashMap<u32, Name>) -> Option<Event> {
        let action = self.short(28);
        let kind = match action & 0xffff {
            // Queued, got a request, inserted: the rest of a split IO is queued no second time.
            1 | 4 | 12 => Kind::Arrival,
            2 => Kind::Merge,
            3 => Kind::FrontMerge,
            6 => Kind::Requeue,
            7 => Kind::Issue,
            8 => Kind::Completion,
            _ => return None,
        };
        if action & OTHER != 0 {
            return None;
        }
        let thread = self.short(32);
        let has = |flag| action & flag != 0;
        let sectors = u64::from(self.short(24)) / SECTOR;
        let alone = has(FLUSH) && !has(WRITE) && sectors == 0;
        Some(Event {
            time: self.long(8),
            kind,
            device: self.short(36),
            sector: self.long(16),
            sectors,
            failed: kind == Kind::Completion && self.half(44) != 0,
            what: What {
                op: if has(DISCARD) {
                    3
                } else if alone {
                    2
                } else {
                    usize::from(has(WRITE))
                },
                preflush: has(FLUSH),
                fua: has(FUA),
            },
            by: Task {
                thread,
                name: match kind {
                    Kind::Completion => Name::default(),
                    _ => names.get(&thread).copied().unwrap_or_default(),
                },
            },
        })
    }
}
