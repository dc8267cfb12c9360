//! A file record by record.

use std::io::{self, BufRead, Read};

use crate::error::Place;
use crate::trace::Failure;

/// The records of a file.
pub(crate) struct Records<R> {
    input: R,
    /// The first byte of the next record.
    pub(crate) offset: u64,
    /// That the file ends within a record.
    pub(crate) cut: Option<String>,
}

impl<R: BufRead> Records<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            offset: 0,
            cut: None,
        }
    }

    /// The next `N` bytes; none at the end.
    pub(crate) fn next<const N: usize>(&mut self) -> Result<Option<[u8; N]>, Failure> {
        let mut record = [0; N];
        let mut filled = 0;
        while filled < N {
            match self.input.read(&mut record[filled..]) {
                Ok(0) => {
                    self.ended(filled as u64, N as u64);
                    return Ok(None);
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::Io(Place::Byte(self.offset), error)),
            }
        }
        self.offset += N as u64;
        Ok(Some(record))
    }

    /// Passes over `length` bytes.
    pub(crate) fn skip(&mut self, length: u64) -> Result<(), Failure> {
        let passed = io::copy(&mut (&mut self.input).take(length), &mut io::sink());
        let passed = passed.map_err(|error| Failure::Io(Place::Byte(self.offset), error))?;
        self.ended(passed, length);
        self.offset += passed;
        Ok(())
    }

    fn ended(&mut self, got: u64, of: u64) {
        if got > 0 && got < of {
            let offset = self.offset;
            self.cut = Some(format!(
                "cut off at byte {}: {got} of {of} bytes",
                offset + got
            ));
        }
    }
}

/// `N` bytes of a record.
pub(crate) fn at<const N: usize>(record: &[u8], offset: usize) -> [u8; N] {
    let mut bytes = [0; N];
    if let Some(found) = record.get(offset..offset + N) {
        bytes.copy_from_slice(found);
    }
    bytes
}
