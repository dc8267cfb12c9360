//! MSR Cambridge: `128166391024154329,prxy,0,Write,1105182720,1024,1514`.

use blockyard_model::storage::Op;

use crate::found::{Arrived, Found};
use crate::text::Parse;
use crate::text::cells::{Wrong, at_least, offset, size, unexpected, whole};

/// Windows counts in steps of this.
const STEP: u64 = 100;

/// Its lines: time, host, disk, operation, offset, size, and how long it took.
pub(crate) struct Msr;

impl Parse for Msr {
    fn line(&mut self, line: &[u8], found: &mut Found) -> Result<(), Wrong> {
        let columns = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";
        let [at, host, disk, kind, place, bytes, took] = at_least(line, columns)?;
        if at == b"Timestamp" {
            return Ok(());
        }
        let steps = |what, cell| {
            let value = whole(cell).and_then(|value| value.checked_mul(STEP));
            value.ok_or_else(|| unexpected(what, cell, "steps of 100 ns"))
        };
        let arrival = steps("Timestamp", at)?;
        let completion = arrival.checked_add(steps("ResponseTime", took)?);
        let op = match kind {
            b"Read" => Op::Read,
            b"Write" => Op::Write,
            _ => return Err(unexpected("Type", kind, "Read or Write")),
        };
        let io = Arrived {
            at: arrival,
            completion,
            op,
            offset: offset(place, 1)?,
            bytes: size(bytes, 1)?,
        };
        found.arrived(&[host, disk].join(&b'.'), &io);
        Ok(())
    }
}
