//! fio's `write_iolog`, version 2 (waits between IOs) and 3 (times).

use blockyard_model::storage::Op;
use blockyard_model::units::Nanos;

use crate::Row;
use crate::found::Found;
use crate::text::Parse;
use crate::text::cells::{Wrong, offset, size, time, unexpected, words};

/// Its times and waits.
const MICRO: Nanos = 1000;

/// Its lines.
#[derive(Default)]
pub(crate) struct Iolog {
    /// Told by the first line.
    version: Option<u8>,
    /// Of version 2: the waits so far.
    now: Nanos,
}

impl Parse for Iolog {
    fn line(&mut self, line: &[u8], found: &mut Found) -> Result<(), Wrong> {
        let mut words = words(line);
        let mut next = || words.next().unwrap_or_default();
        let at = match self.version {
            None => {
                self.version = Some(version(line)?);
                return Ok(());
            }
            Some(3) => time(next(), MICRO, "microseconds")?,
            Some(_) => self.now,
        };
        let (file, action, first, second) = (next(), next(), next(), next());
        let op = match (action, self.version) {
            (b"read", _) => Op::Read,
            (b"write", _) => Op::Write,
            (b"trim", _) => Op::Trim,
            (b"sync" | b"datasync", _) => Op::Flush,
            (b"wait", Some(2)) => {
                let wait = time(first, MICRO, "microseconds to wait")?;
                self.now = self.now.saturating_add(wait);
                return Ok(());
            }
            (b"add" | b"open" | b"close", _) => return Ok(()),
            _ => return Err(unexpected("action", action, expected(self.version))),
        };
        let (offset, bytes) = match op {
            Op::Flush => (0, 0),
            _ => (offset(first, 1)?, size(second, 1)?),
        };
        found.note_time(at);
        let device = found.devices.number(file);
        found.push(Row {
            arrival: Some(at),
            issue: None,
            completion: None,
            op,
            offset,
            bytes,
            device,
            by: None,
            failed: false,
        });
        Ok(())
    }
}

fn version(line: &[u8]) -> Result<u8, Wrong> {
    match line {
        b"fio version 2 iolog" => Ok(2),
        b"fio version 3 iolog" => Ok(3),
        _ => Err(unexpected(
            "first line",
            line,
            "fio version 2 iolog or fio version 3 iolog",
        )),
    }
}

fn expected(version: Option<u8>) -> &'static str {
    match version {
        Some(2) => "add, open, close, read, write, trim, sync, datasync or wait",
        _ => "add, open, close, read, write, trim, sync or datasync",
    }
}
