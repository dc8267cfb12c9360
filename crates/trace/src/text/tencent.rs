//! Tencent's cloud block storage: `1538323199,105352008,584,1,1576`.

use blockyard_model::storage::Op;
use blockyard_model::units::SECOND;

use crate::found::{Arrived, Found};
use crate::row::SECTOR;
use crate::text::Parse;
use crate::text::cells::{Wrong, at_least, offset, size, unexpected, whole};

/// Its lines: whole seconds, offset and size in sectors, operation, volume.
pub(crate) struct Tencent;

impl Parse for Tencent {
    fn line(&mut self, line: &[u8], found: &mut Found) -> Result<(), Wrong> {
        let [at, place, sectors, kind, volume] =
            at_least(line, "Timestamp,Offset,Size,IOType,VolumeID")?;
        if at == b"Timestamp" {
            return Ok(());
        }
        let arrival = whole(at).and_then(|value| value.checked_mul(SECOND));
        let arrival = arrival.ok_or_else(|| unexpected("Timestamp", at, "whole seconds"))?;
        let op = match kind {
            b"0" => Op::Read,
            b"1" => Op::Write,
            _ => return Err(unexpected("IOType", kind, "0 or 1")),
        };
        let io = Arrived {
            at: arrival,
            completion: None,
            op,
            offset: offset(place, SECTOR)?,
            bytes: size(sectors, SECTOR)?,
        };
        found.arrived(volume, &io);
        Ok(())
    }
}
