//! biosnoop, of bcc (`LAT(ms)` with two decimals) and of libbpf-tools (three).

use blockyard_model::storage::Op;
use blockyard_model::units::{MILLISECOND, Nanos, SECOND};

use crate::Row;
use crate::block::{What, op};
use crate::found::Found;
use crate::row::SECTOR;
use crate::text::Parse;
use crate::text::cells::{Wrong, offset, size, thread, time, unexpected, words};

/// Its times count from the first end. This is where that is put, as IOs came before it.
const BEGIN: Nanos = 86_400 * SECOND;

/// What programs print for the sector of a flush, which has none.
const NO_SECTOR: [&[u8]; 2] = [b"-1", b"18446744073709551615"];

/// Its lines: `TIME(s) COMM PID DISK T SECTOR BYTES [QUE(ms)] LAT(ms)`, an IO when it ends.
#[derive(Default)]
pub(crate) struct Biosnoop {
    /// Whether there is a column of the time in the queue, which the heading tells.
    queue: bool,
}

impl Parse for Biosnoop {
    fn line(&mut self, line: &[u8], found: &mut Found) -> Result<(), Wrong> {
        if line.trim_ascii_start().starts_with(b"TIME") {
            self.queue = words(line).any(|word| word.starts_with(b"QUE"));
            return Ok(());
        }
        // The name of a command may hold blanks, so all but the time is found from the right.
        let mut words = words(line);
        let at = words.next().unwrap_or_default();
        let mut back = || words.next_back().unwrap_or_default();
        let took = back();
        let queued = if self.queue { Some(back()) } else { None };
        let (bytes, place, kind, disk, process) = (back(), back(), back(), back(), back());
        let completion = time(at, SECOND, "seconds")?.saturating_add(BEGIN);
        let bytes = size(bytes, 1)?;
        let nowhere = bytes == 0 && NO_SECTOR.contains(&place);
        let what = match What::parse(kind) {
            // bcc calls what writes nothing a read.
            _ if nowhere || kind == b"F" => Some(Op::Flush),
            what => what.map(|what| op(what.op)),
        };
        let op = what.ok_or_else(|| unexpected("T", kind, "R, W, F or D"))?;
        let issue = completion.saturating_sub(time(took, MILLISECOND, "milliseconds")?);
        let queued = queued.map(|cell| time(cell, MILLISECOND, "milliseconds"));
        let queued = queued.transpose()?;
        let process = thread(process)?;
        let name = words.collect::<Vec<_>>().join(&b' ');
        let by = (found.jobs.number(&name), process);
        let device = found.devices.number(disk);
        found.note_time(completion);
        found.push(Row {
            arrival: Some(issue.saturating_sub(queued.unwrap_or(0))),
            issue: Some(issue),
            completion: Some(completion),
            op,
            offset: if nowhere { 0 } else { offset(place, SECTOR)? },
            bytes,
            device,
            by: Some(by),
            failed: false,
        });
        Ok(())
    }
}
