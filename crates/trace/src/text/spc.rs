//! The Storage Performance Council's form, as at UMass: `0,20941264,8192,W,0.551706`.

use blockyard_model::storage::Op;
use blockyard_model::units::SECOND;

use crate::found::{Arrived, Found};
use crate::row::SECTOR;
use crate::text::Parse;
use crate::text::cells::{Wrong, at_least, offset, size, time, unexpected};

/// Its lines: application storage unit, first sector, bytes, operation, time; more may follow.
pub(crate) struct Spc;

impl Parse for Spc {
    fn line(&mut self, line: &[u8], found: &mut Found) -> Result<(), Wrong> {
        let [unit, place, bytes, kind, at] = at_least(line, "ASU,LBA,Size,Opcode,Timestamp")?;
        let op = match kind {
            b"R" | b"r" => Op::Read,
            b"W" | b"w" => Op::Write,
            _ => return Err(unexpected("Opcode", kind, "R or W")),
        };
        let arrival = time(at, SECOND, "seconds")?;
        let io = Arrived {
            at: arrival,
            completion: None,
            op,
            offset: offset(place, SECTOR)?,
            bytes: size(bytes, 1)?,
        };
        found.arrived(unit, &io);
        Ok(())
    }
}
