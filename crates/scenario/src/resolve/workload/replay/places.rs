//! Where the IOs of a trace lie on the file of a replay.

use blockyard_model::storage::Op;
use blockyard_model::units::Bytes;
use blockyard_trace::Row;

use super::super::MAX_IO;
use super::SECTOR;
use crate::resolve::Invalid;
use crate::schema::{self, Beyond};
use crate::units::Size;

/// The file, and what becomes of what is beyond it.
pub(super) struct Places {
    /// Bytes of the file.
    pub(super) size: Bytes,
    /// Up to where the trace goes.
    extent: Bytes,
    beyond: Option<Beyond>,
}

impl Places {
    /// Those of a job that replays `rows`.
    pub(super) fn of(path: &str, job: &schema::Replay, rows: &[Row]) -> Result<Self, Invalid> {
        let moving = rows.iter().filter(|row| row.op != Op::Trim);
        if let Some(row) = moving.clone().find(|row| row.bytes > MAX_IO) {
            let (size, most) = (Size::new(row.bytes), Size::new(MAX_IO));
            let message = format!("an IO of {size}; expected at most {most}");
            return Err(Invalid::new(format!("{path}.trace"), message));
        }
        let end = |row: &Row| row.offset.saturating_add(row.bytes);
        let extent = rows.iter().map(end).max().unwrap_or(0).max(SECTOR);
        let extent = extent.next_multiple_of(SECTOR);
        let size = job.file_size.map_or(extent, Size::bytes);
        let largest = rows.iter().map(len).max().unwrap_or(0);
        let invalid = |message: String| Err(Invalid::new(format!("{path}.file_size"), message));
        if size < largest.into() {
            let largest = Size::new(largest.into());
            return invalid(format!(
                "a file of {} holds no IO of {largest}",
                Size::new(size)
            ));
        }
        if size < extent && job.beyond.is_none() {
            let (size, extent) = (Size::new(size), Size::new(extent));
            return invalid(format!(
                "the recorded IOs reach {extent}, beyond a file of {size}; expected `beyond: wrap` or \
                 `beyond: scale`"
            ));
        }
        Ok(Self {
            size: size / SECTOR * SECTOR,
            extent,
            beyond: job.beyond,
        })
    }

    /// The first byte of a row, and how many.
    pub(super) fn of_row(&self, row: &Row) -> (Bytes, u32) {
        let len = len(row);
        let offset = match self.beyond {
            None => row.offset,
            Some(Beyond::Wrap) => row.offset % self.size,
            Some(Beyond::Scale) => {
                let scaled = u128::from(row.offset) * u128::from(self.size);
                // To 4 KiB, so that blocks stay whole.
                (scaled / u128::from(self.extent)) as Bytes / 4096 * 4096
            }
        };
        // What wraps in its middle ends at the file's end.
        let offset = offset.min(self.size - Bytes::from(len));
        (offset / SECTOR * SECTOR, len)
    }

    /// What was changed of them.
    pub(super) fn notice(&self) -> Option<String> {
        let (size, extent) = (Size::new(self.size), Size::new(self.extent));
        match self.beyond? {
            Beyond::Wrap if self.size < self.extent => Some(format!(
                "recorded places up to {extent} go on at the start of a file of {size}"
            )),
            Beyond::Wrap => None,
            Beyond::Scale => Some(format!(
                "recorded places up to {extent} are scaled to a file of {size}: neighbours may overlap"
            )),
        }
    }
}

/// Whole sectors. A trim takes no time that depends on its size, so a larger one may be cut.
fn len(row: &Row) -> u32 {
    let bytes = match row.op {
        Op::Flush => 0,
        _ => row.bytes.next_multiple_of(SECTOR).min(MAX_IO),
    };
    bytes as u32
}
