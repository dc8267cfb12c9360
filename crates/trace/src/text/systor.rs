//! SYSTOR '17: `1456095145.133076000,0.000806000,R,0,899056122368,131072`.

use blockyard_model::storage::Op;
use blockyard_model::units::SECOND;

use crate::found::{Arrived, Found};
use crate::text::Parse;
use crate::text::cells::{Wrong, at_least, offset, size, time, unexpected};

/// Its lines: time, how long it took, operation, LUN, offset, size.
pub(crate) struct Systor;

impl Parse for Systor {
    fn line(&mut self, line: &[u8], found: &mut Found) -> Result<(), Wrong> {
        let [at, took, kind, lun, place, bytes] =
            at_least(line, "Timestamp,Response,IOType,LUN,Offset,Size")?;
        if at == b"Timestamp" {
            return Ok(());
        }
        let op = match kind {
            b"R" => Op::Read,
            b"W" => Op::Write,
            // Other commands, which the set does not name.
            b"" => {
                found.notes.skipped += 1;
                return Ok(());
            }
            _ => return Err(unexpected("IOType", kind, "R, W or nothing")),
        };
        let arrival = time(at, SECOND, "seconds")?;
        let completion = match took {
            b"" => None,
            took => arrival.checked_add(time(took, SECOND, "seconds")?),
        };
        let io = Arrived {
            at: arrival,
            completion,
            op,
            offset: offset(place, 1)?,
            bytes: size(bytes, 1)?,
        };
        found.arrived(lun, &io);
        Ok(())
    }
}
