//! `ios.csv` of a run: what Blockyard simulated, did or observed.

use blockyard_model::storage::Op;
use blockyard_model::units::{Bytes, Nanos};
use memchr::memchr;

use crate::Row;
use crate::found::Found;
use crate::text::Parse;
use crate::text::cells::{Wrong, cells, offset, size, thread, time, unexpected};

/// Its first line.
pub(crate) const HEADER: &str = "issued_ns,due_ns,job,slot,device,op,offset,bytes,completed_ns";

/// Its lines.
#[derive(Default)]
pub(crate) struct Blockyard {
    /// A job's name with a comma, without its quotes.
    quoted: Vec<u8>,
}

impl Parse for Blockyard {
    fn line(&mut self, line: &[u8], found: &mut Found) -> Result<(), Wrong> {
        if line == HEADER.as_bytes() {
            return Ok(());
        }
        let [issued, due, job, rest] = self.split(line)?;
        let ([slot, device, op, place, bytes, completed], count) = cells(rest, b',');
        if count != 6 {
            return Err(format!("{} values; expected 9: {HEADER}", count + 3));
        }
        let bytes = size(bytes, 1)?;
        let nanos = |cell| time(cell, 1, "nanoseconds");
        let completed = match completed {
            b"" => None,
            cell => Some(nanos(cell)?),
        };
        let own = Own {
            issued: nanos(issued)?,
            due: nanos(due)?,
            job,
            thread: thread(slot)?,
            device,
            op,
            offset: offset(place, 1)?,
            bytes,
            completed,
        };
        own.add(found)
    }
}

/// An IO as `ios.csv` has it.
pub(crate) struct Own<'a> {
    pub(crate) issued: Nanos,
    pub(crate) due: Nanos,
    pub(crate) job: &'a [u8],
    pub(crate) thread: u32,
    pub(crate) device: &'a [u8],
    pub(crate) op: &'a [u8],
    pub(crate) offset: Bytes,
    pub(crate) bytes: Bytes,
    /// None if it failed, or the run ended before it.
    pub(crate) completed: Option<Nanos>,
}

impl Own<'_> {
    /// Adds it.
    pub(crate) fn add(&self, found: &mut Found) -> Result<(), Wrong> {
        let op = match self.op {
            // A file system's journal, which an fsync writes before it flushes.
            b"flush" if self.bytes > 0 => Op::Write,
            b"read" => Op::Read,
            b"write" => Op::Write,
            b"flush" => Op::Flush,
            b"trim" => Op::Trim,
            _ => return Err(unexpected("op", self.op, "read, write, flush or trim")),
        };
        if let Some(completed) = self.completed.filter(|completed| *completed < self.due) {
            let due = self.due;
            return Err(format!(
                "completed_ns `{completed}`; expected none before due_ns, {due}"
            ));
        }
        let by = (found.jobs.number(self.job), self.thread);
        let device = found.devices.number(self.device);
        found.push(Row {
            arrival: Some(self.due),
            issue: Some(self.issued),
            completion: self.completed,
            op,
            offset: self.offset,
            bytes: self.bytes,
            device,
            by: Some(by),
            failed: self.completed.is_none(),
        });
        Ok(())
    }
}

impl Blockyard {
    /// The first three cells, of which the third may be quoted, and the rest.
    fn split<'a>(&'a mut self, line: &'a [u8]) -> Result<[&'a [u8]; 4], Wrong> {
        let wrong = || format!("a line of too few values; expected 9: {HEADER}");
        let next = |from: &'a [u8]| {
            let comma = memchr(b',', from).ok_or_else(wrong)?;
            Ok::<_, Wrong>((&from[..comma], &from[comma + 1..]))
        };
        let (issued, rest) = next(line)?;
        let (due, rest) = next(rest)?;
        let Some(inside) = rest.strip_prefix(b"\"") else {
            let (job, rest) = next(rest)?;
            return Ok([issued, due, job, rest]);
        };
        self.quoted.clear();
        let mut place = 0;
        while let Some(byte) = inside.get(place) {
            match (byte, inside.get(place + 1)) {
                (b'"', Some(b'"')) => place += 1,
                (b'"', Some(b',')) => return Ok([issued, due, &self.quoted, &inside[place + 2..]]),
                _ => {}
            }
            self.quoted.push(*byte);
            place += 1;
        }
        Err(unexpected("job", rest, "a name, with its quotes closed"))
    }
}
