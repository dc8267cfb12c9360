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
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// Bytes of the file, where they are given or all places depend on them.
    size: Option<Bytes>,
    /// Up to where the trace goes.
    extent: Bytes,
    beyond: Option<Beyond>,
    largest: u32,
    /// The bytes of the first IO that no device can do.
    impossible: Option<Bytes>,
}

impl Places {
    /// Those of a job whose trace goes up to `extent`, which need not be known yet unless places
    /// are scaled.
    pub(super) fn new(job: &schema::Replay, extent: Bytes) -> Self {
        let scaled = (job.beyond == Some(Beyond::Scale)).then_some(extent);
        let size = job.file_size.map(Size::bytes).or(scaled);
        Self {
            size: size.map(|size| (size / SECTOR * SECTOR).max(SECTOR)),
            extent,
            beyond: job.beyond,
            largest: 0,
            impossible: None,
        }
    }

    /// The first byte of a row, and how many.
    pub(super) fn of_row(&mut self, row: &Row) -> (Bytes, u32) {
        let len = len(row);
        self.largest = self.largest.max(len);
        if self.impossible.is_none() && row.op != Op::Trim && row.bytes > MAX_IO {
            self.impossible = Some(row.bytes);
        }
        let Some(size) = self.size else {
            return (row.offset / SECTOR * SECTOR, len);
        };
        let offset = match self.beyond {
            None => row.offset,
            Some(Beyond::Wrap) => row.offset % size,
            Some(Beyond::Scale) => {
                let scaled = u128::from(row.offset) * u128::from(size);
                // To 4 KiB, so that blocks stay whole.
                (scaled / u128::from(self.extent)) as Bytes / 4096 * 4096
            }
        };
        // What wraps in its middle ends at the file's end.
        let offset = offset.min(size.saturating_sub(len.into()));
        (offset / SECTOR * SECTOR, len)
    }

    /// All rows were seen, up to `extent`: whether the file holds them.
    pub(super) fn end(
        self,
        path: &str,
        job: &schema::Replay,
        extent: Bytes,
    ) -> Result<Placed, Invalid> {
        if let Some(bytes) = self.impossible {
            let (size, most) = (Size::new(bytes), Size::new(MAX_IO));
            let message = format!("an IO of {size}; expected at most {most}");
            return Err(Invalid::new(format!("{path}.trace"), message));
        }
        let size = job.file_size.map_or(extent, Size::bytes);
        let largest = Bytes::from(self.largest);
        let invalid = |message: String| Err(Invalid::new(format!("{path}.file_size"), message));
        if size < largest {
            let (size, largest) = (Size::new(size), Size::new(largest));
            return invalid(format!("a file of {size} holds no IO of {largest}"));
        }
        if size < extent && job.beyond.is_none() {
            let (size, extent) = (Size::new(size), Size::new(extent));
            return invalid(format!(
                "the recorded IOs reach {extent}, beyond a file of {size}; expected `beyond: wrap` or \
                 `beyond: scale`"
            ));
        }
        Ok(Placed {
            size: size / SECTOR * SECTOR,
            extent,
            beyond: job.beyond,
        })
    }
}

/// Where all of a trace lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    /// Bytes of the file.
    pub(super) size: Bytes,
    extent: Bytes,
    beyond: Option<Beyond>,
}

impl Placed {
    /// What was changed of the places.
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
