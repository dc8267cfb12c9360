//! Alibaba's block traces: `0,R,126703661056,4096,1577808000000046`.

use blockyard_model::storage::Op;

use crate::found::{Arrived, Found};
use crate::text::Parse;
use crate::text::cells::{Wrong, at_least, offset, size, time, unexpected};

/// Its lines: device, operation, offset, size, time.
pub(crate) struct Alibaba;

impl Parse for Alibaba {
    fn line(&mut self, line: &[u8], found: &mut Found) -> Result<(), Wrong> {
        let [device, kind, place, bytes, at] =
            at_least(line, "device_id,opcode,offset,length,timestamp")?;
        if device == b"device_id" {
            return Ok(());
        }
        let op = match kind {
            b"R" => Op::Read,
            b"W" => Op::Write,
            _ => return Err(unexpected("opcode", kind, "R or W")),
        };
        let arrival = time(at, 1000, "microseconds")?;
        let io = Arrived {
            at: arrival,
            completion: None,
            op,
            offset: offset(place, 1)?,
            bytes: size(bytes, 1)?,
        };
        found.arrived(device, &io);
        Ok(())
    }
}
